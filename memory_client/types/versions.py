"""What a memory was, and what changed."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from memory_client.types.vocabulary import Metadata, State

Operation = Literal["create", "update", "archive", "restore", "promote", "merge", "supersede", "revert"]


class Version(TypedDict):
    """A version of a memory, as it was until the next one."""

    version: int
    operation: Operation
    operator: str
    """Who made it: `user`, `decay`, `system` or `review:` with a name."""
    reason: str | None
    at: float
    """When it became known."""
    changed: list[str]
    """Fields that differ from the version before."""
    text: str
    metadata: Metadata
    state: State


class TextPiece(TypedDict):
    """A stretch of two texts; `a` is empty for `insert`, `b` for `delete`."""

    op: Literal["equal", "insert", "delete", "replace"]
    a: str
    b: str


class Difference(TypedDict):
    """Two values; what is not there is left out."""

    a: NotRequired[Any]
    b: NotRequired[Any]


class Comparison(TypedDict):
    """How version `b` differs from version `a`."""

    id: str
    a: int
    b: int
    text: list[TextPiece]
    """Word by word, Chinese too."""
    readable: str
    """The same in one line: `主人住在[-北京-]{+上海+}`."""
    fields: dict[str, Difference]
    """Fields that differ, but for text and metadata."""
    metadata: dict[str, Difference]
    """Own keys of the metadata that differ."""
