from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memoryd.language.fold import FOLD_VERSION, fold, index_terms, query_terms

TABLE = """CREATE VIRTUAL TABLE t USING fts5 (terms, content='', tokenize="ascii tokenchars '''+#'")"""
ANY_TEXT = st.text(max_size=60)
MIXED = st.text(
    st.sampled_from(
        "我的花生盘頭发 Ｃc+#'’-_.é\u0301ﬁßİ가かガｶﾞ・\u0bbe्สั7٣²\u200d\ufe0f👩👍🏽🇨🇳\x00\t\x85\u2028\U0001fae9"
    ),
    max_size=30,
)


def finds(query: str, text: str) -> bool:
    """Whether every term of the query stands in the text."""
    terms = query_terms(query)
    return bool(terms) and set(terms) <= set(index_terms(text))


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("花生", "主人对花生过敏"),
        ("过敏", "主人对花生过敏"),
        ("猫", "家里有一只猫"),
        ("C盘", "我的C盘满了"),
        ("c盘", "我的Ｃ盘满了"),
        ("Ｃ盘", "C盘"),
        ("iPhone15", "主人的iPhone15坏了"),
        ("iphone15", "ＩＰＨＯＮＥ１５"),
        ("5月13日", "他的生日是5月13日"),
        ("2026-01-03", "on 2026-01-03 we met"),
        ("3.14", "pi is 3.14"),
        ("头发", "她剪了頭髮"),
        ("頭髮", "她剪了头发"),
        ("體育館", "在体育馆门口"),
        ("allergies", "an allergy to peanuts"),
        ("running", "he runs daily"),
        ("dogs", "the dog's bowl"),
        ("CAFÉ", "a cafe\u0301 in Paris"),
        ("naive", "a naïve idea"),
        ("Strasse", "die Straße"),
        ("don't", "I don’t know"),
        ("c++", "he writes C++ and C#"),
        ("C#", "he writes C++ and C#"),
        ("東京", "東京タワー"),
        ("タワー", "東京ﾀﾜｰ"),
        ("ガム", "ｶﾞﾑを噛む"),
        ("김치", "김치찌개를 먹었다"),
        ("हिन्दी", "मेरी भाषा हिन्दी है"),
        ("สวัสดี", "กล่าวว่าสวัสดีครับ"),
        ("Привет", "ПРИВЕТ, мир"),
        ("👩", "family: 👨‍👩‍👧"),
        ("👍", "well done 👍🏽"),
        ("👍🏿", "well done 👍🏽"),
        ("❤️", "我❤你"),
        ("🇨🇳", "from 🇨🇳 to 🇯🇵"),
        ("€", "it costs 5€"),
        ("\U0001fae9", "newer than this Python \U0001fae9"),
        ("𠮷野家", "在𠮷野家吃饭"),
    ],
)
def test_what_is_asked_for_is_in_the_text(query: str, text: str) -> None:
    assert finds(query, text)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("花生", "花了一生"),
        ("生花", "花生"),
        ("C盘", "C 和 盘"),
        ("D盘", "C盘"),
        ("13日", "3日"),
        ("🇨🇭", "🇨🇳🇭🇺"),
        ("👩", "👨"),
        ("cat", "category"),
        ("对花生过敏", "对花粉过敏"),
        ("मन", "मान"),
    ],
)
def test_what_is_not_there_is_not_found(query: str, text: str) -> None:
    assert not finds(query, text)


def test_stop_words_leave_a_query_that_says_more() -> None:
    assert query_terms("what is the name of the dog") == ["name", "dog"]
    assert query_terms("我的猫在哪里") == ["的猫", "猫在", "在哪", "哪里"]


@pytest.mark.parametrize("query", ["I", "what did I do", "the who", "我", "我们的", "是"])
def test_stop_words_alone_are_asked_for(query: str) -> None:
    assert finds(query, f"{query} and more")


@pytest.mark.parametrize("query", ["", "   ", "。，！？", "...", "\u200d\ufe0f", "-_-", "🏽"])
def test_what_has_no_words_asks_for_nothing(query: str) -> None:
    assert query_terms(query) == []


def test_terms_of_a_query_are_distinct_and_those_of_a_text_are_not() -> None:
    assert query_terms("cat cats CAT") == ["cat"]
    assert Counter(index_terms("cat cats CAT"))["cat"] == 3


def test_a_monstrous_word_is_one_short_term() -> None:
    terms = index_terms("x" * 100_000 + "盘")
    assert all(len(term) <= 65 for term in terms)
    assert finds("x" * 100_000, "x" * 100_000)


def test_the_version_names_what_cutting_rests_on() -> None:
    for part in ("Unicode", "OpenCC", "PyStemmer"):
        assert part in FOLD_VERSION


@given(ANY_TEXT | MIXED)
def test_a_query_finds_the_text_it_is(text: str) -> None:
    terms = query_terms(text)
    assert set(terms) <= set(index_terms(text))
    assert len(terms) == len(set(terms))


@given(ANY_TEXT | MIXED)
def test_folding_twice_changes_no_term(text: str) -> None:
    assert index_terms(fold(text)) == index_terms(text)


@pytest.fixture(scope="module")
def fts() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute(TABLE)
        connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab (t, 'row')")
        yield connection


@given(ANY_TEXT | MIXED)
@example("İ' Å ﬃ c++'s ’s")
@example("x" * 70_000)
def test_every_term_comes_back_whole_from_the_tokenizer_and_leaves_nothing(
    fts: sqlite3.Connection, text: str
) -> None:
    terms = index_terms(text)
    fts.execute("INSERT INTO t (rowid, terms) VALUES (1, ?)", (" ".join(terms),))
    held = {term: count for term, _, count in fts.execute("SELECT * FROM v")}
    fts.execute("INSERT INTO t (t, rowid, terms) VALUES ('delete', 1, ?)", (" ".join(index_terms(text)),))
    left = fts.execute("SELECT * FROM v").fetchall()
    assert held == Counter(terms)
    assert left == []
