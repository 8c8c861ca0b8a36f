"""What a query asks, read by rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_client.types import Intent
from memoryd.language.query.commands import find_command
from memoryd.language.query.understanding import MAX_CHARACTERS, Understanding, understand
from memoryd.retrieval.plan import STRATEGIES

LABELS = Path(__file__).parents[2] / "scripts" / "evaluation" / "labels" / "intents.json"

COMMANDS: list[tuple[str, str]] = [
    ("总结总结", "summarize"),
    ("请回顾一下我们昨天聊了什么", "summarize"),
    ("帮我总结一下我们聊了什么？", "summarize"),
    ("把今天的谈话归纳一下", "summarize"),
    ("Please recap our discussion.", "summarize"),
    ("write me a short summary", "summarize"),
    ("删除所有聊天记录", "clear"),
    ("把上下文清了吧", "clear"),
    ("把對話重置", "clear"),
    ("开启一个新的会话", "clear"),
    ("erase the entire chat history, please", "clear"),
    ("Let's start over", "clear"),
    ("忘掉我的电话号码", "forget"),
    ("你把那件事忘了吧", "forget"),
    ("erase all memories of my old job", "forget"),
    ("Would you please forget about my diet", "forget"),
    ("记一下：车停在B2", "remember"),
    ("记住我不吃香菜", "remember"),
    ("note: the spare key is under the mat", "remember"),
    ("Keep in mind that I work nights", "remember"),
]
NO_COMMANDS = [
    "总结大会在哪开",
    "你总结得怎么样",
    "清空了吗",
    "我清空了冰箱",
    "清空我的日程",
    "我忘了密码",
    "忘记带伞那天下雨了",
    "忘掉一个人很难",
    "你忘了我的名字吗",
    "你记住了吗",
    "你要总结一下吗？",
    "记得给妈妈打电话",
    "重新开始工作是什么时候",
    "删除了哪些照片",
    "summary",
    "Recap of the meeting",
    "Was the recap any good?",
    "Clear the table",
    "Could you clear this up for me?",
    "Delete the last message",
    "I forgot my keys",
    "forget about it",
    "Remember me?",
    "remember to buy milk",
    "Can you remember my favourite color?",
    "Resetting the router helped?",
    "Why should I forget him?",
    "What did you note down?",
]
INTENTS = [
    ("我和小明谁年纪大", "fact"),
    ("生活过得如何", "fact"),
    ("你们怎么认识的", "fact"),
    ("What does Tom look like", "fact"),
    ("How did she feel about the trip", "fact"),
    ("我为什么喜欢她", "reasoning"),
    ("咖啡对我的睡眠有影响吗", "reasoning"),
    ("Should I take the job in Berlin?", "reasoning"),
    ("is he better for the role than Ann", "reasoning"),
    ("我平时爱看什么书", "preference"),
    ("給我推薦幾本書", "preference"),
    ("What should I cook tonight", "preference"),
    ("is Ben a fan of jazz", "preference"),
    ("关于怎样减压，我说过什么", "fact"),
    ("他是怎样的人", "fact"),
    ("What class teaches how to bake", "fact"),
    ("怎么去机场", "skill"),
    ("教我煮饭", "skill"),
    ("忘记密码了怎么办", "skill"),
    ("how can I fix the tap", "skill"),
    ("an easy recipe for bread", "skill"),
    ("然后呢", "contextual"),
    ("这个怎么样", "contextual"),
    ("what did we discuss yesterday?", "contextual"),
    ("go on", "contextual"),
]
FOCUS = [
    ("谁和谁吵架了", "person"),
    ("你还记得我说过要去哪旅行吗", "place"),
    ("我最喜欢哪家餐厅", "place"),
    ("妈妈的生日", "time"),
    ("我们认识多长时间了", "time"),
    ("她多大了", "number"),
    ("养了几只猫", "number"),
    ("他的工作是什么来着", "thing"),
    ("她为何生气", "reason"),
    ("我吃不吃辣", "yes_no"),
    ("我问过你想不想去，你怎么答的，去了哪里", "place"),
    ("你说过哪几种办法", "thing"),
    ("我在哪两天加班", "time"),
    ("一共几个人，谁付的钱", "person"),
    ("随便聊聊", "other"),
    ("Whose dog is it", "person"),
    ("Can you tell me where Ann works?", "place"),
    ("Which town was she born in", "place"),
    ("When Tom left, what did Maria say?", "thing"),
    ("At what time do I get up", "time"),
    ("how far is the lake", "number"),
    ("How many weeks did it take", "time"),
    ("What is his number one wish", "thing"),
    ("What was the price of the sofa", "number"),
    ("what made him leave", "reason"),
    ("Is Tom coming or not", "yes_no"),
    ("Is it red or blue", "thing"),
    ("how does Tom get to work", "other"),
]


@pytest.mark.parametrize(("query", "command"), COMMANDS)
def test_an_imperative_that_is_the_whole_message_is_a_command(query: str, command: str) -> None:
    assert understand(query).command == command


@pytest.mark.parametrize("query", NO_COMMANDS)
def test_what_only_looks_like_a_command_is_none(query: str) -> None:
    assert understand(query).command is None


def test_a_long_message_is_no_command() -> None:
    assert understand("Summarize " + "this and that " * 30).command is None


@pytest.mark.parametrize(("query", "intent"), INTENTS)
def test_intents(query: str, intent: str) -> None:
    assert understand(query).intent == intent


@pytest.mark.parametrize(("query", "focus"), FOCUS)
def test_the_kind_of_answer(query: str, focus: str) -> None:
    assert understand(query).focus == focus


def test_the_labelled_queries_of_the_tuning_half() -> None:
    queries = json.loads(LABELS.read_text(encoding="utf-8"))["queries"]
    tuning = [one for one in queries if one["split"] == "tuning"]
    for part in ("intent", "command", "focus"):
        right = sum(getattr(understand(one["query"]), part) == one[part] for one in tuning)
        assert right >= 0.95 * len(tuning), part


@pytest.mark.parametrize(
    ("query", "keywords"),
    [
        ("小红最喜欢的拉面店在哪里？", ("小红最喜欢", "拉面店")),
        ("我在上海的地址", ("上海", "地址")),
        ("What's Maria's favourite Ramen shop?", ("Maria's", "favourite", "Ramen", "shop")),
        ("dog Dog DOG", ("dog",)),
        ("我的猫", ("猫",)),
        ("Did you tell me about C++ in 2024?", ("C++", "2024")),
        ("什么时候", ()),
        ("who are you", ()),
    ],
)
def test_keywords_stand_as_in_the_query(query: str, keywords: tuple[str, ...]) -> None:
    assert understand(query).keywords == keywords


def test_words_of_time_are_no_keywords_or_names_when_the_caller_read_them() -> None:
    assert understand("上周三我和谁吃饭").keywords == ("上周三", "吃饭")
    assert understand("上周三我和谁吃饭", ("上周三",)).keywords == ("吃饭",)
    assert understand("where was I on Boxing Day", ("Boxing Day",)).names == ()
    assert understand("last May", ("last May",)).reason == ""


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("What did Caroline say to Dr. Smith in New York?", ("Caroline", "Dr. Smith", "New York")),
        ("Caroline's plans", ("Caroline",)),
        ("Who is it?", ()),
        ("Summarize I said on Monday in May", ()),
        ("WHERE IS MY KEY", ()),
        ("Vincent van Gogh", ("Vincent van Gogh",)),
        ("《三体》和《活着》哪本好看", ("三体", "活着")),
        ("¿Where did Zoë meet Émile?", ("Zoë", "Émile")),
    ],
)
def test_names(query: str, names: tuple[str, ...]) -> None:
    assert understand(query).names == names


def test_quoted_phrases() -> None:
    found = understand('who said "see you soon" and “再见” or 「明天見」 or 『好』 or "open')
    assert found.phrases == ("see you soon", "再见", "明天見", "好")
    assert not found.hyde


def test_short_and_vague_queries_may_be_expanded() -> None:
    assert understand("拉面").hyde
    assert understand("tell me more").hyde
    assert understand("holiday plans").hyde
    assert not understand("What did the plumber say about the broken kitchen tap?").hyde
    assert not understand("总结一下").hyde
    assert not understand("...").hyde


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("？！…", "only punctuation"),
        ("???", "only punctuation"),
        ("的", "single character"),
        ("a", "single character"),
        ("who are you", "only stop words"),
        ("我是谁", "only stop words"),
        ("😀", "only signs"),
        ("привет как дела", "Chinese and English"),
        ("مرحبا بالعالم", "Chinese and English"),
    ],
)
def test_what_little_a_query_holds_is_said(query: str, reason: str) -> None:
    found = understand(query)
    assert reason in found.reason
    assert (found.command, found.phrases, found.names) == (None, (), ())


def test_an_ordinary_query_has_nothing_to_say() -> None:
    assert understand("Where did Maria go?").reason == ""
    assert understand("小红去了哪里").reason == ""


@pytest.mark.parametrize(
    "piece", ["a", "我 ", "怎么?", "把", "forget ", '"', "《", "A. ", "\ud800", "\0", "?\n", "请"]
)
def test_fifty_thousand_characters_of_anything(piece: str) -> None:
    found = understand((piece * 50_000)[:50_000])
    assert len(found.query) <= MAX_CHARACTERS
    assert len(found.keywords) <= 32


def test_the_same_query_is_read_once() -> None:
    assert understand("Where is my umbrella?") is understand(" Where is my umbrella? ")


@given(st.text())
def test_any_text_is_understood(text: str) -> None:
    found = understand(text)
    assert isinstance(found, Understanding)
    assert all(one and one in text for one in (*found.keywords, *found.phrases))
    assert all(word in text for one in found.names for word in one.split())


WORDS = (
    "请 帮我 把 我们的 对话 聊天记录 总结 一下 清空 忘掉 记住 吗 ？ ， 了 吧 please can you forget summarize"
    " the chat remember that ? . , my"
).split()


@given(st.lists(st.sampled_from(WORDS), max_size=9))
def test_commands_are_decided_for_any_mixture_of_their_words(words: list[str]) -> None:
    assert find_command(" ".join(words)) in (None, "summarize", "clear", "forget", "remember")


def test_each_intent_has_a_strategy() -> None:
    assert set(STRATEGIES) == set(get_args(Intent))
    assert all(one.primary != one.fallback and 0 < one.weak < 1 for one in STRATEGIES.values())
