"""Versions of a memory and their differences, for several commands."""

from __future__ import annotations

from typing import Literal

from memory_client.types import Difference, VersionInfo
from memoryd.cli.formats import because, date, excerpt

_SIDES: tuple[Literal["a"], Literal["b"]] = ("a", "b")


def version_line(one: VersionInfo) -> str:
    """Number, time, who and why."""
    author = f"{one['operation']} by {one['operator']}{because(one['reason'])}"
    return f"v{one['version']}  {date(one['at'])}  {author}"


def difference(one: Difference) -> str:
    """Both values in one line."""
    was, now = (excerpt(str(one[side])) if side in one else "nothing" for side in _SIDES)
    return f"{was} -> {now}"
