from __future__ import annotations

import logging
import os
import sqlite3
import stat
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from memory_client.errors import DatabaseCorruptError, DiskFullError, NotFoundError, StorageError
from memoryd.storage.database import Database, Transaction
from memoryd.storage.faults import translate
from support.small_store import SmallStore

COUNT = "SELECT count(*) FROM memories"


def test_a_write_returns_its_result_and_is_seen_at_once(store: SmallStore) -> None:
    rows = store.add("one", "two")
    assert store.scalar(COUNT) == len(rows) == 2


def test_an_exception_rolls_everything_back_and_reaches_the_caller(store: SmallStore) -> None:
    seq = store.scalar("SELECT value FROM counters")
    done: list[str] = []

    def fail(tx: Transaction) -> None:
        store.put(tx, "one")
        tx.on_commit(lambda: done.append("x"))
        assert tx.seq > seq
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        store.database.write(fail)
    assert store.scalar(COUNT) == 0
    assert store.scalar("SELECT count(*) FROM keyword_partitions") == 0
    assert store.scalar("SELECT value FROM counters") == seq
    assert done == []
    store.add("after")
    assert store.scalar(COUNT) == 1


def test_one_change_number_a_transaction_and_each_higher_than_the_last(store: SmallStore) -> None:
    seqs = [store.database.write(lambda tx: (tx.seq, tx.seq)) for _ in range(3)]
    assert all(one == other for one, other in seqs)
    assert [one for one, _ in seqs] == sorted({one for one, _ in seqs})


def test_writes_of_many_threads_are_one_after_the_other(store: SmallStore) -> None:
    inside, worst, seqs = 0, 0, []

    def change(tx: Transaction) -> int:
        nonlocal inside, worst
        inside += 1
        worst = max(worst, inside)
        time.sleep(0.001)
        inside -= 1
        return tx.seq

    threads = [
        threading.Thread(target=lambda: seqs.extend(store.database.write(change) for _ in range(10)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert worst == 1
    assert len(set(seqs)) == 80


def test_a_reader_keeps_its_view_while_others_write(store: SmallStore) -> None:
    store.add("one")
    with store.database.read() as connection:
        before = connection.execute(COUNT).fetchone()[0]
        store.add("two")
        assert connection.execute(COUNT).fetchone()[0] == before == 1
        assert store.scalar(COUNT) == 2


def test_a_failed_read_whose_cursor_lives_on_makes_no_later_read_stale(store: SmallStore) -> None:
    store.add("before")
    kept: list[BaseException] = []

    def fail() -> None:
        with store.database.read() as connection:
            rows = connection.execute("SELECT 1 FROM memories UNION ALL SELECT 2")
            raise LookupError(rows.fetchone()[0])

    try:
        fail()
    except LookupError as error:
        kept.append(error)  # its traceback holds the cursor, as a future's exception does
    store.add("after")
    with store.database.read() as connection:
        assert connection.execute("SELECT count(*) FROM memories").fetchone()[0] == 2


def test_readers_see_all_of_a_transaction_or_nothing(store: SmallStore) -> None:
    torn, stop = [], threading.Event()

    def watch() -> None:
        while not stop.is_set():
            with store.database.read() as connection:
                memories = connection.execute(COUNT).fetchone()[0]
                terms = connection.execute(
                    "SELECT coalesce(sum(documents), 0) FROM keyword_partitions"
                ).fetchone()[0]
                if memories != terms or memories % 5:
                    torn.append((memories, terms))

    watcher = threading.Thread(target=watch)
    watcher.start()
    for i in range(40):
        store.add(*(f"word{i} {j}" for j in range(5)))
    stop.set()
    watcher.join()
    assert torn == []


def test_a_reader_cannot_write(store: SmallStore) -> None:
    with pytest.raises(StorageError, match="readonly"), store.database.read() as connection:
        connection.execute("DELETE FROM memories")


def test_more_readers_at_once_than_are_kept(store: SmallStore) -> None:
    store.add("one")
    gate, seen = threading.Barrier(20), []

    def look() -> None:
        with store.database.read() as connection:
            gate.wait()
            seen.append(connection.execute(COUNT).fetchone()[0])

    threads = [threading.Thread(target=look) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [1] * 20


def test_what_follows_a_commit_runs_before_the_write_returns(store: SmallStore) -> None:
    done: list[tuple[str, int]] = []

    def change(tx: Transaction) -> None:
        store.put(tx, "one")
        tx.on_commit(lambda: done.append((threading.current_thread().name, store.scalar(COUNT))))

    store.database.write(change)
    assert done == [("memoryd-writer", 1)]


def test_a_follow_up_that_fails_is_logged_and_the_write_stands(
    store: SmallStore, caplog: pytest.LogCaptureFixture
) -> None:
    done: list[int] = []

    def change(tx: Transaction) -> str:
        store.put(tx, "one")
        tx.on_commit(lambda: done.append(1 // 0))
        tx.on_commit(lambda: done.append(2))
        return "written"

    with caplog.at_level(logging.ERROR):
        assert store.database.write(change) == "written"
    assert done == [2]
    assert store.scalar(COUNT) == 1
    assert "doctor --repair" in caplog.text


def test_a_write_inside_a_write_is_an_error_and_not_a_deadlock(store: SmallStore) -> None:
    with pytest.raises(RuntimeError, match="wait for itself"):
        store.database.write(lambda _: store.add("inner"))
    assert store.scalar(COUNT) == 0


def test_closing_finishes_what_is_queued_and_ends_the_thread(tmp_path: Path, store: SmallStore) -> None:
    results: list[int] = []

    def slow(_: Transaction) -> int:
        time.sleep(0.05)
        return 1

    threads = [threading.Thread(target=lambda: results.append(store.database.write(slow))) for _ in range(4)]
    for thread in threads:
        thread.start()
    while store.database._tasks.qsize() < 2:  # one is in hand, two wait behind it
        time.sleep(0.001)
    store.close()
    for thread in threads:
        thread.join()
    assert results == [1] * 4
    assert not store.database._thread.is_alive()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backups", "memory.sqlite3"]


def test_a_closed_database_says_so(store: SmallStore) -> None:
    store.close()
    store.close()
    with pytest.raises(StorageError, match="is closed"):
        store.add("late")
    with pytest.raises(StorageError, match="is closed"):
        store.scalar(COUNT)


def test_a_reader_that_outlives_the_closing_leaves_nothing_open(store: SmallStore) -> None:
    store.add("one")
    with store.database.read() as connection:
        store.close()
        assert connection.execute(COUNT).fetchone()[0] == 1
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute(COUNT)


def test_a_full_disk_fails_the_write_loses_nothing_and_is_over_when_there_is_room(store: SmallStore) -> None:
    store.add("acknowledged")
    pages = store.database.maintain(lambda c: int(c.execute("PRAGMA page_count").fetchone()[0]))
    store.database.maintain(lambda c: c.execute(f"PRAGMA max_page_count = {pages + 1}").fetchone())
    with pytest.raises(DiskFullError, match="free some space") as caught:
        store.add("x" * 1_000_000)
    assert caught.value.data == {"path": str(store.path)}
    assert store.found("acknowledged") == ["acknowledged"]
    assert store.scalar(COUNT) == store.scalar("SELECT documents FROM keyword_partitions") == 1
    store.database.maintain(lambda c: c.execute("PRAGMA max_page_count = 1000000").fetchone())
    store.add("y" * 1_000_000)
    assert store.scalar(COUNT) == 2
    assert store.scalar("PRAGMA integrity_check") == "ok"


def test_what_is_no_database_is_named_with_its_repair_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite3"
    path.write_bytes(b"not a database " * 1000)
    before = path.read_bytes()
    with pytest.raises(DatabaseCorruptError, match="doctor --repair") as caught:
        Database(path)
    assert str(path) in caught.value.message
    assert caught.value.data == {"path": str(path)}
    assert path.read_bytes() == before


def test_a_damaged_page_is_named_with_its_repair_and_left_alone(store: SmallStore) -> None:
    store.add(*(f"{i} {'x' * 500}" for i in range(200)))
    store.close()
    damage(store.path, COUNT.split()[-1])
    before = store.path.read_bytes()
    database = Database(store.path)
    try:
        with (
            pytest.raises(DatabaseCorruptError, match="doctor --repair") as caught,
            database.read() as connection,
        ):
            connection.execute("SELECT * FROM memories").fetchall()
        assert str(store.path) in caught.value.message
    finally:
        database.close()
    assert store.path.read_bytes() == before


def damage(path: Path, table: str) -> None:
    """Overwrite the page a table begins with."""
    connection = sqlite3.connect(path)
    page = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()[0]
    size = connection.execute("PRAGMA page_size").fetchone()[0]
    connection.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(os.urandom(size))


@pytest.mark.parametrize(
    ("code", "kind", "word"),
    [
        (sqlite3.SQLITE_FULL, DiskFullError, "free some space"),
        (sqlite3.SQLITE_CORRUPT, DatabaseCorruptError, "doctor --repair"),
        (sqlite3.SQLITE_NOTADB, DatabaseCorruptError, "doctor --repair"),
        (sqlite3.SQLITE_CORRUPT_VTAB, StorageError, "memoryd reindex"),
        (sqlite3.SQLITE_READONLY_DIRECTORY, StorageError, "writable"),
        (sqlite3.SQLITE_CANTOPEN, StorageError, "writable"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, StorageError, "another program"),
        (sqlite3.SQLITE_IOERR_READ, StorageError, "x failed"),
    ],
)
def test_every_fault_names_the_file_and_the_fix(code: int, kind: type[StorageError], word: str) -> None:
    error = sqlite3.OperationalError("x failed")
    error.sqlite_errorcode = code
    translated = translate(error, Path("/somewhere/memory.sqlite3"))
    assert type(translated) is kind
    assert "/somewhere/memory.sqlite3" in translated.message.replace("\\", "/")
    assert word in translated.message


def test_an_error_of_ours_inside_passes_unchanged(store: SmallStore) -> None:
    def refuse(*_: object) -> None:
        raise NotFoundError("mine", id="x")

    with pytest.raises(NotFoundError, match="mine"):
        store.database.write(refuse)
    with pytest.raises(NotFoundError, match="mine"), store.database.read() as connection:
        refuse(connection)
    assert store.scalar(COUNT) == 0


def test_the_settings_that_durability_and_privacy_rest_on(store: SmallStore) -> None:
    for pragma, value in {
        "journal_mode": "wal",
        "synchronous": 2,
        "fullfsync": 1,
        "checkpoint_fullfsync": 1,
        "secure_delete": 1,
        "foreign_keys": 1,
    }.items():
        name = f"PRAGMA {pragma}"
        assert store.database.maintain(lambda c, n=name: c.execute(n).fetchone()[0]) == value, pragma  # type: ignore[misc]


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX modes")
def test_only_the_owner_may_read_the_files(store: SmallStore) -> None:
    store.add("one")
    modes = {
        path.name: stat.S_IMODE(path.stat().st_mode) for path in store.path.parent.glob("memory.sqlite3*")
    }
    assert set(modes) == {"memory.sqlite3", "memory.sqlite3-wal", "memory.sqlite3-shm"}
    assert set(modes.values()) == {0o600}


def test_a_constraint_that_is_broken_is_an_error_of_ours(store: SmallStore) -> None:
    def put(tx: Transaction) -> None:
        tx.execute("INSERT INTO properties VALUES ('twice', 1)")

    store.database.write(put)
    with pytest.raises(StorageError, match="UNIQUE"):
        store.database.write(put)


def test_the_page_caches_of_all_idle_readers_are_small(store: SmallStore) -> None:
    with ExitStack() as stack:
        readers = [stack.enter_context(store.database.read()) for _ in range(20)]
    sizes = [
        -int(reader.execute("PRAGMA cache_size").fetchone()[0]) for reader in readers if _is_open(reader)
    ]
    assert 1 <= len(sizes) <= 8
    assert min(sizes) > 0
    assert sum(sizes) <= 32_000


def _is_open(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute("SELECT 1")
    except sqlite3.ProgrammingError:
        return False
    return True


def test_idle_connections_give_their_pages_back_and_go_on(store: SmallStore) -> None:
    rows = store.add(*(f"text {number}" for number in range(50)))
    with ExitStack() as stack:
        readers = [stack.enter_context(store.database.read()) for _ in range(3)]
        for reader in readers:
            reader.execute(COUNT).fetchone()
    statements: list[str] = []
    for reader in readers:
        reader.set_trace_callback(statements.append)
    store.database.release_unused()
    assert statements == ["PRAGMA shrink_memory"] * 3
    assert store.scalar(COUNT) == len(rows)
