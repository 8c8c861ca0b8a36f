"""How attributes are put into words: of each the patterns of a whole clause that give its value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory_client.types import ConflictType, Severity
from memoryd.language.conflicts.attribute_words import (
    FAVOURITES_EN,
    HAN,
    JOBS,
    JOBS_EN,
    KEPT_EN,
    KEPT_ZH,
    KIN_EN,
    MONTHS_EN,
    SIGNS,
    SIGNS_EN,
    WHO,
)
from memoryd.language.conflicts.functional_predicates import ValueKind


@dataclass(frozen=True, slots=True)
class Rule:
    """pattern: with the groups who and value, and `what` where the attribute has a name of its own."""

    attribute: str
    pattern: re.Pattern[str]
    kind: ValueKind
    type: ConflictType
    severity: Severity


def _rule(
    attribute: str, kind: ValueKind, type: ConflictType, severity: Severity, *patterns: str
) -> Iterator[Rule]:
    for pattern in patterns:
        yield Rule(attribute, re.compile(pattern), kind, type, severity)


_IS_ZH = r"(?:就|应该|可能|大概)?(?:是|为|在|叫做?|:|：)"
_IS_EN = r"(?:is|was|'s|are|:)(?: called| named| probably| usually| actually| now)?"
RULES: tuple[Rule, ...] = (
    *_rule(
        "birthday", "date", "exclusive", "high",
        rf"{WHO}的?(?:生日|出生日期){_IS_ZH}?(?P<value>.+)$",
        rf"{WHO}(?:是|于)?(?:在)?(?P<value>[\d零〇一二三四五六七八九十][^的]*?[月日号年])(?:出生|生)的?$",
        rf"{WHO}出生[于在](?P<value>[^的]*[月日号年])$",
        rf"{WHO}(?:'s)? ?(?:birthday|date of birth|birth date) ?{_IS_EN} (?:on |in )?(?P<value>.+)$",
        rf"{WHO} (?:was|were) born (?:on|in) (?P<value>.*\d.*|{MONTHS_EN})$",
    ),
    *_rule(
        "birthplace", "place", "place", "medium",
        rf"{WHO}(?:出生[于在]|生于)(?P<value>[^\d年月日号]+?)(?:市|出生)?$",
        rf"{WHO}在(?P<value>[^\d年月日号]+?)出生的?$",
        rf"{WHO}的?出生地{_IS_ZH}(?P<value>.+)$",
        rf"{WHO} (?:was|were) born in (?P<value>\D+)$",
    ),
    *_rule(
        "age", "number", "exclusive", "low",
        rf"{WHO}的?(?:年龄{_IS_ZH}|今年|年纪是)*(?P<value>[\d一二三四五六七八九十]+)(?:周?岁)(?:半|了|的)*$",
        rf"{WHO}(?:'s age)? ?(?:is|am|are|'m|'s|turned|just turned) (?:about "
        rf"|around )?(?P<value>\d+|[a-z]+(?:-[a-z]+)?)(?: years?[ -]old| years of age)$",
        rf"^(?P<who>i|he|she|the user|(?:my|his|her|the user's) (?:{KIN_EN}))"
        r"(?: is|'m| am|'s| turned) (?P<value>\d\d)$",
        rf"{WHO}(?:'s)? age is (?P<value>\d+)$",
    ),
    *_rule(
        "blood type", "blood", "exclusive", "high",
        rf"{WHO}的?血型{_IS_ZH}?(?P<value>.+?)型?血?$",
        rf"{WHO}是(?P<value>(?:ab|a|b|o))型血?的?$",
        rf"{WHO}(?:'s)? ?blood (?:type|group) {_IS_EN} (?:type )?(?P<value>.+)$",
        rf"{WHO} (?:have|has|am|is|'m) (?:blood )?type (?P<value>ab|a|b|o)\b.*$",
    ),
    *_rule(
        "star sign", "text", "exclusive", "medium",
        rf"{WHO}的?(?:星座{_IS_ZH}?|是)(?P<value>{SIGNS})座?的?$",
        rf"{WHO}(?:'s)? ?(?:star sign|zodiac sign|sign|horoscope) {_IS_EN} (?:an? )?(?P<value>{SIGNS_EN})$",
        rf"{WHO}(?: am| is|'m|'s) an? (?P<value>{SIGNS_EN})$",
    ),
    *_rule(
        "zodiac animal", "text", "exclusive", "medium",
        rf"{WHO}(?:的生肖是|生肖是|属)(?P<value>[鼠牛虎兔龙蛇马羊猴鸡狗猪])的?$",
        rf"{WHO} was born in the year of the (?P<value>\w+)$",
    ),
    *_rule(
        "mother tongue", "text", "exclusive", "high",
        rf"{WHO}的?(?:母语|第一语言){_IS_ZH}(?P<value>.+)$",
        rf"{WHO}(?:'s)? ?(?:mother tongue|native language|first language"
        rf"|native tongue) {_IS_EN} (?P<value>.+)$",
        rf"{WHO}(?: am| is|'m|'s) a native (?P<value>\w+) speaker$",
        rf"{WHO} grew up speaking (?P<value>\w+)$",
    ),
    *_rule(
        "nationality", "place", "exclusive", "medium",
        rf"{WHO}的?国籍{_IS_ZH}(?P<value>.+?)(?:籍|人)?$",
        rf"{WHO}是(?P<value>{HAN}{{1,3}}国)人$",
        rf"{WHO}(?:'s)? ?(?:nationality|citizenship) {_IS_EN} (?P<value>.+)$",
    ),
    *_rule(
        "origin", "place", "place", "medium",
        rf"{WHO}的?(?:老家|家乡|故乡|籍贯|祖籍){_IS_ZH}?(?P<value>.+?)的?$",
        rf"{WHO}(?:来自|是从)(?P<value>.+?)(?:来的)?$",
        rf"{WHO}(?:'s)? ?(?:hometown|home town|birthplace) {_IS_EN} (?:in )?(?P<value>.+)$",
        rf"{WHO}(?: come| comes| came| am| is|'m|'s|are)(?: originally)? from (?P<value>.+)$",
        rf"{WHO} grew up in (?P<value>.+)$",
        rf"{WHO}在(?P<value>.+?)长大的?$",
    ),
    *_rule(
        "home", "place", "place", "medium",
        rf"{WHO}(?:现居|现住|居住|定居|住(?!院)|搬|搬家|移居)(?:在|到|于"
        rf"|去)?(?:了)?(?P<value>[^着了的过]{{2,}}?)(?:住|居住|去|生活|定居)?(?:了)?$",
        rf"{WHO}在(?P<value>.+?)(?:居住|定居|生活|住)$",
        rf"{WHO}的?(?:家|住址|地址|住处){_IS_ZH}(?P<value>.+)$",
        rf"{WHO} (?:lives?|resides?|living|staying|stays?|lived|resided|am based|is based|'m based"
        rf"|moved|relocated)(?: now"
        rf"| currently)? (?:in|at|to|near) (?P<value>.+?)(?: with .+| since .+| for .+)?$",
        rf"{WHO}(?:'s)? ?(?:home|house|apartment|flat|address) is (?:in|at) (?P<value>.+)$",
    ),
    *_rule(
        "job", "job", "exclusive", "medium",
        rf"{WHO}的?(?:职业|工作|岗位|职位|职务){_IS_ZH}(?:一[名个位])?(?P<value>.+)$",
        rf"{WHO}(?:是|当|做|担任"
        rf"|从事)(?:一?[名个位])?(?:一家.*的)?(?P<value>{HAN}{{0,6}}?(?:{JOBS}))(?:工作|的工作)?$",
        rf"{WHO}(?:'s)? ?(?:job|occupation|profession|job title) is (?:as )?(?:an? )?(?P<value>.+)$",
        rf"{WHO} (?:works?|working|is employed|am employed) as (?:an? "
        rf"|the )?(?P<value>.+?)(?: at .+| in .+| for .+)?$",
        rf"{WHO}(?: am| is|'m|'s"
        rf""
        rf""
        rf""
        rf""
        rf""
        rf"| became) (?:an? )(?P<value>(?:[\w-]+ )?(?:[\w-]+ )?(?:{JOBS_EN}))(?: at .+| in .+| for .+)?$",
    ),
    *_rule(
        "spouse", "name", "exclusive", "high",
        rf"{WHO}(?:跟|和|与)(?P<value>{HAN}{{2,3}})(?:已经)?(?:结婚|是夫妻)了?$",
        rf"{WHO}(?:嫁给|娶)了?(?P<value>{HAN}{{2,3}})了?$",
        rf"{WHO}(?: is| am|'m|'s| got| was)? married to (?P<value>.+)$",
        rf"{WHO} married (?!(?:to|in|on|at|for|with)\b)(?P<value>.+)$",
    ),
    *_rule(
        "engaged", "name", "exclusive", "medium",
        rf"{WHO}(?: is| am|'m|'s| got)? engaged to (?P<value>.+)$",
        rf"{WHO}(?:跟|和|与)(?P<value>{HAN}{{2,3}})订婚了?$",
    ),
    *_rule(
        "dating", "name", "exclusive", "medium",
        rf"{WHO}(?: is| am|'m|'s)? (?:dating|in a relationship with) (?P<value>.+)$",
        rf"{WHO}(?:跟|和|与)(?P<value>{HAN}{{2,3}})(?:谈恋爱|交往|在一起)$",
    ),
    *_rule(
        "favourite", "text", "exclusive", "medium",
        rf"{WHO}最(?:喜欢|喜爱|爱)的?(?:[吃喝看听玩]的)?(?P<what>{HAN}{{1,5}}?){_IS_ZH}(?P<value>.+)$",
        rf"{WHO}(?:'s)? ?favou?rite (?P<what>{FAVOURITES_EN})(?: of all time| ever)? is (?P<value>.+)$",
        rf"^(?P<value>.+?) is (?P<who>.*?)(?:'s)? ?favou?rite (?P<what>{FAVOURITES_EN})$",
        rf"^(?P<value>.+?)是(?P<who>.*?)最(?:喜欢|喜爱|爱)的(?:[吃喝看听玩]的)?(?P<what>{HAN}{{1,5}})$",
    ),
    *_rule(
        "height", "number", "number", "medium",
        rf"{WHO}的?身高(?:{_IS_ZH})?(?P<value>.+)$",
        rf"{WHO}(?: is| am|'m|'s) (?P<value>\d[\d.]* ?(?:cm|m|centimet\w+|feet|foot|meters|metres)) tall$",
    ),
    *_rule(
        "weight", "number", "number", "low",
        rf"{WHO}的?体重(?:{_IS_ZH})?(?P<value>.+)$",
        rf"{WHO} (?:weighs?|weight is) (?P<value>.+)$",
    ),
    *_rule(
        "major", "text", "exclusive", "medium",
        rf"{WHO}的?(?:大学)?(?:专业{_IS_ZH}|学的是|主修的?是?)(?P<value>.+?)(?:专业)?$",
        rf"{WHO}(?:'s)? ?major is (?P<value>.+)$",
        rf"{WHO} (?:majors|major|majored|is majoring|am majoring|'m majoring) in (?P<value>.+?)(?: at .+)?$",
    ),
    *_rule(
        "surname", "name", "exclusive", "high",
        rf"{WHO}姓(?P<value>{HAN}{{1,2}})$",
        rf"{WHO}(?:'s)? ?(?:last|family) name is (?P<value>.+)$",
    ),
    *_rule(
        "attribute", "text", "exclusive", "medium",
        rf"{WHO}的?(?P<what>{KEPT_ZH}){_IS_ZH}(?P<value>.+)$",
        rf"{WHO}(?:'s)? ?(?P<what>{KEPT_EN}) is (?P<value>.+)$",
    ),
    *_rule(
        "school", "text", "exclusive", "medium",
        rf"{WHO}毕业于(?P<value>.+)$",
        rf"{WHO}从(?P<value>.+?)毕业的?$",
        rf"{WHO} graduated from (?P<value>.+?)(?: in \d+)?$",
        rf"{WHO}在(?P<value>.+?(?:大学|学院|中学|高中))(?:读书|上学|念书|读研|读大学|就读)$",
        rf"{WHO} (?:studies|study|goes|go) (?:at|to) (?P<value>.*(?:university|college|school).*)$",
    ),
)  # fmt: skip
