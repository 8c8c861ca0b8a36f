"""Which texts say the same."""

from __future__ import annotations

from collections.abc import Sequence, Set

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.language import near_duplicates
from memoryd.language.near_duplicates import DuplicateGroups, are_near_duplicates

SAME = [
    # Chinese: punctuation, spacing, width, script, particles, politeness, numerals, dates
    ("我对花生过敏", "我对花生过敏。"),
    ("我对花生过敏", "我 对 花生 过敏！！"),
    ("我喜歡吃拉麵", "我喜欢吃拉面"),
    ("我喜欢吃拉面", "我喜欢吃拉面呀"),
    ("我喜欢吃拉面", "我真的很喜欢吃拉面"),
    ("我戒烟了", "我戒烟"),
    ("请帮我记一下密码", "帮我记密码"),
    ("您住在北京", "你住在北京"),
    ("我有三只猫", "我有3只猫"),
    ("我有１只狗", "我有一只狗"),
    ("房租是两千五百元", "房租是2500元"),
    ("生日是5月3日", "生日是五月三号"),
    ("2026年5月3日搬家", "2026-05-03搬家"),
    ("我昨天去了医院", "昨天我去了医院"),
    ("会议在下午三点", "会议在15:00"),
    ("下周一开会", "下星期一开会"),
    ("你喜欢猫吗？", "你喜欢猫吗"),
    ("妈妈住在上海", "母亲住在上海"),
    ("《三体》很好看", "三体好看"),
    ("排第三", "排第3"),
    # English
    ("I am allergic to peanuts.", "I'm allergic to peanuts"),
    ("I am allergic to peanuts", "i am   allergic to PEANUTS!"),
    ("I don't like tea", "I do not like tea"),
    ("I can't swim", "I cannot swim"),
    ("I have two cats", "I have 2 cats"),
    ("My birthday is May 3", "my birthday is 3 May"),
    ("My birthday is on May 3rd, 1990", "my birthday is the 3rd of May 1990"),
    ("The rent is $1,200", "rent is $1200"),
    ("I really like ramen", "I like ramen"),
    ("We met yesterday in Rome", "Yesterday we met in Rome"),
    ("The meeting is at 3 pm", "the meeting is at 3:00 p.m."),
    ("I go on Mondays", "I go on monday"),
    ("My mom lives in Oslo", "my mother lives in Oslo"),
    ("Please call the plumber", "Call the plumber, thanks"),
    ("It's raining", "It is raining"),
    ("The café is closed", "the cafe is closed"),
    ("He finished third", "He finished 3rd"),
    ("Is Tom coming?", "is Tom coming ?"),
]
DIFFERENT = [
    # polarity
    ("我对花生过敏", "我对花生不过敏"),
    ("我喜欢拉面", "我讨厌拉面"),
    ("我吃肉", "我没吃肉"),
    ("我去过日本", "我没有去过日本"),
    ("这个菜无糖", "这个菜有糖"),
    ("别告诉小明", "告诉小明"),
    ("I like tea", "I don't like tea"),
    ("I like tea", "I dislike tea"),
    ("I eat meat", "I never eat meat"),
    ("I smoke", "I no longer smoke"),
    ("I like tea but not coffee", "I like coffee but not tea"),
    ("I don't like tea but I like coffee", "I like tea but I don't like coffee"),
    ("我不喜欢茶但喜欢咖啡", "我喜欢茶但不喜欢咖啡"),
    # numbers
    ("我有三只猫", "我有两只猫"),
    ("房租三千", "房租三万"),
    ("I have two cats and three dogs", "I have three cats and two dogs"),
    ("It costs 3.5 dollars", "It costs 35 dollars"),
    ("It was -5 degrees", "It was 5 degrees"),
    ("他排第三", "他排三"),
    ("The first attempt failed", "The second attempt failed"),
    # dates and times
    ("生日是5月3日", "生日是5月13日"),
    ("我昨天去了医院", "我今天去了医院"),
    ("下周一开会", "下周二开会"),
    ("上周一开会", "下周一开会"),
    ("会议在下午三点", "会议在上午三点"),
    ("I left on May 3", "I left on May 13"),
    ("I left on Monday", "I left on Tuesday"),
    ("I left in March", "I left in April"),
    ("In May we were in Paris and in June in Rome", "In June we were in Paris and in May in Rome"),
    ("See you at 3pm", "See you at 3am"),
    # names and persons
    ("小明喜欢拉面", "小红喜欢拉面"),
    ("小明喜欢小红", "小红喜欢小明"),
    ("我住在巴黎", "我住在罗马"),
    ("小明喜欢拉面", "小明妈妈喜欢拉面"),
    ("我喜欢拉面", "他喜欢拉面"),
    ("《三体》我看完了", "《活着》我看完了"),
    ("I live in Paris", "I live in Rome"),
    ("i live in paris", "i live in rome"),
    ("Tom owes Anna money", "Anna owes Tom money"),
    ("I gave her the book", "She gave me the book"),
    ("I like ramen", "My sister likes ramen"),
    ("the dog bit the man", "the man bit the dog"),
    # tense, mood, content
    ("我去过巴黎", "我想去巴黎"),
    ("I was a vegetarian", "I am a vegetarian"),
    ("You like cats.", "Do you like cats?"),
    ("你喜欢猫", "你喜欢猫吗"),
    ("我喜欢拉面", "我喜欢拉面和饺子"),
    ("I like ramen", "I like ramen museums"),
    ("I bought a red car", "I bought a blue car"),
    ("嗯", "哦"),
    ("👍", "👎"),
    ("我吃了拉面", ""),
    ("", "..."),
]
LONG = "On our holiday we walked along the quiet river for hours and ate bread with cheese near the old mill"


@pytest.mark.parametrize(("a", "b"), SAME)
def test_the_same_said_twice(a: str, b: str) -> None:
    assert are_near_duplicates(a, b)
    assert are_near_duplicates(b, a)


@pytest.mark.parametrize(("a", "b"), DIFFERENT)
def test_two_statements_however_near(a: str, b: str) -> None:
    assert not are_near_duplicates(a, b)
    assert not are_near_duplicates(b, a)


def test_a_long_text_may_have_a_few_words_more_but_no_name_number_or_negation() -> None:
    assert are_near_duplicates(LONG, LONG.replace("old mill", "lovely old mill"))
    assert not are_near_duplicates(LONG, LONG.replace("old mill", "old mill near Bern"))
    assert not are_near_duplicates(LONG, LONG.replace("hours", "3 hours"))
    assert not are_near_duplicates(LONG, LONG.replace("ate", "never ate"))
    assert not are_near_duplicates(
        LONG, LONG + " with tired donkeys sleeping beside green bottles, wooden boats and tall willows"
    )


def test_texts_too_long_to_be_read_agree_when_they_are_one_text() -> None:
    text = "我有三只猫。" * 1000
    assert are_near_duplicates(text, text.replace("。", "。\n").replace("\n", ""))
    assert are_near_duplicates(text + " a", text + "\na")
    assert not are_near_duplicates(text, text.replace("三", "3"))


def collapse(
    texts: Sequence[str], terms: Sequence[Set[str]], share: float, size: int | None = None
) -> list[list[int]]:
    groups = DuplicateGroups(share)
    for start in range(0, len(texts), size or max(1, len(texts))):
        end = start + (size or len(texts))
        groups.add(texts[start:end], terms[start:end])
    return groups.positions()


def test_groups_keep_the_order_and_compare_with_their_first() -> None:
    texts = ["我有三只猫", "我有两只猫", "我有3只猫。", "I like tea", "我有2只猫"]
    assert collapse(texts, [{"猫"}] * 5, 0.9) == [[0, 2], [1, 4], [3]]
    assert collapse(texts, [{text} for text in texts], 0.9) == [[0], [1], [2], [3], [4]]
    assert collapse([], [], 0.9) == []


WORDS = st.lists(st.sampled_from("红 花 猫 狗 水 山 tea ramen likes very 3 三 没".split()), max_size=14)


@given(st.lists(WORDS, max_size=16), st.sampled_from([0.5, 0.75, 0.9, 1.0]), st.integers(1, 16))
def test_the_groups_are_those_of_comparing_all_with_all(
    words: list[list[str]], share: float, size: int
) -> None:
    texts = [" ".join(each) for each in words]
    terms = [frozenset(each) for each in words]
    expected: list[list[int]] = []
    for at, text in enumerate(texts):
        for group in expected:
            first = group[0]
            both, either = terms[first] & terms[at], terms[first] | terms[at]
            is_near = len(both) / max(1, len(either)) >= share or texts[first] == text
            if is_near and are_near_duplicates(texts[first], text):
                group.append(at)
                break
        else:
            expected.append([at])
    assert collapse(texts, terms, share, size) == expected


def test_a_text_is_compared_with_few_others_however_alike_all_are(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0

    def counted(first: set[str], second: set[str]) -> float:
        nonlocal compared
        compared += 1
        return len(first & second) / len(first | second)

    monkeypatch.setattr(near_duplicates, "_share", counted)
    words = [f"word{number}" for number in range(30)]
    texts = [" ".join([*words, f"own{number}"]) for number in range(500)]
    assert len(collapse(texts, [set(text.split()) for text in texts], 0.9)) == 500
    assert compared <= 16 * 500


def test_what_the_check_raises_ends_the_work() -> None:
    left = iter([True, True])

    def check() -> None:
        if not next(left, False):
            raise TimeoutError

    texts = [f"text {number}" for number in range(1_000)]
    with pytest.raises(TimeoutError):
        DuplicateGroups(0.9).add(texts, [{text} for text in texts], check)


@given(st.text(), st.text())
def test_any_two_texts_get_one_verdict_both_ways(a: str, b: str) -> None:
    assert are_near_duplicates(a, b) == are_near_duplicates(b, a)
    assert are_near_duplicates(a, a)


@given(st.text(alphabet="我你不没三3 月日点5上下周一:.-/aApPmM'thrdnever 0", max_size=60))
def test_any_mixture_of_what_the_reader_knows_is_read(text: str) -> None:
    assert are_near_duplicates(text, f"{text}") is True
    are_near_duplicates(text, f"{text}。")
