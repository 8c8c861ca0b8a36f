"""What keeps the versions of users' knowledge."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from memory_client.errors import InvalidParameterError, KnowledgeValidationError, NotFoundError
from memory_client.types import DamagedLine, KnowledgePoint, VersionKind
from memoryd.core.ids import check_name
from memoryd.core.knowledge.config import MemoryConfig
from memoryd.core.knowledge.point import validate_knowledge_point
from memoryd.core.knowledge.versions import LATEST, Version, check_version_id
from memoryd.core.parameter_errors import invalid_value

EVERY = sys.maxsize
"""A count of versions that leaves none out."""


class MemStorage(ABC):
    """Versions of users' knowledge points; a storage of one's own needs these four methods and no others."""

    @abstractmethod
    def save_knowledge(
        self, user_id: str, version_id: str, knowledge_data: Sequence[Mapping[str, Any]]
    ) -> None:
        """Store a version."""

    @abstractmethod
    def load_knowledge(
        self, user_id: str, version_id: str | None = LATEST, top_k: int | None = None
    ) -> list[KnowledgePoint]:
        """The points of a version, the newest by default; `top_k`: only the best by score."""

    @abstractmethod
    def get_latest_version_id(self, user_id: str) -> str:
        """The newest version, '' when there is none."""

    @abstractmethod
    def get_recent_versions(self, user_id: str, count: int) -> list[str]:
        """The ids of the newest versions, newest first."""


class VersionStorage(MemStorage):
    """The storages of memoryd itself. A version never changes and is kept until its user is forgotten.

    Every method raises `InvalidParameterError` for a user or version that cannot be, and `StorageError`.
    """

    def __init__(self, memory_config: MemoryConfig) -> None:
        self.memory_config = memory_config

    def save_knowledge(
        self,
        user_id: str,
        version_id: str,
        knowledge_data: Sequence[Mapping[str, Any]],
        *,
        kind: VersionKind = "increment",
        parents: Sequence[str] = (),
    ) -> None:
        """Store a version; the same one again changes nothing.

        Raises `KnowledgeValidationError` for a point that is none or too many of them, and
        `InvalidParameterError` when the version is there with other points; nothing is changed then.
        """
        check_name(user_id, "user_id")
        check_version_id(version_id)
        most = self.memory_config.max_knowledge_points
        checked = checked_points(knowledge_data, user_id, most, parameter="knowledge_data")
        if not self.holds(user_id, version_id, checked):
            self._store(user_id, version_id, kind, tuple(parents), checked)

    def load_knowledge(
        self,
        user_id: str,
        version_id: str | None = LATEST,
        top_k: int | None = None,
        *,
        seed: int | None = None,
    ) -> list[KnowledgePoint]:
        """The points of a version, the newest by default, as they were saved; of `None` a sample.

        top_k: the so many with the best scores, best first; of a sample how many, `default_top_k` unless
        given, drawn by score from the newest `recent_versions_count` versions (`seed` makes it the same every
        time). [] for a user without versions. Raises `NotFoundError` for a version that is not there.
        """
        check_name(user_id, "user_id")
        if version_id is None:
            return self._sample(user_id, self.memory_config.default_top_k if top_k is None else top_k, seed)
        version_id = self.resolve(user_id, version_id)
        points = list(self.read(user_id, version_id)) if version_id else []
        return points if top_k is None else best(points, top_k)

    def get_latest_version_id(self, user_id: str) -> str:
        return next(iter(self.get_recent_versions(user_id, 1)), "")

    def holds(self, user_id: str, version_id: str, points: Sequence[KnowledgePoint]) -> bool:
        """Whether the version is there. Raises `InvalidParameterError` when it has other points."""
        if not self.has(user_id, version_id):
            return False
        if list(self.read(user_id, version_id)) == list(points):
            return True
        raise InvalidParameterError(
            f"version_id: {version_id} is there already, with other points; versions do not change, "
            f"take a new id",
            parameter="version_id",
            value=version_id,
            expected="a version that is not there yet",
        )

    def resolve(self, user_id: str, version_id: str) -> str:
        """The id that is meant, '' for the latest of none. Raises `NotFoundError` for one not there."""
        if version_id == LATEST:
            return self.get_latest_version_id(user_id)
        if not self.has(user_id, check_version_id(version_id)):
            raise unknown_version(version_id)
        return version_id

    def has(self, user_id: str, version_id: str) -> bool:
        """Whether a version is there."""
        return version_id in self.get_recent_versions(user_id, EVERY)

    @abstractmethod
    def counting_versions(self, user_id: str) -> list[str]:
        """The ids of the versions that count at present, newest first."""

    @abstractmethod
    def describe(
        self, user_id: str, version_id: str, damaged: list[DamagedLine] | None = None
    ) -> Version | None:
        """A version without its points, None when it is not there; damaged: as in `read`."""

    @abstractmethod
    def read(
        self, user_id: str, version_id: str, damaged: list[DamagedLine] | None = None
    ) -> Iterator[KnowledgePoint]:
        """The points of a version; lines that cannot be read are logged, added to `damaged` and skipped."""

    @abstractmethod
    def forget_user(self, user_id: str) -> None:
        """Destroy every version of a user."""

    @abstractmethod
    def _store(
        self,
        user_id: str,
        version_id: str,
        kind: VersionKind,
        parents: tuple[str, ...],
        points: Sequence[KnowledgePoint],
    ) -> None:
        """Store a checked version that is not there yet, whole or not at all."""

    @abstractmethod
    def _sample(self, user_id: str, count: int, seed: int | None) -> list[KnowledgePoint]:
        """Points drawn by score from the newest versions, in the order drawn."""


def checked_points(
    points: Any, user_id: str, max_points: int, *, parameter: str = "points", **limits: int
) -> list[KnowledgePoint]:
    """The points of a new version, a list or tuple. Raises `KnowledgeValidationError`."""
    if not isinstance(points, list | tuple):
        raise invalid_value(parameter, points, "a list of points", error=KnowledgeValidationError)
    if len(points) > max_points:
        raise KnowledgeValidationError(
            f"{parameter}: {len(points):,}; expected at most {max_points:,} in a version "
            f"(max_knowledge_points of a MemoryConfig, of the daemon the setting knowledge.max_points)",
            parameter=parameter,
            value=len(points),
            expected=f"at most {max_points}",
        )
    return [
        validate_knowledge_point(point, user_id, parameter=f"{parameter}[{place}]", **limits)
        for place, point in enumerate(points)
    ]


def best(points: Iterable[KnowledgePoint], count: int) -> list[KnowledgePoint]:
    """Those of the best scores, best first, equal ones in their order."""
    return sorted(points, key=lambda point: -point["score"])[:count]


def unknown_version(version_id: str) -> NotFoundError:
    """The error for a version this user does not have."""
    return NotFoundError(f"no version {version_id} of this user's knowledge", id=version_id)
