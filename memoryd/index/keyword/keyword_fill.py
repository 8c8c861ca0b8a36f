"""Filling the shared keyword table: after tables of an earlier schema, another folding, or damage.

A partition's texts are indexed in the order of their rows, a few per transaction, which also notes how far it
has come: after a kill the next start goes on from there. The former partition serves searches until the new
one is complete. Texts that change meanwhile are written to both.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence

from memoryd.core.row_ranges import TextKind
from memoryd.index.keyword import forward_index, partitions
from memoryd.index.keyword.keyword_index import insert_terms
from memoryd.index.keyword.keyword_removal import delete_set_aside
from memoryd.index.keyword.partitions import Partition, State
from memoryd.language.fold import FOLD_VERSION, index_terms
from memoryd.language.text_features import feature_bits
from memoryd.storage.database import Database, Transaction
from memoryd.storage.records.texts import EVERY_TEXT, TABLES

log = logging.getLogger(__name__)

_SECONDS = 0.03
"""After so long a transaction ends: other writes wait for it."""
_TEXTS = 20
"""Read at once within it."""
_LISTED = 1000
"""Texts of a partition that are listed while writes wait; more are listed by a reader."""

Work = tuple[str, TextKind]


class KeywordFill:
    """Fills whatever partition is not up to date, for one caller at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()

    def is_needed(self) -> bool:
        """Whether any partition is out of date, or missing."""
        with self._database.read() as connection:
            return (
                bool(partitions.outdated(connection, FOLD_VERSION))
                or bool(partitions.set_aside(connection))
                or _lacks_partitions(connection)
            )

    def is_searchable(self) -> bool:
        """Whether every text is found meanwhile, in a partition of an earlier schema or folding."""
        with self._database.read() as connection:
            return partitions.all_serve(connection) and not _lacks_partitions(connection)

    def run(self, until: float, is_stopping: Callable[[], bool] = lambda: False) -> bool:
        """Go on until a time of the monotonic clock; whether anything is left to fill."""
        with self._lock:
            with self._database.read() as connection:
                lacks = _lacks_partitions(connection)
            if lacks:
                self._database.write(add_missing)
            with self._database.read() as connection:
                waiting = deque(partitions.outdated(connection, FOLD_VERSION))
            rows: deque[int] = deque()

            def is_over() -> bool:
                return time.monotonic() >= until or is_stopping()

            while waiting and not is_over():
                rows = self._go_on(waiting, rows)
            return bool(waiting) or delete_set_aside(self._database, is_over)

    def _go_on(self, waiting: deque[Work], rows: deque[int]) -> deque[int]:
        """One transaction: some texts of the first partition that waits. rows: those it lacks, if known."""
        user_id, kind = waiting[0]
        if not rows:
            with self._database.read() as connection:
                filling = _of_state(partitions.get_all(connection, user_id, kind), "filling")
                rows = deque(_missing_rows(connection, user_id, filling)) if filling else rows
        if self._database.write(lambda tx: _fill(tx, user_id, kind, rows)):
            waiting.popleft()
            rows.clear()
        return rows


def start_over(tx: Transaction) -> None:
    """Empty the index and have every partition filled again."""
    for number in [row[0] for row in tx.execute("SELECT number FROM keyword_partitions WHERE is_shared = 0")]:
        partitions.drop(tx, Partition(number, "memory", 0, 0, is_shared=False))
    tx.execute("DELETE FROM keyword_partitions")
    tx.execute("DELETE FROM abandoned_partitions")
    tx.execute("DELETE FROM text_terms")
    tx.execute(f"INSERT INTO {partitions.SHARED_TABLE} ({partitions.SHARED_TABLE}) VALUES ('delete-all')")
    add_missing(tx)


def add_missing(tx: Transaction) -> None:
    """Create the partitions of texts that have none, to be filled."""
    known = {tuple(row) for row in tx.execute("SELECT user_id, kind FROM keyword_partitions")}
    owners = tx.execute(f"SELECT DISTINCT user_id, kind FROM {EVERY_TEXT}").fetchall()
    for user_id, kind in owners:
        if (user_id, kind) not in known:
            partitions.create(tx, user_id, kind, FOLD_VERSION, _last_row(tx, kind))


def _lacks_partitions(connection: sqlite3.Connection) -> bool:
    """Whether the index is empty and the store is not, as after a salvage."""
    sql = f"SELECT NOT EXISTS (SELECT 1 FROM keyword_partitions) AND EXISTS (SELECT 1 FROM {EVERY_TEXT})"
    return bool(connection.execute(sql).fetchone()[0])


def _last_row(tx: Transaction, kind: TextKind) -> int:
    return int(tx.execute(f"SELECT coalesce(max(row), 0) FROM {TABLES[kind]}").fetchone()[0])


def _missing_rows(connection: sqlite3.Connection, user_id: str, filling: Partition) -> list[int]:
    """Rows that a partition which is being filled lacks, ascending."""
    sql = f"SELECT row FROM {EVERY_TEXT} WHERE user_id = ? AND kind = ? AND row > ? AND row <= ? ORDER BY row"
    found = connection.execute(sql, (user_id, filling.kind, filling.filled_to, filling.fill_end))
    return [row for (row,) in found]


def _of_state(known: Sequence[Partition], state: State) -> Partition | None:
    return next((one for one in known if one.state == state), None)


def _fill(tx: Transaction, user_id: str, kind: TextKind, rows: deque[int]) -> bool:
    """Index the next of `rows` for a while and take them off; whether the partition is done."""
    known = partitions.get_all(tx.connection, user_id, kind)
    serving, filling = _of_state(known, "serving"), _of_state(known, "filling")
    if filling is None and (serving is None or not _is_outdated(serving)):
        return True  # deleted meanwhile
    if filling is not None and _is_outdated(filling):
        partitions.drop(tx, filling)
        filling = None
    if filling is None:
        filling = partitions.create(tx, user_id, kind, FOLD_VERSION, _last_row(tx, kind))
        rows.clear()
        if serving is None or serving.documents > _LISTED:
            return False
        rows.extend(_missing_rows(tx.connection, user_id, filling))
    _index(tx, user_id, filling, rows)
    if serving is None or not rows:  # a change number of its own: results of earlier searches no longer hold
        log.debug("keyword partition %d, %d texts to fill, change %d", filling.number, len(rows), tx.seq)
    if rows:
        return False
    if serving is not None:
        partitions.drop(tx, serving)
    partitions.serve(tx, filling)
    return True


def _is_outdated(partition: Partition) -> bool:
    return not partition.is_shared or partition.fold_version != FOLD_VERSION


def _index(tx: Transaction, user_id: str, filling: Partition, rows: deque[int]) -> None:
    until = time.monotonic() + _SECONDS
    sql = (
        f"SELECT row, text FROM {EVERY_TEXT} "
        "WHERE user_id = ? AND row IN (SELECT value FROM json_each(?)) ORDER BY row"
    )
    row = filling.filled_to
    while rows:
        chosen = [rows.popleft() for _ in range(min(_TEXTS, len(rows)))]
        for row, text in tx.execute(sql, (user_id, json.dumps(chosen))).fetchall():
            found = index_terms(text)
            insert_terms(tx, filling, row, found)
            forward_index.put(tx, row, found, feature_bits(text))
        row = chosen[-1]
        if time.monotonic() >= until:
            break
    partitions.fill_up_to(tx, filling.number, row)
