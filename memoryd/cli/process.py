"""Commands over the process: serve, start, stop, restart, status, logs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from memory_client.deadline import Deadline
from memory_client.errors import ConfigurationError, DaemonUnavailableError
from memory_client.paths import DataPaths
from memory_client.types import Status
from memoryd.cli.client_commands import ClientCommand
from memoryd.cli.log_lines import follow, tail
from memoryd.cli.status_output import status_lines

_STOP_SECONDS = 60.0

_set = click.option(
    "--set",
    "values",
    multiple=True,
    metavar="NAME=VALUE",
    help="A setting for this start, such as log.level=debug.",
)


@click.command()
@_set
@click.option("--report", type=click.Path(path_type=Path), hidden=True)
@click.pass_obj
def serve(paths: DataPaths, values: tuple[str, ...], report: Path | None) -> None:
    """Run the daemon in the foreground, until Ctrl-C."""
    overrides = _overrides(values)
    from memoryd.daemon import serve as run  # only this command pays for it

    run(paths, overrides, report=report, foreground=report is None)


@click.command()
@_set
@click.pass_obj
def start(paths: DataPaths, values: tuple[str, ...]) -> None:
    """Start the daemon in the background and wait until it serves."""
    _overrides(values)
    from memory_client.launch import START_SECONDS, ensure_daemon, find_daemon

    running = find_daemon(paths)
    info = ensure_daemon(paths, Deadline.after(START_SECONDS), values)
    if info != running:
        click.echo(
            f"started: memoryd {info.version} at {info.endpoint}, pid {info.pid}, data in {paths.root}"
        )
        return
    click.echo(f"already running: memoryd {info.version} at {info.endpoint}, pid {info.pid}")
    if values:
        click.echo("the settings given take effect with: memoryd restart --set ...", err=True)


@click.command()
@click.pass_obj
def stop(paths: DataPaths) -> None:
    """Stop the daemon after the work in hand."""
    from memory_client.launch import stop_daemon

    pid = stop_daemon(paths, Deadline.after(_STOP_SECONDS))
    click.echo(f"no daemon runs for {paths.root}" if pid is None else f"stopped: pid {pid}")


@click.command()
@_set
@click.pass_context
def restart(ctx: click.Context, values: tuple[str, ...]) -> None:
    """Stop the daemon and start it again, with the settings as they are now."""
    _overrides(values)
    ctx.invoke(stop)
    ctx.invoke(start, values=values)


def _status_lines(status: Status, **_: Any) -> Iterator[str]:
    return status_lines(status)


STATUS = ClientCommand(
    "status",
    "memory.status",
    "Show the state of the running daemon.",
    _status_lines,
    json="As one JSON object.",
    whose=(),
    autostart=False,
)


@click.command()
@click.option("-f", "--follow", "following", is_flag=True, help="Follow new lines, until Ctrl-C.")
@click.option(
    "-n", "--lines", default=50, show_default=True, type=click.IntRange(min=0), help="How many lines."
)
@click.pass_obj
def logs(paths: DataPaths, following: bool, lines: int) -> None:
    """Show the end of the daemon's log."""
    if not paths.log_file.exists():
        raise DaemonUnavailableError(f"there is no log at {paths.log_file}: no daemon has run here yet")
    for line in (follow if following else tail)(paths.log_file, lines):
        click.echo(line)


def _overrides(values: tuple[str, ...]) -> dict[str, str]:
    """The settings of `--set`, checked. Raises `ConfigurationError`."""
    pairs = [value.partition("=") for value in values]
    for name, equals, _ in pairs:
        if not equals:
            raise click.BadParameter(f"{name!r} is not NAME=VALUE", param_hint="--set")
    overrides = {name: value for name, _, value in pairs}
    if overrides:
        from memoryd.app.settings import check_overrides, is_secret

        check_overrides(overrides)
        for name in overrides:
            if is_secret(name):
                raise ConfigurationError(
                    f"{name} is a secret and every user can read command lines; put it into config.toml",
                    setting=name,
                )
    return overrides
