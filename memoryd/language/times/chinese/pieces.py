"""The forms of Chinese time expressions: 去年, 五月, 2号, 上周三, 三天前, 晚上, 八点 ..."""

from __future__ import annotations

from collections.abc import Iterator

from memoryd.language.numerals import CHINESE_DIGITS
from memoryd.language.times import holidays
from memoryd.language.times.chinese import actions, words
from memoryd.language.times.grammar import Form, group_rules

_N = words.NUMBER
_D = rf"(?:\d{{1,2}}|[{words.NUMERALS}]{{1,4}})"
_BEGIN_NUMBER = "0123456789" + words.NUMERALS
_UNIT = "|".join(sorted(words.UNITS.keys() - {"月"}, key=len, reverse=True))
_NOT_IN_NUMBER = rf"(?<![\d.{words.NUMERALS}])"
_STEP = r"(上上|上|这|本|下下|下)"


def _rules() -> Iterator[Form]:
    yield (
        "最过近这",
        rf"(?:最近|过去|近|这(?!一个?(?:周|星期|礼拜|月|季|年)))(?:的|这)?({_N}|几|半)({_UNIT})(?:以来|之内|内|里|来)?(?!前|以前|之前)",
        actions.past,
    )
    yield (_BEGIN_NUMBER, rf"{_NOT_IN_NUMBER}({_N})({_UNIT})以来()", actions.past)
    yield ("前", rf"前([几些两三])({_UNIT}|日子)", actions.few_before)
    yield (
        _BEGIN_NUMBER + "几数好半",
        rf"{_NOT_IN_NUMBER}(?<!月)({_N}|好几|几|数|半)({_UNIT})(半)?多?(之前|以前|前|之后|以后|后)(?![端台线来面])",
        actions.ago,
    )
    yield ("这本今", r"(?:这个?|本|今)(天|日|周|星期|月|年)的?早些时候", actions.to_date)
    yield ("今", r"(?:(?<=[年前])|(?<=[年前月]的))今[天日]", actions.same_day)
    yield (
        "大前昨今明后",
        rf"大?前天(?!津)|(?:昨|今|明)(?:天|日|儿)(?!天){words.NOT_TODAY}|大后天|(?<!先天)后天{words.NOT_ACQUIRED}",
        actions.relative_day,
    )
    yield ("那", r"那一?个?(周|星期|礼拜|月)(?![一二三四五六日天末])", actions.containing)
    yield ("昨今明前", r"(?:([昨今明])([早晨晚夜])|(前)(晚))上?", actions.day_and_part)
    yield ("大前去今本明后上", rf"({'|'.join(words.YEARS)})(?![级班]|轻人)度?", actions.relative_year)
    yield (
        "12一二上二本" + _BEGIN_NUMBER,
        rf"{_NOT_IN_NUMBER}((?:二十|20|上个?|本)世纪)?的?((?:1\d|20)\d0|[1-9]0|00|[二三四五六七八九]十|[一二][九〇零][一二三四五六七八九〇零][零〇])年代",
        actions.decade,
    )
    yield (
        "12一二",
        rf"{_NOT_IN_NUMBER}([12]\d{{3}}|[一二][{CHINESE_DIGITS}]{{3}})年(?![代级糕])(?:度|间)?",
        actions.year,
    )
    yield (
        "056789" + CHINESE_DIGITS,
        rf"{_NOT_IN_NUMBER}([05-9]\d|[零〇五六七八九][零〇一二三四五六七八九])年{words.NOT_YEAR}(?!以?前|之前|以?后)",
        actions.year,
    )
    yield (
        "1234一二三四",
        rf"{_NOT_IN_NUMBER}([1-4]\d|[一二三四][{CHINESE_DIGITS}])年(?=\s*{_N}月)",
        actions.year,
    )
    yield (
        _BEGIN_NUMBER,
        rf"{_NOT_IN_NUMBER}({_N})个半(小时|钟头|月)(?:之前|以前|前)(?![端台线来面])",
        actions.ago_and_half,
    )
    yield ("未接今往", rf"(?:未来|接下来|今后|往后)的?({_N}|几|半)({_UNIT})", actions.coming)
    yield ("12", r"(?<![\d.])([12]\d{3})(?=\s*(?:到|至|[-~～—–])\s*[12]\d{3}年)", actions.year)
    yield from _months_and_weeks()
    yield from _days()
    yield from _named()


def _months_and_weeks() -> Iterator[Form]:
    month = rf"({_N})月(?:份)?"
    yield (
        "农阴旧正腊冬" + words.NUMERALS,
        (
            r"(?:(?:农历|阴历|旧历)的?(十[一二]|[正冬腊一二三四五六七八九十])月|([正腊])月|([二三四五六七八九十])月(?=初))"
            r"(初[一二三四五六七八九十]|二?十[一二三四五六七八九]?|廿[一二三四五六七八九]|三十)[日号]?"
        ),
        actions.lunar,
    )
    yield (_BEGIN_NUMBER, rf"{_NOT_IN_NUMBER}(?<!个){month}{words.NOT_MONTH}", actions.month)
    yield ("上这本下", rf"{_STEP}(?:一)?(个?月|年)(?:份)?{words.NOT_MONTH}(?![级班])", actions.stepped)
    yield ("上这本下", rf"{_STEP}(?:一)?(个?季度)", actions.stepped)
    yield ("上下", r"[上下]半年", actions.half)
    yield (
        "上这本下周星礼",
        (
            rf"(?:{_STEP}(?:一)?个?)?(?:这)?(?:(?<=[上这下本]一)|(?<=一个)|(?<![\d{words.NUMERALS}几每半满]))(?:周|星期|礼拜)"
            r"([一二三四五六日天末1-7](?![\d.个]))?+(?![年岁边围鸣福良])"
        ),
        actions.week,
    )
    yield ("第最", r"(?:第([一二三四五1-5])|最后一)个?(?:周|星期|礼拜)", actions.week_of_month)


def _days() -> Iterator[Form]:
    day = rf"{_NOT_IN_NUMBER}(?<![第编工路街巷弄])({_D})"
    yield (_BEGIN_NUMBER, rf"(?<=月)\s*({_D})[日号]", actions.day_of_month)
    yield (
        _BEGIN_NUMBER,
        rf"(?<=月)({_N})(?=\s*(?:到|至|[-~～—–])\s*(?:{_N}月)?{_N}[日号])",
        actions.day_of_month,
    )
    yield (
        "0123456789",
        r"(?<![\d/.])([01]?\d)/([0-3]?\d)(?![\d/%.]|的?(?:人|概率|可能)|[个杯碗块勺瓶斤袋张片份圈年天以左小])",
        actions.slashed,
    )
    yield (_BEGIN_NUMBER, rf"{day}号{words.NOT_NUMBERED}", actions.day_alone)
    yield (_BEGIN_NUMBER, rf"{day}日(?![元游子语])", actions.bare_day)
    yield ("".join({form[0] for form in actions.DAY_PARTS}), "|".join(actions.DAY_PARTS), actions.day_part)
    yield ("早晚夜", r"(?<=[天日号一二三四五六])[早晚夜](?![餐饭会安年期点些上])", actions.day_part_character)
    yield ("0123456789", r"(?<![\d:.])([012]?\d)[:：]([0-5]\d)(?:[:：][0-5]\d)?(?![\d:])", actions.digital)
    yield (
        _BEGIN_NUMBER,
        rf"{_NOT_IN_NUMBER}({_N})(?:点钟?|时(?!候|间|代|期|尚|常))(半|一刻|三刻|{_N}分|[0-5]\d|[二三四五]?十[一二三四五六七八九]?)?(?![点滴分])",
        actions.clock,
    )


def _named() -> Iterator[Form]:
    names = "|".join(sorted(holidays.CHINESE.keys() - {"十一"}, key=len, reverse=True))
    yield (
        "".join({name[0] for name in holidays.CHINESE}),
        rf"(?<![十百月第\d])({names})节?{words.NOT_HOLIDAY}",
        actions.holiday,
    )
    yield ("十", r"(?<![十百月第\d二三四五六七八九])(十一)(?=[小长]?假|黄金周|期间)", actions.holiday)
    yield ("大", r"大年(初[一二三四五六七八九十])", actions.eve_or_first)
    yield ("大", r"大年三十", actions.eve_or_first)
    yield (
        "去今明上这那初早仲深晚暮春夏秋冬",
        r"(去|今|明|上一?个|这个|那个)?([春夏秋冬])(?:天|季)(?!里的|百货)",
        actions.season,
    )
    yield ("去今明", r"(去|今|明)([春夏秋冬])", actions.season)
    yield ("初早仲深晚暮", r"([初早仲深晚暮])([春夏秋冬])", actions.season_third)
    yield ("第1234一二三四", r"第?([一二三四1-4])个?季度", actions.quarter)
    yield ("Qq", r"(?<![A-Za-z])[Qq]([1-4])(?![A-Za-z\d])", actions.quarter)
    yield ("月年岁", r"(?<![个半])(月|年|岁)(初|中|底|末|上旬|中旬|下旬)(?![央考国间])", actions.third_alone)
    yield (
        "上中下初底末早后晚",
        r"((?:上|中|下)旬|[初中末后早晚]期|[初底末])(?![一二三四五六七八九十])",
        actions.third,
    )


RULES = group_rules(_rules())
