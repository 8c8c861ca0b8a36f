"""Versions of a memory and their differences."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from memory_client.types.vocabulary import Metadata, State

Operation = Literal["create", "update", "archive", "restore", "promote", "merge", "supersede", "revert"]


class VersionInfo(TypedDict):
    """A version of a memory: who made it, when and why."""

    id: str
    """`ver_`, the rest of the memory's id, `.` and the number."""
    version: int
    operation: Operation
    operator: str
    """The caller's own name, `app` by default; `decay`, `system`, or `review:` with the reviewer."""
    reason: str | None
    at: float
    """When it was stored, epoch seconds."""
    content_hash: str
    """SHA-256 of the UTF-8 text, hexadecimal."""


class TextPiece(TypedDict):
    """A piece of two compared texts; `a` is empty for `insert`, `b` for `delete`."""

    op: Literal["equal", "insert", "delete", "replace"]
    a: str
    b: str


class Difference(TypedDict):
    """Two values; a missing value is left out."""

    a: NotRequired[Any]
    b: NotRequired[Any]


class VersionDiff(TypedDict):
    """How a version differs from the one before."""

    readable: str | None
    """Both texts in one line, `主人住在[-北京-]{+上海+}`; None if they are equal."""
    fields: dict[str, Difference]
    """Fields that differ, except text and metadata."""
    metadata: dict[str, Difference]
    """The caller's metadata keys that differ."""
    change_count: int
    """Changed text pieces, fields and metadata keys."""


class Version(VersionInfo):
    """A version of a memory with its text."""

    changed: list[str]
    """Fields that differ from the version before."""
    diff: VersionDiff | None
    """None for the oldest version that is kept separately."""
    text: str
    metadata: Metadata
    state: State


class Comparison(TypedDict):
    """How version `b` differs from version `a`."""

    id: str
    a: int
    b: int
    first: VersionInfo
    """Of version `a`."""
    second: VersionInfo
    """Of version `b`."""
    change_count: int
    """Changed text pieces, fields and metadata keys."""
    text: list[TextPiece]
    """By words; by characters in scripts without spaces, such as Chinese."""
    readable: str
    """The same in one line: `主人住在[-北京-]{+上海+}`."""
    fields: dict[str, Difference]
    """Fields that differ, except text and metadata."""
    metadata: dict[str, Difference]
    """The caller's metadata keys that differ."""
