"""What a memory was, and what changed."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from memory_client.types.vocabulary import Metadata, State

Operation = Literal["create", "update", "archive", "restore", "promote", "merge", "supersede", "revert"]


class VersionInfo(TypedDict):
    """Which version of a memory, and who made it, when and why."""

    id: str
    """`ver_`, the rest of the memory's id, `.` and the number."""
    version: int
    operation: Operation
    operator: str
    """As the caller named itself, `app` by default; `decay`, `system`, or `review:` with who decided."""
    reason: str | None
    at: float
    """When it became known, epoch seconds."""
    content_hash: str
    """SHA-256 of the text in UTF-8, in hexadecimal."""


class TextPiece(TypedDict):
    """A stretch of two texts; `a` is empty for `insert`, `b` for `delete`."""

    op: Literal["equal", "insert", "delete", "replace"]
    a: str
    b: str


class Difference(TypedDict):
    """Two values; what is not there is left out."""

    a: NotRequired[Any]
    b: NotRequired[Any]


class VersionDiff(TypedDict):
    """How a version differs from the one before."""

    readable: str | None
    """Both texts in one line, `主人住在[-北京-]{+上海+}`; None when they are equal."""
    fields: dict[str, Difference]
    """Fields that differ, but for text and metadata."""
    metadata: dict[str, Difference]
    """Own keys of the metadata that differ."""
    change_count: int
    """Changed stretches of the text, fields and keys."""


class Version(VersionInfo):
    """A version of a memory, as it was until the next one."""

    changed: list[str]
    """Fields that differ from the version before."""
    diff: VersionDiff | None
    """None of the first version that is still told apart."""
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
    """Changed stretches of the text, fields and keys of the metadata."""
    text: list[TextPiece]
    """Word by word, Chinese too."""
    readable: str
    """The same in one line: `主人住在[-北京-]{+上海+}`."""
    fields: dict[str, Difference]
    """Fields that differ, but for text and metadata."""
    metadata: dict[str, Difference]
    """Own keys of the metadata that differ."""
