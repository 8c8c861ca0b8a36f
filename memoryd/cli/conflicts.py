"""Commands conflicts and resolve: what excludes each other among the memories, and which of it holds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import click

from memory_client.paths import DataPaths
from memory_client.types import Conflict, ConflictSide
from memoryd.cli.options import OPERATOR, for_user
from memoryd.cli.search_output import date, plain

_SHOWN = 300
"""Characters of a text."""


@click.command()
@click.option("--memory", "memory_id", help="Of this memory only.")
@click.option(
    "--window",
    help="Made or changed within: 12h, 30d, 8w, all; by default the setting conflicts.window_days.",
)
@click.option("--decided", is_flag=True, help="Those that `resolve` has decided: by whom, when and why.")
@click.option("--json", "as_json", is_flag=True, help="As one JSON list.")
@for_user
@click.pass_obj
def conflicts(
    paths: DataPaths,
    memory_id: str | None,
    window: str | None,
    user: str,
    agent: str | None,
    *,
    decided: bool,
    as_json: bool,
) -> None:
    """Show memories that exclude each other, the gravest first."""
    from memory_client.client import KnowledgeClient

    with KnowledgeClient(paths.root) as client:
        found = client.conflicts(memory_id, window, decided=decided, user_id=user, agent_id=agent)
    click.echo(json.dumps(found, ensure_ascii=False, indent=2) if as_json else "\n".join(_lines(found)))


@click.command()
@click.argument("winner")
@click.argument("loser")
@click.option("--reason", help="Why; kept with the loser's version.")
@click.option("--keep-both", is_flag=True, help="They do not exclude each other: archive nothing.")
@for_user
@click.pass_obj
def resolve(
    paths: DataPaths,
    /,
    winner: str,
    loser: str,
    *,
    keep_both: bool,
    user: str,
    agent: str | None,
    reason: str,
) -> None:
    """Decide between two memories: LOSER is archived as wrong (`restore` brings it back), WINNER stays."""
    from memory_client.client import KnowledgeClient

    with KnowledgeClient(paths.root) as client:
        done = client.resolve(
            winner, loser, reason=reason, keep_both=keep_both, operator=OPERATOR, user_id=user, agent_id=agent
        )
    what = f"{loser} is archived as wrong" if done["archived"] else "both are kept"
    click.echo(f"{what}; conflicts closed: {done['closed_count']}")


def _lines(found: Sequence[Conflict]) -> Iterator[str]:
    for conflict in found:
        yield f"{conflict['severity']:<6} {conflict['type']}: {plain(conflict['detail'])}{_state(conflict)}"
        yield _side(conflict["first"])
        yield _side(conflict["second"])
    if not found:
        yield "no conflicts"


def _state(conflict: Conflict) -> str:
    if conflict["decided_at"] is None:
        return ""
    if conflict["id"] is None:
        return "  (corrected since)"
    why = f": {plain(conflict['decision'][:_SHOWN])}" if conflict["decision"] else ""
    return f"  ({conflict['state']} {date(conflict['decided_at'])} by {conflict['decided_by']}{why})"


def _side(side: ConflictSide) -> str:
    who = f" by {side['operator']}" if side["operator"] else ""
    why = f": {plain(side['reason'][:_SHOWN])}" if side["reason"] else ""
    text = plain(side["text"][:_SHOWN])
    return f"    {side['id']} v{side['version']}  {text}\n        {date(side['at'])}{who}{why}"
