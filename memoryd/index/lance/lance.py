"""LanceDB: one handle, one table of vectors a space, written in batches, compacted on demand.

Importing lancedb takes more than a second: it happens in `LanceStore.open` and nowhere else. Every Lance
write is a new version on disk; only `compact` frees what older ones hold. Handles opened twice insert
duplicates, hence one for the life of the process.
"""

from __future__ import annotations

import logging
import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from memory_client.errors import DiskFullError, StorageError
from memoryd.core.row_ranges import TEXT_KINDS, TextKind, kind_of, rows_of_kind
from memoryd.index.vectors.rounding import Batch, FloatVector, Rows
from memoryd.storage.disk import bytes_of

if TYPE_CHECKING:
    import pyarrow

log = logging.getLogger(__name__)

_PREFIX = "vectors_"
_COLUMNS = ["row", "text_seq", "user_id", "vector"]
_SCANNED_AT_ONCE = 4096
_CACHE_BYTES = 2**24
"""Of each of its caches; by itself LanceDB keeps up to 7 GB, much of it about versions nobody reads again."""
# everything but the newest version; a plain zero makes lancedb warn of other processes, which the lock of
# the data directory rules out
_ALL_OLD_VERSIONS = timedelta(milliseconds=1)


@contextmanager
def lance_errors(path: Path) -> Iterator[None]:
    """Map what lancedb raises. Raises `DiskFullError`, `StorageError`."""
    try:
        yield
    except StorageError:
        raise
    except Exception as error:
        if "No space left" in str(error) or "os error 28" in str(error):
            raise DiskFullError(
                f"no space left for {path}: the vectors stay in the outbox; free some space", path=str(path)
            ) from error
        raise StorageError(
            f"vector store {path}: {error}; it is derived: `memoryd reindex` makes it anew", path=str(path)
        ) from error


class Gate:
    """Many may pass together; who closes it waits until all are through and is then alone."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._inside = 0
        self._closed = False

    @contextmanager
    def passing(self) -> Iterator[None]:
        with self._condition:
            self._condition.wait_for(lambda: not self._closed)
            self._inside += 1
        try:
            yield
        finally:
            with self._condition:
                self._inside -= 1
                self._condition.notify_all()

    @contextmanager
    def closed(self) -> Iterator[None]:
        with self._condition:
            self._condition.wait_for(lambda: not self._closed)
            self._closed = True
            self._condition.wait_for(lambda: not self._inside)
        try:
            yield
        finally:
            with self._condition:
                self._closed = False
                self._condition.notify_all()


class VectorTable:
    """The vectors of one space. One thread may write at a time; searches pass the store's gate."""

    def __init__(self, table: Any, dim: int, path: Path) -> None:
        self.dim = dim
        self.path = path
        self._table = table
        rows, _ = self.keys()
        # a row over its kind's is surely new and needs no look for an older copy
        self._highest = {kind: _highest(rows, kind) for kind in TEXT_KINDS}

    def __len__(self) -> int:
        with lance_errors(self.path):
            return int(self._table.count_rows())

    def keys(self) -> tuple[Rows, Rows]:
        """Rows and text_seqs of every vector, in no order."""
        with lance_errors(self.path):
            found = self._table.search().select(["row", "text_seq"]).to_arrow()
        return found["row"].to_numpy().astype(np.int64), found["text_seq"].to_numpy().astype(np.int64)

    def scan(self, rows: Rows | None = None) -> Iterator[Batch]:
        """Every vector in batches, or those of `rows`."""
        with lance_errors(self.path):
            query = self._table.search().select(_COLUMNS)
            if rows is not None:
                query = query.where(_among(rows))
            for part in query.to_batches(_SCANNED_AT_ONCE):
                yield _batch(part, self.dim)

    def put(self, batch: Batch) -> None:
        """Write vectors; those of the same rows are replaced."""
        highest = np.array([self._highest[kind_of(row)] for row in batch.rows.tolist()], np.int64)
        known = batch.rows[batch.rows <= highest]
        # before the write: should it fail half-way, the next one looks for what it left
        for kind in TEXT_KINDS:
            self._highest[kind] = max(self._highest[kind], _highest(batch.rows, kind))
        self.delete(known)
        if len(batch):
            with lance_errors(self.path):
                self._table.add(_record_batch(batch, self.dim))

    def delete(self, rows: Rows) -> None:
        """Drop rows; unknown ones are fine."""
        if len(rows):
            with lance_errors(self.path):
                self._table.delete(_among(rows))

    def clear(self) -> None:
        """Drop every row and what is left of it on disk."""
        with lance_errors(self.path):
            self._table.delete("true")
        self._highest = dict.fromkeys(TEXT_KINDS, 0)
        self.compact()

    def nearest(
        self, query: FloatVector, k: int, user_id: str, rows: Rows | None, kind: TextKind = "memory"
    ) -> Batch:
        """About the k nearest texts of a user and kind, among `rows` when given; by a coarser product."""
        first, end = rows_of_kind(kind)
        condition = f"user_id = {_quoted(user_id)} AND row >= {first} AND row < {end}"
        if rows is not None:
            condition = f"{condition} AND {_among(rows)}"
        with lance_errors(self.path):
            found = (
                self._table.search(query, vector_column_name="vector")
                .distance_type("dot")
                .where(condition, prefilter=True)
                .select([*_COLUMNS, "_distance"])
                .limit(k)
                .to_arrow()
            )
        return _batch(found.combine_chunks(), self.dim)

    def compact(self) -> None:
        """Merge files and drop every older version, so that nothing of removed rows is left on disk."""
        with lance_errors(self.path):
            self._optimize()
            if any((self.path / "_deletions").glob("*")):
                self._rewrite()
                self._optimize()

    def _optimize(self) -> None:
        self._table.optimize(cleanup_older_than=_ALL_OLD_VERSIONS, delete_unverified=True)

    def _rewrite(self) -> None:
        # Lance leaves the removed rows of a file where they are as long as they are few
        kept = self._table.search().select(_COLUMNS).to_batches(_SCANNED_AT_ONCE)
        self._table.add(kept, mode="overwrite")


class LanceStore:
    """The directory of vector tables."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.gate = Gate()
        self._connection: Any = None

    def open(self) -> None:
        """Import lancedb and connect. Takes a second or two."""
        if self._connection is not None:
            return
        with lance_errors(self.path):
            import lancedb

            session = lancedb.Session(
                index_cache_size_bytes=_CACHE_BYTES, metadata_cache_size_bytes=_CACHE_BYTES
            )
            self._connection = lancedb.connect(self.path, session=session)

    def table(self, space_id: int, dim: int) -> VectorTable:
        """The table of a space, made when it is missing, made anew when it is damaged."""
        name = f"{_PREFIX}{space_id}"
        path = self.path / f"{name}.lance"
        if path.exists():
            try:
                return VectorTable(self._connection.open_table(name), dim, path)
            except Exception as error:  # lancedb raises many kinds; the table is derived
                log.warning("vector table %s is unreadable and made anew: %s", path, error)
                shutil.rmtree(path)
        with lance_errors(path):
            return VectorTable(self._connection.create_table(name, schema=_schema(dim)), dim, path)

    def drop(self, space_id: int) -> None:
        """Remove the table of a space; one that is not there is fine."""
        shutil.rmtree(self.path / f"{_PREFIX}{space_id}.lance", ignore_errors=True)

    def drop_others(self, space_ids: Sequence[int]) -> None:
        """Remove the tables of spaces nobody knows any more."""
        known = {f"{_PREFIX}{space_id}.lance" for space_id in space_ids}
        for path in self.path.glob(f"{_PREFIX}*.lance"):
            if path.name not in known:
                shutil.rmtree(path, ignore_errors=True)

    def nbytes(self) -> int:
        """Bytes on disk."""
        return bytes_of(self.path)

    def close(self) -> None:
        """Let go of the connection."""
        self._connection = None


def _schema(dim: int) -> pyarrow.Schema:
    import pyarrow as pa

    return pa.schema(
        [
            pa.field("row", pa.int64(), nullable=False),
            pa.field("text_seq", pa.int64(), nullable=False),
            pa.field("user_id", pa.string(), nullable=False),
            pa.field("vector", pa.list_(pa.float16(), dim), nullable=False),
        ]
    )


def _record_batch(batch: Batch, dim: int) -> pyarrow.RecordBatch:
    import pyarrow as pa

    columns = [
        pa.array(batch.rows),
        pa.array(batch.text_seqs),
        pa.array(batch.user_ids, pa.string()),
        pa.FixedSizeListArray.from_arrays(pa.array(batch.vectors.reshape(-1)), dim),
    ]
    return pa.record_batch(columns, schema=_schema(dim))


def _batch(part: Any, dim: int) -> Batch:
    """Of a pyarrow RecordBatch, or of a Table in one piece."""
    vectors = part["vector"]
    vectors = vectors.combine_chunks() if hasattr(vectors, "combine_chunks") else vectors
    return Batch(
        part["row"].to_numpy().astype(np.int64),
        part["text_seq"].to_numpy().astype(np.int64),
        part["user_id"].to_pylist(),
        vectors.flatten().to_numpy(zero_copy_only=False).reshape(-1, dim),
    )


def _highest(rows: Rows, kind: TextKind) -> int:
    """The highest row of a kind among some, 0 when there is none."""
    first, end = rows_of_kind(kind)
    return int(rows[(rows >= first) & (rows < end)].max(initial=0))


def _among(rows: Rows) -> str:
    return f"row IN ({','.join(map(str, rows.tolist()))})"


def _quoted(text: str) -> str:
    escaped = text.replace("'", "''")
    return f"'{escaped}'"
