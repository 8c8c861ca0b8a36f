"""Commands `memoryd decay`: preview and run passes, undo one, purge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from memory_client.paths import DataPaths
from memory_client.types import DecayPass, DecayPreview, DeleteResult, FadingMemory, Memory, UndoPassResult
from memoryd.cli.client_commands import ClientCommand, add_commands, open_client, print_reply
from memoryd.cli.formats import date, excerpt
from memoryd.cli.options import FOR_USER, argument, count, flag, option

_OUTCOMES = {"decay": "archive, faded", "expired": "archive, expired", "review": "ask"}


@click.group()
def decay() -> None:
    """What time does to memories: it archives, and never destroys."""


@decay.command()
@click.pass_obj
def preview(paths: DataPaths, /, limit: int, *, as_json: bool, **whose: Any) -> None:
    """Show what a pass would do now, and the passes so far; changes nothing."""
    with open_client(paths) as client:
        found = client.decay.preview(limit, **whose)
        memories = client.get_many([one["id"] for one in found["items"]], **whose)
    by_id = {memory["id"]: memory for memory in memories if memory is not None}
    print_reply(found, _preview_lines(found, by_id), as_json=as_json)


preview.params += [
    count("-n", "limit", help="How many are shown.", least=0),
    flag("--json", "as_json", help="As one JSON object."),
    *FOR_USER,
]


def _preview_lines(found: DecayPreview, memories: Mapping[str, Memory]) -> Iterator[str]:
    counts = found["counts"]
    yield (
        f"of {counts['active']:,} active memories a pass would archive {counts['decay']:,} that have faded "
        f"and {counts['expired']:,} that have expired, and ask about {counts['review']:,}"
    )
    if counts["remaining"]:
        yield f"{counts['remaining']:,} are left for later passes"
    if found["note"]:
        yield f"! {found['note']}"
    for one in found["items"]:
        yield _faded_line(one, memories.get(one["id"]))
    for info in found["passes"]:
        undone = ", undone" if info["undone_at"] is not None else ""
        done = f"archived {info['archived_count']:,}, asked about {info['review_count']:,}{undone}"
        yield f"{date(info['at'])}  {info['id']}  {done}"


def _faded_line(one: FadingMemory, memory: Memory | None) -> str:
    text = excerpt(memory["text"], 80) if memory else ""
    faded = f"{one['importance']:.2f} -> {one['effective_importance']:.2f} in {one['elapsed_days']:g} days"
    return f"  {_OUTCOMES[one['outcome']]:<17}{one['category']:<8}{faded:<26}{one['id']}  {text}"


def _pass_lines(done: DecayPass, **_: Any) -> Iterator[str]:
    if done["id"] is None:
        yield f"! {done['note']}"
        return
    yield f"{done['id']}: archived {len(done['archived']):,}, asked about {len(done['reviewed']):,}"
    if done["remaining_count"]:
        yield f"{done['remaining_count']:,} are left for later passes"
    if done["archived"]:
        yield f"to bring them back: memoryd decay undo {done['id']}"


def _undo_lines(done: UndoPassResult, **_: Any) -> Iterator[str]:
    yield f"restored {len(done['restored']):,}, withdrew {done['withdrawn_count']:,} reviews"


def _purge_lines(done: DeleteResult, *, dry_run: bool, **_: Any) -> Iterator[str]:
    yield f"{'would destroy' if dry_run else 'destroyed'} {done['count']:,}"
    for backup in done["backups"]:
        yield f"! a backup may still hold them: {backup}"


_OLDER = "Days since it was archived; else decay.retention_days."
add_commands(
    decay,
    ClientCommand(
        "run",
        "decay.run",
        "Run a pass now: archive what has faded or expired, open reviews for what is about to fade.",
        _pass_lines,
    ),
    ClientCommand(
        "undo",
        "decay.undo_pass",
        "Restore what the pass PASS_ID archived, and withdraw its open reviews.",
        _undo_lines,
        (argument("id", "PASS_ID"),),
    ),
    ClientCommand(
        "purge",
        "decay.purge",
        "Destroy what was archived long ago; it cannot be restored.",
        _purge_lines,
        (
            option("--older-than-days", type=click.FloatRange(min=0), help=_OLDER),
            flag("--dry-run", help="Only show what would go."),
        ),
    ),
)
