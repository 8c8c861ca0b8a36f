"""Versions of a memory and what changed between them, as commands show them."""

from __future__ import annotations

from typing import Literal

from memory_client.types import Difference, VersionInfo
from memoryd.cli.search_output import date, plain

_SHOWN = 300
"""Characters of a value or a reason."""
_SIDES: tuple[Literal["a"], Literal["b"]] = ("a", "b")


def version_line(one: VersionInfo) -> str:
    """Number, time, who and why."""
    why = f": {plain(one['reason'][:_SHOWN])}" if one["reason"] else ""
    return f"v{one['version']}  {date(one['at'])}  {one['operation']} by {one['operator']}{why}"


def difference(one: Difference) -> str:
    """Both values in one line."""
    was, now = (plain(str(one[side])[:_SHOWN]) if side in one else "nothing" for side in _SIDES)
    return f"{was} -> {now}"
