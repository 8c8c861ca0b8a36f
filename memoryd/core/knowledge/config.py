"""How knowledge points are kept and drawn."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from memoryd.core.parameter_fault import parameter_fault


@dataclass(frozen=True, slots=True)
class MemoryConfig:
    """The settings of a storage of knowledge points and of its `MemoryManager`.

    storage_path: the directory of `MemStorageFileSys`. max_extraction_retries, extraction_timeout (seconds):
    of one extraction. default_top_k: points returned unless the call says how many. min_score_threshold:
    points of a lower score are neither found nor drawn. recent_versions_count: versions that samples are
    drawn from. max_knowledge_points: of one version. Raises `InvalidParameterError`.
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
    """The configuration itself, or the one an object has as `.memory_config`. Raises
    `InvalidParameterError`."""
    found = owner if isinstance(owner, MemoryConfig) else getattr(owner, "memory_config", None)
    if not isinstance(found, MemoryConfig):
        raise parameter_fault(parameter, owner, "a MemoryConfig, or an object that has one as .memory_config")
    return found


def check_path(value: Any, parameter: str) -> None:
    """Raise `InvalidParameterError` for what is no path."""
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str):
        raise parameter_fault(parameter, value, "the path of a directory")
    if not os.fspath(value).strip() or "\0" in os.fspath(value):
        raise parameter_fault(parameter, value, "the path of a directory, not blank and without NUL")


def _check(value: Any, name: str, low: float, high: float, types: tuple[type, ...]) -> None:
    if type(value) not in types or not low <= value <= high:
        kind = "a whole number" if types == (int,) else "a number"
        raise parameter_fault(f"memory_config.{name}", value, f"{kind} from {low} to {high}")
