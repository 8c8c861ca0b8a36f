"""What a wish to forget means, of what a search finds."""

from __future__ import annotations

import pytest

from memoryd.core.record import Record
from memoryd.engine.deletion.forget_preview import is_meant
from memoryd.language.query_match import contains_query, shares_words, topic
from memoryd.retrieval.ranking.fuse import Fused
from memoryd.retrieval.results.hits import FoundRecord


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("花生", "花生"),
        ("关于前女友的事", "前女友"),
        ("忘掉关于花生的一切", "花生"),
        ("我的猫", "猫"),
        ("Forget everything about Tom", "Tom"),
        ("主人", "主人"),
        ("everything", "everything"),
        ("的确", "的确"),
    ],
)
def test_a_query_is_what_is_left_of_a_wish(query: str, left: str) -> None:
    assert topic(query) == left


@pytest.mark.parametrize(
    ("query", "text", "says", "shares"),
    [
        ("花生", "主人对花生过敏", True, True),
        ("花生过敏", "对花生有过敏反应", True, True),
        ("对花生过敏", "花生过敏", True, True),
        ("喜欢喝可乐", "主人喜欢喝咖啡", False, True),
        ("不喜欢猫", "主人喜欢猫", False, True),
        ("5月3日", "主人的生日是5月3日", True, True),
        ("5月3日", "主人的生日是3月5日", False, True),
        ("C盘", "D盘坏了", False, True),
        ("peanuts", "I ate a peanut", True, True),
        ("my boss Susan", "My boss is called Tom", False, True),
        ("the", "a cat", False, False),
        ("上下", "主人住在上海", False, False),
        ("zzzqqq", "主人住在上海", False, False),
        ("!!", "!!", False, False),
        ("😀", "好😀", True, True),
        ("花生", "", False, False),
    ],
)
def test_words_tell(query: str, text: str, says: bool, shares: bool) -> None:
    assert (contains_query(query, text), shares_words(query, text)) == (says, shares)


def hit(text: str, score: float, source: str = "semantic", keys: tuple[str, ...] = ()) -> FoundRecord:
    record = Record("mem_1", "u", text, 0.0, 0.0, 0.0, 0.0, exact_keys=keys)
    return FoundRecord(record, Fused(1, score, raw={source: 0.8}))


@pytest.mark.parametrize(
    ("query", "found", "best", "meant"),
    [
        ("电话号码", hit("主人的手机号是13800001111", 0.228), 0.228, True),
        ("电话号码", hit("主人的手机号是13800001111", 0.05), 0.05, False),
        ("喝茶", hit("主人喜欢喝咖啡", 0.07), 0.338, False),
        ("喜欢喝茶", hit("主人喜欢喝咖啡", 0.5), 0.5, False),
        ("my dog Max", hit("Rex barks", 0.5), 0.5, False),
        ("电话号码", hit("主人的手机号是13800001111", 1.0, "lexical"), 1.0, False),
        ("小明", hit("他是主人的同事", 0.0, keys=("小明",)), 1.0, True),
        ("mem_1", hit("anything", 0.0), 1.0, True),
    ],
)
def test_nearness_tells_where_words_do_not(query: str, found: FoundRecord, best: float, meant: bool) -> None:
    assert is_meant(query, found, best) is meant
