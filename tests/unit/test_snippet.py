"""The stretch of a text that shows why it was found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.language.fold import query_terms
from memoryd.language.snippet import Snippet, matched_terms, snippet

ENGLISH = (
    "We talked about many things over the years. " * 30
    + "Then Maria said that her sister's wedding would take place in Lisbon, in the old town. "
    + "Nothing else was said that day. " * 30
)
CHINESE = (
    "今天天气不错，我们去公园散步。" * 30 + "后来小红说她最喜欢的电影是《千与千寻》。" + "晚上回家吃饭。" * 40
)


def shown(text: str, query: str, width: int = 160) -> tuple[Snippet, list[str]]:
    found = snippet(text, query_terms(query), width)
    return found, [found.text[a:b] for a, b in found.marks]


def test_a_short_text_is_shown_whole_with_its_matches() -> None:
    found, marks = shown("I loved the Ramen in Paris.\nMy dogs are happy.", "does my happy dog love ramen?")
    assert found.text == "I loved the Ramen in Paris. My dogs are happy."
    assert marks == ["loved", "Ramen", "dogs", "happy"]
    assert (found.start, found.end) == (0, 46)


def test_the_stretch_with_most_terms_begins_with_its_sentence() -> None:
    found, marks = shown(ENGLISH, "When is Maria's wedding in Lisbon?")
    assert found.text.startswith("…Then Maria said")
    assert found.text.endswith(".…")
    assert marks == ["Maria", "wedding", "Lisbon"]


def test_chinese_pairs_are_joined_to_words() -> None:
    found, marks = shown(CHINESE, "小红最喜欢的电影叫什么", 40)
    assert found.text.startswith("…后来小红说她最喜欢的电影是《千与千寻》。")
    assert marks == ["小红", "最喜欢的电影"]


def test_traditional_text_answers_a_simplified_query() -> None:
    _, marks = shown("我喜歡拉麵，昨天去了北京。", "你喜欢拉面吗")
    assert marks == ["喜歡拉麵"]


def test_matched_terms_stand_as_in_the_text_each_once() -> None:
    assert matched_terms("Ramen! ramen, RAMEN and Dogs", "dog ramen") == ["Ramen", "Dogs"]
    assert matched_terms("我喜欢拉面，他也喜欢拉面", "喜欢拉面") == ["喜欢拉面"]
    assert matched_terms("我住在北京", "他在北京上学") == ["北京"]
    assert matched_terms("我的电脑", "你的电影") == []
    assert matched_terms("C盘坏了 👍", "C盘 👍") == ["C盘", "👍"]
    assert matched_terms("anything", "") == []
    assert matched_terms("", "anything") == []


def test_positions_stay_right_where_folding_changes_the_length() -> None:
    found, marks = shown("ﬁne ½ ㎏ Straße café — ends here", "strasse cafe ends")
    assert marks == ["Straße", "café", "ends"]
    assert found.start == 0


def test_without_a_match_it_is_the_beginning() -> None:
    found, marks = shown(ENGLISH, "zebra")
    assert found.text.startswith("We talked")
    assert found.text.endswith("…")
    assert (found.start, marks) == (0, [])


def test_of_equal_stretches_it_is_the_first() -> None:
    found, _ = shown("Ramen is here. " + "Nothing else. " * 40 + "Ramen is there.", "ramen")
    assert found.start == 0


def test_words_are_not_cut() -> None:
    text = "antidisestablishmentarianism internationalisation " * 8 + "needle " + "characteristically " * 20
    found, marks = shown(text, "needle", 60)
    assert marks == ["needle"]
    assert set(found.text.strip("… ").split()) <= set(text.split())
    assert len(found.text) <= 62


@pytest.mark.parametrize(
    ("text", "query", "mark"),
    [
        (ENGLISH * 400, "When is Maria's wedding in Lisbon?", "Maria"),
        ("晚上回家吃饭。" * 130_000 + "小红說她喜歡電影。", "小红喜欢电影", "小红"),
        ("晚上回家吃饭。" * 130_000 + "她看電視劇。", "电视剧", "電視劇"),
        ("no spaces" * 100_000 + " needle", "needle", "needle"),
        ("x" * 1_000_000 + " happy end", "happiness end", "happy"),
        ("a " * 500_000 + "Ramen", "ramen", "Ramen"),
    ],
)
def test_a_million_characters(text: str, query: str, mark: str) -> None:
    found, marks = shown(text, query)
    assert mark in marks
    assert len(found.text) <= 162


@given(
    st.text(
        alphabet=st.sampled_from("ab喜欢拉麵电影。. \n'ﬁ½İé\u0301👍cC盘的") | st.characters(), max_size=120
    ),
    st.text(alphabet=st.sampled_from("ab喜欢拉面电影. 'fi½ié👍c盘的") | st.characters(), max_size=20),
    st.integers(-1, 90),
)
def test_spans_are_right_for_any_text(text: str, query: str, width: int) -> None:
    found, _ = shown(text, query, width)
    assert 0 <= found.start <= found.end <= len(text)
    assert found.end - found.start <= max(width, 1)
    shift = 1 if found.text.startswith("…") and not text[found.start :].startswith("…") else 0
    inner = found.text[shift : shift + found.end - found.start]
    assert len(inner) == found.end - found.start
    assert all(a == b or b.isspace() for a, b in zip(inner, text[found.start : found.end], strict=True))
    ends = [position for span in found.marks for position in span]
    assert ends == sorted(ends)
    assert all(0 <= a < b <= len(found.text) for a, b in found.marks)
    assert all(matched_terms(text, query))
