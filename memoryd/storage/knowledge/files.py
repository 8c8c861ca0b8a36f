"""Versions as files that people can read: `user_<id>/versions/<version>/knowledge.jsonl` and `latest.txt`.

A version is made in a folder beside its place and moved there, so that it is whole or not there at all.
`version.json` says whether it is a merge or a rollback, and of what; without it it is an increment.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, get_args

import numpy as np

from memory_client.errors import InvalidParameterError, KnowledgeValidationError
from memory_client.paths import write_private
from memory_client.types import DamagedLine, KnowledgePoint, VersionKind
from memoryd.core.ids import check_name
from memoryd.core.knowledge.folders import folder_of
from memoryd.core.knowledge.point import validate_knowledge_point
from memoryd.core.knowledge.sampling import draw
from memoryd.core.knowledge.versions import RECENT, Version, check_version_id
from memoryd.storage.faults import file_errors
from memoryd.storage.knowledge.base import MAX_POINTS, MemStorage

log = logging.getLogger(__name__)

_POINTS, _ABOUT, _LATEST, _VERSIONS = "knowledge.jsonl", "version.json", "latest.txt", "versions"
_UNFINISHED = ".new-"
_LONGEST_LINE = 16 * 2**20


class MemStorageFileSys(MemStorage):
    """Versions below a directory, which only one process may write. Thread-safe."""

    def __init__(
        self,
        root: str | os.PathLike[str],
        max_points: int = MAX_POINTS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(max_points)
        self._root = Path(root)
        self._clock = clock
        self._writing = threading.Lock()

    def get_recent_versions(self, user_id: str, count: int) -> list[str]:
        place = self._user(user_id) / _VERSIONS
        with file_errors(place):
            names = os.listdir(place) if place.is_dir() else []
        found = [name for name in names if _is_version(name) and (place / name / _POINTS).is_file()]
        return sorted(found, reverse=True)[:count]

    def describe(
        self, user_id: str, version_id: str, damaged: list[DamagedLine] | None = None
    ) -> Version | None:
        if not self.has(user_id, version_id):
            return None
        place = self._user(user_id) / _VERSIONS / version_id
        kind, parents, created_at = _about(place)
        count = sum(1 for _ in self.read(user_id, version_id, damaged))
        return Version(version_id, kind, parents, created_at, count)

    def read(
        self, user_id: str, version_id: str, damaged: list[DamagedLine] | None = None
    ) -> Iterator[KnowledgePoint]:
        path = self._user(user_id) / _VERSIONS / check_version_id(version_id) / _POINTS
        faults: list[DamagedLine] = [] if damaged is None else damaged
        with file_errors(path), path.open("rb") as file:
            yield from _points(file, user_id, self.max_points, faults)
        for fault in faults:
            log.warning("%s, line %d, is skipped: %s", path, fault["line"], fault["reason"])

    def forget_user(self, user_id: str) -> None:
        home = self._user(user_id)
        with self._writing, file_errors(home), suppress(FileNotFoundError):
            shutil.rmtree(home)

    def _store(
        self,
        user_id: str,
        version_id: str,
        kind: VersionKind,
        parents: tuple[str, ...],
        points: Sequence[KnowledgePoint],
    ) -> None:
        home = self._user(user_id)
        about = {"kind": kind, "parents": parents, "created_at": self._clock(), "user_id": user_id}
        with self._writing, file_errors(home):
            for directory in (self._root, home, home / _VERSIONS):
                directory.mkdir(mode=0o700, parents=directory == self._root, exist_ok=True)
            self._clear(home)
            place = home / _VERSIONS / f"{_UNFINISHED}{secrets.token_hex(8)}"
            place.mkdir(mode=0o700)
            _write_points(place / _POINTS, points)
            write_private(place / _ABOUT, json.dumps(about, ensure_ascii=False).encode())
            os.rename(place, home / _VERSIONS / version_id)
            for directory in (home / _VERSIONS, home, self._root):
                _settle(directory)
            newest = self.get_latest_version_id(user_id)
            write_private(home / _LATEST, newest.encode())

    def _sample(self, user_id: str, count: int, seed: int | None) -> list[KnowledgePoint]:
        places: dict[str, int] = {}
        newest: dict[int, KnowledgePoint] = {}
        drawn_from = []
        for version_id in self.get_recent_versions(user_id, RECENT):
            points = list(self.read(user_id, version_id))
            keys = [places.setdefault(point["content"], len(places)) for point in points]
            for key, point in zip(keys, points, strict=True):
                newest.setdefault(key, point)
            scores = np.array([point["score"] for point in points], np.uint8)
            drawn_from.append((np.array(keys, np.int64), scores))
        return [newest[key] for key in draw(drawn_from, count, seed).tolist()]

    def _user(self, user_id: str) -> Path:
        return self._root / folder_of(check_name(user_id, "user_id"))

    def _clear(self, home: Path) -> None:
        """What a process left behind that died while it wrote."""
        for place in (home / _VERSIONS).glob(f"{_UNFINISHED}*"):
            shutil.rmtree(place)


def _is_version(name: str) -> bool:
    try:
        check_version_id(name)
    except InvalidParameterError:
        return False
    return True


def _write_points(path: Path, points: Sequence[KnowledgePoint]) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    with os.fdopen(descriptor, "wb") as file:
        for point in points:
            file.write(json.dumps(point, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def _settle(directory: Path) -> None:
    """Make the names in a directory durable; Windows does so by itself."""
    if sys.platform != "win32":
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _about(place: Path) -> tuple[VersionKind, tuple[str, ...], float]:
    """Kind, parents and the time it was made, as far as `version.json` says so."""
    made = datetime.strptime(place.name[:14], "%Y%m%d%H%M%S").replace(tzinfo=UTC).timestamp()
    try:
        about = json.loads((place / _ABOUT).read_bytes())
        kind, parents = about["kind"], [check_version_id(parent) for parent in about["parents"]]
        if kind in get_args(VersionKind) and (kind == "increment") == (not parents):
            return kind, tuple(parents), float(about["created_at"])
        raise ValueError(f"a {kind} of {len(parents)} versions")
    except FileNotFoundError:
        return "increment", (), made
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        log.warning("%s is damaged, the version is taken as an increment: %s", place / _ABOUT, error)
        return "increment", (), made


def _points(
    file: BinaryIO, user_id: str, max_points: int, damaged: list[DamagedLine]
) -> Iterator[KnowledgePoint]:
    number = found = 0
    while line := file.readline(_LONGEST_LINE):
        number += 1
        is_whole = len(line) < _LONGEST_LINE or line.endswith(b"\n")
        while not is_whole and (rest := file.readline(_LONGEST_LINE)):
            is_whole = rest.endswith(b"\n")
            line = b""
        if found >= max_points:
            damaged.append(DamagedLine(line=number, reason=f"beyond the {max_points:,} points of a version"))
            return
        try:
            point = _point(line, user_id)
        except (ValueError, RecursionError) as error:
            damaged.append(DamagedLine(line=number, reason=_reason(error)))
            continue
        found += 1
        yield point


def _point(line: bytes, user_id: str) -> KnowledgePoint:
    value: Any = json.loads(line)
    if not isinstance(value, dict):
        raise ValueError("it is no JSON object")
    return validate_knowledge_point(value, user_id=user_id, parameter="line")


def _reason(error: Exception) -> str:
    """Why a line is none, without what it says."""
    if isinstance(error, KnowledgeValidationError):
        return f"{error.data['parameter']}: expected {error.data['expected']}"
    return "it is no JSON" if isinstance(error, json.JSONDecodeError | UnicodeDecodeError) else str(error)
