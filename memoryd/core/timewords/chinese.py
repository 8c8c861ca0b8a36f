"""The pieces of Chinese time expressions: 去年, 五月, 2号, 上周三, 三天前, 晚上, 八点 ..."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoryd.core.timewords import chinese_words as words
from memoryd.core.timewords import holidays, parts, periods
from memoryd.core.timewords.atom import Build, Rule, by_first
from memoryd.core.timewords.numbers import chinese_number
from memoryd.core.timewords.pattern import Pattern, combined, fixed, last
from memoryd.core.timewords.reference import FEW, Reference

_N = words.NUMBER
_D = rf"(?:\d{{1,2}}|[{words.NUMERALS}]{{1,4}})"
_DAY_AHEAD = re.compile(rf"\s*{_D}[日号]")
_BEGIN_NUMBER = "0123456789" + words.NUMERALS
_UNIT = "|".join(sorted(words.UNITS.keys() - {"月"}, key=len, reverse=True))
_NOT_IN_NUMBER = rf"(?<![\d.{words.NUMERALS}])"
_APPROXIMATE = re.compile(r"[一二两三四五六七八九]{2}")
_STEPS = {"上上": -2, "上": -1, "这": 0, "本": 0, "": 0, "下": 1, "下下": 2}
_STEP = r"(上上|上|这|本|下下|下)"
_DAY_PARTS = {word: name for name, forms in words.DAY_PARTS.items() for word in forms}


def _relative_day(match: re.Match[str], reference: Reference) -> Pattern:
    word = match[0] if match[0] in words.DAYS else match[0][0]
    return fixed(reference.period(words.DAYS[word], "day"))


def _day_and_part(match: re.Match[str], reference: Reference) -> Pattern | None:
    offset = -2 if match[1] == "前" else words.DAYS[match[1]]
    day = fixed(reference.period(offset, "day"))
    return combined(day, parts.day_part(words.DAY_PART_CHARACTERS[match[2]]))


def _relative_year(match: re.Match[str], reference: Reference) -> Pattern:
    return fixed(reference.period(words.YEARS[match[1]], "year"))


def _year(match: re.Match[str], _: Reference) -> Pattern | None:
    number = chinese_number(match[1])
    if len(match[1]) == 2:
        number += 2000 if number < 50 else 1900
    return fixed(periods.year(number)) if 1000 <= number < 3000 else None


def _decade(match: re.Match[str], _: Reference) -> Pattern:
    number = chinese_number(match[2])
    if number < 100:
        number += 1900 if (match[1] and match[1] != "本世纪") or number >= 30 else 2000
    return fixed(periods.period_of(periods.year(number).start, "decade"))


def _month(match: re.Match[str], _: Reference) -> Pattern | None:
    number = chinese_number(match[1])
    dated = _DAY_AHEAD.match(match.string, match.end())  # 13月5日 is a wrong date, 13月 is none
    return parts.month(number) if 1 <= number <= 12 or dated else None


def _stepped(match: re.Match[str], reference: Reference) -> Pattern:
    return fixed(reference.period(_STEPS[match[1]], words.UNITS[match[2]]))


def _week(match: re.Match[str], reference: Reference) -> Pattern | None:
    step, day = match[1] or "", match[2]
    week = fixed(reference.period(_STEPS[step], "week"))
    if day is None:
        return week if step else None
    inner = parts.weekend() if day == "末" else parts.weekday(words.WEEKDAYS[day])
    return combined(week, inner) if step else inner


def _day_of_month(match: re.Match[str], _: Reference) -> Pattern:
    return parts.day_of_month(chinese_number(match[1]))


def _day_alone(match: re.Match[str], _: Reference) -> Pattern | None:
    number = chinese_number(match[1])
    return parts.day_of_month(number) if 1 <= number <= 31 else None


def _week_of_month(match: re.Match[str], _: Reference) -> Pattern:
    return parts.week_of_month(-1 if match[0][0] == "最" else chinese_number(match[1]))


def _slashed(match: re.Match[str], _: Reference) -> Pattern | None:
    month, day = int(match[1]), int(match[2])
    return (
        combined(parts.month(month), parts.day_of_month(day)) if 1 <= month <= 12 and 1 <= day <= 31 else None
    )


def _season(match: re.Match[str], reference: Reference) -> Pattern | None:
    season = parts.season(words.SEASONS[match[2]])
    if match[1] in ("去", "今", "明"):
        year = fixed(reference.period("去今明".index(match[1]) - 1, "year"))
        return combined(year, season)
    if match[1] and match[1].startswith("上"):
        return last(season, reference.now)
    return season


def _season_third(match: re.Match[str], _: Reference) -> Pattern | None:
    third = parts.third({"初": "early", "早": "early", "仲": "mid", "深": "late"}.get(match[1], "late"))  # type: ignore[arg-type]
    return combined(parts.season(words.SEASONS[match[2]]), third)


def _half(match: re.Match[str], _: Reference) -> Pattern:
    return parts.half(1 if match[0][0] == "上" else 2)


def _quarter(match: re.Match[str], _: Reference) -> Pattern:
    return parts.quarter(chinese_number(match[1]))


def _holiday(match: re.Match[str], _: Reference) -> Pattern:
    return parts.holiday(holidays.CHINESE[match[1]])


def _third(match: re.Match[str], _: Reference) -> Pattern:
    return parts.third(words.THIRDS[match[1]])


def _third_alone(match: re.Match[str], _: Reference) -> Pattern:
    return parts.third_of(words.THIRDS[match[2]], "month" if match[1] == "月" else "year")


def _day_part(match: re.Match[str], _: Reference) -> Pattern:
    return parts.day_part(_DAY_PARTS[match[0]])


def _clock(match: re.Match[str], _: Reference) -> Pattern:
    minute = {None: None, "半": 30, "一刻": 15, "三刻": 45}.get(match[2], -1)
    if minute == -1:
        minute = chinese_number(match[2].rstrip("分"))
    return parts.clock(chinese_number(match[1]), minute)


def _digital(match: re.Match[str], _: Reference) -> Pattern:
    return parts.clock(int(match[1]), int(match[2]) or None)


def _count(number: str, unit: str) -> tuple[int, periods.Unit] | None:
    """How many of which unit; halves are taken as six months or thirty minutes."""
    found = words.UNITS[unit]
    if number in ("几", "数", "好几"):
        return FEW, found
    if number == "半":
        halves: dict[periods.Unit, tuple[int, periods.Unit]] = {
            "year": (6, "month"),
            "month": (15, "day"),
            "hour": (30, "minute"),
        }
        return halves.get(found)
    count = chinese_number(number[-1] if _APPROXIMATE.fullmatch(number) else number)
    named = found == "year" and (count >= 1000 or (number.isdigit() and (count >= 60 or number[0] == "0")))
    return None if named else (count, found)


def _ago(match: re.Match[str], reference: Reference) -> Pattern | None:
    counted = _count(match[1], match[2])
    if counted is None:
        return None
    count, unit = counted
    if _APPROXIMATE.fullmatch(match[1]):  # 两三天前
        first, last = (reference.ago(chinese_number(c), unit) for c in reversed(match[1]))
        return fixed(periods.Period(first.start, last.end, "part"))
    if match[3]:  # 一年半前
        if unit != "year":
            return None
        count, unit = 12 * count + 6, "month"
    if match[1] in ("几", "数", "好几"):
        return fixed(reference.few_before(unit)) if match[4].endswith("前") else None
    if unit == "minute" and match[1] == "半":
        return fixed(periods.period_of(reference.ago(30, "minute").start, "hour"))
    return fixed(reference.ago(count if match[4].endswith("前") else -count, unit))


def _ago_and_half(match: re.Match[str], reference: Reference) -> Pattern:
    count = chinese_number(match[1])
    if match[2] == "月":
        return fixed(reference.ago(30 * count + 15, "day"))
    return fixed(periods.period_of(reference.ago(60 * count + 30, "minute").start, "hour"))


def _coming(match: re.Match[str], reference: Reference) -> Pattern | None:
    counted = _count(match[1], match[2])
    return None if counted is None else fixed(reference.coming(*counted))


def _same_day(_: re.Match[str], reference: Reference) -> Pattern:
    return parts.same_day(reference.now)


def _containing(match: re.Match[str], _: Reference) -> Pattern:
    return parts.containing(words.UNITS[match[1]])


def _past(match: re.Match[str], reference: Reference) -> Pattern | None:
    counted = _count(match[1], match[2])
    return None if counted is None else fixed(reference.past(*counted))


def _few_before(match: re.Match[str], reference: Reference) -> Pattern:
    few = match[1] in "几些"
    return fixed(reference.few_before(words.UNITS[match[2]], FEW if few else chinese_number(match[1])))


def _rule(form: str, build: Build) -> Rule:
    return Rule(re.compile(form), build)


def _rules() -> Iterator[tuple[str, Rule]]:
    yield (
        "最过近这",
        _rule(
            rf"(?:最近|过去|近|这(?!一个?(?:周|星期|礼拜|月|季|年)))(?:的|这)?({_N}|几|半)({_UNIT})(?:以来|之内|内|里|来)?(?!前|以前|之前)",
            _past,
        ),
    )
    yield _BEGIN_NUMBER, _rule(rf"{_NOT_IN_NUMBER}({_N})({_UNIT})以来()", _past)
    yield "前", _rule(rf"前([几些两三])({_UNIT}|日子)", _few_before)
    yield (
        _BEGIN_NUMBER + "几数好半",
        _rule(
            rf"{_NOT_IN_NUMBER}(?<!月)({_N}|好几|几|数|半)({_UNIT})(半)?多?(之前|以前|前|之后|以后|后)(?![端台线来面])",
            _ago,
        ),
    )
    yield "今", _rule(r"(?:(?<=[年前])|(?<=[年前月]的))今[天日]", _same_day)
    yield (
        "大前昨今明后",
        _rule(
            rf"大?前天|(?:昨|今|明)(?:天|日|儿)(?!天){words.NOT_TODAY}|大后天|(?<!先天)后天{words.NOT_ACQUIRED}",
            _relative_day,
        ),
    )
    yield "那", _rule(r"那一?个?(周|星期|礼拜|月)(?![一二三四五六日天末])", _containing)
    yield "昨今明前", _rule(r"(?:([昨今明])([早晨晚夜])|(前)(晚))上?", _day_and_part)
    yield "大前去今本明后上", _rule(rf"({'|'.join(words.YEARS)})(?![级班])度?", _relative_year)
    yield (
        "12一二上二本" + _BEGIN_NUMBER,
        _rule(
            rf"{_NOT_IN_NUMBER}((?:二十|20|上个?|本)世纪)?的?((?:1\d|20)\d0|[1-9]0|00|[二三四五六七八九]十|[一二][九〇零][一二三四五六七八九〇零][零〇])年代",
            _decade,
        ),
    )
    yield (
        "12一二",
        _rule(rf"{_NOT_IN_NUMBER}([12]\d{{3}}|[一二][{words.DIGITS}]{{3}})年(?![代级糕])(?:度|间)?", _year),
    )
    yield (
        "056789" + words.DIGITS,
        _rule(
            rf"{_NOT_IN_NUMBER}([05-9]\d|[零〇五六七八九][零〇一二三四五六七八九])年{words.NOT_YEAR}(?!以?前|之前|以?后)",
            _year,
        ),
    )
    yield (
        "1234一二三四",
        _rule(rf"{_NOT_IN_NUMBER}([1-4]\d|[一二三四][{words.DIGITS}])年(?=\s*{_N}月)", _year),
    )
    yield (
        _BEGIN_NUMBER,
        _rule(rf"{_NOT_IN_NUMBER}({_N})个半(小时|钟头|月)(?:之前|以前|前)(?![端台线来面])", _ago_and_half),
    )
    yield "未接今往", _rule(rf"(?:未来|接下来|今后|往后)的?({_N}|几|半)({_UNIT})", _coming)
    yield "12", _rule(r"(?<![\d.])([12]\d{3})(?=\s*(?:到|至|[-~～—–])\s*[12]\d{3}年)", _year)
    yield from _months_and_weeks()
    yield from _days()
    yield from _named()


def _months_and_weeks() -> Iterator[tuple[str, Rule]]:
    month = rf"({_N})月(?:份)?"
    yield (
        "农阴旧正腊冬" + words.NUMERALS,
        _rule(
            r"(?:(?:农历|阴历|旧历)的?(十[一二]|[正冬腊一二三四五六七八九十])月|([正腊])月|([二三四五六七八九十])月(?=初))"
            r"(初[一二三四五六七八九十]|二?十[一二三四五六七八九]?|廿[一二三四五六七八九]|三十)[日号]?",
            _lunar,
        ),
    )
    yield _BEGIN_NUMBER, _rule(rf"{_NOT_IN_NUMBER}(?<!个){month}{words.NOT_MONTH}", _month)
    yield "上这本下", _rule(rf"{_STEP}(?:一)?(个?月|年)(?:份)?{words.NOT_MONTH}(?![级班])", _stepped)
    yield "上这本下", _rule(rf"{_STEP}(?:一)?(个?季度)", _stepped)
    yield "上下", _rule(r"[上下]半年", _half)
    yield (
        "上这本下周星礼",
        _rule(
            rf"(?:{_STEP}(?:一)?个?)?(?:这)?(?:(?<=[上这下本]一)|(?<=一个)|(?<![\d{words.NUMERALS}几每半满]))(?:周|星期|礼拜)"
            r"([一二三四五六日天末1-7](?![\d.个]))?+(?![年岁边围鸣福良])",
            _week,
        ),
    )
    yield "第最", _rule(r"(?:第([一二三四五1-5])|最后一)个?(?:周|星期|礼拜)", _week_of_month)


def _lunar(match: re.Match[str], _: Reference) -> Pattern:
    month = match[1] or match[2] or match[3]
    number = words.LUNAR_MONTHS.get(month) or chinese_number(month)
    day = match[4].replace("廿", "二十").lstrip("初")
    return parts.holiday(holidays.lunar(number, chinese_number(day)))


def _days() -> Iterator[tuple[str, Rule]]:
    day = rf"{_NOT_IN_NUMBER}(?<![第编工])({_D})"
    yield _BEGIN_NUMBER, _rule(rf"(?<=月)\s*({_D})[日号]", _day_of_month)
    yield (
        _BEGIN_NUMBER,
        _rule(rf"(?<=月)({_N})(?=\s*(?:到|至|[-~～—–])\s*(?:{_N}月)?{_N}[日号])", _day_of_month),
    )
    yield (
        "0123456789",
        _rule(
            r"(?<![\d/.])([01]?\d)/([0-3]?\d)(?![\d/%.]|的?(?:人|概率|可能)|[个杯碗块勺瓶斤袋张片份圈年天以左])",
            _slashed,
        ),
    )
    yield _BEGIN_NUMBER, _rule(rf"{day}号{words.NOT_NUMBERED}", _day_alone)
    yield _BEGIN_NUMBER, _rule(rf"{day}日(?![元游子语])", _bare_day)
    yield "".join({form[0] for form in _DAY_PARTS}), _rule("|".join(_DAY_PARTS), _day_part)
    yield "早晚夜", _rule(r"(?<=[天日号])[早晚夜](?![餐饭会安年期])", _day_part_character)
    yield "0123456789", _rule(r"(?<![\d:.])([012]?\d)[:：]([0-5]\d)(?:[:：][0-5]\d)?(?![\d:])", _digital)
    yield (
        _BEGIN_NUMBER,
        _rule(
            rf"{_NOT_IN_NUMBER}({_N})(?:点钟?|时(?!候|间|代|期|尚|常))(半|一刻|三刻|{_N}分|[0-5]\d|[二三四五]?十[一二三四五六七八九]?)?(?![点滴分])",
            _clock,
        ),
    )


def _bare_day(match: re.Match[str], _: Reference) -> Pattern:
    """5日 alone may be a duration: only found within a month."""
    number = chinese_number(match[1])
    return Pattern("day", parts.day_of_month(number).make, frozenset({"month"}))


def _day_part_character(match: re.Match[str], _: Reference) -> Pattern:
    return parts.day_part(words.DAY_PART_CHARACTERS[match[0]])


def _named() -> Iterator[tuple[str, Rule]]:
    names = "|".join(sorted(holidays.CHINESE.keys() - {"十一"}, key=len, reverse=True))
    yield (
        "".join({name[0] for name in holidays.CHINESE}),
        _rule(rf"(?<![十百月第\d])({names})节?{words.NOT_HOLIDAY}", _holiday),
    )
    yield "十", _rule(r"(?<![十百月第\d二三四五六七八九])(十一)(?=[小长]?假|黄金周|期间)", _holiday)
    yield "大", _rule(r"大年(初[一二三四五六七八九十])", _eve_or_first)
    yield "大", _rule(r"大年三十", _eve_or_first)
    yield (
        "去今明上这那初早仲深晚暮春夏秋冬",
        _rule(r"(去|今|明|上一?个|这个|那个)?([春夏秋冬])(?:天|季)(?!里的|百货)", _season),
    )
    yield "去今明", _rule(r"(去|今|明)([春夏秋冬])", _season)
    yield "初早仲深晚暮", _rule(r"([初早仲深晚暮])([春夏秋冬])", _season_third)
    yield "第1234一二三四", _rule(r"第?([一二三四1-4])个?季度", _quarter)
    yield "Qq", _rule(r"(?<![A-Za-z])[Qq]([1-4])(?![A-Za-z\d])", _quarter)
    yield "月年岁", _rule(r"(?<![个半])(月|年|岁)(初|中|底|末|上旬|中旬|下旬)(?![央考国间])", _third_alone)
    yield (
        "上中下初底末早后晚",
        _rule(r"((?:上|中|下)旬|[初中末后早晚]期|[初底末])(?![一二三四五六七八九十])", _third),
    )


def _eve_or_first(match: re.Match[str], _: Reference) -> Pattern:
    if match[0].endswith("三十"):
        return parts.holiday(holidays.CHINESE["除夕"])
    return parts.holiday(holidays.lunar(1, chinese_number(match[1].lstrip("初"))))


RULES = by_first(_rules())
