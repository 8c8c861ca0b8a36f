"""The command `memoryd`: the daemon and its store from a terminal.

An error is one line with the fix and exit code 1; a wrong command line is exit code 2.
"""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

import click

from memory_client.errors import MemorydError
from memory_client.paths import DataPaths
from memory_client.version import VERSION
from memoryd.cli.client_commands import add_commands
from memoryd.cli.conflicts import CONFLICT_COMMANDS
from memoryd.cli.decay import decay
from memoryd.cli.forget import forget
from memoryd.cli.knowledge import knowledge
from memoryd.cli.memories import MEMORY_COMMANDS
from memoryd.cli.process import STATUS, logs, restart, serve, start, stop
from memoryd.cli.review import review
from memoryd.cli.search import SEARCH
from memoryd.cli.store import config, doctor, reindex
from memoryd.cli.triples import triples


class _Commands(click.Group):
    """Prints errors as one line."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except MemorydError as error:
            problem = str(error)
        except BrokenPipeError:
            raise  # click handles it: the reader of our output is gone
        except OSError as error:
            problem = f"{error.filename or 'the system'}: {error.strerror or error}"
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            problem = _defect(error)
        click.echo(f"memoryd: {problem}", err=True)
        return ctx.exit(1)


def _defect(error: Exception) -> str:
    """An unexpected error, with its source line."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"unexpected {type(error).__name__}: {error} ({place.filename}:{place.lineno}); please report it"


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--data-dir",
    type=click.Path(file_okay=False, path_type=Path),
    help="The data directory; else MEMORYD_HOME, else the platform's place.",
)
@click.version_option(VERSION, prog_name="memoryd")
@click.pass_context
def main(ctx: click.Context, data_dir: Path | None) -> None:
    """A local memory for companions and agents: start, inspect and repair its daemon."""
    ctx.obj = DataPaths.at(data_dir)


for command in (
    *(serve, start, stop, restart, logs),
    *(forget, decay, knowledge, review, triples),
    *(reindex, doctor, config),
):
    main.add_command(command)
add_commands(main, STATUS, SEARCH, *MEMORY_COMMANDS, *CONFLICT_COMMANDS)
