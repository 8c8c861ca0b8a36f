"""What the benchmarks store and ask is what they say it is."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from benchmarks.harness import Figure
from benchmarks.texts import COMMON, of_length, queries, texts


def test_texts_are_distinct_and_the_same_for_a_seed() -> None:
    first = texts(500)
    assert len(set(first)) == 500
    assert first == texts(500)
    assert first != texts(500, seed=2)


def test_every_text_has_the_words_said_to_stand_in_every_row() -> None:
    for text in texts(300):
        assert "主人" in text
        assert ("我" in text) != (": I " in text)


def test_words_have_a_long_tail() -> None:
    counts = Counter(word for text in texts(3000) for word in text.replace(";", "").split() if word.islower())
    assert counts.most_common(1)[0][1] > 500
    assert sum(1 for count in counts.values() if count <= 2) > 100


def test_texts_of_a_length() -> None:
    assert {len(text) for text in of_length(60, 100)} == {60}


def test_queries_are_drawn_from_the_texts_and_the_common_words() -> None:
    stored = texts(50)
    everything = " ".join(stored)
    for query in queries(stored, 100):
        assert query in COMMON or query in stored or all(word in everything for word in query.split())
    assert COMMON[0] in queries(stored, 100)


def test_a_figure_is_met_on_its_side_of_the_limit() -> None:
    figure = Figure("x", 3.0, "ms", limit=3.0)
    assert figure.met is True
    assert replace(figure, reached=3.1).met is False
    assert replace(figure, reached=3.1, at_least=True).met is True
    assert replace(figure, limit=None).met is None
