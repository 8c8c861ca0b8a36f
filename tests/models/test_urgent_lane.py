"""The lane of those who wait, and the bulk work behind it."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, Future

import numpy as np
import pytest

from memory_client.errors import ModelUnavailableError
from memoryd.core.passage import Passage
from memoryd.models.base import Encoding, FloatMatrix
from memoryd.models.lanes import Lanes
from memoryd.models.urgent import MOST_JOINED, UrgentLane
from support.waiting import PATIENCE


class Held:
    """What the lane calls: notes each batch, and holds it until the gate is open."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.entered = threading.Semaphore(0)
        self.batches: list[tuple[bool, list[str]]] = []
        self.bad: set[str] = set()
        self.down: Exception | None = None

    def __call__(self, is_query: bool, texts: Sequence[str]) -> FloatMatrix:
        self.batches.append((is_query, list(texts)))
        self.entered.release()
        assert self.gate.wait(PATIENCE)
        if self.down is not None:
            raise self.down
        if self.bad & set(texts):
            raise ValueError(f"bad: {texts}")
        return np.array([[float(is_query), float(text)] for text in texts], dtype=np.float32)

    def encode(self, is_query: bool, passages: Sequence[Passage]) -> list[Encoding]:
        return [Encoding(vector) for vector in self(is_query, [passage.text for passage in passages])]

    def wait_entered(self) -> None:
        assert self.entered.acquire(timeout=PATIENCE)


@pytest.fixture
def held() -> Held:
    return Held()


@pytest.fixture
def lane(held: Held) -> Iterator[UrgentLane]:
    """A lane of one thread."""
    made = UrgentLane(held.encode, 1)
    yield made
    held.gate.set()
    made.close()


def occupied(lane: UrgentLane, held: Held) -> Future[Encoding]:
    """A request that is held in the model, so that the next ones wait."""
    first = lane.submit(True, Passage("1000"))
    held.wait_entered()
    return first


def values(futures: Sequence[Future[Encoding]]) -> list[float]:
    return [float(future.result(PATIENCE).vector[1]) for future in futures]


# Joining


def test_one_request_goes_at_once_and_alone(lane: UrgentLane, held: Held) -> None:
    held.gate.set()
    assert lane.submit(True, Passage("7")).result(PATIENCE).vector.tolist() == [1, 7]
    assert lane.submit(False, Passage("8")).result(PATIENCE).vector.tolist() == [0, 8]
    assert held.batches == [(True, ["7"]), (False, ["8"])]


def test_those_who_wait_are_joined_in_order(lane: UrgentLane, held: Held) -> None:
    first = occupied(lane, held)
    futures = [lane.submit(True, Passage(str(number))) for number in range(40)]
    held.gate.set()
    assert values([first, *futures]) == [1000, *range(40)]
    joined = [texts for _, texts in held.batches[1:]]
    assert [len(texts) for texts in joined] == [MOST_JOINED, MOST_JOINED, 40 - 2 * MOST_JOINED]
    assert [text for texts in joined for text in texts] == [str(number) for number in range(40)]


def test_kinds_are_never_mixed_and_order_is_kept(lane: UrgentLane, held: Held) -> None:
    first = occupied(lane, held)
    kinds = [True, True, False, False, False, True, False]
    futures = [lane.submit(is_query, Passage(str(at))) for at, is_query in enumerate(kinds)]
    held.gate.set()
    assert [future.result(PATIENCE).vector.tolist() for future in futures] == [
        [float(is_query), at] for at, is_query in enumerate(kinds)
    ]
    assert held.batches[1:] == [
        (True, ["0", "1"]),
        (False, ["2", "3", "4"]),
        (True, ["5"]),
        (False, ["6"]),
    ]
    first.result(PATIENCE)


def test_idle_threads_share_what_waits(held: Held) -> None:
    lane = UrgentLane(held.encode, 2)
    try:
        firsts = [occupied(lane, held) for _ in range(2)]
        futures = [lane.submit(True, Passage(str(number))) for number in range(6)]
        held.gate.set()
        assert values(futures) == list(range(6))
        assert values(firsts) == [1000, 1000]
    finally:
        lane.close()
    assert {text for _, texts in held.batches[2:] for text in texts} == set(map(str, range(6)))


def test_two_requests_run_side_by_side(held: Held) -> None:
    lane = UrgentLane(held.encode, 2)
    try:
        futures = [lane.submit(True, Passage("1")), lane.submit(True, Passage("2"))]
        held.wait_entered()
        held.wait_entered()
        assert sorted(held.batches) == [(True, ["1"]), (True, ["2"])]
        held.gate.set()
        assert values(futures) == [1, 2]
    finally:
        lane.close()


def test_many_callers_at_once(held: Held) -> None:
    held.gate.set()
    lane = UrgentLane(held.encode, 3)
    got: dict[int, list[float]] = {}

    def ask(caller: int) -> None:
        wanted = [caller * 100 + number for number in range(50)]
        got[caller] = values([lane.submit(bool(number % 2), Passage(str(number))) for number in wanted])

    threads = [threading.Thread(target=ask, args=(caller,)) for caller in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    lane.close()
    assert got == {caller: [caller * 100 + number for number in range(50)] for caller in range(8)}
    assert sum(len(texts) for _, texts in held.batches) == 400
    assert all(len(texts) <= MOST_JOINED for _, texts in held.batches)
    assert all(int(text) % 2 == is_query for is_query, texts in held.batches for text in texts)


# Failures


def test_a_bad_text_fails_only_itself(lane: UrgentLane, held: Held) -> None:
    held.bad = {"2"}
    first = occupied(lane, held)
    futures = [lane.submit(True, Passage(str(number))) for number in range(5)]
    held.gate.set()
    assert values([first, *futures[:2], *futures[3:]]) == [1000, 0, 1, 3, 4]
    with pytest.raises(ValueError, match="bad"):
        futures[2].result(PATIENCE)
    assert lane.submit(True, Passage("9")).result(PATIENCE).vector[1] == 9


def test_what_is_down_for_one_is_down_for_all(lane: UrgentLane, held: Held) -> None:
    first = occupied(lane, held)
    futures = [lane.submit(True, Passage(str(number))) for number in range(5)]
    held.down = ModelUnavailableError("the server is gone", passing=True)
    held.gate.set()
    for future in [first, *futures]:
        with pytest.raises(ModelUnavailableError, match="gone"):
            future.result(PATIENCE)
    assert len(held.batches) == 2


def test_too_few_vectors_are_a_failure(held: Held) -> None:
    held.gate.set()
    lane = UrgentLane(lambda is_query, passages: held.encode(is_query, passages)[:-1], 1)
    with pytest.raises(ValueError, match="shorter"):
        lane.submit(True, Passage("1")).result(PATIENCE)
    lane.close()


def test_a_failure_leaves_the_lane_quiet(lane: UrgentLane, held: Held) -> None:
    held.bad = {"2"}
    held.gate.set()
    with pytest.raises(ValueError, match="bad"):
        lane.submit(True, Passage("2")).result(PATIENCE)
    lane.wait_quiet(PATIENCE)
    assert lane._quiet.wait(PATIENCE)


# Whoever gives up


def test_a_cancelled_request_is_skipped(lane: UrgentLane, held: Held) -> None:
    first = occupied(lane, held)
    futures = [lane.submit(True, Passage(str(number))) for number in range(4)]
    assert futures[1].cancel()
    held.gate.set()
    assert values([first, futures[0], *futures[2:]]) == [1000, 0, 2, 3]
    assert held.batches[1:] == [(True, ["0", "2", "3"])]


def test_when_all_were_cancelled_nothing_is_embedded(lane: UrgentLane, held: Held) -> None:
    first = occupied(lane, held)
    futures = [lane.submit(True, Passage(str(number))) for number in range(4)]
    assert all(future.cancel() for future in futures)
    held.gate.set()
    first.result(PATIENCE)
    assert lane._quiet.wait(PATIENCE)
    assert len(held.batches) == 1
    assert lane.submit(True, Passage("9")).result(PATIENCE).vector[1] == 9


def test_what_has_begun_is_not_cancelled(lane: UrgentLane, held: Held) -> None:
    first = occupied(lane, held)
    assert not first.cancel()
    held.gate.set()
    assert values([first]) == [1000]


# The end


def test_closing_drops_what_waits_and_ends_what_runs(held: Held) -> None:
    lane = UrgentLane(held.encode, 2)
    begun = [occupied(lane, held) for _ in range(2)]
    waiting = [lane.submit(True, Passage(str(number))) for number in range(3)]
    closing = threading.Thread(target=lane.close)
    closing.start()
    for future in waiting:
        with pytest.raises(CancelledError):
            future.result(PATIENCE)
    assert closing.is_alive()
    held.gate.set()
    closing.join(PATIENCE)
    assert values(begun) == [1000, 1000]
    assert len(held.batches) == 2
    assert not any(thread.name.startswith("memoryd-embed-urgent") for thread in threading.enumerate())
    with pytest.raises(RuntimeError, match="closed"):
        lane.submit(True, Passage("1"))
    lane.close()


# Quiet


def test_quiet(lane: UrgentLane, held: Held) -> None:
    assert lane._quiet.is_set()
    first = occupied(lane, held)
    second = lane.submit(True, Passage("2"))
    assert not lane._quiet.is_set()
    lane.wait_quiet(0.01)  # returns although somebody waits
    held.gate.set()
    assert values([first, second]) == [1000, 2]
    assert lane._quiet.wait(PATIENCE)
    assert held.batches == [(True, ["1000"]), (True, ["2"])]


# Bulk work behind


class Scripted:
    """An embedder whose kinds of calls can be held, each by its gate."""

    fingerprint = "scripted@1;2;own;l2;[]"
    model = "scripted"
    dim = 2
    concurrency = 1

    def __init__(self, engine: str = "first") -> None:
        self.engine = engine
        self.queries, self.passages = Held(), Held()
        self.closed = False

    def embed_queries(self, texts: Sequence[str]) -> FloatMatrix:
        return self.queries(True, texts)

    def embed_passages(self, texts: Sequence[str]) -> FloatMatrix:
        return self.passages(False, texts)

    def count_tokens(self, text: str) -> int:
        return len(text)

    def close(self) -> None:
        self.closed = True

    def open_gates(self) -> None:
        self.queries.gate.set()
        self.passages.gate.set()


@pytest.fixture
def scripted() -> Scripted:
    return Scripted()


@pytest.fixture
def lanes(scripted: Scripted) -> Iterator[Lanes]:
    made = Lanes(scripted)
    yield made
    scripted.open_gates()
    made.close()


def bulk(lanes: Lanes, batches: Sequence[Sequence[str]]) -> Iterator[list[float]]:
    """The number of each text, batch by batch."""
    work = [[Passage(text) for text in batch] for batch in batches]
    return ([float(each.vector[1]) for each in batch] for batch in lanes.bulk(work))


def bulk_in_a_thread(lanes: Lanes, batches: list[list[str]]) -> tuple[threading.Thread, list[list[float]]]:
    found: list[list[float]] = []
    thread = threading.Thread(target=lambda: found.extend(bulk(lanes, batches)))
    thread.start()
    return thread, found


def test_bulk_work_comes_back_in_order(lanes: Lanes, scripted: Scripted) -> None:
    scripted.open_gates()
    found = list(bulk(lanes, [["1", "2"], ["3"], ["4", "5"], ["6"]]))
    assert found == [[1, 2], [3], [4, 5], [6]]
    assert list(lanes.bulk([])) == []


def test_bulk_work_begins_no_batch_while_somebody_waits(
    lanes: Lanes, scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryd.models.lanes._LONGEST_YIELD", PATIENCE)
    query = lanes.urgent(True, Passage("1"))
    scripted.queries.wait_entered()
    scripted.passages.gate.set()
    thread, found = bulk_in_a_thread(lanes, [["2"], ["3"]])
    assert not scripted.passages.entered.acquire(timeout=0.1)
    scripted.queries.gate.set()
    assert values([query]) == [1]
    thread.join(PATIENCE)
    assert found == [[2], [3]]


def test_bulk_work_is_never_starved(lanes: Lanes, scripted: Scripted) -> None:
    query = lanes.urgent(True, Passage("1"))
    scripted.queries.wait_entered()
    scripted.passages.gate.set()
    thread, found = bulk_in_a_thread(lanes, [["2"], ["3"]])
    thread.join(PATIENCE)  # although the query has not come back yet
    assert len(found) == 2
    assert not query.done()
    scripted.queries.gate.set()
    assert values([query]) == [1]


def test_a_query_goes_past_a_batch_under_way(lanes: Lanes, scripted: Scripted) -> None:
    thread, found = bulk_in_a_thread(lanes, [["2"], ["3"]])
    scripted.passages.wait_entered()
    scripted.queries.gate.set()
    assert values([lanes.urgent(True, Passage("1"))]) == [1]
    assert found == []
    scripted.passages.gate.set()
    thread.join(PATIENCE)
    assert len(found) == 2


def test_a_failing_batch_ends_the_bulk_work(lanes: Lanes, scripted: Scripted) -> None:
    scripted.open_gates()
    scripted.passages.bad = {"2"}
    with pytest.raises(ValueError, match="bad"):
        list(bulk(lanes, [[str(number)] for number in range(50)]))
    assert len(scripted.passages.batches) < 10


def test_closing_frees_the_embedder(scripted: Scripted) -> None:
    lanes = Lanes(scripted)
    lanes.close()
    assert scripted.closed
    with pytest.raises(RuntimeError, match="closed"):
        lanes.urgent(True, Passage("1"))
