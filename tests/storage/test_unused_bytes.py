"""Copies of deleted rows in the unused parts of pages are overwritten, and nothing else is."""

from __future__ import annotations

import random
import threading
from pathlib import Path

from memoryd.storage.physical_removal import truncate_wal, wipe_unused_bytes
from support.small_store import SmallStore

WORD = b"Rumpelstilz"


def grow(store: SmallStore, table: str = "pairs") -> None:
    """Rows in random order, which make SQLite split and rebuild pages, and then none with the word."""
    chosen = random.Random(1)
    name = WORD.decode()
    store.database.write(
        lambda tx: tx.execute(f"CREATE TABLE {table} (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID")
    )
    for start in range(0, 2000, 200):
        rows = [
            (f"{chosen.random():.12f}", (name if n % 3 == 0 else "stays") + "x" * chosen.randrange(80))
            for n in range(start, start + 200)
        ]
        store.database.write(
            lambda tx, rows=rows: tx.executemany(f"INSERT INTO {table} VALUES (?, ?)", rows)  # type: ignore[misc]
        )
    store.database.write(lambda tx: tx.execute(f"DELETE FROM {table} WHERE value LIKE '{name}%'"))


def in_file(path: Path) -> bool:
    return any(WORD in file.read_bytes() for file in path.parent.glob(path.name + "*"))


def test_copies_of_deleted_rows_are_overwritten(store: SmallStore) -> None:
    grow(store)
    store.add("one", "two")
    rows = store.scalar("SELECT group_concat(key || value) FROM pairs")
    assert store.database.maintain(truncate_wal)
    assert in_file(store.path), "SQLite leaves copies, or this test shows nothing"
    wipe_unused_bytes(store.database)
    assert not in_file(store.path)
    assert store.scalar("SELECT group_concat(key || value) FROM pairs") == rows
    assert store.scalar("PRAGMA integrity_check") == "ok"
    store.add("three")
    assert store.found("three") == ["three"]


def test_what_the_writer_has_in_its_cache_is_not_written_back(store: SmallStore) -> None:
    grow(store)
    store.database.maintain(lambda connection: connection.execute("SELECT * FROM pairs").fetchall())
    wipe_unused_bytes(store.database)
    store.database.write(lambda tx: tx.execute("UPDATE pairs SET value = upper(value)"))
    assert store.database.maintain(truncate_wal)
    assert not in_file(store.path)


def test_writes_and_searches_go_on_meanwhile(store: SmallStore) -> None:
    grow(store)
    stop, failed, added = threading.Event(), list[BaseException](), list[int]()

    def write() -> None:
        try:
            while not stop.is_set():
                added.extend(store.add(f"zebra {len(added)} " + "y" * 300))
                assert store.found(f"{len(added) - 1}", 1)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for _ in range(10):
            wipe_unused_bytes(store.database)
    finally:
        stop.set()
        thread.join()
    assert failed == []
    assert store.scalar("PRAGMA integrity_check") == "ok"
    assert store.scalar("SELECT count(*) FROM memories") == len(added) > 0
    wipe_unused_bytes(store.database)
    assert not in_file(store.path)
