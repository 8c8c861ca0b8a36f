"""The vector store itself: no duplicates, exact enough, and nothing left on disk after compaction."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from memory_client.errors import DiskFullError, StorageError
from memoryd.index.lance.lance import Gate, LanceStore, VectorTable, lance_errors
from memoryd.index.vectors.rounding import Batch

DIM = 8


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LanceStore]:
    store = LanceStore(tmp_path)
    store.open()
    yield store
    store.close()


@pytest.fixture
def table(store: LanceStore) -> VectorTable:
    return store.table(1, DIM)


def batch(rows: list[int], seq: int = 1, user: str = "u", seed: int = 0) -> Batch:
    vectors = np.random.default_rng([seed, *rows]).standard_normal((len(rows), DIM)).astype(np.float16)
    numbers = np.array(rows, np.int64)
    return Batch(numbers, np.full(len(rows), seq), [user] * len(rows), vectors)


def keys(table: VectorTable) -> list[tuple[int, int]]:
    return sorted(zip(*map(np.ndarray.tolist, table.keys()), strict=True))


def test_a_row_is_there_once_whatever_comes_again(table: VectorTable) -> None:
    table.put(batch([1, 2, 3]))
    table.put(batch([3, 2, 7], seq=2))
    table.put(batch([5], seq=3))  # below the highest, yet new
    table.put(batch([5, 8], seq=4))
    assert keys(table) == [(1, 1), (2, 2), (3, 2), (5, 4), (7, 2), (8, 4)]
    assert len(table) == 6


def test_a_new_process_knows_which_rows_are_there(store: LanceStore, tmp_path: Path) -> None:
    store.table(1, DIM).put(batch([1, 2, 3]))
    again = LanceStore(tmp_path)
    again.open()
    table = again.table(1, DIM)
    table.put(batch([2, 3, 4], seq=2))
    assert keys(table) == [(1, 1), (2, 2), (3, 2), (4, 2)]


def test_a_write_repeated_after_a_failure_inserts_no_duplicate(
    table: VectorTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    add = table._table.add

    def commit_and_fail(part: object) -> None:
        add(part)
        raise RuntimeError("the answer was lost")

    monkeypatch.setattr(table._table, "add", commit_and_fail)
    with pytest.raises(StorageError, match="the answer was lost"):
        table.put(batch([1, 2]))
    monkeypatch.undo()
    table.put(batch([1, 2]))
    assert keys(table) == [(1, 1), (2, 1)]


def test_vectors_come_back_bit_by_bit(table: VectorTable) -> None:
    written = batch(list(range(1, 10)))
    table.put(written)
    parts = list(table.scan())
    rows = np.concatenate([part.rows for part in parts])
    vectors = np.concatenate([part.vectors for part in parts])
    assert np.array_equal(vectors[np.argsort(rows)], written.vectors)
    some = list(table.scan(np.array([4, 6, 99])))
    assert sorted(np.concatenate([part.rows for part in some]).tolist()) == [4, 6]


def test_removed_rows_are_gone_and_unknown_ones_are_fine(table: VectorTable) -> None:
    table.put(batch([1, 2, 3]))
    table.delete(np.array([2, 77]))
    table.delete(np.array([], np.int64))
    assert keys(table) == [(1, 1), (3, 1)]


@pytest.mark.parametrize("user", ["u", "o'brien", "' OR true --", '"x"', "主人", "a\\'b"])
def test_search_keeps_to_the_user(table: VectorTable, user: str) -> None:
    table.put(batch([1, 2, 3], user=user))
    table.put(batch([4, 5, 6], user="somebody else"))
    query = np.ones(DIM, np.float32) / np.float32(DIM**0.5)
    assert sorted(table.nearest(query, 10, user, None).rows.tolist()) == [1, 2, 3]
    assert sorted(table.nearest(query, 10, user, np.array([2, 5])).rows.tolist()) == [2]
    assert table.nearest(query, 10, "nobody", None).rows.tolist() == []


def test_search_finds_the_nearest(table: VectorTable) -> None:
    written = batch(list(range(1, 301)))
    table.put(written)
    query = np.random.default_rng(5).standard_normal(DIM).astype(np.float32)
    exact = written.vectors.astype(np.float64) @ query
    assert set(table.nearest(query, 10, "u", None).rows) == set(written.rows[np.argsort(-exact)[:10]])


def bytes_under(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file())


@pytest.mark.parametrize("removed", [1, 60])  # a few deletions are left in place by Lance, many are not
def test_compaction_leaves_no_byte_of_what_was_removed(
    store: LanceStore, table: VectorTable, removed: int
) -> None:
    kept, secret = batch(list(range(1, 101))), batch(list(range(101, 101 + removed)), user="zacharias")
    table.put(kept)
    table.put(secret)
    table.compact()
    present = bytes_under(store.path)
    assert secret.vectors[0].tobytes() in present
    assert b"zacharias" in present
    table.delete(secret.rows)
    table.compact()
    left = bytes_under(store.path)
    assert all(vector.tobytes() not in left for vector in secret.vectors)
    assert b"zacharias" not in left
    assert kept.vectors[50].tobytes() in left
    assert keys(table) == [(row, 1) for row in range(1, 101)]
    table.put(batch([100, 200], seq=2))  # the handle still writes where it should
    assert len(table) == 101


def test_compaction_merges_the_files_of_many_small_writes(store: LanceStore, table: VectorTable) -> None:
    for row in range(1, 41):
        table.put(batch([row]))
    before, files = store.nbytes(), len(list(store.path.rglob("*.*")))
    table.compact()
    assert store.nbytes() < before / 5
    assert len(list(store.path.rglob("*.*"))) < files / 10
    assert len(table) == 40


def test_clearing_leaves_an_empty_table(store: LanceStore, table: VectorTable) -> None:
    written = batch([1, 2, 3])
    table.put(written)
    table.clear()
    assert len(table) == 0
    assert written.vectors[0].tobytes() not in bytes_under(store.path)
    table.put(batch([2], seq=5))
    assert keys(table) == [(2, 5)]


def test_a_damaged_table_is_made_anew_and_said_so(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = LanceStore(tmp_path)
    store.open()
    store.table(1, DIM).put(batch([1, 2]))
    for manifest in (tmp_path / "vectors_1.lance" / "_versions").glob("*.manifest"):
        manifest.write_bytes(b"nonsense")
    again = LanceStore(tmp_path)
    again.open()
    with caplog.at_level(logging.WARNING):
        table = again.table(1, DIM)
    assert "unreadable" in caplog.text
    assert len(table) == 0
    table.put(batch([1]))
    assert keys(table) == [(1, 1)]


def test_tables_nobody_knows_are_dropped(store: LanceStore) -> None:
    for space in (1, 2, 3):
        store.table(space, DIM).put(batch([space]))
    store.drop_others([2])
    store.drop(9)
    assert [path.name for path in store.path.iterdir()] == ["vectors_2.lance"]


def test_its_errors_become_ours(tmp_path: Path) -> None:
    with pytest.raises(DiskFullError), lance_errors(tmp_path):
        raise OSError("LanceError(IO): No space left on device (os error 28)")
    with pytest.raises(StorageError, match="memoryd reindex"), lance_errors(tmp_path):
        raise RuntimeError("anything")


def test_the_gate_lets_many_pass_and_one_close_it() -> None:
    gate, inside, leave, alone = Gate(), threading.Barrier(3), threading.Event(), threading.Event()

    def reader() -> None:
        with gate.passing():
            inside.wait(5)
            leave.wait(5)

    def closer() -> None:
        with gate.closed():
            alone.set()

    threads = [threading.Thread(target=action) for action in (reader, reader, closer)]
    for thread in threads[:2]:
        thread.start()
    inside.wait(5)  # both readers are inside at the same time
    threads[2].start()
    assert not alone.wait(0.05)
    leave.set()
    assert alone.wait(5)
    for thread in threads:
        thread.join(5)


def test_nobody_passes_a_closed_gate() -> None:
    gate, passed = Gate(), threading.Event()

    def reader() -> None:
        with gate.passing():
            passed.set()

    thread = threading.Thread(target=reader)
    with gate.closed():
        thread.start()
        assert not passed.wait(0.05)
    assert passed.wait(5)
    thread.join(5)
