"""The kind of answer a question asks for."""

from __future__ import annotations

import re
from typing import Literal

from memoryd.language.text_features import HAN

Focus = Literal["person", "place", "time", "number", "thing", "reason", "yes_no", "other"]

_Rules = tuple[tuple[Focus, re.Pattern[str]], ...]

_FRAME_ZH = re.compile(
    r"^(?:那么?|请问|嗯|好|[,。])*(?:[你您]?(?:还|能不能|能|可以)?(?:是否)?(?:记得|知道|记不记得|知不知道|告诉我|说说)"
    r"|(?:请)?告诉我|提醒我|我想知道)(?P<rest>.*?)(?:吗|么|嘛)?[?。!]*$"
)
_ASKS_ZH = re.compile(
    r"(?:吗|(?<![什怎那这多])么)[?。!~]*$|了没有?[?。]*$|是不是|有没有|会不会|能不能|要不要|是否|对不对|(.)不\1"
)
_RULES_ZH: _Rules = (
    ("reason", re.compile(r"为什么|为何|为啥|怎么会|咋会|原因|凭什么|什么缘故|干嘛要")),
    ("thing", re.compile(r"[聊说讲谈]到(?:了)?哪")),
    ("person", re.compile(r"谁|哪[一个]?位|哪个人|什么人|哪个(?:朋友|同事|同学|老师|医生|歌手|演员|作家)")),
    (
        "time",
        re.compile(
            r"什么时[候间]|何时|几[点号月日]|(?:星期|礼拜|周)几|哪[一两几]?[天年日]|哪个?(?:月|星期|季节|周)|多久|多长时间"
            r"|几个?(?:年|月|星期|小时|分钟|周)|几天|什么日子|啥时候"
        ),
    ),
    (
        "place",
        re.compile(
            r"哪里|(?<!好在)哪儿|(?<!好)在哪|去哪|到哪|住哪|从哪|何处|什么地方|啥地方"
            r"|(?:哪一?[个座所家条间]|什么)(?:城市|国家|地方|餐厅|饭店|餐馆|学校|大学|公司|店|商店|酒店|医院|省(?![钱事心])|街|小区|景点|公园)"
        ),
    ),
    ("thing", re.compile(r"^(?:请|给我|帮我|再|你)*(?:推荐|列出|列举)")),
    ("number", re.compile(r"多少|多[大高重远宽深贵]|多长(?!时间)|(?<!哪)几(?![乎何率])|百分之")),
    ("thing", re.compile(r"什么|哪|啥|还是|推荐|区别|比较一?下")),
)
_CLAUSE_END = re.compile(r"(?<=[,;。!])")
_NOUNS_ZH: _Rules = (
    ("time", re.compile(r"(?:生日|纪念日|日期|(?:^|的)时间|(?:^|的)日子)[?。]*$")),
    ("place", re.compile(r"(?:地址|住址|家乡|老家|地点|位置)[?。]*$")),
    ("number", re.compile(r"(?:^|的)(?:电话|(?:\w+)?号码|年龄|价格|房租|工资|身高|体重|数量)[?。]*$")),
)

_FRAME_EN = re.compile(
    r"^(?:(?:(?:do|did|can|could|would|will) you (?:still |please |even |also )*"
    r"(?:remember|recall|know|tell me|remind me|say)|tell me|remind me(?: of)?|i (?:forgot|wonder)"
    r"|i want to know|please|hey|hi|so|and|but|ok|okay|well)\b[\s,]*){1,3}"
)
_AUX = r"(?:is|are|am|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might|shall|'s|'re)"
_ASKS_EN = re.compile(
    rf"^(?:{_AUX}|isn't|aren't|wasn't|weren't|don't|doesn't|didn't|haven't|hasn't|can't|won't)\b"
)
_OWNER = r"(?:the |my |our |your |his |her |their |\w+'s )*"
_NAMED: dict[Focus, str] = {
    "time": "time|day|date|year|month|season|hour|week|weekday|decade|birthday|anniversary|deadline",
    "place": "city|country|town|place|location|restaurant|state|street|school|university|college|hotel|shop"
    "|store|cafe|bar|museum|park|village|region|continent|address|hometown|neighbou?rhood|beach|airport|hospital",
    "person": "person|people|friend|guy|man|woman|boy|girl|colleague|doctor|teacher|singer|actor|actress"
    "|author|artist|brother|sister|cousin|uncle|aunt|player|neighbou?r"
    "|(?:brother|sister|mother|mom|mum|father|dad|friend|wife|husband|partner|boss|teacher|doctor|son|daughter"
    "|cousin|uncle|aunt|niece|nephew|girlfriend|boyfriend|roommate)'s name",
    "number": "number(?! one)|percentage|amount|price|age|size|score|cost|temperature|salary|rent|height"
    "|weight",
    "reason": "reasons?|cause",
}
_NAMED_RULES: _Rules = tuple(
    (
        focus,
        re.compile(
            rf"\b(?:what|which)(?:'s)? (?:(?:is|was|are|were) )?{_OWNER}(?:(?!{_AUX}\b)\w+ )?(?:{nouns})\b"
        ),
    )
    for focus, nouns in _NAMED.items()
)
_RULES_EN: _Rules = (
    ("reason", re.compile(r"^(?:why|how come)\b|^what (?:made|makes|caused)")),
    ("time", re.compile(r"^how many (?:minute|hour|day|night|week|month|year|decade)s\b")),
    (
        "number",
        re.compile(r"^how (?:many|much|old|tall|far|heavy|big|large|high|fast|deep|expensive|wide)\b"),
    ),
    ("time", re.compile(r"^(?:when|how (?:long|often|soon|early|late|recently))\b")),
    ("place", re.compile(r"^where\b")),
    ("person", re.compile(r"^who(?:m|se)?\b")),
)
_WH = re.compile(r"\b(?:who(?:m|se)?|what|which|when|where|why|how)\b(?!-)")
_MAIN_WH = re.compile(
    rf"\b(?:(?:who(?:m|se)?|what|which|when|where|why|how(?: \w+)?) ?{_AUX}"
    r"|how (?:many|much|old|long|far|often)|which|whose)\b"
)
_THING_EN = re.compile(r"^(?:recommend|suggest|compare|list|name)\b")
_NOUNS_EN: _Rules = tuple(
    (focus, re.compile(rf"\b(?:{nouns})[?.! ]*$")) for focus, nouns in _NAMED.items() if focus != "person"
)


def find_focus(folded: str) -> Focus:
    """The kind of answer; `other` for questions about a manner and for statements."""
    found = _chinese(folded) if HAN.search(folded) else "other"
    return found if found != "other" else _english(" ".join(folded.split()))


def _first(rules: _Rules, text: str) -> Focus:
    return next((focus for focus, pattern in rules if pattern.search(text)), "other")


def _chinese(text: str) -> Focus:
    frame = _FRAME_ZH.match(text)
    inner = frame.group("rest") if frame else text
    for clause in reversed(_CLAUSE_END.split(inner)):  # the question comes last
        if not frame and _ASKS_ZH.search(clause):
            return "yes_no"
        if (found := _first(_RULES_ZH, clause)) != "other":
            return found
    return _first(_NOUNS_ZH, inner)


def _english(text: str) -> Focus:
    inner = _FRAME_EN.sub("", text, count=1)
    if _ASKS_EN.match(inner):
        return "thing" if " or " in inner and " or not" not in inner else "yes_no"
    if _THING_EN.match(inner):
        return "thing"
    asked = _MAIN_WH.search(inner) or _WH.search(inner)
    if asked is None or inner.startswith("remember when"):
        return "other" if asked else _first(_NOUNS_EN, inner)
    question = inner[asked.start() :]
    found = _first(_RULES_EN, question)
    if found != "other" or question.startswith("how"):
        return found
    found = _first(_NAMED_RULES, question[:80])
    return found if found != "other" else "thing"
