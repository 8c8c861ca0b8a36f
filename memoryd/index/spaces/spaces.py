"""Embedding spaces: one serves, one may be in the making. Their probe sets are written once.

A space is named by its fingerprint; vectors of two spaces never meet.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass

import numpy as np

from memoryd.index.vectors import tokens
from memoryd.index.vectors.rounding import FloatMatrix, FloatVector
from memoryd.storage.database import Transaction

SERVING = "serving"
BUILDING = "building"
_FLOAT = np.dtype("<f4")


@dataclass(frozen=True, slots=True)
class Maker:
    """What makes vectors. engine: what computes them; model: the setting that opens it; dim: of a vector."""

    fingerprint: str
    engine: str
    model: str
    dim: int


@dataclass(frozen=True, slots=True)
class Space:
    """A space the index knows; the rest as of the maker of its first vectors."""

    id: int
    fingerprint: str
    engine: str
    model: str
    dim: int


@dataclass(frozen=True, slots=True)
class Probes:
    """What an engine made of a fixed set of texts; vectors: float32 (n, dim)."""

    passages: Sequence[str]
    passage_vectors: FloatMatrix
    queries: Sequence[str]
    query_vectors: FloatMatrix


def find(connection: sqlite3.Connection, state: str) -> Space | None:
    """The space in `state`."""
    found = connection.execute(
        "SELECT id, fingerprint, engine, model, dim FROM spaces WHERE state = ?", (state,)
    ).fetchone()
    return Space(*found) if found else None


def add(tx: Transaction, state: str, maker: Maker, probes: Probes) -> Space:
    """Enter a new space with its probe set."""
    cursor = tx.execute(
        "INSERT INTO spaces (fingerprint, engine, model, dim, state, created_at) VALUES (?, ?, ?, ?, ?, ?)",
        (*astuple(maker), state, time.time()),
    )
    space = Space(int(cursor.lastrowid or 0), *astuple(maker))
    tokens.create(tx, space.id)
    _store(tx, space, "passage", probes.passages, probes.passage_vectors)
    _store(tx, space, "query", probes.queries, probes.query_vectors)
    return space


def remove(tx: Transaction, space: Space) -> None:
    """Forget a space, its probe set and its token vectors."""
    tokens.drop(tx, space.id)
    tx.execute("DELETE FROM spaces WHERE id = ?", (space.id,))


def ids(connection: sqlite3.Connection) -> list[int]:
    """Of every space there is."""
    return [space for (space,) in connection.execute("SELECT id FROM spaces")]


def promote(tx: Transaction, space: Space) -> None:
    """Let `space` serve in place of the one that does."""
    former = find(tx.connection, SERVING)
    if former is not None:
        remove(tx, former)
    tx.execute("UPDATE spaces SET state = ? WHERE id = ?", (SERVING, space.id))


def probes(connection: sqlite3.Connection, space: Space) -> Probes:
    """The probe set of a space as its first engine made it."""
    passages, passage_vectors = _load(connection, space, "passage")
    queries, query_vectors = _load(connection, space, "query")
    return Probes(passages, passage_vectors, queries, query_vectors)


def _store(tx: Transaction, space: Space, role: str, texts: Iterable[str], vectors: FloatMatrix) -> None:
    tx.executemany(
        "INSERT INTO probes VALUES (?, ?, ?, ?, ?)",
        (
            (space.id, role, position, text, vector.astype(_FLOAT).tobytes())
            for position, (text, vector) in enumerate(zip(texts, vectors, strict=True))
        ),
    )


def _load(connection: sqlite3.Connection, space: Space, role: str) -> tuple[list[str], FloatMatrix]:
    found = connection.execute(
        "SELECT text, vector FROM probes WHERE space = ? AND role = ? ORDER BY position", (space.id, role)
    ).fetchall()
    vectors: list[FloatVector] = [np.frombuffer(blob, _FLOAT) for _, blob in found]
    matrix = np.stack(vectors) if vectors else np.empty((0, space.dim), np.float32)
    return [text for text, _ in found], matrix.astype(np.float32)
