from __future__ import annotations

import threading
import time
from collections.abc import Hashable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from memory_client.deadline import Deadline
from memory_client.errors import (
    DeadlineExceededError,
    InvalidParameterError,
    MemorydError,
    ModelUnavailableError,
    SpaceMismatchError,
    StorageError,
)
from memory_client.types import Hit, Hits, SearchReport
from memoryd.core.filters.grammar import parse_filters
from memoryd.core.scope import Scope
from memoryd.index.vectors.tokens import TokenBlock
from memoryd.models.base import Encoding
from memoryd.models.reranker import RerankerChoice, RerankerHost
from memoryd.retrieval.cache import ResultCache
from memoryd.retrieval.request import SearchRequest, TimeSpan
from memoryd.retrieval.results.rerank import Reranker
from memoryd.retrieval.search import Search
from memoryd.retrieval.semantic_index import EncodedText, SemanticIndex
from support.cross_encoder import SOON, ScriptedScorer
from support.small_store import START, USER, SmallStore
from support.waiting import eventually

TEXTS = ["pear one", "pear two two", "pear three three three", "plum", "quince"]
NOW = datetime.fromtimestamp(START + 3600, UTC)
DAY = 86_400.0
CACHE_BYTES = 100_000


class Meaning(SemanticIndex):
    """A search by meaning that finds what it is told to, and fails or is slow when told so.

    It gives no token vectors, as most embedders do not.
    """

    def __init__(self) -> None:
        self.reason: str | None = None
        self.warning: str | None = None
        self.near: dict[int, float] = {}
        self.error: MemorydError | None = None
        self.stale = 0
        self.broken: MemorydError | None = None
        self.settled = 0
        self.asked: list[dict[str, Any]] = []
        self.waited = 0
        self.revision = 0
        self.loading: str | None = None  # the reason once it is loaded, if any
        self.held: dict[str, threading.Event] = {}
        self.patience: list[float | None] = []
        self.vectors_awaited: list[tuple[str, list[str]]] = []
        self.vectors_are_late = False

    def why_not(self) -> str | None:
        return self.reason

    def caveat(self) -> str | None:
        return self.warning

    def version(self) -> Hashable:
        return (self.reason, self.revision)

    def wait_loaded(self, patience: Deadline) -> bool:
        self.patience.append(patience.left())
        if self.loading is not None:
            self.reason, self.loading = self.loading or None, None
        return self.reason is None

    def wait_vectors(self, user_id: str, kinds: Sequence[str], patience: Deadline) -> None:
        self.vectors_awaited.append((user_id, list(kinds)))
        if self.vectors_are_late:
            time.sleep(patience.left() or 0)

    def wait(self, *_: object) -> None:
        self.waited += 1
        if self.reason is not None:
            raise ModelUnavailableError(self.reason)

    def encode(self, query: str, deadline: Deadline) -> EncodedText:
        self.asked.append(
            {"query": query, "left": deadline.left(), "thread": threading.current_thread(), "limit": 0}
        )
        if query in self.held:
            assert self.held[query].wait(30)
        if self.error is not None:
            raise self.error
        deadline.check("embedding the query")
        return EncodedText("space", Encoding(np.zeros(2, np.float32)))

    def nearest(self, *asked: Any) -> list[tuple[int, float]]:
        _, _, limit, allowed, _ = asked
        if self.stale:
            self.stale -= 1
            raise SpaceMismatchError("another model took over")
        if self.broken is not None:
            raise self.broken
        self.asked[-1] |= {"limit": limit, "allowed": allowed}
        found = sorted(self.near.items(), key=lambda item: -item[1])
        return [pair for pair in found if allowed is None or pair[0] in allowed][:limit]

    def cosines(self, *asked: Any) -> dict[int, float]:
        return {row: self.near[row] for row in asked[2].tolist() if row in self.near}

    def tokens(self, *_: object) -> TokenBlock:
        raise AssertionError("it has none")

    def settle(self) -> None:
        self.settled += 1

    def missing(self, _: str) -> int:
        return 3


@pytest.fixture
def meaning() -> Meaning:
    return Meaning()


@pytest.fixture
def rows(store: SmallStore) -> list[int]:
    return store.add(*TEXTS)


class Ask:
    """The search under test; `seconds` is the clock of its cache."""

    def __init__(
        self, store: SmallStore, meaning: Meaning, reranker: Reranker, *, model_wait: float = 5.0
    ) -> None:
        self.seconds = 0.0
        self.engine = Search(
            store.database,
            store.lexical,
            meaning,
            reranker,
            ResultCache(CACHE_BYTES, 300.0, clock=lambda: self.seconds),
            clock=lambda: store.now,
            model_wait=model_wait,
        )

    def request(
        self, query: str = "pear", filters: Mapping[str, Any] | None = None, **how: Any
    ) -> SearchRequest:
        how = {"deadline": Deadline.after(None), "scope": Scope(USER), "reference": NOW, **how}
        return SearchRequest(query=query, node=parse_filters(filters), **how)

    def __call__(self, *asked: Any, **how: Any) -> Hits:
        return self.engine.search(self.request(*asked, **how))

    def explain(self, *asked: Any, **how: Any) -> SearchReport:
        return self.engine.explain(self.request(*asked, **how))

    @property
    def hits(self) -> int:
        """Answers that came from the cache."""
        return self.engine.cache.counters()["hits"]


@pytest.fixture
def scripted() -> Iterator[ScriptedScorer]:
    made = ScriptedScorer()
    yield made
    made.held.set()


@pytest.fixture
def host(request: pytest.FixtureRequest, scripted: ScriptedScorer) -> Iterator[RerankerHost]:
    """Off, but for tests that are marked `reranked`."""
    choice = RerankerChoice("scripted") if hasattr(request, "param") else RerankerChoice()
    made = RerankerHost(choice, opener=lambda _: scripted)
    made.start()
    if hasattr(request, "param"):
        assert made.wait(Deadline.after(SOON)) == "ready"
    yield made
    scripted.held.set()
    made.close()


reranked = pytest.mark.parametrize("host", ["scripted"], indirect=True, ids=["reranked"])


@pytest.fixture
def ask(store: SmallStore, meaning: Meaning, host: RerankerHost) -> Iterator[Ask]:
    asking = Ask(store, meaning, Reranker(host, candidates=3, seconds=0.2))
    yield asking
    asking.engine.close()


def texts(hits: list[Hit]) -> list[str]:
    return [hit["text"] for hit in hits]


@pytest.mark.usefixtures("rows")
def test_by_words_alone_meaning_is_not_asked(ask: Ask, meaning: Meaning) -> None:
    hits = ask(mode="lexical", explain=True)
    assert set(texts(hits)) == set(TEXTS[:3])
    assert meaning.asked == []
    assert all(set(hit["scores"]) == {"lexical"} and 0 <= hit["score"] <= 1 for hit in hits)
    assert hits[0]["explain"]["mode"] == "lexical"
    assert hits[0]["explain"]["notes"] == []
    assert hits[0]["explain"]["missing_vector_count"] == 3


def test_by_meaning_alone_the_score_is_the_cosine(ask: Ask, meaning: Meaning, rows: list[int]) -> None:
    meaning.near = {rows[3]: 0.8, rows[0]: 0.3, rows[4]: -0.1}
    hits = ask(mode="semantic", explain=True)
    assert texts(hits) == ["plum", "pear one", "quince"]
    assert [hit["score"] for hit in hits] == [0.8, 0.3, 0.0]
    assert [hit["scores"] for hit in hits] == [{"semantic": 0.8}, {"semantic": 0.3}, {"semantic": -0.1}]
    assert hits[0]["explain"]["ranks"] == {"semantic": 1}
    assert set(hits[0]["explain"]["milliseconds"]) == {"embedding", "vectors", "total"}


@pytest.mark.parametrize("mode", ["auto", "hybrid"])
def test_both_are_fused(ask: Ask, meaning: Meaning, rows: list[int], mode: str) -> None:
    meaning.near = {rows[1]: 0.9, rows[3]: 0.8}
    hits = ask(mode=mode, explain=True)
    assert texts(hits)[0] == "pear two two"
    assert set(texts(hits)) == set(TEXTS[:4])
    assert set(hits[0]["scores"]) == {"lexical", "semantic"}
    assert hits[0]["explain"]["mode"] == "hybrid"
    steps = {"exact", "lexical", "temporal", "embedding", "vectors", "ranking", "total"}
    assert steps <= set(hits[0]["explain"]["milliseconds"])
    assert all(value >= 0 for value in hits[0]["explain"]["milliseconds"].values())


def test_sources_are_asked_in_parallel(ask: Ask, meaning: Meaning) -> None:
    ask(mode="hybrid")
    assert meaning.asked[0]["thread"] is not threading.current_thread()


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize("mode", ["auto", "hybrid"])
def test_without_a_model_words_answer_and_say_so(ask: Ask, meaning: Meaning, mode: str) -> None:
    meaning.reason = "the model is still loading"
    hits = ask(mode=mode, explain=True)
    assert len(hits) == 3
    assert hits[0]["explain"]["mode"] == "lexical"
    assert hits[0]["explain"]["notes"] == ["answered by keywords alone: the model is still loading"]


def test_by_meaning_without_a_model_is_an_error(ask: Ask, meaning: Meaning) -> None:
    meaning.reason = "no model"
    with pytest.raises(ModelUnavailableError, match="no model"):
        ask(mode="semantic")


FAILURES = [
    ModelUnavailableError("it was closed"),
    DeadlineExceededError("too slow"),
    StorageError("the vector store is broken"),
]


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize("error", FAILURES)
def test_when_meaning_fails_words_answer_and_say_so(ask: Ask, meaning: Meaning, error: MemorydError) -> None:
    meaning.error = error
    hits = ask(mode="auto", explain=True)
    assert texts(hits) == texts(ask(mode="lexical"))
    assert [hit["score"] for hit in hits] == [hit["score"] for hit in ask(mode="lexical")]
    assert hits[0]["explain"]["mode"] == "lexical"
    assert hits[0]["explain"]["notes"] == [f"answered by keywords alone: {error}"]


@pytest.mark.parametrize("error", FAILURES)
def test_when_meaning_was_asked_for_its_failure_is_the_answer(
    ask: Ask, meaning: Meaning, error: MemorydError
) -> None:
    meaning.error = error
    with pytest.raises(type(error)):
        ask(mode="semantic")


@pytest.mark.usefixtures("rows")
def test_when_the_vectors_cannot_be_read_words_answer_and_say_so(ask: Ask, meaning: Meaning) -> None:
    meaning.broken = StorageError("the vector store is broken")
    hits = ask(mode="auto", explain=True)
    assert [hit["score"] for hit in hits] == [hit["score"] for hit in ask(mode="lexical")]
    assert hits[0]["explain"]["mode"] == "lexical"
    assert hits[0]["explain"]["notes"] == ["answered by keywords alone: the vector store is broken"]
    with pytest.raises(StorageError):
        ask(mode="semantic")


def test_when_another_model_takes_over_the_query_is_encoded_again(
    ask: Ask, meaning: Meaning, rows: list[int]
) -> None:
    meaning.near, meaning.stale = {rows[3]: 0.9}, 1
    assert texts(ask(mode="semantic")) == ["plum"]
    assert (len(meaning.asked), meaning.settled) == (2, 1)


# -- what is waited for


def test_one_bound_holds_for_everything_a_hybrid_search_waits_for(ask: Ask, meaning: Meaning) -> None:
    meaning.reason, meaning.loading = "still loading", ""
    ask("pear", mode="hybrid")
    ask("plum", mode="hybrid", deadline=Deadline.after(0.5))
    assert 4.5 < (meaning.patience[0] or 0) <= 5.0
    patience, shorter = (asked["left"] for asked in meaning.asked)
    assert 0 < patience <= 5.0
    assert 0 < shorter <= 0.5


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize("mode", ["auto", "hybrid"])
def test_a_model_that_is_loading_is_waited_for(ask: Ask, meaning: Meaning, mode: str) -> None:
    meaning.reason, meaning.loading = "still loading", ""
    hits = ask("pear", mode=mode)
    assert (hits.degraded, hits.reason, len(meaning.asked)) == (False, None, 1)
    assert meaning.vectors_awaited == [(USER, ["memory"])]


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize("mode", ["lexical", "exact"])
def test_modes_without_meaning_wait_for_nothing(ask: Ask, meaning: Meaning, mode: str) -> None:
    meaning.reason = "still loading"
    assert not ask("pear", mode=mode).degraded
    assert (meaning.patience, meaning.vectors_awaited, meaning.waited) == ([], [], 0)


@pytest.mark.usefixtures("rows")
def test_an_id_is_looked_up_without_waiting(ask: Ask, meaning: Meaning, store: SmallStore) -> None:
    meaning.reason = "still loading"
    id = str(store.scalar("SELECT id FROM memories LIMIT 1"))
    assert [hit["id"] for hit in ask(id, mode="auto")] == [id]
    assert (meaning.patience, meaning.vectors_awaited) == ([], [])


def test_only_vectors_of_what_is_searched_are_waited_for(ask: Ask, meaning: Meaning) -> None:
    ask("pear", targets=("memory", "turn", "shared"))
    ask("pear", targets=("shared",))
    assert meaning.vectors_awaited == [(USER, ["memory", "turn"])]


def test_vectors_that_come_too_late_do_not_cost_the_search_by_meaning_of_the_others(
    store: SmallStore, meaning: Meaning, host: RerankerHost, rows: list[int]
) -> None:
    ask = Ask(store, meaning, Reranker(host, candidates=3, seconds=0.2), model_wait=0.3)
    meaning.vectors_are_late, meaning.near = True, {rows[3]: 0.9}
    assert texts(ask("something", mode="hybrid")) == ["plum"]
    ask.engine.close()


def test_slow_searches_by_meaning_keep_no_hybrid_search_waiting(
    ask: Ask, meaning: Meaning, rows: list[int]
) -> None:
    meaning.near = {rows[3]: 0.9}
    meaning.held = {f"slow {number}": threading.Event() for number in range(12)}
    with ThreadPoolExecutor(12) as pool:
        slow = [pool.submit(ask, query, mode="semantic") for query in meaning.held]
        eventually("all of them are in hand", lambda: len(meaning.asked) == len(slow))
        assert "plum" in texts(ask("something", mode="hybrid"))
        for event in meaning.held.values():
            event.set()
        assert [texts(one.result()) for one in slow] == [["plum"]] * len(slow)


@pytest.mark.usefixtures("rows")
def test_hybrid_searches_that_find_no_thread_answer_by_keywords_in_time(
    store: SmallStore, meaning: Meaning, host: RerankerHost
) -> None:
    """However long the model takes, and though it heeds no deadline."""
    ask = Ask(store, meaning, Reranker(host, candidates=3, seconds=0.2), model_wait=0.2)
    queries = [f"pear {number}" for number in range(12)]
    meaning.held = {query: threading.Event() for query in queries}
    with ThreadPoolExecutor(len(queries)) as pool:
        answers = [one.result() for one in [pool.submit(ask, query, mode="hybrid") for query in queries]]
    for event in meaning.held.values():
        event.set()
    ask.engine.close()
    assert [len(hits) for hits in answers] == [3] * len(queries)
    assert all(hits.degraded and "keywords alone" in str(hits.reason) for hits in answers)


# -- what is still to be made


def test_texts_that_wait_for_their_vectors_degrade_an_answer(
    ask: Ask, store: SmallStore, rows: list[int]
) -> None:
    one, other = rows[:2]
    store.queue(one, other)
    hits = ask("pear", mode="hybrid")
    assert hits.degraded
    assert hits.reason == "2 texts yet to be embedded: search by meaning may miss them"
    assert "2 texts" in str(ask("pear", mode="semantic").reason)
    for how in ({"mode": "lexical"}, {"mode": "hybrid", "targets": ("turn",)}):
        assert not ask("pear", **how).degraded, how
    assert "1 text " in str(ask("pear", {"text": {"contains": "one"}}, mode="hybrid").reason)
    assert not ask("pear", {"text": {"contains": "three"}}, mode="hybrid").degraded
    assert not ask("pear", mode="hybrid", scope=Scope("another")).degraded


def test_memories_that_are_not_read_for_triples_degrade_an_answer(
    ask: Ask, store: SmallStore, rows: list[int]
) -> None:
    store.write("INSERT INTO properties VALUES ('triples_unread', ?)", rows[1])
    hits = ask("pear", mode="hybrid")
    assert (hits.degraded, hits.reason) == (
        True,
        "2 texts yet to be read for triples: the graph may miss them",
    )
    assert not ask("pear", mode="semantic").degraded


def test_what_meaning_may_miss_is_said(ask: Ask, meaning: Meaning, rows: list[int]) -> None:
    meaning.warning, meaning.near = "half of it", {rows[0]: 0.9}
    for mode in ("semantic", "hybrid"):
        assert ask(mode=mode, explain=True)[0]["explain"]["notes"] == ["half of it"]
    assert ask(mode="lexical", explain=True)[0]["explain"]["notes"] == []


def test_filters_apply_before_ranking_in_every_source(ask: Ask, meaning: Meaning, rows: list[int]) -> None:
    meaning.near = dict.fromkeys(rows, 0.5)
    only = {"text": {"contains": "three"}}
    for mode in ("lexical", "semantic", "hybrid"):
        assert texts(ask(mode=mode, limit=1, filters=only)) == ["pear three three three"], mode
    assert [list(asked["allowed"]) for asked in meaning.asked] == [[rows[2]]] * 2


def test_without_a_filter_every_row_is_allowed(ask: Ask, meaning: Meaning) -> None:
    ask(mode="semantic")
    assert meaning.asked[0]["allowed"] is None


def test_rows_of_others_or_gone_are_passed_over_and_the_answer_is_full(
    ask: Ask, meaning: Meaning, store: SmallStore, rows: list[int]
) -> None:
    [foreign] = store.add("pear of another", user_id="other")
    [cooks] = store.add("pear of the cook", agent_id="cook")
    store.take_out(rows[3])
    meaning.near = {foreign: 0.99, cooks: 0.98, rows[3]: 0.97, 12345: 0.96, rows[0]: 0.5, rows[1]: 0.4}
    assert texts(ask(mode="hybrid", limit=2, query="nothing")) == ["pear one", "pear two two"]


@pytest.mark.usefixtures("rows")
def test_offset_and_limit_cut_one_ranking(ask: Ask) -> None:
    whole = texts(ask(mode="lexical", limit=3))
    assert [texts(ask(mode="lexical", limit=1, offset=at)) for at in range(4)] == [
        [whole[0]],
        [whole[1]],
        [whole[2]],
        [],
    ]


def test_weak_hits_are_dropped(ask: Ask, meaning: Meaning, rows: list[int]) -> None:
    meaning.near = {rows[0]: 0.9, rows[1]: 0.5, rows[2]: 0.1}
    assert texts(ask(mode="semantic", min_score=0.5)) == ["pear one", "pear two two"]
    assert ask(mode="semantic", min_score=0.95) == []
    assert len(ask(mode="semantic", min_score=0.0)) == 3


@pytest.fixture
def valued(store: SmallStore) -> None:
    for number, (importance, confidence, seen) in enumerate([(1, 0.5, 30), (3, 0.5, 10), (2, 0.9, 20)]):
        metadata = {
            "importance": importance,
            "confidence": confidence,
            "last_access": seen,
            "timestamp": 100 - number,
        }
        store.add(f"pear {'x ' * number}", metadata=metadata)


@pytest.mark.usefixtures("valued")
@pytest.mark.parametrize(
    ("field", "falling"),
    [
        ("relevance", [0, 1, 2]),
        ("created_at", [0, 1, 2]),
        ("last_access", [0, 2, 1]),
        ("importance", [1, 2, 0]),
        ("confidence", [2, 0, 1]),
    ],
)
def test_the_best_are_sorted_as_asked_and_ties_by_relevance(ask: Ask, field: str, falling: list[int]) -> None:
    def order(direction: str) -> list[int]:
        hits = ask(mode="lexical", sort_by=field, sort_order=direction)
        return [hit["text"].count("x") for hit in hits]

    assert order("desc") == falling
    rising = [0, 1, 2] if field == "confidence" else falling[::-1]
    assert order("asc") == rising


@pytest.mark.usefixtures("valued")
def test_sorting_reorders_the_best_and_does_not_choose_them(ask: Ask) -> None:
    assert [hit["text"].count("x") for hit in ask(mode="lexical", sort_by="importance", limit=2)] == [1, 0]


@pytest.mark.usefixtures("rows")
def test_a_hit_has_its_fields_and_explains_only_when_asked(ask: Ask) -> None:
    hit = ask(mode="lexical")[0]
    assert set(hit) == set(Hit.__annotations__) - {"explain"}
    assert (hit["type"], hit["category"], hit["importance"]) == ("memory", "fact", 1.0)
    assert hit["metadata"]["importance"] == 1.0
    assert "explain" in ask(mode="lexical", explain=True)[0]


def test_every_hit_explains_itself_in_its_own_place(ask: Ask, meaning: Meaning, rows: list[int]) -> None:
    meaning.near = {rows[0]: 0.9, rows[1]: 0.8, rows[2]: 0.7}
    for order in ("desc", "asc"):
        for hit in ask(mode="semantic", explain=True, sort_by="created_at", sort_order=order):
            place = rows.index(next(row for row in rows if TEXTS[rows.index(row)] == hit["text"]))
            assert hit["explain"]["ranks"] == {"semantic": place + 1}


# -- near-duplicates


def test_near_duplicates_are_one_hit_that_names_them_and_the_answer_is_full(
    ask: Ask, store: SmallStore
) -> None:
    store.add(*["主人喜欢吃拉面"] * 12, "主人不喜欢吃拉面", "主人喜欢吃拉面和饺子")
    hits = ask("主人喜欢吃拉面", mode="lexical", limit=3, explain=True)
    assert sorted(texts(hits)) == ["主人不喜欢吃拉面", "主人喜欢吃拉面", "主人喜欢吃拉面和饺子"]
    assert len(hits[0]["explain"]["duplicates"]) == 11
    assert [hit["explain"]["duplicates"] for hit in hits[1:]] == [[], []]


@pytest.mark.parametrize(
    ("first", "second", "are_one"),
    [
        ("主人对花生过敏。", "主人对花生过敏", True),
        ("主人对花生过敏", "主人对花生不过敏", False),
        ("Her dog is called Biscuit", "her dog is called Biscuit!", True),
        ("Her dog is called Biscuit", "Her dog is not called Biscuit", False),
        ("the meeting is on May 3 at the office", "the meeting is on May 13 at the office", False),
        ("Anna gave him a book about birds", "Maria gave him a book about birds", False),
    ],
)
def test_they_collapse_only_when_they_say_the_same(
    ask: Ask, store: SmallStore, meaning: Meaning, first: str, second: str, *, are_one: bool
) -> None:
    meaning.near = dict.fromkeys(store.add(first, second), 0.99)
    for mode in ("lexical", "semantic", "hybrid"):
        hits = ask(first, mode=mode, explain=True)
        assert len(hits) == (1 if are_one else 2), mode
        assert [len(hit["explain"]["duplicates"]) for hit in hits] == ([1] if are_one else [0, 0])


# -- weights, intent, scores


def test_a_weight_of_zero_silences_a_group(ask: Ask, meaning: Meaning, rows: list[int]) -> None:
    meaning.near = {rows[3]: 0.95, rows[0]: 0.60, rows[4]: 0.60}
    assert texts(ask("pear one", mode="hybrid", limit=1, weights={"lexical": 0.0})) == ["plum"]
    assert texts(ask("pear one", mode="hybrid", limit=1, weights={"semantic": 0.0})) == ["pear one"]


def test_a_score_is_the_logistic_function_of_the_sum_that_is_shown(
    ask: Ask, meaning: Meaning, rows: list[int]
) -> None:
    meaning.near = {rows[3]: 0.95, rows[0]: 0.93}
    for weights in ({}, {"lexical": 3.0}, {"semantic": 0.9}):
        for hit in ask("pear one", mode="hybrid", weights=weights, explain=True):
            if hit["explain"]["fusion_method"] == "ranked":
                total = sum(part["contribution"] for part in hit["explain"]["fusion"].values())
                assert hit["score"] == pytest.approx(1 / (1 + np.exp(-total)), abs=1e-3)
    assert ask("pear one", mode="hybrid", explain=True)[0]["explain"]["fusion_method"] == "ranked"


def test_a_weak_answer_is_ranked_by_the_fallback_and_stays_weak(
    ask: Ask, meaning: Meaning, rows: list[int]
) -> None:
    meaning.near = {rows[3]: 0.5, rows[4]: 0.4}
    report = ask.explain("nothing of it", mode="hybrid", intent="reasoning")
    assert report["plan"]["fallback"] == "semantic"
    assert report["hits"][0]["explain"]["fusion_method"] == "semantic"
    assert any("ranked by semantic" in note for note in report["notes"])
    assert texts(report["hits"]) == ["plum", "quince"]
    for hit in report["hits"]:
        assert hit["score"] < 0.2
        assert sum(part["contribution"] for part in hit["explain"]["fusion"].values()) == pytest.approx(
            hit["score"], abs=1e-3
        )


# -- the reranker


@reranked
def test_the_rerankers_scores_are_those_that_are_compared(
    ask: Ask, meaning: Meaning, store: SmallStore
) -> None:
    rows = store.add("0.2", "0.9", "0.4", "0.1")
    meaning.near = dict(zip(rows, (0.9, 0.8, 0.7, 0.6), strict=True))
    hits = ask("which", mode="semantic", explain=True)
    assert texts(hits) == ["0.9", "0.4", "0.2", "0.1"]
    assert [hit["score"] for hit in hits] == pytest.approx([0.9, 0.4, 0.2, 0.2])
    assert [hit["scores"].get("reranker") for hit in hits] == [0.9, 0.4, 0.2, None]
    assert "reranker" in hits[0]["explain"]["milliseconds"]
    assert texts(ask("which", mode="semantic", min_score=0.3)) == ["0.9", "0.4"]
    assert texts(ask("which", mode="semantic", limit=1)) == ["0.9"]


@reranked
def test_an_answer_in_the_former_order_says_so_and_is_not_kept(
    ask: Ask, meaning: Meaning, store: SmallStore, scripted: ScriptedScorer
) -> None:
    rows = store.add("0.2", "0.9")
    meaning.near = dict(zip(rows, (0.9, 0.8), strict=True))
    scripted.fault = RuntimeError("no memory")
    hits = ask("which", mode="semantic", explain=True)
    assert texts(hits) == ["0.2", "0.9"]
    assert any("not reranked" in note and "no memory" in note for note in hits[0]["explain"]["notes"])
    scripted.fault = None
    assert texts(ask("which", mode="semantic", explain=True)) == ["0.9", "0.2"]
    ask("which", mode="semantic", explain=True)
    assert ask.hits == 1


# -- explain


def test_an_empty_answer_says_why(ask: Ask, rows: list[int]) -> None:
    for query, word in (("2月30日吃了什么", "no such date"), ("？！", "only punctuation")):
        report = ask.explain(query, mode="auto")
        assert report["hits"] == []
        assert any(word in note for note in report["notes"]), report["notes"]
    assert rows


@pytest.mark.parametrize("mode", ["auto", "hybrid", "temporal"])
@pytest.mark.usefixtures("rows")
def test_an_impossible_date_finds_nothing_with_or_without_a_model(
    ask: Ask, meaning: Meaning, mode: str
) -> None:
    for reason in (None, "the model is still loading"):
        meaning.reason = reason
        report = ask.explain("pear on Feb 30 2023", mode=mode)
        assert report["hits"] == []
        assert any("Feb 30" in note for note in report["notes"])
    assert len(ask("pear on Feb 30 2023", mode="lexical")) == 3


# -- what holds for the whole result


@pytest.mark.usefixtures("rows")
def test_a_full_answer_is_not_degraded(ask: Ask) -> None:
    for mode in ("auto", "hybrid", "lexical", "exact"):
        hits = ask("pear", mode=mode)
        assert (hits.degraded, hits.reason) == (False, None if hits else hits.reason), mode


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize("query", ["pear", "nothing of it"])
def test_an_answer_by_keywords_alone_is_degraded_also_when_it_is_empty(
    ask: Ask, meaning: Meaning, query: str
) -> None:
    meaning.reason = "no model"
    for _ in range(2):  # the second one from the cache
        hits = ask(query, mode="auto")
        assert hits.degraded
        assert hits.reason is not None
        assert hits.reason.startswith("answered by keywords alone: no model")
    assert ask.hits == 1
    assert not ask(query, mode="lexical").degraded, "nothing else was asked for"


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize("error", FAILURES)
def test_an_answer_whose_meaning_failed_is_degraded(ask: Ask, meaning: Meaning, error: MemorydError) -> None:
    meaning.error = error
    hits = ask("pear", mode="auto")
    assert (hits.degraded, hits.reason) == (True, f"answered by keywords alone: {error}")


def test_what_may_be_missed_makes_it_degraded(ask: Ask, meaning: Meaning, rows: list[int]) -> None:
    meaning.warning, meaning.near = "half of it", {rows[0]: 0.9}
    for mode in ("semantic", "hybrid"):
        hits = ask("pear", mode=mode)
        assert (hits.degraded, hits.reason) == (True, "half of it")
    meaning.broken = StorageError("the vector store is broken")
    assert "the vector store is broken" in str(ask("pear", mode="hybrid").reason)


@reranked
def test_an_answer_that_was_not_reranked_is_degraded(
    ask: Ask, meaning: Meaning, store: SmallStore, scripted: ScriptedScorer
) -> None:
    meaning.near = dict.fromkeys(store.add("0.2", "0.9"), 0.9)
    scripted.fault = RuntimeError("no memory")
    hits = ask("which", mode="semantic")
    assert hits.degraded
    assert "not reranked" in str(hits.reason)
    scripted.fault = None
    assert not ask("which", mode="semantic").degraded


@pytest.mark.usefixtures("rows")
def test_an_empty_answer_has_its_reason_and_is_not_degraded(ask: Ask) -> None:
    for how, words in (
        ({"query": "2月30日吃了什么"}, "no such date"),
        ({"query": "？！"}, "only punctuation"),
        ({"offset": 40}, "offset 40 is behind the last hit"),
        ({"min_score": 1.0}, "nothing passes min_score=1.0: the best score is"),
        ({"scope": Scope("nobody")}, "nothing is stored yet"),
        ({"filters": {"category": "core"}}, "filters or session_id left nothing"),
    ):
        hits = ask(**how)
        assert hits == []
        assert not hits.degraded
        assert words in str(hits.reason), how
        report = ask.explain(**how)
        assert (report["hits"], report["degraded"], report["reason"]) == ([], False, hits.reason)
        assert hits.reason in report["notes"]


def test_what_is_asked_to_be_done_is_named_and_not_done(ask: Ask, rows: list[int], store: SmallStore) -> None:
    report = ask.explain("忘掉 pear 的事")
    assert report["plan"]["command"] == "forget"
    assert store.scalar("SELECT count(*) FROM memories") == len(rows)


# -- times


def test_a_day_that_ends_as_another_begins_is_not_in_it(ask: Ask, store: SmallStore) -> None:
    today = NOW.replace(hour=0, minute=0, second=0).timestamp()
    old = today - 400 * DAY
    for name, start, end in (
        ("the day before", today - 2 * DAY, today - DAY),
        ("yesterday", today - DAY, today),
        ("today", today, today + DAY),
        ("a moment of yesterday", today - 3600, None),
    ):
        store.add(name, metadata={"event_start": start, "event_end": end, "timestamp": old})
    found = {"yesterday", "a moment of yesterday"}
    assert set(texts(ask("昨天", mode="temporal"))) == found
    assert set(texts(ask("anything", mode="temporal", span=TimeSpan(today - DAY, today)))) == found


def test_mode_temporal_needs_a_time(ask: Ask) -> None:
    with pytest.raises(InvalidParameterError, match="time_range") as caught:
        ask("pear", mode="temporal")
    assert caught.value.data["parameter"] == "query"


# -- the cache


@pytest.mark.usefixtures("rows")
def test_the_same_question_is_answered_from_the_cache(ask: Ask) -> None:
    first = ask("pear one", mode="lexical")
    assert ask("pear one", mode="lexical") == first
    assert ask.hits == 1
    for query in ("pear  one", " pear one", "pear one\n", "Pear one"):
        ask(query, mode="lexical")
        assert ask.hits == 1, query
    for other in (
        {"mode": "lexical", "limit": 1},
        {"mode": "lexical", "offset": 1},
        {"mode": "lexical", "scope": Scope("other")},
        {"mode": "lexical", "scope": Scope(USER, "cook")},
        {"mode": "lexical", "filters": {"category": "core"}},
        {"mode": "lexical", "targets": ("turn",)},
        {"mode": "lexical", "explain": True},
        {"mode": "lexical", "min_score": 0.9},
        {"mode": "lexical", "span": TimeSpan(0, 1)},
        {"mode": "lexical", "sort_by": "created_at"},
        {"mode": "lexical", "sort_order": "asc"},
        {"mode": "lexical", "weights": {"lexical": 2.0}},
        {"mode": "lexical", "intent": "skill"},
        {"mode": "hybrid"},
    ):
        filters = other.pop("filters", None)
        ask("pear one", mode="lexical")
        before = ask.hits
        ask("pear one", filters, **other)
        assert ask.hits == before, other


def test_what_a_time_means_is_part_of_the_question(ask: Ask, store: SmallStore) -> None:
    store.add("pear")
    ask("pear an hour ago")
    ask("pear an hour ago", reference=NOW.replace(hour=5))
    ask("pear yesterday")
    assert ask.hits == 0
    ask("pear yesterday", reference=NOW.replace(hour=5))
    assert ask.hits == 1


@pytest.mark.usefixtures("rows")
def test_a_write_makes_answers_stale_at_once(ask: Ask, meaning: Meaning, store: SmallStore) -> None:
    assert len(ask("pear", mode="lexical")) == 3
    store.add("pear four")
    assert len(ask("pear", mode="lexical")) == 4
    store.take_out(store.add("another")[0])
    ask("pear", mode="lexical")
    meaning.revision += 1  # a vector came
    ask("pear", mode="lexical")
    assert ask.hits == 0
    ask("pear", mode="lexical")
    assert ask.hits == 1


@pytest.mark.usefixtures("rows")
def test_an_answer_grows_old(ask: Ask) -> None:
    ask("pear", mode="lexical")
    ask.seconds = 299.0
    ask("pear", mode="lexical")
    assert ask.hits == 1
    ask.seconds = 301.0
    ask("pear", mode="lexical")
    assert ask.hits == 1


def test_the_cache_is_bounded_in_bytes(ask: Ask, store: SmallStore) -> None:
    store.add("pear " * 1_000)
    for number in range(40):
        ask(f"pear {number}", mode="lexical")
        counters = ask.engine.cache.counters()
        assert counters["bytes"] <= counters["limit"] == CACHE_BYTES
        assert counters["size"] == min(number + 1, counters["size"])
    assert 1 < counters["size"] < 40
    ask("pear 39", mode="lexical")
    ask("pear 0", mode="lexical")
    assert ask.hits == 1, "the one used last is kept, the first one is not"
    store.add(*(f"plum {'x' * 30_000} {number}" for number in range(3)))
    ask("plum", mode="lexical")
    assert ask.engine.cache.counters()["size"] == 0, "the former are stale, the last one is too large"


@pytest.mark.usefixtures("rows")
def test_answers_that_a_write_has_made_stale_are_dropped(ask: Ask, store: SmallStore) -> None:
    for query in ("pear", "plum", "quince"):
        ask(query, mode="lexical")
    assert ask.engine.cache.counters()["size"] == 3
    store.add("another")
    ask("pear", mode="lexical")
    assert ask.engine.cache.counters()["size"] == 1
    ask.engine.cache.clear()
    assert ask.engine.cache.counters()["bytes"] == 0


@pytest.mark.usefixtures("rows")
def test_every_hit_of_a_long_answer_says_what_its_score_is_the_sum_of(
    ask: Ask, meaning: Meaning, store: SmallStore
) -> None:
    meaning.near = dict.fromkeys(store.add(*(f"pear number {number}" for number in range(90))), 0.99)
    hits = ask("pear", mode="hybrid", limit=90, explain=True)
    assert len(hits) == 90
    assert all(hit["explain"]["fusion"] for hit in hits)


@pytest.mark.usefixtures("rows")
def test_what_a_caller_does_to_hits_stays_with_the_caller(ask: Ask) -> None:
    first = ask("pear", mode="lexical", explain=True)
    first[0]["metadata"]["mood"] = "changed"
    first[0]["explain"]["notes"].append("changed")
    first.clear()
    second = ask("pear", mode="lexical", explain=True)
    assert len(second) == 3
    second[0]["scores"].clear()
    third = ask("pear", mode="lexical", explain=True)
    assert "mood" not in third[0]["metadata"]
    assert third[0]["explain"]["notes"] == []
    assert third[0]["scores"]
    assert ask.hits == 2


def test_what_could_be_better_another_time_is_not_kept(ask: Ask, meaning: Meaning, rows: list[int]) -> None:
    meaning.near = {rows[0]: 0.9}
    meaning.error = DeadlineExceededError("too slow")
    assert set(ask(mode="auto")[0]["scores"]) == {"lexical"}
    meaning.error = None
    meaning.warning = "half of it"
    assert set(ask(mode="auto")[0]["scores"]) == {"lexical", "semantic"}
    meaning.warning, meaning.broken = None, StorageError("broken")
    ask(mode="auto")
    meaning.broken = None
    ask(mode="auto")
    assert ask.hits == 0
    ask(mode="auto")
    assert ask.hits == 1


def test_nothing_is_kept_with_a_limit_of_none() -> None:
    cache = ResultCache(0, 300.0)
    cache.put("key", 1, Hits())
    assert cache.get("key", 1) is None
    assert cache.counters() == {"size": 0, "bytes": 0, "limit": 0, "hits": 0, "misses": 1}


@pytest.mark.usefixtures("rows")
def test_explain_is_never_cached(ask: Ask) -> None:
    ask.explain("pear", mode="lexical")
    ask.explain("pear", mode="lexical")
    assert ask.engine.cache.counters()["size"] == 0


# -- deadlines


@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
def test_a_search_whose_time_is_over_says_at_which_step(
    ask: Ask, meaning: Meaning, rows: list[int], mode: str
) -> None:
    meaning.near = dict.fromkeys(rows, 0.5)
    with pytest.raises(DeadlineExceededError, match="no time left while"):
        ask("pear", mode=mode, deadline=Deadline.after(0))


def test_deep_pages_check_the_deadline_between_texts(
    ask: Ask, store: SmallStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add(*(f"pear number {number}" for number in range(300)))
    checked: list[str] = []
    monkeypatch.setattr(Deadline, "check", lambda _, step: checked.append(step))
    assert len(ask("pear", mode="lexical", limit=100, offset=150, explain=True)) == 100
    assert checked.count("comparing near-duplicates") >= 3
    assert checked.count("explaining the hits") == 100
    assert {"lexical", "reading what was found"} <= set(checked)


def test_a_model_that_takes_the_time_of_a_call_leaves_some_for_the_words(
    store: SmallStore, meaning: Meaning, host: RerankerHost, rows: list[int]
) -> None:
    ask = Ask(store, meaning, Reranker(host, candidates=3, seconds=0.2))
    meaning.held = {"pear": threading.Event()}
    hits = ask("pear", mode="hybrid", deadline=Deadline.after(4.0))
    meaning.held["pear"].set()
    ask.engine.close()
    assert (len(hits), hits.degraded) == (3, True)
    assert rows
