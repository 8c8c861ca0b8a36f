from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from small_store import USER, SmallStore

from memory_client.deadline import Deadline
from memory_client.errors import (
    DeadlineExceededError,
    MemorydError,
    ModelUnavailableError,
    SpaceMismatchError,
    StorageError,
)
from memory_client.types import Hit
from memoryd.core.filters import parse_filters
from memoryd.core.scope import Scope
from memoryd.retrieval.request import SearchRequest
from memoryd.retrieval.search import Search

TEXTS = ["pear one", "pear two two", "pear three three three", "plum", "quince"]


class Meaning:
    """A search by meaning that finds what it is told to, and fails or is slow when told so."""

    def __init__(self) -> None:
        self.reason: str | None = None
        self.warning: str | None = None
        self.cosines: dict[int, float] = {}
        self.error: MemorydError | None = None
        self.asked: list[dict[str, Any]] = []
        self.waited = 0

    def why_not(self) -> str | None:
        return self.reason

    def caveat(self) -> str | None:
        return self.warning

    def wait(self, *_: object) -> None:
        self.waited += 1
        if self.reason is not None:
            raise ModelUnavailableError(self.reason)

    def nearest(self, *asked: Any) -> list[tuple[int, float]]:
        _, _, limit, allowed, deadline = asked
        self.asked.append(
            {
                "limit": limit,
                "allowed": allowed,
                "left": deadline.left(),
                "thread": threading.current_thread(),
            }
        )
        if self.error is not None:
            raise self.error
        found = sorted(self.cosines.items(), key=lambda item: -item[1])
        return [pair for pair in found if allowed is None or pair[0] in allowed][:limit]

    def missing(self, _: str) -> int:
        return 3


@pytest.fixture
def meaning() -> Meaning:
    return Meaning()


@pytest.fixture
def rows(store: SmallStore) -> list[int]:
    return store.add(*TEXTS)


class Ask:
    def __init__(self, store: SmallStore, meaning: Meaning) -> None:
        self.engine = Search(store.database, store.lexical, meaning)

    def __call__(
        self, query: str = "pear", filters: Mapping[str, Any] | None = None, **how: Any
    ) -> list[Hit]:
        how.setdefault("deadline", Deadline.after(None))
        how.setdefault("scope", Scope(USER))
        return self.engine.search(SearchRequest(query=query, node=parse_filters(filters), **how))


@pytest.fixture
def ask(store: SmallStore, meaning: Meaning) -> Iterator[Ask]:
    asking = Ask(store, meaning)
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
    assert hits[0]["explain"]["missing_vectors"] == 3


def test_by_meaning_alone_the_score_is_the_cosine(ask: Ask, meaning: Meaning, rows: list[int]) -> None:
    meaning.cosines = {rows[3]: 0.8, rows[0]: 0.3, rows[4]: -0.1}
    hits = ask(mode="semantic", explain=True)
    assert texts(hits) == ["plum", "pear one", "quince"]
    assert [hit["score"] for hit in hits] == [0.8, 0.3, 0.0]
    assert [hit["scores"] for hit in hits] == [{"semantic": 0.8}, {"semantic": 0.3}, {"semantic": -0.1}]
    assert hits[0]["explain"]["ranks"] == {"semantic": 1}
    assert set(hits[0]["explain"]["milliseconds"]) == {"semantic"}


@pytest.mark.parametrize("mode", ["auto", "hybrid"])
def test_both_are_fused(ask: Ask, meaning: Meaning, rows: list[int], mode: str) -> None:
    meaning.cosines = {rows[1]: 0.9, rows[3]: 0.8}
    hits = ask(mode=mode, explain=True)
    assert texts(hits)[0] == "pear two two"
    assert set(texts(hits)) == set(TEXTS[:4])
    assert set(hits[0]["scores"]) == {"lexical", "semantic"}
    assert hits[0]["explain"]["mode"] == "hybrid"
    assert set(hits[0]["explain"]["milliseconds"]) == {"lexical", "semantic"}


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
    SpaceMismatchError("another space"),
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


def test_a_hybrid_search_does_not_wait_for_ever(ask: Ask, meaning: Meaning) -> None:
    ask(mode="hybrid")
    ask(mode="hybrid", deadline=Deadline.after(0.5))
    patience, shorter = (asked["left"] for asked in meaning.asked)
    assert 0 < patience <= 2.0
    assert 0 < shorter <= 0.5


def test_what_meaning_may_miss_is_said(ask: Ask, meaning: Meaning, rows: list[int]) -> None:
    meaning.warning, meaning.cosines = "half of it", {rows[0]: 0.9}
    for mode in ("semantic", "hybrid"):
        assert ask(mode=mode, explain=True)[0]["explain"]["notes"] == ["half of it"]
    assert ask(mode="lexical", explain=True)[0]["explain"]["notes"] == []


def test_filters_apply_before_ranking_in_every_source(ask: Ask, meaning: Meaning, rows: list[int]) -> None:
    meaning.cosines = dict.fromkeys(rows, 0.5)
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
    meaning.cosines = {foreign: 0.99, cooks: 0.98, rows[3]: 0.97, 12345: 0.96, rows[0]: 0.5, rows[1]: 0.4}
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
    meaning.cosines = {rows[0]: 0.9, rows[1]: 0.5, rows[2]: 0.1}
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
    meaning.cosines = {rows[0]: 0.9, rows[1]: 0.8, rows[2]: 0.7}
    for order in ("desc", "asc"):
        for hit in ask(mode="semantic", explain=True, sort_by="created_at", sort_order=order):
            place = rows.index(next(row for row in rows if TEXTS[rows.index(row)] == hit["text"]))
            assert hit["explain"]["ranks"] == {"semantic": place + 1}
