"""Validation of knowledge points."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from memory_client.errors import InvalidParameterError, KnowledgeValidationError
from memory_client.types import KnowledgePoint, KnowledgeType
from memoryd.core.ids import check_name
from memoryd.core.metadata import read_own
from memoryd.core.parameter_errors import invalid_value
from memoryd.core.text import clean_text

TYPES: tuple[KnowledgeType, ...] = get_args(KnowledgeType)
LOWEST, HIGHEST = 0, 100

_FIELDS = ("content", "type", "score", "user_id", "metadata")
_OF_RESULTS = frozenset(("id", "version_id", "relevance"))
"""Fields that `retrieve_relevant_knowledge` adds; ignored when its result is saved again."""
_LAYOUT = "\t\n\r"
_CONTENT_CHARS = 1_000_000
_METADATA_BYTES = 65_536
_invalid = functools.partial(invalid_value, error=KnowledgeValidationError)


@dataclass(frozen=True, slots=True, kw_only=True)
class PointRecord:
    """A point in search results. version_id: the newest version that contains it; shared: its shared set,
    None for an own point."""

    id: str
    user_id: str
    text: str
    type: KnowledgeType
    score: int
    metadata: dict[str, Any]
    version_id: str
    created_at: float
    shared: str | None = None


def validate_knowledge_point(
    point: Any,
    expected_user_id: str | None = None,
    *,
    content_chars: int = _CONTENT_CHARS,
    metadata_bytes: int = _METADATA_BYTES,
    parameter: str = "point",
) -> KnowledgePoint:
    """The point to store, with all its fields.

    expected_user_id: the required user, and the default; content_chars, metadata_bytes: limits. Fields of
    search results (id, version_id, relevance) are ignored. Raises `KnowledgeValidationError`, which names the
    field as `parameter.field`.
    """
    if not isinstance(point, Mapping):
        raise _invalid(parameter, point, "an object with content, type and score")
    unknown = sorted(map(str, point.keys() - _OF_RESULTS - set(_FIELDS)))
    if unknown:
        raise _invalid(f"{parameter}.{unknown[0]}", unknown[0], f"the fields {', '.join(_FIELDS)}")
    return KnowledgePoint(
        content=_content(point.get("content"), content_chars, f"{parameter}.content"),
        type=_type(point.get("type"), f"{parameter}.type"),
        score=_score(point.get("score"), f"{parameter}.score"),
        user_id=_owner(point.get("user_id"), expected_user_id, f"{parameter}.user_id"),
        metadata=_metadata(point.get("metadata"), metadata_bytes, parameter),
    )


def read_knowledge_point(point: Any, user_id: str, parameter: str = "point") -> KnowledgePoint:
    """`validate_knowledge_point` for a point stored by another program: unknown fields are ignored."""
    if not isinstance(point, Mapping):
        raise _invalid(parameter, point, "an object with content, type and score")
    known = {name: point[name] for name in _FIELDS if name in point}
    return validate_knowledge_point(known, user_id, parameter=parameter)


def content_hash(content: str) -> bytes:
    """The hash of a content, 16 bytes."""
    return hashlib.blake2b(content.encode(), digest_size=16).digest()


def _content(value: Any, limit: int, parameter: str) -> str:
    if not isinstance(value, str):
        raise _invalid(parameter, value, "a text")
    control = next((c for c in value if (ord(c) < 32 or 127 <= ord(c) < 160) and c not in _LAYOUT), None)
    if control is not None:
        raise _invalid(parameter, control, "a text without control characters")
    try:
        return clean_text(value, limit, parameter, "limits.text_chars")[0]
    except InvalidParameterError as error:
        raise KnowledgeValidationError(error.message, **error.data) from error


def _type(value: Any, parameter: str) -> KnowledgeType:
    for known in TYPES:
        if value == known:
            return known
    raise _invalid(parameter, value, f"one of {', '.join(TYPES)}")


def _score(value: Any, parameter: str) -> int:
    if type(value) is not int or not LOWEST <= value <= HIGHEST:
        raise _invalid(parameter, value, f"a whole number from {LOWEST} to {HIGHEST}")
    return value


def _owner(value: Any, user_id: str | None, parameter: str) -> str:
    if value is None and user_id is not None:
        return user_id
    if not isinstance(value, str):
        raise _invalid(parameter, value, "the user's id")
    if user_id is not None and value != user_id:
        raise _invalid(parameter, value, f"that of the call, {user_id!r}")
    try:
        return check_name(value, parameter)
    except InvalidParameterError as error:
        raise KnowledgeValidationError(error.message, **error.data) from error


def _metadata(value: Any, limit: int, point: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise _invalid(f"{point}.metadata", value, "an object, or None")
    try:
        return read_own(value, limit)
    except InvalidParameterError as error:
        data = {**error.data, "parameter": f"{point}.{error.data['parameter']}"}
        raise KnowledgeValidationError(f"{point}.{error.message}", **data) from error
