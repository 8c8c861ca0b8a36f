"""The database and its keyword index without model or daemon, for tests of storage and index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memoryd.core.filters.grammar import parse_filters
from memoryd.core.ids import IdFactory
from memoryd.core.record import Record
from memoryd.core.scope import Scope
from memoryd.engine.context import Limits
from memoryd.engine.memories.record_builder import new_record
from memoryd.index.keyword.keyword_index import KeywordHit, KeywordIndex
from memoryd.storage.database import Database, Transaction
from memoryd.storage.migrations import migrate
from memoryd.storage.records import memories, versions
from memoryd.storage.records.memories import StoredMemory
from memoryd.storage.records.versions import Cause

USER = "小明"
START = 1_700_000_000.0


def record(
    text: str,
    metadata: Mapping[str, Any] | None = None,
    *,
    user_id: str = USER,
    agent_id: str | None = None,
    now: float = START,
    ids: IdFactory | None = None,
) -> Record:
    """A record as the engine makes it."""
    return new_record(
        text,
        metadata,
        id=(ids or IdFactory()).new("mem", now),
        user_id=user_id,
        agent_id=agent_id,
        session_id=None,
        now=now,
        limits=Limits(),
    )


class SmallStore:
    """A database at `directory / memory.sqlite3` with its keyword index; one second passes with each add."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / "memory.sqlite3"
        self.backups = directory / "backups"
        self.backups.mkdir(parents=True, exist_ok=True)
        migrate(self.path, self.backups)
        self.database = Database(self.path)
        self.lexical = KeywordIndex()
        self.ids = IdFactory()
        self.now = START

    def close(self) -> None:
        self.database.close()

    def add(self, *texts: str, metadata: Mapping[str, Any] | None = None, **owner: Any) -> list[int]:
        """Store texts in one transaction; their rows."""
        return self.database.write(lambda tx: [self.put(tx, text, metadata, **owner) for text in texts])

    def put(self, tx: Transaction, text: str, metadata: Mapping[str, Any] | None = None, **owner: Any) -> int:
        self.now += 1
        one = record(text, metadata, now=self.now, ids=self.ids, **owner)
        row = memories.insert(tx, one)
        self.lexical.put(tx, one.user_id, row, one.text)
        versions.append(tx, one, Cause("create"), [], None)
        return row

    def queue(self, *rows: int) -> None:
        """Queue memories for embedding."""
        for row in rows:
            self.write(
                "INSERT INTO outbox SELECT row, user_id, 'put', text_seq, NULL FROM memories WHERE row = ?",
                row,
            )

    def write(self, sql: str, *values: Any) -> None:
        """Execute one statement in its own transaction."""
        self.database.write(lambda tx: tx.execute(sql, values) and tx.seq)

    def take_out(self, row: int, user_id: str = USER) -> None:
        """Delete a memory and its terms."""

        def apply(tx: Transaction) -> None:
            stored = memories.by_rows(tx.connection, Scope(user_id, "*"), [row])[row]
            self.lexical.remove(tx, user_id, row, stored.record.text)
            memories.remove(tx, [row])

        self.database.write(apply)

    def search(
        self,
        query: str,
        limit: int = 10,
        *,
        user_id: str = USER,
        agent_id: str | None = None,
        filters: Mapping[str, Any] | None = None,
    ) -> list[KeywordHit]:
        with self.database.read() as connection:
            scope = Scope(user_id, agent_id)
            return self.lexical.search(connection, scope, query, limit, parse_filters(filters))

    def found(self, query: str, limit: int = 10, **how: Any) -> list[str]:
        """The texts of the hits, best first."""
        hits = self.search(query, limit, **how)
        by_row = self.stored([hit.row for hit in hits], how.get("user_id", USER))
        return [by_row[hit.row].record.text for hit in hits]

    def stored(self, rows: Sequence[int], user_id: str = USER) -> dict[int, StoredMemory]:
        with self.database.read() as connection:
            return memories.by_rows(connection, Scope(user_id, "*"), rows)

    def scalar(self, sql: str, *params: Any) -> Any:
        with self.database.read() as connection:
            return connection.execute(sql, params).fetchone()[0]


@contextmanager
def small_store(directory: Path) -> Iterator[SmallStore]:
    store = SmallStore(directory)
    try:
        yield store
    finally:
        store.close()
