"""Commands `memoryd conflicts` and `memoryd resolve`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from memory_client.types import Conflict, ConflictSide, ResolveResult
from memoryd.cli.client_commands import ClientCommand
from memoryd.cli.formats import because, date, excerpt, plain
from memoryd.cli.options import argument, flag, option


def _conflict_lines(found: Sequence[Conflict], **_: Any) -> Iterator[str]:
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
    why = because(conflict["decision"])
    return f"  ({conflict['state']} {date(conflict['decided_at'])} by {conflict['decided_by']}{why})"


def _side(side: ConflictSide) -> str:
    who = f" by {side['operator']}" if side["operator"] else ""
    why = because(side["reason"])
    text = excerpt(side["text"])
    return f"    {side['id']} v{side['version']}  {text}\n        {date(side['at'])}{who}{why}"


def _resolve_lines(done: ResolveResult, *, loser: str, **_: Any) -> Iterator[str]:
    what = f"{loser} is archived as wrong" if done["archived"] else "both are kept"
    yield f"{what}; conflicts closed: {done['closed_count']}"


_WINDOW = "Made or changed within: 12h, 30d, 8w, all; by default the setting conflicts.window_days."
CONFLICT_COMMANDS = (
    ClientCommand(
        "conflicts",
        "memory.conflicts",
        "Show memories that contradict each other, the gravest first.",
        _conflict_lines,
        (
            option("--memory", "memory_id", help="Of this memory only."),
            option("--window", help=_WINDOW),
            flag("--decided", help="Those that `resolve` has decided: by whom, when and why."),
        ),
        json="As one JSON list.",
    ),
    ClientCommand(
        "resolve",
        "memory.resolve",
        "Decide between two memories: LOSER is archived as wrong (`restore` brings it back), WINNER stays.",
        _resolve_lines,
        (
            argument("winner"),
            argument("loser"),
            option("--reason", help="Why; kept with the loser's version."),
            flag("--keep-both", help="They do not contradict each other: archive nothing."),
        ),
    ),
)
