"""Reranked hits come first, in the reranker's order; without one the order stays, and a note says why."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_client.deadline import Deadline
from memoryd.models.reranker import PairScorer, RerankerChoice, RerankerHost
from memoryd.retrieval.results.rerank import Reranker, RerankResult, combine_scores
from support.cross_encoder import SOON, ScriptedScorer, write_cross_encoder

needs_library = pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is None,
    reason="NOT TESTED: sentence-transformers is not installed (extra `dev` has it)",
)
FORMER = [0.9, 0.8, 0.7, 0.6]
TEXTS = ["0.2", "0.1", "0.8"]
SHARE = st.floats(0, 1)


@pytest.fixture
def scripted() -> Iterator[ScriptedScorer]:
    made = ScriptedScorer()
    yield made
    made.held.set()


@pytest.fixture
def host(scripted: ScriptedScorer) -> Iterator[RerankerHost]:
    made = RerankerHost(RerankerChoice("scripted"), opener=lambda _: scripted)
    made.start()
    assert made.wait(Deadline.after(SOON)) == "ready"
    yield made
    scripted.held.set()
    made.close()


def patient(host: RerankerHost) -> Reranker:
    return Reranker(host, candidates=3, seconds=SOON)


def hurried(host: RerankerHost) -> Reranker:
    return Reranker(host, candidates=3, seconds=0.05)


def never() -> Deadline:
    return Deadline.after(None)


def assert_as_it_was(reranked: RerankResult, *words: str) -> None:
    assert (reranked.order, reranked.scores, reranked.own) == ([0, 1, 2, 3], FORMER, [])
    assert reranked.note is not None
    for word in ("not reranked: ", *words):
        assert word in reranked.note


def test_the_first_are_reordered_and_the_others_follow(host: RerankerHost) -> None:
    reranked = patient(host).rerank("q", TEXTS, FORMER, never())
    assert reranked.order == [2, 0, 1, 3]
    assert reranked.own == [0.8, 0.2, 0.1]
    assert reranked.scores == pytest.approx([0.8, 0.2, 0.1, 0.1])
    assert reranked.note is None


def test_scores_of_the_others_stay_where_they_are_low_enough() -> None:
    assert combine_scores([0.5, 0.7], [0.9, 0.8, 0.4, 0.2]).scores == [0.7, 0.5, 0.4, 0.2]
    assert combine_scores([0.5, 0.1], [0.9, 0.8, 0.4, 0.2]).scores == pytest.approx([0.5, 0.1, 0.1, 0.05])


def test_equal_ones_stay_in_their_order() -> None:
    assert combine_scores([0.5, 0.7, 0.5], [0.9, 0.8, 0.7]).order == [1, 0, 2]


@given(st.lists(SHARE, min_size=1), st.lists(SHARE))
def test_a_ranking_stays_one(own: list[float], others: list[float]) -> None:
    former = [1.0] * len(own) + sorted(others, reverse=True)
    reranked = combine_scores(own, former)
    assert sorted(reranked.order) == list(range(len(former)))
    assert reranked.order[len(own) :] == list(range(len(own), len(former)))
    assert reranked.scores == sorted(reranked.scores, reverse=True)
    assert all(0 <= score <= 1 for score in reranked.scores)
    assert reranked.own == sorted(own, reverse=True)


def test_no_hits(host: RerankerHost) -> None:
    assert patient(host).rerank("q", [], [], never()) == RerankResult([], [], [])


def test_off() -> None:
    off = RerankerHost(RerankerChoice())
    off.start()
    reranker = patient(off)
    assert reranker.candidates == 0
    assert reranker.rerank("q", TEXTS, FORMER, never()) == RerankResult([0, 1, 2, 3], FORMER, [])
    off.close()


def test_while_it_loads(scripted: ScriptedScorer) -> None:
    gate = threading.Event()

    def opener(_: RerankerChoice) -> PairScorer:
        assert gate.wait(SOON)
        return scripted

    host = RerankerHost(RerankerChoice("scripted"), opener=opener)
    host.start()
    assert patient(host).candidates == 3
    assert_as_it_was(patient(host).rerank("q", TEXTS, FORMER, never()), "scripted is still loading")
    gate.set()
    host.close()
    assert_as_it_was(patient(host).rerank("q", TEXTS, FORMER, never()), "closed")


def test_it_takes_too_long(host: RerankerHost, scripted: ScriptedScorer) -> None:
    scripted.held.clear()
    reranked = hurried(host).rerank("q", TEXTS, FORMER, never())
    assert_as_it_was(reranked, "reranking with scripted", "reranker.timeout_ms allows 50 ms")


def test_the_search_has_less_time_than_the_reranker(host: RerankerHost, scripted: ScriptedScorer) -> None:
    scripted.held.clear()
    reranked = patient(host).rerank("q", TEXTS, FORMER, Deadline.after(0.02))
    assert_as_it_was(reranked, "(0.0", "s were given)")


def test_it_is_busy_with_another_search(host: RerankerHost, scripted: ScriptedScorer) -> None:
    scripted.held.clear()
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(patient(host).rerank, "first", TEXTS, FORMER, never())
        assert scripted.entered.wait(SOON)
        assert_as_it_was(hurried(host).rerank("q", TEXTS, FORMER, never()), "scripted, which is busy")
        scripted.held.set()
        assert first.result(SOON).order == [2, 0, 1, 3]


@pytest.mark.parametrize(
    ("fault", "words"), [(RuntimeError("no memory"), "no memory"), (TimeoutError(), "TimeoutError")]
)
def test_it_fails(host: RerankerHost, scripted: ScriptedScorer, fault: Exception, words: str) -> None:
    scripted.fault = fault
    assert_as_it_was(patient(host).rerank("q", TEXTS, FORMER, never()), words)


@needs_library
def test_with_a_real_model(tmp_path: Path) -> None:
    write_cross_encoder(tmp_path / "overlap")
    host = RerankerHost(RerankerChoice(str(tmp_path / "overlap")))
    host.start()
    assert host.wait(Deadline.after(SOON)) == "ready"
    reranked = patient(host).rerank("我喜欢拉面", ["天气很好", "我喜欢猫", "我喜欢拉面"], FORMER, never())
    host.close()
    assert reranked.note is None
    assert reranked.order == [2, 1, 0, 3]
