"""The vector index as a whole: exact through every change and restart, from memory and from LanceDB."""

from __future__ import annotations

import shutil
import tempfile
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, multiple, rule

from memoryd.core.scope import Scope
from memoryd.index.lance.lance import VectorTable
from memoryd.index.vectors import hot
from support.index_world import SPACE, World, embed, packed

USERS = ("ann", "bob")
AGENTS = (None, "x", "y")
TEXTS = [f"text {i}" for i in range(8)]  # few, so that equal texts are common


class Machine(RuleBasedStateMachine):
    """Any order of changes, flushes, crashes and restarts; searches always are what SQLite implies."""

    max_rows = 1000
    rows = Bundle("rows")

    @initialize()
    def start(self) -> None:
        self.directory = Path(tempfile.mkdtemp())
        self.world = World(self.directory / "data", max_rows=self.max_rows, batch_rows=3)
        self.world.begin()

    def teardown(self) -> None:
        self.world.close()
        shutil.rmtree(self.directory)

    @rule(
        target=rows,
        texts=st.lists(st.sampled_from(TEXTS), min_size=1, max_size=6),
        user=st.sampled_from(USERS),
        agent=st.sampled_from(AGENTS),
        vector=st.booleans(),
    )
    def add(self, texts: list[str], user: str, agent: str | None, vector: bool) -> object:
        return multiple(*((self.world.add(text, user, agent, vector=vector), user) for text in texts))

    @rule(target=rows, row=consumes(rows), text=st.sampled_from(TEXTS), vector=st.booleans())
    def edit(self, row: tuple[int, str], text: str, vector: bool) -> tuple[int, str]:
        if row in self.present():
            self.world.edit(row[0], text, vector=vector)
        return row

    @rule(row=consumes(rows))
    def remove(self, row: tuple[int, str]) -> None:
        if row in self.present():
            self.world.remove([row[0]], row[1])

    @rule(user=st.sampled_from(USERS))
    def forget(self, user: str) -> None:
        self.world.forget(user)

    @rule()
    def embed_waiting(self) -> None:
        self.world.embed_waiting()

    @rule()
    def open_store(self) -> None:
        self.world.index.open_store()

    @rule()
    def flush(self) -> None:
        self.world.index.flush()

    @rule()
    def compact(self) -> None:
        self.world.index.compact()

    @rule()
    def save_snapshot(self) -> None:
        self.world.index.save_snapshot()

    @rule(orderly=st.booleans())
    def restart(self, orderly: bool) -> None:
        if orderly:
            self.world.restart()
        else:
            self.world.die()

    @rule()
    def check(self) -> None:
        assert self.world.index.check() == []

    @invariant()
    def searches_are_exact(self) -> None:
        for user in USERS:
            for agent in (None, "x", "*"):
                found = self.world.search("text 3", 4, user, agent)
                expected = self.world.expected("text 3", 40, user, agent)
                if self.world.index.complete:
                    assert found == expected[:4]
                else:
                    assert set(found) <= set(expected)

    @invariant()
    def what_waits_is_counted(self) -> None:
        rows = [each.row for each in self.world.index.get_waiting_texts(1000)]
        waiting = self.world.owners(rows)
        assert self.world.index.missing() == len(rows)
        for user in USERS:
            assert self.world.index.missing(user) == waiting.count(user)

    @invariant()
    def tokens_are_of_the_present_texts(self) -> None:
        with self.world.database.read() as connection:
            texts = dict(connection.execute("SELECT row, text FROM memories").fetchall())
        for each in self.world.index.get_waiting_texts(1000):
            del texts[each.row]
        kept = self.world.kept_tokens()
        assert kept.keys() == texts.keys()
        assert all(np.array_equal(kept[row], packed(text)) for row, text in texts.items())

    def present(self) -> set[tuple[int, str]]:
        with self.world.database.read() as connection:
            return {(row, user) for row, user in connection.execute("SELECT row, user_id FROM memories")}


class StoredMachine(Machine):
    """The same with nothing in memory."""

    max_rows = 0


class OutgrowingMachine(Machine):
    """The same where memory is outgrown on the way."""

    max_rows = 12


QUICK = settings(
    max_examples=15, stateful_step_count=25, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
TestMachine = Machine.TestCase
TestMachine.settings = QUICK
TestStoredMachine = StoredMachine.TestCase
TestStoredMachine.settings = settings(QUICK, max_examples=8)
TestOutgrowingMachine = OutgrowingMachine.TestCase
TestOutgrowingMachine.settings = settings(QUICK, max_examples=8)


@pytest.mark.parametrize("max_rows", [0, 1000])
def test_allowed_rows_are_all_that_counts(tmp_path: Path, max_rows: int) -> None:
    world = World(tmp_path / "data", max_rows=max_rows, batch_rows=50)
    world.begin()
    rows = world.add_all([f"text {i}" for i in range(300)])
    world.index.open_store()
    world.index.flush()
    world.add_all([f"late {i}" for i in range(10)], agent="x")
    for allowed in ([], rows[3:4], rows[::50], rows[5:250], [*rows, 305, 306], [9999]):
        for agent in (None, "x"):
            found = world.search("text 7", 10, agent=agent, allowed=allowed)
            assert found == world.expected("text 7", 10, agent=agent, allowed=allowed)
    world.close()


def test_the_store_answers_as_memory_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over 10,000 allowed rows are filtered behind Lance; few visible among many make it fetch more."""
    monkeypatch.setattr(hot, "_QUANTIZED_ROWS", 100_000)  # memory scans exactly, as the store does
    world = World(tmp_path / "data", max_rows=20_000, batch_rows=4000)
    world.begin()
    common = world.add_all([f"text {i}" for i in range(11_000)])
    own = world.add_all([f"own {i}" for i in range(30)], agent="x")
    world.add_all([f"other {i}" for i in range(500)], agent="y")
    world.index.open_store()
    world.index.flush()
    nearest = {row for row, _ in world.search("a question", 300)}
    scopes: list[tuple[str | None, list[int] | None]] = [
        (None, [row for row in common if row not in nearest]),
        (None, None),
        ("x", None),
        ("*", None),
        ("x", common[:10_500]),
        ("x", [*common[10_990:], *own]),
    ]
    from_memory = [world.search("a question", 20, "u", agent, rows) for agent, rows in scopes]
    world.max_rows = 10
    world.restart()
    assert world.index.sizes().hot == 0
    assert [world.search("a question", 20, "u", agent, rows) for agent, rows in scopes] == from_memory
    world.close()


@pytest.mark.parametrize("when", ["before", "after"])
def test_what_is_flushed_during_a_search_is_found_once(
    tmp_path: Path, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path / "data", max_rows=0)
    world.begin()
    world.index.open_store()
    rows = world.add_all([f"text {i}" for i in range(5)])
    nearest = VectorTable.nearest

    def flushing(*args: object) -> object:
        if when == "before":
            world.index.flush()
        found = nearest(*args)  # type: ignore[arg-type]
        world.index.flush()
        return found

    monkeypatch.setattr(VectorTable, "nearest", flushing)
    assert sorted(row for row, _ in world.search("text 3", 9)) == rows
    world.close()


def test_memory_is_given_up_when_it_is_outgrown_and_taken_again_when_there_is_room(tmp_path: Path) -> None:
    world = World(tmp_path / "data", max_rows=10)
    world.begin()
    rows = world.add_all([f"text {i}" for i in range(10)])
    assert world.index.sizes().hot > 0
    world.add("one too many")
    assert world.index.sizes().hot == 0
    assert world.search("text 3", 20) == world.expected("text 3", 20)
    assert not world.index.save_snapshot()
    world.remove(rows[:5])
    world.restart()
    world.index.open_store()
    assert world.index.sizes().hot > 0
    assert world.search("text 3", 20) == world.expected("text 3", 20)
    world.close()


def test_more_vectors_in_the_store_than_memory_may_take(tmp_path: Path) -> None:
    world = World(tmp_path / "data", max_rows=20)
    world.begin()
    world.add_all([f"text {i}" for i in range(15)])
    world.index.open_store()
    world.index.flush()
    world.die()  # without a snapshot: memory is empty, the store is full
    world.add_all([f"late {i}" for i in range(10)])
    world.index.open_store()
    assert world.index.sizes().hot == 0
    assert world.search("text 3", 40) == world.expected("text 3", 40)
    world.close()


def test_compaction_leaves_no_vector_of_the_removed_on_disk(world: World) -> None:
    world.add_all([f"text {i}" for i in range(200)])
    secret = world.add_all(["a secret"], "zacharias")
    vector = embed("a secret").astype(np.float16).tobytes()
    world.index.compact()
    assert vector in derived(world)
    assert (world.paths.hot / "vectors.snapshot").exists()
    world.forget("zacharias")
    assert secret
    world.index.compact()
    left = derived(world)
    assert vector not in left
    assert b"zacharias" not in left


def derived(world: World) -> bytes:
    files = [*world.paths.lance.rglob("*"), *world.paths.hot.rglob("*")]
    return b"".join(path.read_bytes() for path in files if path.is_file())


def test_compaction_is_worth_it_and_says_so(world: World) -> None:
    world.index.open_store()
    for i in range(40):
        world.add(f"text {i}")
        world.index.flush()
    report = world.index.compact()
    assert report.after < report.before / 5
    assert world.index.sizes().store == report.after
    assert world.stored() == world.truth()


def test_searches_go_on_beside_everything(tmp_path: Path) -> None:
    """Writers, a flusher, compactions and searches together, with memory outgrown on the way."""
    world = World(tmp_path / "data", max_rows=150, batch_rows=16)
    world.begin()
    fixed = world.add_all([f"fixed {i}" for i in range(20)])
    world.index.open_store()
    faults: list[object] = []
    stop = threading.Event()

    def watched(action: object) -> None:
        try:
            while not stop.is_set():
                action()  # type: ignore[operator]
        except Exception as error:
            faults.append(error)

    def look() -> None:
        hits = world.index.search(Scope("u"), embed("fixed 3"), 500, fingerprint=SPACE)
        rows = [row for row, _ in hits]
        if not set(fixed) <= set(rows) or len(set(rows)) != len(rows):
            faults.append(rows)

    def keep() -> None:
        world.index.flush()
        world.index.compact()

    threads = [threading.Thread(target=watched, args=(action,)) for action in (look, look, keep)]
    for thread in threads:
        thread.start()
    for turn in range(60):
        rows = world.add_all([f"turn {turn}, {i}" for i in range(4)])
        world.add(f"of bob {turn}", "bob")
        world.edit(rows[0], f"edited {turn}")
        world.remove(rows[1:2])
    stop.set()
    for thread in threads:
        thread.join()
    assert faults == []
    assert world.index.sizes().hot == 0
    world.index.flush()
    assert world.index.check() == []
    assert world.stored() == world.truth()
    assert world.search("turn 7, 3", 500) == world.expected("turn 7, 3", 500)
    world.close()


@pytest.mark.parametrize("max_rows", [0, 1000])
def test_neighbours_of_a_stored_text(tmp_path: Path, max_rows: int) -> None:
    world = World(tmp_path / "data", max_rows=max_rows, batch_rows=50)
    world.begin()
    rows = world.add_all([f"text {i}" for i in range(60)])
    theirs, own = world.add("text 7", "bob"), world.add("text 7", agent="x")
    waiting = world.add("waits", vector=False)
    world.index.open_store()
    world.index.flush()
    fresh = world.add("fresh")
    for row, text in ((rows[7], "text 7"), (fresh, "fresh")):
        found = [near for near, _ in world.index.neighbours(Scope("u"), row, 5)]  # its vector is rounded
        assert found == [near for near, _ in world.expected(text, 6) if near != row][:5]
        assert not {row, theirs, own} & set(found)
    assert world.index.neighbours(Scope("u", "x"), rows[7], 3)[0][0] == own
    assert world.index.neighbours(Scope("u"), waiting, 5) == []
    assert world.index.neighbours(Scope("u"), 9999, 5) == []
    world.close()
