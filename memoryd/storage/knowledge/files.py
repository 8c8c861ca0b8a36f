"""Versions as files that people can read: `user_<id>/versions/<version>/knowledge.jsonl` and `latest.txt`.

A version is made in a folder beside its place and moved there, so that it is whole or not there at all.
`version.json` says whether it is a merge or a rollback, and of what; without it it is an increment.

A folder that another program has written under the plain id, `user_Alice`, is read too. New versions go into
it as long as the user has no folder of our own (`user_%41lice`); it is never renamed.
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
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, get_args

from filelock import FileLock

from memory_client.errors import InvalidParameterError, KnowledgeValidationError, StorageError
from memory_client.paths import write_private
from memory_client.types import DamagedLine, KnowledgePoint, VersionKind
from memoryd.core.ids import check_name
from memoryd.core.knowledge.config import (
    MemoryConfig,
    check_path,
    folder_of,
    memory_config_of,
    plain_folder_of,
)
from memoryd.core.knowledge.point import read_knowledge_point
from memoryd.core.knowledge.sampling import sample_points
from memoryd.core.knowledge.versions import Version, check_version_id, effective_versions
from memoryd.storage.faults import file_errors
from memoryd.storage.knowledge.base import EVERY, VersionStorage

log = logging.getLogger(__name__)

_POINTS, _ABOUT, _LATEST, _VERSIONS = "knowledge.jsonl", "version.json", "latest.txt", "versions"
_UNFINISHED = ".new-"
_LONGEST_LINE = 16 * 2**20
_LOCK = ".lock"
_LOCK_SECONDS = 60.0
"""Time for the writes of others; a version of the most points takes about a second."""


class MemStorageFileSys(VersionStorage):
    """Versions below a directory. Safe for threads, and for several processes on one machine.

    memory_config: a `MemoryConfig` or what has one as `.memory_config`; None for the defaults. Raises
    `InvalidParameterError` for a path that cannot be a directory and for another type.
    """

    def __init__(
        self,
        base_path: str | os.PathLike[str],
        memory_config: Any = None,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        check_path(base_path, "base_path")
        self._root = Path(base_path)
        if self._root.exists() and not self._root.is_dir():
            raise InvalidParameterError(
                f"base_path: {base_path} is a file; expected a directory, or a path where one can be made",
                parameter="base_path",
                value=str(base_path),
                expected="a directory",
            )
        given = MemoryConfig(base_path) if memory_config is None else memory_config
        super().__init__(memory_config_of(given, "memory_config"))
        self._clock = clock
        self._writing = threading.Lock()

    def get_recent_versions(self, user_id: str, count: int) -> list[str]:
        found: set[str] = set()
        for home in self._homes(user_id):
            place = home / _VERSIONS
            with file_errors(place):
                names = os.listdir(place) if place.is_dir() else []
            found.update(name for name in names if _is_version(name) and (place / name / _POINTS).is_file())
        return sorted(found, reverse=True)[:count]

    def counting_versions(self, user_id: str) -> list[str]:
        ids = self.get_recent_versions(user_id, EVERY)
        versions = [Version(id, *_about(self._place(user_id, id)), point_count=0) for id in ids]
        return [version.id for version in effective_versions(versions)]

    def describe(
        self, user_id: str, version_id: str, damaged: list[DamagedLine] | None = None
    ) -> Version | None:
        if not self.has(user_id, version_id):
            return None
        kind, parents, created_at = _about(self._place(user_id, version_id))
        count = sum(1 for _ in self.read(user_id, version_id, damaged))
        return Version(version_id, kind, parents, created_at, count)

    def read(
        self, user_id: str, version_id: str, damaged: list[DamagedLine] | None = None
    ) -> Iterator[KnowledgePoint]:
        path = self._place(user_id, check_version_id(version_id)) / _POINTS
        faults: list[DamagedLine] = [] if damaged is None else damaged
        with file_errors(path), path.open("rb") as file:
            yield from _points(file, user_id, self.memory_config.max_knowledge_points, faults)
        for fault in faults:
            log.warning("%s, line %d, is skipped: %s", path, fault["line"], fault["reason"])

    def forget_user(self, user_id: str) -> None:
        homes = self._homes(user_id)
        if not self._root.is_dir():
            return
        with self._exclusive():
            for home in homes:
                with file_errors(home), suppress(FileNotFoundError):
                    shutil.rmtree(home)

    def _store(
        self,
        user_id: str,
        version_id: str,
        kind: VersionKind,
        parents: tuple[str, ...],
        points: Sequence[KnowledgePoint],
    ) -> None:
        about = {"kind": kind, "parents": parents, "created_at": self._clock(), "user_id": user_id}
        with file_errors(self._root):
            self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._exclusive():
            if self.holds(user_id, version_id, points):  # another process was quicker
                return
            existing = [home for home in self._homes(user_id) if home.is_dir()]
            home = existing[0] if existing else self._own(user_id)
            with file_errors(home):
                self._write(home, version_id, about, points)
                write_private(home / _LATEST, self.get_latest_version_id(user_id).encode())

    def _write(
        self, home: Path, version_id: str, about: dict[str, Any], points: Sequence[KnowledgePoint]
    ) -> None:
        for directory in (home, home / _VERSIONS):
            directory.mkdir(mode=0o700, exist_ok=True)
        self._clear(home)
        place = home / _VERSIONS / f"{_UNFINISHED}{secrets.token_hex(8)}"
        place.mkdir(mode=0o700)
        _write_points(place / _POINTS, points)
        write_private(place / _ABOUT, json.dumps(about, ensure_ascii=False).encode())
        os.rename(place, home / _VERSIONS / version_id)
        for directory in (home / _VERSIONS, home, self._root):
            _settle(directory)

    def _sample(self, user_id: str, count: int, seed: int | None) -> list[KnowledgePoint]:
        ids = self.get_recent_versions(user_id, self.memory_config.recent_versions_count)
        versions = (list(self.read(user_id, id)) for id in ids)
        return sample_points(versions, count, seed, least_score=self.memory_config.min_score_threshold)

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        path = self._root / _LOCK
        lock = FileLock(path, timeout=_LOCK_SECONDS, mode=0o600)
        with self._writing:
            with file_errors(path):
                lock.acquire()
            try:
                yield
            finally:
                lock.release()

    def _own(self, user_id: str) -> Path:
        """The folder of our own. Raises `StorageError` where another user's has the name but for its case."""
        name = folder_of(check_name(user_id, "user_id"))
        folds_case = (self._root / name.upper()).is_dir()
        if folds_case and not self._lists(name):
            raise StorageError(
                f"{self._root / name}: the folder of another user differs from it in letter case only, and "
                f"this file system does not tell them apart; rename that folder",
                path=str(self._root / name),
            )
        return self._root / name

    def _homes(self, user_id: str) -> list[Path]:
        """The user's folders: our own, there or not, and that of another program if any."""
        own, plain = self._own(user_id), plain_folder_of(user_id)
        if plain is None or not (self._root / plain).is_dir() or not self._lists(plain):
            return [own]
        return [own, self._root / plain]

    def _lists(self, name: str) -> bool:
        """Whether there is a folder of exactly this name: `is_dir` may find one of another case."""
        with file_errors(self._root):
            return name in os.listdir(self._root)

    def _place(self, user_id: str, version_id: str) -> Path:
        """The folder of a version, there or not."""
        places = [home / _VERSIONS / version_id for home in self._homes(user_id)]
        return next((place for place in places if (place / _POINTS).is_file()), places[0])

    def _clear(self, home: Path) -> None:
        """Files of a process that died while it wrote."""
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
    return read_knowledge_point(value, user_id, parameter="line")


def _reason(error: Exception) -> str:
    """Why a line is none, without what it says."""
    if isinstance(error, KnowledgeValidationError):
        return f"{error.data['parameter']}: expected {error.data['expected']}"
    return "it is no JSON" if isinstance(error, json.JSONDecodeError | UnicodeDecodeError) else str(error)
