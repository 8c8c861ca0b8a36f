"""What sentences tell by rules; how names and predicates are normalised."""

from __future__ import annotations

import time

import pytest

from memory_client.errors import InvalidParameterError
from memoryd.language.triples import (
    Statement,
    extract_statements,
    key_of,
    name_of,
    parse_statement,
    predicate_of,
)
from memoryd.language.triples.extractor import MAX_STATEMENTS, READ_CHARS


def told(text: str, **options: bool) -> list[str]:
    return [
        " ".join(
            filter(
                None,
                (
                    one.subject,
                    "NOT" if one.negation else "",
                    one.predicate,
                    one.object,
                    one.frequency and f"[{one.frequency}]",
                    one.condition and f"({one.condition})",
                ),
            )
        )
        for one in extract_statements(text, **options)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("主人喜欢拉面", ["user likes 拉面"]),
        ("主人的生日是5月3日", ["user born_on 5月3日"]),
        ("小明是主人的同事", ["小明 colleague_of user"]),
        ("小明住在上海，喜欢爬山。", ["小明 lives_in 上海", "小明 likes 爬山"]),
        ("我妹妹叫小雨，今年十二岁", ["小雨 sister_of user", "小雨 age 十二"]),
        ("我養了一隻叫豆豆的橘貓。", []),
        (
            "我养了一只叫豆豆的橘猫。豆豆很怕吸尘器。",
            ["user has_pet 豆豆", "豆豆 is_a 橘猫", "豆豆 fears 吸尘器"],
        ),
        ("用户对青霉素过敏，对芒果不过敏", ["user allergic_to 青霉素", "user NOT allergic_to 芒果"]),
        ("我从不抽烟，偶尔喝一点红酒", ["user NOT does 抽烟", "user drinks 红酒 [偶尔]"]),
        ("下班后我会去健身房锻炼", ["user does 去健身房锻炼 (下班后)"]),
        ("我以前喜欢踢足球，现在喜欢打篮球", ["user likes 打篮球"]),
        ("I live in Beijing", ["user lives_in Beijing"]),
        ("The user's birthday is on 3 May 1990.", ["user born_on 3 May 1990"]),
        ("My brother Tom is a chef in Paris.", ["Tom brother_of user", "Tom works_as chef"]),
        ("I have a cat called Mimi. She is afraid of thunder.", None),
        ("I usually drink coffee after lunch.", ["user drinks coffee [usually] (after lunch)"]),
        ("I'm not allergic to cats, but I have asthma.", None),
        ("I work for Google as a data scientist.", ["user works_at Google", "user works_as data scientist"]),
        ("Anna is Tom's sister.", ["Anna sister_of Tom"]),
        ("我有一只猫，叫咪咪", ["咪咪 is_a 猫", "user has_pet 咪咪"]),
        ("我不喝酒也不抽烟", ["user NOT drinks 酒", "user NOT does 抽烟"]),
        ("每当下雨时，我都会喝热茶", ["user drinks 热茶 (每当下雨时)"]),
        ("我男朋友是程序员，叫阿强", ["user's boyfriend works_as 程序员", "阿强 boyfriend_of user"]),
        ("周杰伦是我最喜欢的歌手", ["user favorite_singer 周杰伦"]),
        ("I was born on July 4, 1990 in Boston.", ["user born_on July 4, 1990", "user born_in Boston"]),
        ("I was born in Paris in 1985.", ["user born_in Paris", "user born_on 1985"]),
        ("I've been living in Tokyo since 2015.", ["user lives_in Tokyo"]),
        ("I work at a bank as a teller.", ["user works_as teller"]),
    ],
)
def test_a_plain_sentence_tells_what_it_says(text: str, expected: list[str] | None) -> None:
    if expected is None:
        assert len(extract_statements(text)) >= 2
    elif expected:
        assert told(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "我喜欢什么？",
        "如果我住在巴黎，我就天天喝咖啡",
        "我梦见我养了一只老虎",
        "我想养一只狗",
        "帮我查一下天气",
        "听说小明喜欢小红",
        "我昨天吃了拉面",
        "小明说他喜欢跑步",
        "我以前住在上海",
        "Do I like tea?",
        "If I were rich, I would live in Hawaii.",
        "I wish I had a dog.",
        "I dreamt that I own a castle.",
        "Call my mother.",
        "Tom said he likes tea.",
        "I used to live in Rome.",
        "Maybe I like him.",
        "I love it.",
        "",
        "。。。",
        "……",
    ],
)
def test_what_is_not_plainly_said_tells_nothing(text: str) -> None:
    assert told(text) == []


def test_the_first_person_is_the_user_only_where_the_user_speaks() -> None:
    text = "我喜欢拉面。用户住在北京。I like tea. The user speaks French."
    assert len(told(text)) == 4
    assert told(text, by_user=False) == ["user lives_in 北京", "user speaks French"]


def test_a_long_text_is_read_at_its_beginning_and_in_linear_time() -> None:
    long = "".join(f"我喜欢第{i}号歌。" for i in range(50_000))
    started = time.perf_counter()
    found = extract_statements(long)
    seconds = time.perf_counter() - started
    assert len(found) == MAX_STATEMENTS
    assert extract_statements("嗯。" * READ_CHARS + "我喜欢拉面。") == []
    assert seconds < 5  # not a speed, a bound: minutes would be another order of growth


@pytest.mark.parametrize(
    "text", ["我" * 50_000, "I like " * 20_000, "a, " * 30_000, "的" * 4_000 + "喜欢", "和" * 300]
)
def test_monstrous_sentences_are_passed_over(text: str) -> None:
    assert len(extract_statements(text)) <= MAX_STATEMENTS


def test_a_credential_is_no_name() -> None:
    assert told("我喜欢[secret:api_key]。我喜欢拉面。") == ["user likes 拉面"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("我", "主人"),
        ("用户", "The user"),
        ("I", "me"),
        ("小明", " 《小明》 "),
        ("北京海淀區", "北京海淀区"),
        ("The Beatles", "beatles"),
        ("ＡＢＣ", "abc"),
        ("张伟先生", "张伟"),
        ("Mr. John Smith", "john smith"),
        ("我妈妈", "my mom"),
        ("主人的妹妹", "user's sister"),
    ],
)
def test_spellings_of_one_name(first: str, second: str) -> None:
    assert key_of(first) == key_of(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [("王先生", "王女士"), ("小明", "小红"), ("Mr. Smith", "Mrs. Smith"), ("我妈妈", "我"), ("C", "C++")],
)
def test_names_of_different_things(first: str, second: str) -> None:
    assert key_of(first) != key_of(second)


def test_a_name_is_kept_as_it_was_written() -> None:
    assert name_of("  “Ella Fitzgerald” ") == "Ella Fitzgerald"
    assert name_of("主人") == "user"
    assert name_of("我妈妈") == "user's mother"
    for number in ("-5", "-5°C", "-.5", ".5", "5"):
        assert name_of(number) == name_of(f" “{number}”. ") == number
        assert key_of(f"({number})") == key_of(number) == number.casefold()
    assert name_of("- 5") == name_of("——5") == "5"


@pytest.mark.parametrize("nothing", ["“”", "《》", "…", "---", " () "])
def test_punctuation_is_no_name(nothing: str) -> None:
    for parts in ((nothing, "likes", "tea"), ("Anna", "likes", nothing)):
        with pytest.raises(InvalidParameterError, match="empty"):
            parse_statement(*parts)


def test_a_compatibility_character_is_chinese() -> None:
    assert parse_statement("我", "\uf900", "我").language == "zh"  # folds to 岂


def test_a_predicate_that_nobody_sees_is_refused() -> None:
    for predicate in ("_", "_\U00018cd6"):
        with pytest.raises(InvalidParameterError, match="predicate"):
            parse_statement("a", predicate, "b")


def test_the_words_of_a_statement_are_those_of_the_text() -> None:
    text = "I'm not allergic to cats, but I have asthma."
    assert [one.words for one in extract_statements(text)] == [text, "I have asthma"]
    assert [one.words for one in extract_statements("小明住在上海，喜欢爬山。")] == [
        "小明住在上海",
        "喜欢爬山",
    ]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("喜欢", ("likes", False)),
        ("不喜欢", ("likes", True)),
        ("does not like", ("likes", True)),
        ("Lives In", ("lives_in", False)),
        ("生日是", ("born_on", False)),
        ("同事", ("colleague_of", False)),
        ("最喜欢的颜色", ("favorite_color", False)),
        ("invented", ("invented", False)),
        ("师从", ("师从", False)),
    ],
)
def test_predicates(word: str, expected: tuple[str, bool]) -> None:
    found = predicate_of(word)
    assert (found.key, found.is_negated) == expected


def test_a_negated_word_is_the_predicate_negated() -> None:
    assert parse_statement("我", "不喜欢", "香菜") == Statement("user", "likes", "香菜", negation=True)
    assert parse_statement("我", "不喜欢", "香菜", negation=True) == Statement("user", "likes", "香菜")


@pytest.mark.parametrize("fault", ["", "  ", "\u200b", "a\nb", "a\0", "x" * 201, "人" * 67, "\ud800"])
@pytest.mark.parametrize("place", ["subject", "predicate", "object", "frequency", "condition"])
def test_what_cannot_be_part_of_a_statement(place: str, fault: str) -> None:
    parts = {"subject": "a", "predicate": "b", "object": "c", place: fault}
    with pytest.raises(InvalidParameterError, match=place):
        parse_statement(**parts)


def test_statements_in_other_spellings_are_one() -> None:
    first = Statement("主人", "likes", "《三体》", frequency="每天")
    assert first.identity == Statement("user", "likes", "三體", frequency="每天").identity
    assert first.identity != Statement("user", "likes", "三体").identity
    assert first.identity != Statement("user", "likes", "三体", True, "每天").identity


@pytest.mark.parametrize(
    "text",
    [
        "我叫小明帮我买了菜",
        "大家叫我别担心",
        "我的妹妹比我小三岁",
        "我怕来不及",
        "我不喜欢的事很多",
        "我是大三学生的家长",
        "I like to think so.",
        "I can see that.",
        "My job is stressful.",
        "Sounds like a plan.",
        "Blogging can really make a difference.",
    ],
)
def test_what_only_looks_like_a_statement(text: str) -> None:
    assert told(text) == []
