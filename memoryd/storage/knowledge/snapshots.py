"""The tables of knowledge: points, one a user and content, and the versions that say them.

A version is written once. `Indexing` receives every text from which keywords and vectors are derived
inside the same transaction.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from memory_client.types import KnowledgePoint
from memoryd.core.filters.grammar import EVERYTHING
from memoryd.core.ids import IdFactory
from memoryd.core.knowledge.point import PointRecord, content_hash
from memoryd.core.knowledge.sampling import Keys, Scores, sample_keys
from memoryd.core.knowledge.versions import Version, effective_versions
from memoryd.core.scope import Scope
from memoryd.storage.database import Transaction
from memoryd.storage.life import conflicts
from memoryd.storage.records.texts import visible

_ROWS, _SCORES = np.dtype("<i8"), np.dtype("u1")
_ORPHAN = "NOT EXISTS (SELECT 1 FROM snapshot_points s WHERE s.point = p.row)"
_VERSION = "version_id, kind, parents, created_at, point_count"
RECORD = "id, user_id, text, type, score, metadata, version_id, created_at"


class Indexing(Protocol):
    """What is derived from the texts of points."""

    def put(self, tx: Transaction, user_id: str, row: int, text: str) -> None:
        """A new text."""
        ...

    def remove(self, tx: Transaction, user_id: str, texts: Sequence[tuple[int, str]]) -> None:
        """Texts that go, with their rows."""
        ...


class NoIndexing:
    """Nothing is derived."""

    def put(self, tx: Transaction, user_id: str, row: int, text: str) -> None:
        """Nothing."""

    def remove(self, tx: Transaction, user_id: str, texts: Sequence[tuple[int, str]]) -> None:
        """Nothing."""


def versions(connection: sqlite3.Connection, user_id: str) -> list[Version]:
    """All versions of a user, newest first."""
    sql = f"SELECT {_VERSION} FROM snapshots WHERE user_id = ? ORDER BY version_id DESC"
    return [_version(row) for row in connection.execute(sql, (user_id,))]


def find(connection: sqlite3.Connection, user_id: str, version_id: str) -> Version | None:
    """One version."""
    sql = f"SELECT {_VERSION} FROM snapshots WHERE user_id = ? AND version_id = ?"
    row = connection.execute(sql, (user_id, version_id)).fetchone()
    return None if row is None else _version(row)


def points(connection: sqlite3.Connection, user_id: str, version_id: str) -> Iterator[KnowledgePoint]:
    """The points of a version, in order, as they were saved."""
    found = connection.execute(
        "SELECT p.text, s.type, s.score, s.metadata FROM snapshot_points s JOIN points p ON p.row = s.point "
        "WHERE s.snapshot = (SELECT number FROM snapshots WHERE user_id = ? AND version_id = ?) "
        "ORDER BY s.position",
        (user_id, version_id),
    )
    for text, kind, score, metadata in found:
        yield KnowledgePoint(
            content=text, type=kind, score=score, user_id=user_id, metadata=json.loads(metadata)
        )


def insert(
    tx: Transaction,
    user_id: str,
    version: Version,
    given: Sequence[KnowledgePoint],
    *,
    ids: IdFactory,
    indexing: Indexing,
    in_files: bool,
) -> None:
    """Store a version that is not there yet, and the points that are new; see to what counts as known.

    in_files: whether files hold it, too.
    """
    rows = register(tx, user_id, version, given, ids=ids, indexing=indexing)
    weights = np.array(rows, _ROWS).tobytes() + bytes(point["score"] for point in given)
    values = {
        "user_id": user_id,
        "version_id": version.id,
        "kind": version.kind,
        "parents": json.dumps(version.parents),
        "created_at": version.created_at,
        "point_count": len(given),
        "weights": weights,
        "in_files": in_files,
    }
    number = tx.insert("snapshots", values, key="number")
    tx.executemany(
        "INSERT INTO snapshot_points VALUES (?, ?, ?, ?, ?, ?)",
        (
            (number, place, row, point["type"], point["score"], _packed(point["metadata"]))
            for place, (row, point) in enumerate(zip(rows, given, strict=True))
        ),
    )
    _refresh(tx, user_id)


def register(
    tx: Transaction,
    user_id: str,
    version: Version,
    given: Sequence[KnowledgePoint],
    *,
    ids: IdFactory,
    indexing: Indexing,
) -> list[int]:
    """The row of each point, made where there is none; it counts as known once a version says it."""
    known = rows_of(tx.connection, user_id, [point["content"] for point in given])
    for point in given:
        content = point["content"]
        if content not in known:
            known[content] = _new(tx, version, point, ids.new("knp", version.created_at))
            indexing.put(tx, user_id, known[content], content)
    return [known[point["content"]] for point in given]


def drop(tx: Transaction, user_id: str, ids: Iterable[str]) -> None:
    """Forget versions."""
    for version_id in ids:
        where = "(SELECT number FROM snapshots WHERE user_id = ? AND version_id = ?)"
        tx.execute(f"DELETE FROM snapshot_points WHERE snapshot = {where}", (user_id, version_id))
        tx.execute("DELETE FROM snapshots WHERE user_id = ? AND version_id = ?", (user_id, version_id))
    _refresh(tx, user_id)


def prune(tx: Transaction, user_id: str, indexing: Indexing) -> None:
    """Delete the points of a user that no version says."""
    orphans = tx.execute(
        f"SELECT row, id, text FROM points p WHERE user_id = ? AND {_ORPHAN}", (user_id,)
    ).fetchall()
    indexing.remove(tx, user_id, [(int(row), str(text)) for row, _, text in orphans])
    conflicts.remove(tx, user_id, [str(id) for _, id, _ in orphans])
    for table, column in (("shared_points", "point"), ("points", "row")):
        tx.executemany(f"DELETE FROM {table} WHERE {column} = ?", ((row,) for row, _, _ in orphans))


def with_orphans(connection: sqlite3.Connection) -> list[str]:
    """Whoever has points that no version says."""
    found = connection.execute(f"SELECT DISTINCT user_id FROM points p WHERE {_ORPHAN}")
    return [user for (user,) in found]


def in_files(connection: sqlite3.Connection, user_id: str) -> set[str]:
    """The versions of a user that files hold."""
    found = connection.execute("SELECT version_id FROM snapshots WHERE user_id = ? AND in_files", (user_id,))
    return {id for (id,) in found}


def mark_in_files(tx: Transaction, user_id: str, ids: Iterable[str]) -> None:
    """Note that files hold versions."""
    tx.executemany(
        "UPDATE snapshots SET in_files = 1 WHERE user_id = ? AND version_id = ?",
        ((user_id, id) for id in ids),
    )


def forget_user(tx: Transaction, user_id: str) -> int:
    """Delete all points and versions of a user; return how many points. What is derived goes apart."""
    tx.execute(
        "DELETE FROM snapshot_points WHERE snapshot IN (SELECT number FROM snapshots WHERE user_id = ?)",
        (user_id,),
    )
    tx.execute("DELETE FROM snapshots WHERE user_id = ?", (user_id,))
    return tx.execute("DELETE FROM points WHERE user_id = ?", (user_id,)).rowcount


def sample(
    connection: sqlite3.Connection,
    user_id: str,
    count: int,
    seed: int | None,
    *,
    version_count: int,
    least_score: int,
) -> list[KnowledgePoint]:
    """Points drawn by score from the newest versions, as the newest of these says them."""
    recent = connection.execute(
        "SELECT number, weights FROM snapshots WHERE user_id = ? ORDER BY version_id DESC LIMIT ?",
        (user_id, version_count),
    ).fetchall()
    drawn = sample_keys([_weights(blob) for _, blob in recent], count, seed, least_score=least_score).tolist()
    known: dict[int, KnowledgePoint] = {}
    for number, _ in recent:
        found = connection.execute(
            "SELECT p.row, p.text, s.type, s.score, s.metadata FROM points p "
            "JOIN snapshot_points s INDEXED BY snapshot_points_by_point ON s.point = p.row "
            "WHERE p.row IN (SELECT value FROM json_each(?)) AND s.snapshot = ? ORDER BY s.position",
            (json.dumps([row for row in drawn if row not in known]), number),
        )
        for row, text, kind, score, metadata in found:
            point = KnowledgePoint(
                content=text, type=kind, score=score, user_id=user_id, metadata=json.loads(metadata)
            )
            known.setdefault(row, point)
    return [known[row] for row in drawn if row in known]


def by_rows(connection: sqlite3.Connection, scope: Scope, rows: Sequence[int]) -> dict[int, PointRecord]:
    """The points at `rows` that count as known to the user, by row."""
    condition, params = visible("point", scope, EVERYTHING)
    found = connection.execute(
        f"SELECT row, {RECORD} FROM points m NOT INDEXED "
        f"WHERE m.row IN (SELECT value FROM json_each(?)) AND {condition}",
        [json.dumps(rows), *params],
    )
    return {row["row"]: record(row) for row in found}


def best(connection: sqlite3.Connection, user_id: str, least: int, count: int) -> list[PointRecord]:
    """What is known to a user by score, best first, newer first among equals; least: the lowest score."""
    found = connection.execute(
        f"SELECT {RECORD} FROM points WHERE user_id = ? AND is_current AND score >= ? "
        "ORDER BY score DESC, row DESC LIMIT ?",
        (user_id, least, count),
    )
    return [record(row) for row in found]


def rows_of(connection: sqlite3.Connection, user_id: str, contents: Sequence[str]) -> dict[str, int]:
    """The rows of a user's points by content."""
    hashes = {content_hash(content): content for content in contents}
    found: dict[str, int] = {}
    for digest, content in hashes.items():
        row = connection.execute(
            "SELECT row FROM points WHERE user_id = ? AND hash = ?", (user_id, digest)
        ).fetchone()
        if row is not None:
            found[content] = int(row[0])
    return found


def ids(connection: sqlite3.Connection, user_id: str, rows: Sequence[int]) -> dict[int, str]:
    """The ids of a user's points, by row."""
    found = connection.execute(
        "SELECT row, id FROM points WHERE user_id = ? AND row IN (SELECT value FROM json_each(?))",
        (user_id, json.dumps(rows)),
    )
    return {int(row): str(id) for row, id in found}


def creation_times(connection: sqlite3.Connection, user_id: str) -> dict[str, float]:
    """When each content was first said."""
    found = connection.execute("SELECT text, created_at FROM points WHERE user_id = ?", (user_id,))
    return {str(text): float(at) for text, at in found}


def users(connection: sqlite3.Connection) -> list[str]:
    """Everybody of whom there are versions."""
    return [user for (user,) in connection.execute("SELECT DISTINCT user_id FROM snapshots ORDER BY 1")]


def record(row: sqlite3.Row) -> PointRecord:
    """A row of points as a record."""
    values: dict[str, Any] = {name.strip(): row[name.strip()] for name in RECORD.split(",")}
    return PointRecord(**{**values, "metadata": json.loads(values["metadata"])})


def _new(tx: Transaction, version: Version, point: KnowledgePoint, id: str) -> int:
    values = {
        "id": id,
        "user_id": point["user_id"],
        "hash": content_hash(point["content"]),
        "text": point["content"],
        "type": point["type"],
        "score": point["score"],
        "metadata": _packed(point["metadata"]),
        "version_id": version.id,
        "is_current": 0,
        "created_at": version.created_at,
        "seq": tx.seq,
        "text_seq": tx.seq,
    }
    return tx.insert("points", values, key="row")


def _refresh(tx: Transaction, user_id: str) -> None:
    """Recompute which points count, with their score and type in the newest version that counts."""
    tx.execute(
        "UPDATE points SET is_current = 0, seq = ? WHERE user_id = ? AND is_current", (tx.seq, user_id)
    )
    for version in reversed(effective_versions(versions(tx.connection, user_id))):
        tx.execute(
            "UPDATE points SET is_current = 1, type = s.type, score = s.score, metadata = s.metadata, "
            "version_id = ?, seq = ? FROM snapshot_points s WHERE s.point = points.row AND s.snapshot = "
            "(SELECT number FROM snapshots WHERE user_id = ? AND version_id = ?)",
            (version.id, tx.seq, user_id, version.id),
        )


def _version(row: sqlite3.Row) -> Version:
    return Version(row[0], row[1], tuple(json.loads(row[2])), row[3], row[4])


def _weights(blob: bytes) -> tuple[Keys, Scores]:
    end = len(blob) // (_ROWS.itemsize + _SCORES.itemsize) * _ROWS.itemsize
    return np.frombuffer(blob[:end], _ROWS), np.frombuffer(blob[end:], _SCORES)


def _packed(metadata: dict[str, Any]) -> str:
    return json.dumps(metadata, ensure_ascii=False, separators=(",", ":"))
