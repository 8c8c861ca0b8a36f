"""The terms kept of each text: counts, and BM25 as FTS5 itself computes it."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd.index.keyword import forward_index, keyword_check, partitions
from memoryd.index.keyword.forward_index import MOST_KEPT, Documents
from memoryd.index.keyword.keyword_index import KeywordIndex
from memoryd.language.fold import index_terms, query_terms
from memoryd.storage.database import Transaction
from support.index_world import World
from support.small_store import USER, SmallStore

TEXTS = (
    "主人对花生过敏，吃了会起疹子。",
    "花生花生花生 C++ and C++ again",
    "The cat sleeps; the cat's owner doesn't.",
    "A list: a-b, c_d, e.mail@example.org, 3.14, №5, ½, e\u0301te\u0301, 👍🏽 🇨🇳",
    "ＦＵＬＬ　ｗｉｄｔｈ, ﬁne ligatures, Straße, İstanbul, ǅ",
    "cat " * 300,
)


@pytest.fixture
def database() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE text_terms (row INTEGER PRIMARY KEY, terms BLOB NOT NULL)")
    return connection


def kept(connection: sqlite3.Connection, texts: Sequence[Sequence[str]]) -> Documents:
    tx = Transaction(connection)
    for row, found in enumerate(texts, 1):
        forward_index.put(tx, row, found, cues=row)
    return forward_index.load(connection, list(range(len(texts), 0, -1)))


some_terms = st.lists(st.sampled_from(["cat", "花", "花生", "c++", "tea"]), max_size=12)


@settings(max_examples=50, deadline=None)
@given(st.lists(some_terms, max_size=6), st.lists(st.sampled_from(["cat", "花", "c++", "none"]), unique=True))
def test_terms_are_counted_in_each_text(texts: list[list[str]], wanted: list[str]) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE text_terms (row INTEGER PRIMARY KEY, terms BLOB NOT NULL)")
    found = kept(connection, texts)
    connection.close()
    assert found.rows.tolist() == list(range(1, len(texts) + 1))
    assert found.lengths.tolist() == [len(text) for text in texts]
    assert found.cues.tolist() == found.rows.tolist()
    counts = found.counts(forward_index.numbers_of(wanted))
    assert counts.tolist() == [[Counter(text)[term] for term in wanted] for text in texts]


def test_what_stands_behind_the_first_thousand_counts_for_the_length(database: sqlite3.Connection) -> None:
    found = kept(database, [["cat"] * (MOST_KEPT + 5) + ["dog"], ["dog"]])
    assert found.lengths.tolist() == [MOST_KEPT + 6, 1]
    assert found.counts(forward_index.numbers_of(["cat", "dog"])).tolist() == [[MOST_KEPT, 0], [0, 1]]
    database.close()


def test_unknown_rows_are_left_out(database: sqlite3.Connection) -> None:
    kept(database, [["cat"], ["dog"]])
    forward_index.remove(Transaction(database), 1)
    assert forward_index.load(database, [1, 2, 3]).rows.tolist() == [2]
    assert len(forward_index.load(database, []).counts(forward_index.numbers_of(["cat"]))) == 0
    database.close()


@pytest.mark.parametrize(
    "query", ["cat", "花生", "the cat's C++", "mail example 3.14", "straße istanbul fine"]
)
def test_bm25_is_that_of_fts5(store: SmallStore, query: str) -> None:
    rows = store.add(*TEXTS, *(f"filler {number} cat" for number in range(20)))
    with store.database.read() as connection:
        asked = store.lexical.read(connection, USER, query, "memory")
        assert asked is not None
        assert set(asked.frequencies) <= set(query_terms(query))
        own = asked.scores(forward_index.load(connection, rows), list(asked.frequencies))
    texts = [(row, " ".join(index_terms(one.record.text))) for row, one in store.stored(rows).items()]
    with closing(sqlite3.connect(":memory:")) as plain:
        plain.execute("CREATE VIRTUAL TABLE plain USING fts5 (terms, tokenize=\"ascii tokenchars '''+#'\")")
        plain.executemany("INSERT INTO plain (rowid, terms) VALUES (?, ?)", texts)
        match = " OR ".join(f'"{term}"' for term in asked.frequencies)
        sql = "SELECT rowid, -bm25(plain) FROM plain WHERE plain MATCH ?"
        theirs = dict(plain.execute(sql, (match,)).fetchall())
    assert theirs
    np.testing.assert_allclose(own, [theirs.get(row, 0.0) for row in rows], rtol=1e-9)


def test_fts5_takes_every_term_for_one(store: SmallStore) -> None:
    """Else its lengths were others than those that are kept."""
    store.add(*TEXTS)
    with store.database.read() as connection:
        partition = partitions.find(connection, USER, "memory")
        assert partition is not None
        held = connection.execute("SELECT term, doc FROM keywords_terms").fetchall()
    expected = Counter(partition.prefix + term for text in TEXTS for term in set(index_terms(text)))
    assert Counter(dict(held)) == expected
    assert (partition.documents, partition.terms) == (len(TEXTS), sum(len(index_terms(t)) for t in TEXTS))


def test_terms_go_with_their_text_and_kinds_have_a_partition_each(world: World) -> None:
    lexical = KeywordIndex()
    memory, said = world.add("the cat"), world.say("the dog")

    def put(tx: Transaction) -> None:
        lexical.put(tx, "u", memory, "the cat")
        lexical.put(tx, "u", said, "the dog")

    world.database.write(put)
    with world.database.read() as connection:
        assert keyword_check.differences(connection) == []
        assert forward_index.load(connection, [said, memory]).rows.tolist() == [memory, said]
        assert lexical.read(connection, "u", "dog", "memory") is None
        assert lexical.read(connection, "u", "dog", "turn") is not None
    world.database.write(lambda tx: lexical.remove(tx, "u", memory, "the cat"))
    with world.database.read() as connection:
        assert forward_index.load(connection, [said, memory]).rows.tolist() == [said]
    world.database.write(lambda tx: lexical.forget_user(tx, "u"))
    with world.database.read() as connection:
        assert forward_index.load(connection, [said, memory]).rows.tolist() == []
