"""Configuration of a store of knowledge points, its folders, and arguments of `MemoryManager`."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from memory_client.types import Role
from memoryd.core.parameter_errors import invalid_value

_ROLES: tuple[str, ...] = get_args(Role)
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789_-")
_MAX_ENCODED = 120
_HASHED_PREFIX = 40


@dataclass(frozen=True, slots=True)
class MemoryConfig:
    """The configuration of a store of knowledge points and of its `MemoryManager`.

    storage_path: the directory of `MemStorageFileSys`; max_extraction_retries, extraction_timeout (seconds):
    of one extraction; default_top_k: default number of points; min_score_threshold: points with a lower score
    are neither found nor sampled; recent_versions_count: versions to sample from; max_knowledge_points: in
    one version. Raises `InvalidParameterError`.
    """

    storage_path: str | os.PathLike[str]
    max_extraction_retries: int = 3
    extraction_timeout: float = 300
    default_top_k: int = 5
    min_score_threshold: int = 20
    recent_versions_count: int = 5
    max_knowledge_points: int = 10_000

    def __post_init__(self) -> None:
        check_path(self.storage_path, "storage_path")
        _check(self.extraction_timeout, "extraction_timeout", 0.001, 86_400, (int, float))
        for name, low, high in _WHOLE:
            _check(getattr(self, name), name, low, high, (int,))


_WHOLE = (
    ("max_extraction_retries", 0, 100),
    ("default_top_k", 1, 1000),
    ("min_score_threshold", 0, 100),
    ("recent_versions_count", 1, 1000),
    ("max_knowledge_points", 1, 1_000_000),
)


def memory_config_of(owner: Any, parameter: str) -> MemoryConfig:
    """The configuration, or the `.memory_config` of an object. Raises `InvalidParameterError`."""
    found = owner if isinstance(owner, MemoryConfig) else getattr(owner, "memory_config", None)
    if not isinstance(found, MemoryConfig):
        raise invalid_value(parameter, owner, "a MemoryConfig, or an object that has one as .memory_config")
    return found


def check_path(value: Any, parameter: str) -> None:
    """Raise `InvalidParameterError` unless the value is a path."""
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str):
        raise invalid_value(parameter, value, "the path of a directory")
    if not os.fspath(value).strip() or "\0" in os.fspath(value):
        raise invalid_value(parameter, value, "the path of a directory, not blank and without NUL")


def _check(value: Any, name: str, low: float, high: float, types: tuple[type, ...]) -> None:
    if type(value) not in types or not low <= value <= high:
        kind = "a whole number" if types == (int,) else "a number"
        raise invalid_value(f"memory_config.{name}", value, f"{kind} from {low} to {high}")


def check_messages(messages: Any) -> None:
    """Raise `InvalidParameterError` unless the value is a list of `ConversationMessage`."""
    if not isinstance(messages, list | tuple) or not messages:
        raise invalid_value("messages", messages, "a list of messages, not empty")
    for place, message in enumerate(messages):
        if not isinstance(message, Mapping):
            raise invalid_value(f"messages[{place}]", message, "an object with role and content")
        role, content = message.get("role"), message.get("content")
        if role not in _ROLES:
            raise invalid_value(f"messages[{place}].role", role, f"one of {', '.join(_ROLES)}")
        if not isinstance(content, str):
            raise invalid_value(f"messages[{place}].content", content, "a text")


def folder_of(user_id: str) -> str:
    """The name of a user's folder: `user_` and the id, where all but lower-case ASCII becomes `%XX`.

    Capitals are encoded for file systems that ignore case, dots and spaces for Windows, which drops them at
    the end; the prefix avoids device names such as CON. A name of over 120 characters (a file name can have
    255, a path on Windows 260) ends with `=` and a hash instead.
    """
    encoded = "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in user_id.encode())
    if len(encoded) > _MAX_ENCODED:
        digest = hashlib.blake2b(user_id.encode(), digest_size=20).hexdigest()
        encoded = f"{encoded[:_HASHED_PREFIX]}={digest}"
    return f"user_{encoded}"


def plain_folder_of(user_id: str) -> str | None:
    """`user_` and the id, the folder name of other programs; None if it is the same name or could be the
    encoded name of another user."""
    plain = f"user_{user_id}"
    return None if plain == folder_of(user_id) or "%" in user_id or "=" in user_id else plain
