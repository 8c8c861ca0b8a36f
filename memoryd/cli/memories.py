"""Commands over one memory: its versions, boost, pin, archive, restore and revert."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from memory_client.types import BoostResult, Comparison, UpdateResult, Version
from memoryd.cli.client_commands import ClientCommand
from memoryd.cli.formats import excerpt, plain
from memoryd.cli.options import MEMORY_ID, REASON, argument, count, flag
from memoryd.cli.version_output import difference, version_line


def _history_lines(versions: Sequence[Version], **_: Any) -> Iterator[str]:
    for one in versions:
        yield f"{version_line(one)}  ({one['id']}, {one['content_hash'][:12]})"
        diff = one["diff"]
        text = one["text"] if diff is None else diff["readable"]
        if text is not None:
            yield f"    {excerpt(text)}"
        if diff is not None:
            changes = [*diff["fields"].items(), *diff["metadata"].items()]
            yield from (f"    {name}: {difference(value)}" for name, value in changes)


def _compare_lines(found: Comparison, **_: Any) -> Iterator[str]:
    yield version_line(found["first"])
    yield version_line(found["second"])
    yield f"changes: {found['change_count']}"
    yield plain(found["readable"])
    yield from (f"  {name}: {difference(one)}" for name, one in found["fields"].items())
    yield from (f"  metadata.{name}: {difference(one)}" for name, one in found["metadata"].items())


def _boost_lines(done: BoostResult, **_: Any) -> Iterator[str]:
    limit = f" ({done['limited_by']})" if done["limited_by"] else ""
    yield f"+{done['applied']:g}{limit}; importance {done['importance']:.2f}"


def _update_lines(done: UpdateResult, **_: Any) -> Iterator[str]:
    yield f"{done['id']} is at version {done['version']}" if done["changed"] else "nothing has changed"


def _pin_arguments(*, off: bool, **values: Any) -> dict[str, Any]:
    return {**values, "pinned": not off}


_A, _B = argument("a", type=int, required=False), argument("b", type=int, required=False)
_CHANGE = (MEMORY_ID, REASON)
MEMORY_COMMANDS = (
    ClientCommand(
        "history",
        "memory.history",
        "Show the versions of MEMORY_ID, oldest first, each with what it changed.",
        _history_lines,
        (MEMORY_ID, count("-n", "limit", help="How many of the newest.")),
        json="As one JSON list.",
    ),
    ClientCommand(
        "compare",
        "memory.compare",
        "Show how version B of MEMORY_ID, the newest by default, differs from A, the one before it.",
        _compare_lines,
        (MEMORY_ID, _A, _B),
        json="As one JSON object.",
    ),
    ClientCommand(
        "revert",
        "memory.revert",
        "Make VERSION of MEMORY_ID its next version.",
        _update_lines,
        (MEMORY_ID, argument("to", "VERSION", type=int), REASON),
    ),
    ClientCommand("boost", "memory.boost", "Record a use of MEMORY_ID.", _boost_lines, _CHANGE),
    ClientCommand(
        "pin",
        "memory.pin",
        "Exempt MEMORY_ID from decay, expiry, reviews and the purge.",
        _update_lines,
        (MEMORY_ID, flag("--off", help="End the exemption.")),
        arguments=_pin_arguments,
    ),
    ClientCommand(
        "archive",
        "memory.archive",
        "Archive MEMORY_ID; `memoryd restore` brings it back.",
        _update_lines,
        _CHANGE,
    ),
    ClientCommand(
        "restore",
        "memory.restore",
        "Restore MEMORY_ID: archived, or superseded by a memory that is archived or deleted by now.",
        _update_lines,
        _CHANGE,
    ),
)
