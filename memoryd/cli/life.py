"""Commands for the life of one memory: of use, kept, put away, brought back, as it was before."""

from __future__ import annotations

import json

import click

from memory_client.paths import DataPaths
from memory_client.types import Comparison, UpdateResult
from memoryd.cli.options import OPERATOR, for_user
from memoryd.cli.search_output import plain
from memoryd.cli.version_output import difference, version_line

REASON = click.option("--reason", help="Why; kept with it.")


@click.command()
@click.argument("memory_id")
@REASON
@for_user
@click.pass_obj
def boost(paths: DataPaths, /, memory_id: str, reason: str | None, user: str, agent: str | None) -> None:
    """Say that MEMORY_ID was of use."""
    from memory_client.client import KnowledgeClient

    with KnowledgeClient(paths.root) as client:
        done = client.boost(memory_id, reason, operator=OPERATOR, user_id=user, agent_id=agent)
    limit = f" ({done['limited_by']})" if done["limited_by"] else ""
    click.echo(f"+{done['applied']:g}{limit}; importance {done['importance']:.2f}")


@click.command()
@click.argument("memory_id")
@click.option("--off", is_flag=True, help="Let time and reviews have it again.")
@for_user
@click.pass_obj
def pin(paths: DataPaths, /, memory_id: str, user: str, agent: str | None, *, off: bool) -> None:
    """Keep MEMORY_ID as it is, whatever time does."""
    from memory_client.client import KnowledgeClient

    with KnowledgeClient(paths.root) as client:
        _say(client.pin(memory_id, not off, operator=OPERATOR, user_id=user, agent_id=agent))


@click.command()
@click.argument("memory_id")
@REASON
@for_user
@click.pass_obj
def archive(paths: DataPaths, /, memory_id: str, reason: str | None, user: str, agent: str | None) -> None:
    """Put MEMORY_ID away; `memoryd restore` brings it back."""
    from memory_client.client import KnowledgeClient

    with KnowledgeClient(paths.root) as client:
        _say(client.archive(memory_id, reason, operator=OPERATOR, user_id=user, agent_id=agent))


@click.command()
@click.argument("memory_id")
@REASON
@for_user
@click.pass_obj
def restore(paths: DataPaths, /, memory_id: str, reason: str | None, user: str, agent: str | None) -> None:
    """Bring MEMORY_ID back: archived, or superseded by what is archived or deleted by now."""
    from memory_client.client import KnowledgeClient

    with KnowledgeClient(paths.root) as client:
        _say(client.restore(memory_id, reason, operator=OPERATOR, user_id=user, agent_id=agent))


@click.command()
@click.argument("memory_id")
@click.argument("a", type=int, required=False)
@click.argument("b", type=int, required=False)
@click.option("--json", "as_json", is_flag=True, help="As one JSON object.")
@for_user
@click.pass_obj
def compare(
    paths: DataPaths,
    /,
    memory_id: str,
    a: int | None,
    b: int | None,
    user: str,
    agent: str | None,
    *,
    as_json: bool,
) -> None:
    """Show how version B of MEMORY_ID, the newest by default, differs from A, the one before it."""
    from memory_client.client import KnowledgeClient

    with KnowledgeClient(paths.root) as client:
        found = client.compare(memory_id, a, b, user_id=user, agent_id=agent)
    click.echo(json.dumps(found, ensure_ascii=False, indent=2) if as_json else _compared(found))


@click.command()
@click.argument("memory_id")
@click.argument("version", type=int)
@REASON
@for_user
@click.pass_obj
def revert(
    paths: DataPaths, /, memory_id: str, version: int, reason: str | None, user: str, agent: str | None
) -> None:
    """Make what VERSION of MEMORY_ID said its next version."""
    from memory_client.client import KnowledgeClient

    with KnowledgeClient(paths.root) as client:
        _say(client.revert(memory_id, version, reason, operator=OPERATOR, user_id=user, agent_id=agent))


def _say(done: UpdateResult) -> None:
    click.echo(f"{done['id']} is at version {done['version']}" if done["changed"] else "nothing has changed")


def _compared(found: Comparison) -> str:
    lines = [version_line(found["first"]), version_line(found["second"])]
    lines += [f"changes: {found['change_count']}", plain(found["readable"])]
    lines += [f"  {name}: {difference(one)}" for name, one in found["fields"].items()]
    lines += [f"  metadata.{name}: {difference(one)}" for name, one in found["metadata"].items()]
    return "\n".join(lines)
