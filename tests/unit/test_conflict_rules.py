from __future__ import annotations

import math
import re

import pytest

from memory_client.errors import InvalidParameterError
from memoryd.core.times import parse_window
from memoryd.language.conflicts.clauses import read_clauses
from memoryd.language.conflicts.detector import detect_conflict
from memoryd.language.conflicts.types import DatedText, DetectedConflict
from memoryd.language.conflicts.values import times_conflict, values_conflict
from memoryd.language.triples import Statement

YEAR = 365.25 * 86_400
CONFLICTS = [
    ("我抽烟", "我不抽烟", "negation", "medium"),
    ("我叫小明", "我叫小红", "exclusive", "high"),
    ("主人今年28岁", "主人今年30岁", "exclusive", "low"),
    ("主人是老师", "主人是医生", "exclusive", "medium"),
    ("主人的职业是程序员", "主人是一名律师", "exclusive", "medium"),
    ("我来自湖南", "我来自四川", "place", "medium"),
    ("我出生在成都", "我出生在重庆", "place", "medium"),
    ("主人的母语是英语", "主人的母语是中文", "exclusive", "high"),
    ("主人最喜欢的颜色是蓝色", "主人最喜欢的颜色是绿色", "exclusive", "medium"),
    ("我有一个妹妹", "我没有妹妹", "negation", "high"),
    ("我有两个孩子", "我有三个孩子", "number", "high"),
    ("主人有糖尿病", "主人没有糖尿病", "negation", "high"),
    ("主人每天睡6个小时", "主人每天睡8个小时", "number", "low"),
    ("会议在周三下午3点", "会议在周三下午4点", "date", "medium"),
    ("婚礼定在10月1日", "婚礼定在10月2日", "date", "medium"),
    ("小明内向", "小明外向", "antonym", "medium"),
    ("主人觉得新同事很友好", "主人觉得新同事很冷漠", "antonym", "low"),
    ("小李是我的老板", "小王是我的老板", "exclusive", "medium"),
    ("主人的手机号是13800000000", "主人的手机号是13900000000", "number", "medium"),
    ("主人怕狗", "主人不怕狗", "negation", "medium"),
    ("主人在腾讯上班", "主人在阿里上班", "exclusive", "medium"),
    ("主人不喝咖啡", "主人每天喝咖啡", "negation", "medium"),
    ("会说英语", "不会说英语", "negation", "medium"),
    ("主人信任小王", "主人不信任小王", "negation", "medium"),
    ("主人是左撇子", "主人是右撇子", "antonym", "medium"),
    ("主人的航班是早上8点", "主人的航班是晚上8点", "date", "medium"),
    ("我对青霉素过敏", "我对青霉素不过敏", "negation", "high"),
    ("我的药一天吃两次", "我的药一天吃三次", "number", "high"),
    ("我结婚了", "我没有结婚", "negation", "medium"),
    ("我和李雷结婚了", "我和韩梅结婚了", "exclusive", "high"),
    ("I'm 30 years old.", "I'm 32 years old.", "exclusive", "low"),
    ("My name is Anna.", "My name is Kate.", "exclusive", "high"),
    ("I was born on May 3, 1990.", "I was born on May 3, 1991.", "exclusive", "high"),
    ("My birthday is March 4.", "My birthday is on April 4.", "exclusive", "high"),
    ("I'm left-handed.", "I'm right-handed.", "antonym", "medium"),
    ("My favorite color is blue.", "My favorite color is red.", "exclusive", "medium"),
    ("I live in Paris.", "I live in Tokyo.", "place", "medium"),
    ("I work at Google.", "I work at Microsoft.", "exclusive", "medium"),
    ("The meeting is on Tuesday.", "The meeting is on Thursday.", "date", "medium"),
    ("The concert starts at 7 pm.", "The concert starts at 8 pm.", "date", "medium"),
    ("My flight is at 7:30.", "My flight is at 9:15.", "date", "medium"),
    ("I have two kids.", "I have three kids.", "number", "high"),
    ("I have a dog.", "I don't have a dog.", "negation", "medium"),
    ("I am allergic to penicillin.", "I'm not allergic to penicillin.", "negation", "high"),
    ("The user smokes.", "The user doesn't smoke.", "negation", "medium"),
    ("My sister is married.", "My sister is single.", "antonym", "medium"),
    ("The new neighbor is friendly.", "The new neighbor is rude.", "antonym", "low"),
    ("I'm an early bird.", "I'm a night owl.", "antonym", "medium"),
    ("I weigh 70 kg.", "I weigh 75 kg.", "number", "low"),
    ("The wedding is in June.", "The wedding is in August.", "date", "medium"),
    ("I was born in Osaka.", "I was born in Kyoto.", "place", "medium"),
    ("My car is parked in the garage.", "My car is parked on the street.", "place", "medium"),
    ("My native language is Polish.", "My native language is Czech.", "exclusive", "high"),
    ("I'm from Texas.", "I'm from Ohio.", "place", "medium"),
    ("My boss is Linda.", "My boss is Greg.", "exclusive", "medium"),
    ("My wife is Mary.", "My wife is Susan.", "exclusive", "high"),
    ("My dog is 3 years old.", "My dog is 5 years old.", "exclusive", "low"),
    ("I can play the piano.", "I can't play the piano.", "negation", "medium"),
    ("I love my job.", "I hate my job.", "antonym", "medium"),
    ("I sleep early.", "I sleep late.", "antonym", "low"),
    ("My mother is alive.", "My mother passed away.", "antonym", "medium"),
    ("I passed the exam.", "I failed the exam.", "antonym", "medium"),
    ("I take 5 mg of the pill.", "I take 10 mg of the pill.", "number", "high"),
    ("I might be allergic to nuts.", "I'm not allergic to nuts.", "negation", "low"),
    ("We got married in 2015.", "We got married in 2016.", "date", "medium"),
    ("My flight leaves on 3 May.", "My flight leaves on 5 May.", "date", "medium"),
    (
        "My dentist appointment is at 3 pm on Monday.",
        "My dentist appointment is at 4 pm on Monday.",
        "date",
        "medium",
    ),
    ("The user grew up in Lyon.", "The user grew up in Nice.", "place", "medium"),
    ("The meeting will be held in Room 5.", "The meeting will be held in Room 8.", "number", "medium"),
    ("My shoe size is 38.", "My shoe size is 40.", "number", "medium"),
    ("My dog weighs 10 kg.", "My dog weighs 15 kg.", "number", "low"),
    ("My brother is older than me.", "My brother is younger than me.", "antonym", "medium"),
    ("The shop is open on Sundays.", "The shop is closed on Sundays.", "antonym", "medium"),
    ("I have a son.", "I don't have a son.", "negation", "high"),
    ("I have one brother.", "I have two brothers.", "number", "high"),
    ("I am married.", "I am single.", "antonym", "medium"),
    ("My mother is a vegetarian.", "My mother is not a vegetarian.", "negation", "medium"),
    ("I wear glasses.", "I don't wear glasses.", "negation", "medium"),
    ("I have diabetes.", "I don't have diabetes.", "negation", "high"),
    ("He speaks French.", "He doesn't speak French.", "negation", "medium"),
    ("Anna trusts Ben.", "Anna doesn't trust Ben.", "negation", "medium"),
    ("I'm good at math.", "I'm bad at math.", "antonym", "low"),
    ("I'm an introvert.", "I'm an extrovert.", "antonym", "medium"),
    ("I have 300 books.", "I have 500 books.", "number", "medium"),
    ("The trip costs 500 euros.", "The trip costs 800 euros.", "number", "medium"),
    ("I work 40 hours a week.", "I work 60 hours a week.", "number", "medium"),
    ("The user's wife is called Emma.", "The user's wife is called Laura.", "exclusive", "high"),
    ("The user's zodiac sign is Leo.", "The user's zodiac sign is Aries.", "exclusive", "medium"),
    ("The user is a dentist.", "The user is a pilot.", "exclusive", "medium"),
    ("My favourite band is Queen.", "My favourite band is Blur.", "exclusive", "medium"),
    ("I graduated in 2012.", "I graduated in 2014.", "date", "medium"),
    ("My phone number ends in 12.", "My phone number ends in 34.", "number", "medium"),
    ("I quit smoking.", "I smoke every day.", "antonym", "medium"),
    ("I sleep badly.", "I sleep well.", "antonym", "low"),
    ("I've read that book.", "I haven't read that book.", "negation", "medium"),
    ("I believe in ghosts.", "I don't believe in ghosts.", "negation", "medium"),
    ("主人的身高是175厘米", "主人的身高是180厘米", "number", "medium"),
    ("主人的航班是5月2日", "主人的航班是5月3日", "date", "medium"),
    ("考试在周五", "考试在周六", "date", "medium"),
    ("主人的女朋友叫小雅", "主人的女朋友叫小静", "exclusive", "medium"),
    ("主人的老家在四川", "主人的老家在湖南", "place", "medium"),
    ("主人每天喝三杯咖啡", "主人每天喝五杯咖啡", "number", "medium"),
    ("主人结婚三年了", "主人结婚五年了", "number", "medium"),
    ("主人的房子有80平米", "主人的房子有100平米", "number", "medium"),
    ("主人养狗", "主人不养狗", "negation", "medium"),
    ("我戴眼镜", "我不戴眼镜", "negation", "medium"),
    ("主人有驾照", "主人没有驾照", "negation", "medium"),
    ("主人怀孕了", "主人没有怀孕", "negation", "high"),
    ("主人早起", "主人晚起", "antonym", "medium"),
    ("主人的房间很整洁", "主人的房间很乱", "antonym", "low"),
    ("主人同意搬家", "主人反对搬家", "antonym", "medium"),
    ("主人相信星座", "主人不相信星座", "negation", "medium"),
    ("主人的爸爸健在", "主人的爸爸去世了", "antonym", "medium"),
    ("主人考试及格了", "主人考试不及格", "negation", "medium"),
    ("主人觉得这部电影很好看", "主人觉得这部电影很难看", "antonym", "low"),
    ("主人家有三口人", "主人家有五口人", "number", "medium"),
    ("我的电话是13812345678", "我的电话号码是13987654321", "exclusive", "medium"),
    ("主人提到他很喜欢吃辣，尤其是川菜。", "主人说他不喜欢吃辣。", "negation", "medium"),
    ("小明是我的朋友", "小明不是我的朋友", "negation", "medium"),
]
"""One text, the other, type and severity."""
COMPATIBLE = [
    ("主人的猫叫咪咪", "主人的狗叫旺财"),
    ("主人最喜欢的水果是芒果", "主人最喜欢的歌手是周杰伦"),
    ("主人住在北京朝阳", "主人住在北京"),
    ("主人住在中国", "主人住在上海"),
    ("主人喜欢拉面", "主人喜欢寿司"),
    ("小明喜欢狗", "小红不喜欢狗"),
    ("小明说他喜欢狗", "主人不喜欢狗"),
    ("如果下雨我就不去跑步", "我去跑步"),
    ("主人希望自己会游泳", "主人不会游泳"),
    ("我以前抽烟", "我不抽烟"),
    ("主人2015年住在广州", "主人2020年住在深圳"),
    ("主人三年前25岁", "主人今年28岁"),
    ("我喜欢夏天", "我不喜欢冬天"),
    ("主人除了香菜什么都吃", "主人不吃香菜"),
    ("主人有一只猫", "主人有一只狗"),
    ("我和小明是朋友", "我和小红是朋友"),
    ("我周末常去爬山", "我周末常去游泳"),
    ("My favorite color is blue.", "My favorite food is pizza."),
    ("I live in the UK.", "I live in London."),
    ("I'm a teacher.", "I'm a math teacher."),
    ("I'm a teacher.", "I'm a mother."),
    ("I have a dog.", "I don't have a cat."),
    ("The wedding is in June.", "The wedding is on June 14th."),
    ("My wife is tired.", "My wife is happy."),
    ("Tom says he likes cats.", "I don't like cats."),
    ("Anna lives in Rome.", "Ben lives in Milan."),
    ("I hope to move to Spain.", "I live in France."),
    ("I like tea.", "I like coffee."),
    ("I usually eat breakfast.", "I don't eat breakfast on Sundays."),
    ("I used to live in Rome.", "I live in Milan."),
    ("When I was 20 I lived in Oslo.", "I live in Bergen."),
    ("I can play the piano.", "I can't play the guitar."),
    ("If I lived in Rome, I would be happy.", "I don't live in Rome."),
    ("I was 20 in 2015.", "I was 25 in 2020."),
    ("I have been to Iceland.", "I have been to Norway."),
    ("Mark is in love.", "Mark is in Paris."),
    ("I bought a red car.", "I bought a blue bike."),
    ("The user's dog is named Max.", "The user's cat is named Luna."),
    ("I have never been to Japan.", "I went to Japan last year."),
    ("My rent is 1200 dollars.", "My salary is 4000 dollars."),
    ("Does Anna like dogs?", "Anna doesn't like dogs."),
    ("I go to bed at 10 pm.", "I go to bed at midnight."),
    ("The capital of the game is X.", "The capital of the game is Y."),
    ("I prefer mornings.", "I prefer evenings."),
    ("My sister says she hates jazz.", "I like jazz."),
    ("In 2018 I was a student.", "Now I'm a doctor."),
    ("I was 60 kg last year.", "I'm 65 kg now."),
    ("I want a dog.", "I have a cat."),
    ("I play tennis on Mondays.", "I play tennis on Thursdays."),
    ("I like my tea hot.", "I like my coffee cold."),
    ("I have a meeting with Tom on Friday.", "I have a meeting with Ann on Monday."),
    ("Dad lives in Ohio.", "Mom lives in Texas."),
    ("I live in Spain.", "I live in Madrid."),
    ("My son is called Leo.", "My daughter is called Mia."),
    ("I don't eat meat.", "I don't eat pork."),
    ("I never drink coffee after six.", "I drink coffee in the morning."),
    ("I enjoy running.", "I like to run."),
    ("I like dogs more than cats.", "I like cats."),
    ("She might move to Rome.", "She lives in Paris."),
    ("My rent was 900 last year.", "My rent is 1000 now."),
    ("My car is a Honda.", "My wife's car is a Toyota."),
    ("我的车是红色的", "我的车是蓝色的"),
    ("主人的体重是50公斤", "主人的身高是170厘米"),
    ("主人的妈妈住在南京", "主人住在苏州"),
    ("小红喜欢猫", "小明讨厌猫"),
    ("小红说她讨厌猫", "主人喜欢猫"),
    ("主人上周去了上海", "主人上周去了北京"),
    ("主人五年前体重50公斤", "主人现在体重60公斤"),
    ("主人2019年在上海工作", "主人2022年在北京工作"),
    ("主人打算学日语", "主人没有学日语"),
    ("主人平时不喝酒，过年会喝一点", "主人不喝酒"),
    ("主人喜欢听音乐", "主人爱听歌"),
    ("主人会说英语", "主人会说法语"),
    ("主人住在上海", "主人住在上海静安区"),
    ("主人是医生", "主人是外科医生"),
    ("主人的弟弟是程序员", "主人是老师"),
    ("主人的猫三岁", "主人的狗五岁"),
    ("主人对芒果过敏", "主人喜欢吃芒果"),
    ("主人周末早上跑步", "主人工作日不跑步"),
    ("主人有没有对象？", "主人没有对象"),
    ("我朋友是医生", "我朋友是老师"),
    ("A friend of mine is a doctor.", "A friend of mine is a nurse."),
    ("我同事喜欢猫", "我同事不喜欢猫"),
    ("我养了一只叫豆豆的柯基", "我叫小雨"),
    ("我是一名程序员", "I'm a software engineer"),
    ("My name is Sophie.", "我叫苏菲"),
    ("我妹妹是1992年5月1日出生的", "我的生日是5月3日"),
]
"""Both may hold, or one is not a statement."""


def detect(a: str, b: str, years: float = 0.0) -> DetectedConflict | None:
    return detect_conflict(DatedText(a), DatedText(b, at=years * YEAR))


@pytest.mark.parametrize(("a", "b", "type", "severity"), CONFLICTS)
def test_contradictions(a: str, b: str, type: str, severity: str) -> None:
    for found in (detect(a, b), detect(b, a)):
        assert found is not None
        assert (found.type, found.severity) == (type, severity)


@pytest.mark.parametrize(("a", "b"), COMPATIBLE)
def test_compatible_texts(a: str, b: str) -> None:
    assert detect(a, b) is None
    assert detect(b, a) is None


@pytest.mark.parametrize("text", sorted({text for pair in [*CONFLICTS, *COMPATIBLE] for text in pair[:2]}))
def test_a_text_does_not_contradict_itself(text: str) -> None:
    assert detect(text, text) is None


@pytest.mark.parametrize(
    "text", ["", "   ", "。，！", "\x00", "?" * 5_000, "不" * 5_000, "a b " * 3_000, "😀", "1" * 400]
)
def test_odd_texts_are_no_conflict(text: str) -> None:
    assert detect(text, "主人喜欢拉面") is None
    assert detect(text, text) is None


def test_the_most_severe_conflict_is_returned() -> None:
    found = detect("主人今年28岁，对花生过敏。", "主人今年40岁，对花生不过敏。")
    assert found is not None
    assert (found.type, found.severity) == ("negation", "high")


def test_a_clause_inherits_the_subject_of_the_one_before() -> None:
    assert [clause.text for clause in read_clauses("主人住在北京，喜欢拉面")] == [
        "主人住在北京",
        "主人喜欢拉面",
    ]
    assert detect("小明34岁，住在杭州。", "主人住在北京") is None
    assert detect("Ann is a nurse, but likes Rome. ", "I like Rome.") is None


@pytest.mark.parametrize(
    ("first", "second", "years", "conflict"),
    [
        (28, 30, 0.0, True),
        (28, 30, 2.2, False),
        (28, 29, 0.5, False),
        (28, 40, 2.0, True),
        (30, 28, 2.0, True),
    ],
)
def test_an_age_grows_with_the_years(first: int, second: int, years: float, conflict: bool) -> None:
    found = detect(f"主人今年{first}岁", f"主人今年{second}岁", years)
    assert (found is not None) == conflict


def test_conflicts_of_old_texts_are_low() -> None:
    texts = "主人住在北京", "主人住在上海"
    assert [getattr(detect(*texts, years), "severity", None) for years in (0.0, 0.9, 1.1, -3.0)] == [
        "medium",
        "medium",
        "low",
        "low",
    ]
    grave = detect("主人对花生过敏", "主人对花生不过敏", 5.0)
    assert grave is not None
    assert grave.severity == "high"


@pytest.mark.parametrize(
    ("a", "b", "found"),
    [
        (("user", "lives_in", "Osaka"), ("user", "lives_in", "Tokyo"), ("place", "medium")),
        (("user", "lives_in", "北京"), ("user", "lives_in", "Tokyo"), None),
        (("user", "lives_in", "北京"), ("user", "lives_in", "北京海淀"), None),
        (("user", "lives_in", "北京"), ("小明", "lives_in", "上海"), None),
        (("Ann", "wife_of", "user"), ("Eve", "wife_of", "user"), ("exclusive", "high")),
        (("Ann", "sister_of", "user"), ("Eve", "sister_of", "user"), None),
        (("user's mother", "works_as", "nurse"), ("user", "works_as", "cook"), None),
        (("user", "favorite_color", "蓝色"), ("user", "favorite_color", "绿色"), ("exclusive", "medium")),
        (("user", "likes", "ramen"), ("user", "dislikes", "the ramen"), ("antonym", "medium")),
        (("user", "likes", "ramen"), ("user", "likes", "sushi"), None),
        (("user", "allergic_to", "nuts"), ("user", "allergic_to", "nuts", True), ("negation", "high")),
        (("user", "likes", "tea", False, None, "after lunch"), ("user", "likes", "tea", True), None),
    ],
)
def test_triples(a: tuple[str, str, str], b: tuple[str, str, str], found: tuple[str, str] | None) -> None:
    conflict = detect_conflict(
        DatedText("…", triples=[Statement(*a)]), DatedText("…", triples=[Statement(*b)])
    )
    assert (conflict and (conflict.type, conflict.severity)) == found


@pytest.mark.parametrize(
    ("kind", "a", "b", "apart"),
    [
        ("place", "london", "uk", False),
        ("place", "osaka", "tokyo", True),
        ("place", "广东", "深圳", False),
        ("place", "camden, london", "london", False),
        ("place", "青石镇", "greenville", False),
        ("job", "数学老师", "老师", False),
        ("job", "product manager", "manager", False),
        ("job", "nurse", "cook", True),
        ("job", "护士", "nurse", False),
        ("text", "sophie martin", "sophie", False),
        ("text", "天天", "乐乐", True),
        ("text", "a", "o negative", True),
        ("number", "3000元", "三千元", False),
        ("number", "60公斤", "60千克", False),
        ("number", "60公斤", "170厘米", False),
        ("date", "5月", "5月3日", False),
        ("date", "may 3, 1990", "3 may", False),
        ("date", "5月3日", "5月13日", True),
    ],
)
def test_values(kind: str, a: str, b: str, apart: bool) -> None:
    assert values_conflict(kind, a, b) == apart  # type: ignore[arg-type]
    assert values_conflict(kind, b, a) == apart  # type: ignore[arg-type]


def test_dates_are_compared_by_the_parts_both_name() -> None:
    assert not times_conflict("date 5-3", "date 5-")
    assert not times_conflict("date 2027--", "date 5-3")
    assert times_conflict("date 2027-5-3", "date 2026-5-")
    assert not times_conflict("date 5-3", "weekday 3")


@pytest.mark.parametrize(
    ("text", "seconds"), [("12h", 43_200.0), ("30d", 2_592_000.0), ("2w", 1_209_600.0), ("all", math.inf)]
)
def test_windows(text: str, seconds: float) -> None:
    assert parse_window(text) == seconds


@pytest.mark.parametrize("text", ["", "0d", "30", "d", "-1d", "1.5d", "all of it", "9999999d"])
def test_no_windows(text: str) -> None:
    with pytest.raises(InvalidParameterError, match="window"):
        parse_window(text)


@pytest.mark.parametrize(
    ("a", "b", "detail"),
    [
        ("主人喜欢拉面", "主人不喜欢拉面", "喜欢拉面 / 不喜欢拉面"),
        ("我对花生过敏。", "我对花生不过敏。", "对花生过敏 / 对花生不过敏"),
        ("主人住在北京，讨厌猫", "主人养狗，喜欢猫", "讨厌猫 / 喜欢猫"),
        ("I love horror films.", "I hate horror films.", "I love horror films / I hate horror films"),
        ("My name is Anna.", "My name is Kate.", "Anna / Kate"),
        ("The wedding is in 2023.", "The wedding is in 2024.", "2023 / 2024"),
        ("The wedding is in June.", "The wedding is in August.", "June / August"),
        ("The concert starts at 3 pm.", "The concert starts at 17:00.", "3 pm / 17:00"),
        ("考试在周五", "考试在周六", "周五 / 周六"),
        ("主人的签证12月1日到期", "主人的签证11月1日到期", "12月1日 / 11月1日"),
        ("主人有两只猫", "主人有三只猫", "2 / 3"),
        ("主人在北京上班", "主人在上海上班", "北京 / 上海"),
    ],
)
def test_the_detail_is_readable(a: str, b: str, detail: str) -> None:
    found = detect(a, b)
    assert found is not None
    assert found.detail == detail


def test_a_detail_is_short() -> None:
    films = "films " * 50
    found = detect(f"I love {films}", f"I hate {films}")
    assert found is not None
    assert len(found.detail) < 130


@pytest.mark.parametrize("pair", CONFLICTS)
def test_no_detail_shows_internal_tokens(pair: tuple[str, ...]) -> None:
    found = detect(*pair[:2])
    assert found is not None
    assert not re.search(r"[@#_]|--|\b(?:date|clock|weekday|part) |liking", found.detail)


def test_the_detail_of_opposite_triples_is_the_texts() -> None:
    a, b = Statement("user", "allergic_to", "nuts"), Statement("user", "allergic_to", "nuts", True)
    found = detect_conflict(
        DatedText("Nuts? Never again.", triples=[a]), DatedText("Nuts are fine for me.", triples=[b])
    )
    assert found is not None
    assert found.detail == "Nuts? Never again / Nuts are fine for me"
