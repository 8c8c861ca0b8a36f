from __future__ import annotations

import itertools
from difflib import SequenceMatcher
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.language import text_diff as text_diff_module
from memoryd.language.text_diff import readable, text_diff, words

PARTS = st.sampled_from(
    [
        "主人",
        "住在",
        "北京",
        "上海",
        "不",
        "喜欢",
        "。",
        "！",
        " ",
        "\n",
        "I ",
        "live",
        "don't",
        "C盘",
        "😀",
        "é",
    ]
)
texts = st.lists(PARTS, max_size=30).map("".join) | st.text(max_size=30)


@pytest.mark.parametrize(
    ("a", "b", "line"),
    [
        ("主人住在北京", "主人住在上海", "主人住在[-北京-]{+上海+}"),
        ("主人上海见", "主人上午见", "主人上[-海-]{+午+}见"),
        ("主人喜欢拉面", "主人不喜欢拉面", "主人{+不+}喜欢拉面"),
        ("我明天去", "我去", "我[-明天-]去"),
        (
            "I live in a big red house",
            "I live in small blue house",
            "I live in [-a big red-]{+small blue+} house",
        ),
        ("I don't know", "I do know", "I [-don't-]{+do+} know"),
        ("在C盘", "在D盘", "在[-C-]{+D+}盘"),
        ("好👍🏽", "好👍🏿", "好[-👍🏽-]{+👍🏿+}"),
        ("same", "same", "same"),
        ("", "new", "{+new+}"),
        ("old", "", "[-old-]"),
        ("", "", ""),
    ],
)
def test_a_difference_keeps_words_and_graphemes_whole(a: str, b: str, line: str) -> None:
    assert readable(text_diff(a, b)) == line


@given(texts, texts)
def test_the_pieces_are_the_two_texts(a: str, b: str) -> None:
    pieces = text_diff(a, b)
    assert "".join(one.a for one in pieces) == a
    assert "".join(one.b for one in pieces) == b
    for one in pieces:
        assert (one.op == "equal") == (one.a == one.b)
        assert (one.op == "insert") == (not one.a)
        assert (one.op == "delete") == (not one.b)
    assert all(x.op != "equal" or y.op != "equal" for x, y in itertools.pairwise(pieces))


@given(texts)
def test_words_are_the_text_and_equal_texts_have_no_change(text: str) -> None:
    assert "".join(words(text)) == text
    assert [one.op for one in text_diff(text, text)] == (["equal"] if text else [])


def test_long_stretches_without_a_change_are_cut_short() -> None:
    long = "a quiet sentence that goes on. " * 10
    line = readable(text_diff(f"{long}old {long}", f"{long}new {long}"))
    assert "[-old-]{+new+}" in line
    assert line.startswith("…")
    assert line.endswith("…")
    assert len(line) < 100


def test_a_changed_word_in_a_long_text_is_found() -> None:
    sentences = [f"第{n}天，主人去了第{n}个地方。" for n in range(20_000)]
    changed = [*sentences]
    changed[12_345] = "第12345天，主人在家。"
    pieces = text_diff("".join(sentences), "".join(changed))
    assert [(one.a, one.b) for one in pieces if one.op != "equal"] == [("去了第12345个地方", "在家")]


def test_long_texts_without_anything_in_common_are_replaced_as_a_whole() -> None:
    a, b = "x" + " x" * 50_000, "y" + " y" * 50_000
    assert [(one.op, one.a, one.b) for one in text_diff(a, b)] == [("replace", a, b)]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("a " * 990, "b a a " * 330),
        ("".join(f"a b a a x{n} " * 60 for n in range(40)), "".join(f"b a b x{n} " * 60 for n in range(40))),
        (
            "".join(f"s{n} {'a b ' * 90}" for n in range(300)),
            "".join(f"s{n} {'b a a ' * 60}" for n in range(300)),
        ),
    ],
)
def test_texts_of_the_same_few_words_are_not_pondered_over(
    a: str, b: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = _work_of(monkeypatch)
    pieces = text_diff(a, b)
    assert ("".join(one.a for one in pieces), "".join(one.b for one in pieces)) == (a, b)
    assert sum(work) <= 20_000_000


def test_texts_without_a_word_in_common_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    work = _work_of(monkeypatch)
    assert [one.op for one in text_diff("主人 住在 北京 喜欢 拉面", "红黄 蓝绿 春夏")] == ["replace"]
    assert work == []


def _work_of(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Of every comparison, once made, pairs of equal words times the words of the shorter one."""
    done: list[int] = []

    def noted(mark: Any, a: list[str], b: list[str], autojunk: bool) -> SequenceMatcher[str]:
        done.append(sum(one == other for one in a for other in b if not mark(one)) * min(len(a), len(b)))
        return SequenceMatcher(mark, a, b, autojunk=autojunk)

    monkeypatch.setattr(text_diff_module, "SequenceMatcher", noted)
    return done
