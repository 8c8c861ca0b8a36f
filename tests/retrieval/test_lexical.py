from __future__ import annotations

import math
import sqlite3
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_client.errors import DatabaseCorruptError, StorageError
from memoryd.core.filters.grammar import EVERYTHING
from memoryd.core.scope import Scope
from memoryd.index.keyword import forward_index as terms
from memoryd.index.keyword import keyword_check, keyword_fill, keyword_index, keyword_removal
from memoryd.index.keyword import query as lexical_query
from memoryd.index.keyword.keyword_check import differences
from memoryd.index.keyword.keyword_fill import KeywordFill, start_over
from memoryd.index.keyword.keyword_index import KeywordHit, KeywordIndex
from memoryd.index.keyword.keyword_removal import KeywordRemoval
from memoryd.index.keyword.partitions import prefix_of, term_range
from memoryd.language.fold import index_terms, query_terms
from memoryd.storage.database import Transaction
from support.small_store import USER, SmallStore, small_store


def bm25(query: str, texts: dict[int, str]) -> dict[int, float]:
    """BM25 as FTS5 defines it, over all texts: row -> score."""
    terms = {row: Counter(index_terms(text)) for row, text in texts.items()}
    mean = sum(counts.total() for counts in terms.values()) / len(texts)
    scores = dict.fromkeys(texts, 0.0)
    for term in query_terms(query):
        holding = sum(term in counts for counts in terms.values())
        idf = max(1e-6, math.log((len(texts) - holding + 0.5) / (holding + 0.5))) if holding else 0.0
        for row, counts in terms.items():
            n = counts[term]
            scores[row] += idf * n * 2.2 / (n + 1.2 * (0.25 + 0.75 * counts.total() / mean))
    return {row: score for row, score in scores.items() if score}


# What is found


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("花生", "主人对花生过敏"),
        ("C盘", "Ｃ盘空间不够了"),
        ("c盘", "C盘空间不够了"),
        ("头发", "她剪了頭髮"),
        ("頭髮", "她剪了头发"),
        ("👍", "做得好👍🏽"),
        ("🇨🇳", "来自🇨🇳"),
        ("allergy", "allergies to peanuts"),
        ("I", "I like tea"),
        ("what did I do", "I did nothing"),
        ("don’t", "they don't know"),
        ("C++", "he writes c++"),
        ('"quoted" AND OR NOT (x*) ^y -z {a b}: NEAR', "and quoted or near x y z"),
    ],
)
def test_a_memory_is_found(store: SmallStore, query: str, text: str) -> None:
    store.add("喜欢喝拿铁咖啡", text, "wholly unrelated words")
    assert store.found(query)[0] == text


@pytest.mark.parametrize("query", ["zebra", "。！？", "\u200d", "花粉", "'", '"', "*"])
def test_what_is_not_there_is_not_found(store: SmallStore, query: str) -> None:
    store.add("主人对花生过敏", "I like tea")
    assert store.search(query) == []


def test_a_user_without_memories_finds_nothing(store: SmallStore) -> None:
    assert store.search("花生", user_id="nobody") == []


def test_more_and_rarer_words_and_shorter_texts_come_first(store: SmallStore) -> None:
    store.add(
        *(f"a bird number {i}" for i in range(20)),
        "the cat and the dog",
        "the dog",
        "the dog and a long tale of many other things that happened on that day in the park",
    )
    assert store.found("cat dog", 3) == [
        "the cat and the dog",
        "the dog",
        "the dog and a long tale of many other things that happened on that day in the park",
    ]


def test_equal_scores_come_newest_first(store: SmallStore) -> None:
    rows = store.add(*["好的"] * 300, *(f"其他的事{i}" for i in range(400)))
    assert [hit.row for hit in store.search("好的", 5)] == rows[299:294:-1]


def test_a_share_is_the_part_of_the_best_possible_score(store: SmallStore) -> None:
    store.add("cat", "dog", "bird", "fish", "cat " * 50, "x" * 10)
    hits = store.search("cat dog")
    assert all(0 <= hit.share <= 1 for hit in hits)
    assert [hit.share for hit in hits] == sorted((hit.share for hit in hits), reverse=True)
    assert store.search("dog")[0].share > 0.3


WORDS = st.sampled_from(["cat", "dog", "the", "花生", "过敏", "我", "C盘", "I"])
SOME_TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=8).map(" ".join), min_size=1, max_size=12)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallStore]:
    with small_store(tmp_path_factory.mktemp("lexical")) as store:
        yield store


class Rolled:
    """A transaction of which nothing stays: quicker than a file for each example."""

    def __init__(self, store: SmallStore) -> None:
        self.store, self.connection = store, store.database._writer

    def __enter__(self) -> Rolled:
        self.connection.execute("BEGIN IMMEDIATE")
        self.tx = Transaction(self.connection)
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.execute("ROLLBACK")

    def put(self, text: str, user: str = USER) -> int:
        return self.store.put(self.tx, text, user_id=user)

    def search(self, query: str, limit: int = 50) -> list[KeywordHit]:
        return KeywordIndex().search(self.connection, Scope(USER), query, limit, EVERYTHING)


@settings(max_examples=150)
@given(SOME_TEXTS, st.lists(WORDS, min_size=1, max_size=4).map(" ".join))
def test_scores_are_those_of_bm25(shared: SmallStore, texts: list[str], query: str) -> None:
    with Rolled(shared) as store:
        by_row = {store.put(text): text for text in texts}
        found = {hit.row: hit.score for hit in store.search(query)}
    assert found == pytest.approx(bm25(query, by_row))


@settings(max_examples=150)
@given(SOME_TEXTS, SOME_TEXTS, st.lists(WORDS, min_size=1, max_size=4).map(" ".join))
def test_another_users_data_changes_no_bit_of_a_score(
    shared: SmallStore, texts: list[str], foreign: list[str], query: str
) -> None:
    outcomes = []
    for others in ([], foreign):
        with Rolled(shared) as store:
            rows = []
            for place, text in enumerate(texts):
                rows.append(store.put(text))
                for other in others[place : place + 2]:
                    store.put(other, "other")
            hits = store.search(query)
            outcomes.append([(rows.index(hit.row), hit.score, hit.share) for hit in hits])
    assert outcomes[0] == outcomes[1]


# Common words


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallStore]:
    """4,000 memories: 主人 in each, 咖啡 or 果汁 in half of them, both in the oldest, 晴天 in a third,
    茶 in one of a hundred, a number in one each."""
    with small_store(tmp_path_factory.mktemp("crowd")) as store:
        texts = [
            f"主人 number{i} {'果汁咖啡' if i < 30 else ('果汁', '咖啡')[i % 2]} {'晴雨雪'[i % 3]}天 "
            f"{'茶' if i % 100 == 5 else ''} 第{'甲乙丙丁'[i % 4]} {'和' * (i // 100 % 4)}"
            for i in range(4000)
        ]
        for start in range(0, 4000, 500):
            store.add(*texts[start : start + 500])
        store.add("plain newcomer 主人")
        yield store


def test_words_that_stand_everywhere_give_the_newest(crowd: SmallStore) -> None:
    assert crowd.found("主人", 1) == ["plain newcomer 主人"]
    assert [text.split()[1] for text in crowd.found("果汁", 3)] == ["number3998", "number3996", "number3994"]


def test_a_rare_word_decides_and_a_common_one_only_scores(crowd: SmallStore) -> None:
    assert crowd.found("主人 number7", 1)[0].startswith("主人 number7 ")
    assert len(crowd.search("主人 number7")) == 1
    assert crowd.search("主人 number7")[0].score > crowd.search("number7")[0].score


def test_two_common_words_are_sought_together(crowd: SmallStore) -> None:
    hits = crowd.found("果汁 咖啡", 20)
    assert len(hits) == 20
    assert all("果汁咖啡" in text for text in hits)


def test_two_common_words_that_never_meet_still_find(crowd: SmallStore) -> None:
    assert len(crowd.search("晴天 雨天", 20)) == 20


def test_common_words_are_scored_as_bm25_scores_them(crowd: SmallStore) -> None:
    texts = {row: one.record.text for row, one in crowd.stored(list(range(1, 4002))).items()}
    expected = bm25("茶 晴天 主人", texts)
    hits = crowd.search("茶 晴天 主人", 10)
    assert {hit.row: hit.score for hit in hits} == pytest.approx({hit.row: expected[hit.row] for hit in hits})
    assert [hit.row for hit in hits] == sorted(
        (row for row in expected if "茶" in texts[row]), key=lambda row: (-expected[row], -row)
    )[:10]


@pytest.fixture
def small_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexical_query, "_CANDIDATE_BUDGET", 50)


@pytest.mark.usefixtures("small_budget")
def test_the_row_with_most_of_the_words_is_found_among_many_with_the_rarest(store: SmallStore) -> None:
    store.add(*(f"zebra {i}" for i in range(40)), *(f"lion word{i % 3} and more {i}" for i in range(60)))
    store.add("zebra lion word1 and more than that")
    assert store.found("word1 lion zebra", 1) == ["zebra lion word1 and more than that"]


@pytest.mark.usefixtures("small_budget")
def test_rows_in_the_middle_are_scored_as_bm25_scores_them(store: SmallStore) -> None:
    store.add(
        *(f"zebra {'lion' if i % 3 else ''} x{i}" for i in range(40)), *(f"lion {i}" for i in range(45))
    )
    texts = {row: one.record.text for row, one in store.stored(list(range(1, 86))).items()}
    expected = bm25("zebra lion", texts)
    hits = store.search("zebra lion", 15)
    assert len(hits) == 15
    assert {hit.row: hit.score for hit in hits} == pytest.approx({hit.row: expected[hit.row] for hit in hits})
    assert min(hit.score for hit in hits) >= sorted(expected.values())[-15] - 1e-9


# Filters, scopes, limits


def test_a_narrow_filter_still_fills_the_answer(crowd: SmallStore) -> None:
    wanted = {"text": {"contains": "number1"}, "created_at": {"lt": 1_700_000_200}}
    for query in ("主人", "咖啡", "主人 第甲"):
        hits = crowd.found(query, 20, filters=wanted)
        assert len(hits) == 20, query
        assert all(text.split()[1].startswith("number1") for text in hits)


def test_what_is_not_active_or_of_another_agent_is_not_found(store: SmallStore) -> None:
    [archived] = store.add("zebra archived")
    store.database.write(
        lambda tx: tx.execute("UPDATE memories SET state = 'archived' WHERE row = ?", (archived,))
    )
    store.add("zebra common")
    store.add("zebra of the cook", agent_id="cook")
    assert store.found("zebra") == ["zebra common"]
    assert set(store.found("zebra", agent_id="cook")) == {"zebra common", "zebra of the cook"}
    assert store.found("zebra", agent_id="guide") == ["zebra common"]
    assert len(store.found("zebra", agent_id="*")) == 2


def test_as_many_as_asked_for(crowd: SmallStore) -> None:
    for limit in (1, 7, 500):
        for query in ("主人", "茶 咖啡", "第甲 果汁"):
            hits = crowd.search(query, limit)
            assert len({hit.row for hit in hits}) == len(hits) <= limit
        assert len(crowd.search("主人", limit)) == limit


def test_a_query_of_50_kb_is_answered(crowd: SmallStore) -> None:
    long = "".join(chr(0x4E00 + i * 7 % 20000) for i in range(15_000))
    assert crowd.found(f"number77 {long}", 1)[0].startswith("主人 number77 ")
    assert crowd.found(" ".join(f"number{i}" for i in range(4000)) * 2, 5)
    assert crowd.search("x" * 50_000) == []
    assert crowd.search('"' * 50_000) == []


def test_the_rarest_words_of_a_long_query_count(crowd: SmallStore) -> None:
    filling = " ".join(f"第{a} 咖啡 果汁 主人" for a in "甲乙丙丁" * 100)
    assert crowd.found(f"{filling} number1234", 1)[0].startswith("主人 number1234 ")


def test_common_words_count_as_far_as_a_texts_terms_are_kept(
    store: SmallStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lexical_query, "COMMON_ROWS", 10)
    for i in range(40):
        store.add(f"common zebra{i % 8} " + "word " * terms.MOST_KEPT + ("common" if i == 39 else ""))
    assert len(store.search("common zebra1", 20)) == 5
    hits = store.search("common", 40)
    assert len({hit.score for hit in hits if hit.row != 40}) == 1
    assert hits[0].row != 40, "what stands behind the kept terms only makes the text longer"
    with store.database.read() as connection:
        [longest] = connection.execute("SELECT max(length(terms)) FROM text_terms").fetchone()
    assert longest == 4 * (2 + terms.MOST_KEPT)


# Changes


def terms_left(store: SmallStore) -> list[Any]:
    with store.database.read() as connection:
        return [tuple(row) for row in connection.execute("SELECT * FROM keywords_terms")]


def test_what_was_taken_out_leaves_no_term(store: SmallStore) -> None:
    texts = ["主人对花生过敏 C盘", "I don’t 👩‍👩‍👧 🇨🇳 naïve c++", "x" * 70_000, "กล่าวว่า हिन्दी ٣ ² Ⅷ"]
    for row in store.add(*texts):
        store.take_out(row)
    assert terms_left(store) == []
    assert store.scalar("SELECT documents + terms FROM keyword_partitions") == 0
    assert store.search("花生") == []


@settings(max_examples=60)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1), max_size=5
    )
)
def test_any_text_goes_in_and_comes_out(shared: SmallStore, texts: list[str]) -> None:
    with Rolled(shared) as store:
        index = shared.lexical
        for row, text in enumerate(texts, 1):
            index.put(store.tx, USER, row, text)
        for row, text in enumerate(texts, 1):
            index.remove(store.tx, USER, row, text)
        if texts:
            assert store.tx.execute("SELECT * FROM keywords_terms").fetchall() == []


def test_a_rolled_back_write_leaves_nothing(store: SmallStore) -> None:
    def fails(tx: Transaction) -> None:
        store.put(tx, "zebra")
        raise OSError("no")

    with pytest.raises(OSError, match="no"):
        store.database.write(fails)
    assert store.search("zebra") == []
    store.add("zebra")
    assert len(store.search("zebra")) == 1


def test_a_forgotten_user_is_gone_and_may_come_back(store: SmallStore) -> None:
    store.add("zebra")
    store.add("zebra of another", user_id="other")
    store.database.write(lambda tx: store.lexical.forget_user(tx, USER))
    store.database.write(lambda tx: store.lexical.forget_user(tx, "nobody"))
    assert store.search("zebra") == []
    assert len(store.search("zebra", user_id="other")) == 1
    number = store.scalar("SELECT max(number) FROM keyword_partitions")
    store.add("zebra again")
    assert store.scalar("SELECT max(number) FROM keyword_partitions") > number
    assert store.found("zebra") == ["zebra again"]


def segments(store: SmallStore) -> bytes:
    blocks = "SELECT block FROM keywords_data"
    found = store.database.maintain(lambda connection: connection.execute(blocks).fetchall())
    return b"".join(bytes(row[0]) for row in found)


def test_removal_leaves_no_byte_of_a_deleted_text(store: SmallStore) -> None:
    rows = store.add("unforgettable", "other words")
    store.take_out(rows[0])
    assert b"unforgett" in segments(store)
    KeywordRemoval(store.database).run()
    assert b"unforgett" not in segments(store)
    assert store.found("words") == ["other words"]


def test_removal_leaves_no_byte_of_a_deleted_user(store: SmallStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyword_removal, "_ROWS_AT_ONCE", 7)
    store.add(*(f"unforgettable number{i} 花生 \"'#$" for i in range(30)), user_id="gone")
    store.add("other words 花生")
    before = store.search("花生")
    store.database.write(lambda tx: store.lexical.forget_user(tx, "gone"))
    store.database.write(lambda tx: tx.execute("DELETE FROM memories WHERE user_id = 'gone'"))
    assert b"unforgett" in segments(store)
    KeywordRemoval(store.database).run()
    assert b"unforgett" not in segments(store)
    assert {term for term, *_ in terms_left(store)} == {
        prefix_of(2) + term for term in index_terms("other words 花生")
    }
    assert store.scalar("SELECT count(*) FROM abandoned_partitions") == 0
    assert store.search("花生") == before
    assert check(store) == []


def test_two_removals_at_a_time_delete_nothing_twice(store: SmallStore) -> None:
    store.add(*(f"unforgettable {i}" for i in range(300)), user_id="gone")
    store.database.write(lambda tx: store.lexical.forget_user(tx, "gone"))
    removal = KeywordRemoval(store.database)
    with ThreadPoolExecutor(3) as pool:
        for done in [pool.submit(removal.run) for _ in range(3)]:
            done.result()
    assert terms_left(store) == []


def test_removal_merges_all_segments_in_short_transactions(
    store: SmallStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyword_removal, "_MERGED_PAGES", 1)
    firsts = [store.add(*(f"word{i * 100 + k} zebra{k}" for k in range(100)))[0] for i in range(30)]
    for row in firsts:
        store.take_out(row)
    transactions, write = [], store.database.write

    def counted(change: Any) -> Any:
        transactions.append(change)
        return write(change)

    monkeypatch.setattr(store.database, "write", counted)
    KeywordRemoval(store.database).run()
    assert len(transactions) > 2
    assert store.scalar("SELECT count(DISTINCT segid) FROM keywords_idx") == 1
    assert len(store.search("zebra7", 50)) == 30
    assert store.search("zebra0") == []
    assert {term for term, *_ in terms_left(store) if term.endswith("#zebra0")} == set()
    assert check(store) == []


def rebuild(store: SmallStore) -> None:
    store.database.write(start_over)
    assert not KeywordFill(store.database).run(math.inf)


def test_a_rebuild_makes_the_same_index(store: SmallStore) -> None:
    store.add("主人对花生过敏", "I like peanuts")
    store.add("another's zebra", user_id="other")
    before = [store.search("花生"), store.search("peanut"), store.search("zebra", user_id="other")]
    store.database.write(lambda tx: tx.execute("UPDATE keyword_partitions SET documents = 77"))
    rebuild(store)
    after = [store.search("花生"), store.search("peanut"), store.search("zebra", user_id="other")]
    assert after == before
    assert check(store) == []


def test_an_index_of_another_folding_is_filled_again_and_serves_meanwhile(
    store: SmallStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add(*(f"zebra {i}" for i in range(50)), "to be changed", "to be deleted")
    assert not KeywordFill(store.database).is_needed()
    for module in (keyword_index, keyword_fill, keyword_check):
        monkeypatch.setattr(module, "FOLD_VERSION", "2, of tomorrow")
    monkeypatch.setattr(keyword_fill, "_SECONDS", 0.0)
    monkeypatch.setattr(keyword_fill, "_TEXTS", 1)
    fill = KeywordFill(store.database)
    assert fill.is_needed()
    before = store.search("zebra", 100)
    assert fill.run(math.inf, iter([False] * 20 + [True]).__next__), "stopped half-way"
    assert store.scalar("SELECT max(filled_to) FROM keyword_partitions") == 20
    assert store.search("zebra", 100) == before
    store.take_out(52)
    store.take_out(1)
    store.add("quagga of the meantime")
    assert store.found("quagga") == ["quagga of the meantime"]
    assert len(store.search("zebra", 100)) == 49
    assert not KeywordFill(store.database).run(math.inf)
    assert not KeywordFill(store.database).is_needed()
    assert [hit.row for hit in store.search("zebra", 100)] == list(range(50, 1, -1))
    assert set(store.found("quagga deleted changed")) == {"quagga of the meantime", "to be changed"}
    assert check(store) == []
    KeywordRemoval(store.database).run()
    assert b"delet" not in segments(store)
    assert len(store.search("zebra", 100)) == 49


def test_readers_keep_their_schema_when_a_user_comes(store: SmallStore) -> None:
    version = store.scalar("PRAGMA schema_version")
    store.add("zebra")
    for number in range(5):
        store.add("zebra", user_id=f"newcomer {number}")
        store.database.write(lambda tx, n=number: store.lexical.forget_user(tx, f"newcomer {n}"))  # type: ignore[misc]
    assert store.scalar("PRAGMA schema_version") == version


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_no_prefix_begins_with_another(one: int, other: int) -> None:
    assert one == other or not prefix_of(one).startswith(prefix_of(other))
    low, high = term_range(one)
    assert low < prefix_of(one) + "\U000323af" < high
    assert one == other or not low <= prefix_of(other) < high


# Checks


def check(store: SmallStore) -> list[str]:
    with store.database.read() as connection:
        return differences(connection)


def test_a_sound_index_agrees(store: SmallStore) -> None:
    assert check(store) == []
    rows = store.add("one", "two")
    store.add("three", user_id="other")
    store.take_out(rows[0])
    assert check(store) == []


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("DELETE FROM memories WHERE row = 1", "1 texts in the keyword index are not stored"),
        ("UPDATE memories SET row = 100 WHERE row = 1", "1 memories are not in the keyword index"),
        ("UPDATE keyword_partitions SET documents = 9", "9 memories counted in the keyword index, 2 stored"),
        ("INSERT INTO keywords (keywords) VALUES ('delete-all')", "2 memories are not found by their words"),
        ("UPDATE memories SET user_id = 'new'", "1 users are not in the keyword index"),
    ],
)
def test_disagreements_are_said_and_mended_by_a_rebuild(store: SmallStore, sql: str, words: str) -> None:
    store.add("one", "two")
    store.database.write(lambda tx: tx.execute(sql))
    assert words in check(store)
    assert USER not in " ".join(check(store))
    rebuild(store)
    assert check(store) == []


def test_a_damaged_index_is_said_to_be_the_index(store: SmallStore) -> None:
    store.add(*(f"word{i} zebra" for i in range(50)))
    store.database.write(lambda tx: tx.execute("UPDATE keywords_data SET block = x'00' WHERE id > 10"))
    with pytest.raises(StorageError, match="memoryd reindex") as caught:
        store.search("zebra")
    assert not isinstance(caught.value, DatabaseCorruptError)
    rebuild(store)
    assert len(store.search("zebra", 100)) == 50


def test_frequencies_of_common_words_are_kept(crowd: SmallStore) -> None:
    crowd.search("主人")
    before = crowd.lexical.cache_counters()
    crowd.search("主人")
    after = crowd.lexical.cache_counters()
    assert (after["hits"], after["misses"]) == (before["hits"] + 1, before["misses"])
    assert after["size"] == before["size"] > 0


def test_a_search_sees_what_its_connection_sees(store: SmallStore) -> None:
    store.add("zebra one")
    with store.database.read() as connection:
        connection.execute("SELECT count(*) FROM memories").fetchone()
        store.add("zebra two")
        assert len(store.lexical.search(connection, Scope(USER), "zebra", 5, EVERYTHING)) == 1
    assert len(store.search("zebra")) == 2


def test_the_plan_never_walks_through_the_memories(
    store: SmallStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Driven from the memories, the term table is asked once for every one of them."""
    monkeypatch.setattr(lexical_query, "COMMON_ROWS", 10)
    store.add(*(f"zebra {i} common" for i in range(50)))
    said: list[str] = []

    class Explained:
        def __init__(self, connection: sqlite3.Connection) -> None:
            self.connection = connection
            self.row_factory = None

        def cursor(self) -> Explained:
            return self

        def execute(self, sql: str, params: Any = ()) -> sqlite3.Cursor:
            rows = self.connection.execute(f"EXPLAIN QUERY PLAN {sql}", params)
            said.append(" / ".join(row[3] for row in rows))
            return self.connection.execute(sql, params)

    with store.database.read() as connection:
        store.lexical.search(Explained(connection), Scope(USER), "common", 5, EVERYTHING)  # type: ignore[arg-type]
    searches = [plan for plan in said if " m " in plan]
    assert len(searches) == 2
    assert all("SEARCH m USING INTEGER PRIMARY KEY" in plan for plan in searches)
    assert all("SCAN keywords" not in plan.partition(" m ")[2] for plan in searches)


def test_a_word_in_every_row_is_scored_though_some_are_gone(store: SmallStore) -> None:
    """How often common words stand is remembered for a while, and may be more than there are rows."""
    rows = store.add(*(f"biscuit number{n}" for n in range(1100)))
    assert len(store.search("biscuit")) == 10
    for row in rows[:50]:
        store.take_out(row)
    assert len(store.search("biscuit")) == 10
