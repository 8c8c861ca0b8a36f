"""Time expressions whatever the text: spans, zones, clock changes, hostile input, the range of a query."""

from __future__ import annotations

import itertools
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import opencc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd.language.fold import simplified_table
from memoryd.language.times import TimeRange, find_times, time_range
from memoryd.language.times.calendar_parts import day_of_month, month, weekday
from memoryd.language.times.chinese import words as chinese_words
from memoryd.language.times.holidays import CHINESE, ENGLISH
from memoryd.language.times.pattern import Pattern, combine
from support.time_expressions import REFERENCE, ends

ZONES = ["UTC", "Asia/Shanghai", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu"]
CHINESE_PIECES = """上 下 这 个 周 周三 月 5月 五月 2日 30日 年 去年 2020年 三 天 前 后 之前 以来 从 到 至 的
最近 过去 半 春节 国庆 晚上 3点 底 初 中旬 夏天 第一 九十年代 《 》 “ ” （ ） ， 每 每年 昨天 今天 前几天 农历
初五 12/25 2023-02-30 9999年 0 ０ ② ² ٣""".split()
ENGLISH_PIECES = """last next this May may March 5 5th 31 2022 the of in on at from to until between and since
before after ago week weeks month Monday Sun summer fall Christmas early mid- late end two a few past days 3
pm 14:30 90s - – , . " ( ) every first second half quarter Q3 yesterday morning night 99999 İ ß""".split()
PIECES = CHINESE_PIECES + ENGLISH_PIECES
TRADITIONAL = opencc.OpenCC("s2t")
texts = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(PIECES), max_size=14).flatmap(
        lambda pieces: st.sampled_from(["", " "]).map(lambda joint: joint.join(pieces))
    ),
)
moments = st.datetimes(
    min_value=datetime(1, 1, 3),
    max_value=datetime(9999, 12, 29),
    timezones=st.sampled_from(ZONES).map(ZoneInfo),
)


@settings(max_examples=600, deadline=None)
@given(texts, moments)
def test_no_text_raises_and_every_answer_is_sound(text: str, reference: datetime) -> None:
    last = 0
    for found in find_times(text, reference):
        first = found.span[0]
        assert last <= first < found.span[1]
        last = found.span[1]
        assert text[first:last] == found.matched
        if found.invalid:
            assert found.start is None
            assert found.end is None
            assert found.matched in found.invalid
        else:
            assert found.start or found.end
        if found.start and found.end:
            assert found.start.timestamp() < found.end.timestamp()
    time_range(text, reference)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(CHINESE_PIECES), max_size=10), st.sampled_from(ZONES))
def test_traditional_characters_mean_the_same(pieces: list[str], zone: str) -> None:
    text = "".join(pieces)
    traditional = str(TRADITIONAL.convert(text))
    reference = datetime(2023, 5, 10, 9, 15, tzinfo=ZoneInfo(zone))
    simple = [(found.start, found.end, found.span) for found in find_times(text, reference)]
    assert [(found.start, found.end, found.span) for found in find_times(traditional, reference)] == simple


@pytest.mark.parametrize("text", ["3点0٣", "٣点半", "0٣月٣日"])
def test_digits_of_other_scripts_are_no_error(text: str) -> None:
    find_times(text, REFERENCE)


def test_digits_of_other_scripts_are_digits() -> None:
    [mixed], [plain] = find_times("今天3点0٣分", REFERENCE), find_times("今天3点03分", REFERENCE)
    assert (mixed.start, mixed.end) == (plain.start, plain.end)


def test_every_character_of_the_tables_is_known_in_its_traditional_form() -> None:
    words = [*CHINESE, *chinese_words.UNITS, *chinese_words.YEARS, *chinese_words.DAYS, *chinese_words.THIRDS]
    words += [form for forms in chinese_words.DAY_PARTS.values() for form in forms]
    words += "个几这从来过后之间截至农历阴历旧历现在每逢周礼拜星期点钟时号广场楼线万"
    for character in set("".join(words)):
        assert str(TRADITIONAL.convert(character)).translate(simplified_table()) == character


def test_both_languages_in_one_text() -> None:
    assert ends("我 last Friday 去了，昨天又去了") == "05-05 05-06, 05-09 05-10"


def test_a_turn_is_read_on_the_day_it_was_said() -> None:
    said = datetime(2022, 8, 1, 23, 30, tzinfo=ZoneInfo("America/New_York"))
    text = "Yesterday I went to the beach, and last month to the hills."
    assert ends(text, said) == "2022-07-31 2022-08-01, 2022-07-01 2022-08-01"


def test_the_day_is_that_of_the_zone() -> None:
    moment = datetime(2023, 5, 10, 20, 0, tzinfo=UTC)
    assert ends("today", moment) == "05-10 05-11"
    assert ends("today", moment.astimezone(ZoneInfo("Asia/Shanghai"))) == "05-11 05-12"
    (found,) = find_times("today", moment.astimezone(ZoneInfo("Asia/Shanghai")))
    assert found.start == datetime(2023, 5, 10, 16, 0, tzinfo=UTC)


def test_a_day_of_a_clock_change_has_23_or_25_hours() -> None:
    zone = ZoneInfo("America/New_York")
    for day, hours in ((12, 23), (13, 24)):
        (found,) = find_times("yesterday", datetime(2023, 3, day + 1, 9, 0, tzinfo=zone))
        assert found.start
        assert found.end
        assert found.end.timestamp() - found.start.timestamp() == hours * 3600
    (found,) = find_times("yesterday", datetime(2023, 11, 6, 9, 0, tzinfo=zone))
    assert found.start
    assert found.end
    assert found.end.timestamp() - found.start.timestamp() == 25 * 3600


def test_hours_ago_are_elapsed_time() -> None:
    zone = ZoneInfo("America/New_York")
    (found,) = find_times("3 hours ago", datetime(2023, 3, 12, 5, 20, tzinfo=zone))
    assert found.start == datetime(2023, 3, 12, 1, 0, tzinfo=zone)
    (found,) = find_times("2 hours ago", datetime(2023, 11, 5, 2, 30, tzinfo=zone))
    assert found.start
    assert found.start.astimezone(UTC) == datetime(2023, 11, 5, 5, 0, tzinfo=UTC)


def test_an_hour_that_a_clock_change_leaves_out_is_not_empty() -> None:
    (found,) = find_times("2:30 am on March 12", datetime(2023, 5, 1, tzinfo=ZoneInfo("America/New_York")))
    assert found.start
    assert found.end
    assert found.end.timestamp() - found.start.timestamp() == 60


def test_the_reference_needs_a_zone() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        find_times("yesterday", datetime(2023, 5, 10))


def test_beyond_the_calendar_is_no_time() -> None:
    first = datetime(1, 1, 5, tzinfo=UTC)
    assert find_times("9000 years ago", first) == ()
    assert find_times("三千年前", first) == ()


@pytest.mark.parametrize(
    "part",
    [
        "May ", "last ", "the 5th ", "5月", "最近", "从5月到", "三天", "2020-", "1/", "一", "每", "《", " ",
        '"a', "between ", "from May 5 to ", "上", "年", "2 days before ", "周", "in 2022, ", "(", "12:",
        "第一", "a", "0",
    ],
)  # fmt: skip
def test_long_texts_are_read(part: str) -> None:
    text = (part * 20_000)[:20_000]
    find_times(text, REFERENCE)
    find_times(text + "昨天 yesterday", REFERENCE)


def test_an_expression_at_the_end_of_a_long_text_is_found() -> None:
    filler = "我们说了很多话 and we talked about many things. " * 1000
    assert ends(filler + "last Friday") == "05-05 05-06"


def test_every_holiday_has_a_day_in_most_years() -> None:
    for name, holiday in itertools.chain(CHINESE.items(), ENGLISH.items()):
        days = [period for year in range(2000, 2030) if (period := holiday(year))]
        assert len(days) >= 28, name
        assert all(period.end - period.start == timedelta(days=1) for period in days)


def test_only_what_lies_within_another_is_combined() -> None:
    assert combine(weekday(0), month(5)) is None
    both = combine(month(5), day_of_month(2))
    assert isinstance(both, Pattern)
    assert combine(both, month(6)) is None


def _range(text: str) -> TimeRange:
    found = time_range(text, REFERENCE)
    assert found is not None
    return found


def _seconds(month_number: int, day: int) -> float:
    return datetime(2023, month_number, day, tzinfo=REFERENCE.tzinfo).timestamp()


def test_a_query_without_expression_has_no_range() -> None:
    assert time_range("When did I move to Berlin?", REFERENCE) is None
    assert time_range("我什么时候搬的家？", REFERENCE) is None


def test_the_range_of_a_query() -> None:
    found = _range("What did I do last week?")
    assert (found.start, found.end, found.matched) == (_seconds(5, 1), _seconds(5, 8), ("last week",))
    assert _range("Where did I live before June?").start is None


def test_expressions_that_overlap_narrow_each_other() -> None:
    found = _range("这个月，上周三我去了哪里？")
    assert (found.start, found.end) == (_seconds(5, 3), _seconds(5, 4))
    found = _range("after May 2 but before May 5")
    assert (found.start, found.end) == (_seconds(5, 3), _seconds(5, 5))


def test_expressions_apart_make_one_range() -> None:
    found = _range("Was it in January or in March?")
    assert (found.start, found.end) == (_seconds(1, 1), _seconds(4, 1))


def test_an_impossible_expression_decides() -> None:
    found = _range("昨天还是2月30日？")
    assert (found.start, found.end) == (None, None)
    assert found.invalid == "2月30日: there is no such date"
    assert _range("from May 9 to May 2").invalid == "from May 9 to May 2: the range ends before it begins"


def test_rules_are_compiled_when_they_are_first_tried() -> None:
    code = """
from memoryd.language.times.chinese.pieces import RULES as chinese
from memoryd.language.times.english.pieces import RULES as english
rules = [rule for table in (chinese, english) for rules in table.values() for rule in rules]
assert len(rules) > 500 and not any("_pattern" in vars(rule) for rule in rules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
