"""Commands: messages that are one imperative. Search reports them and executes none.

A polite request is a command (can you recap…?, 能总结一下吗？). Not commands: questions about the act
(你上次总结一下什么了？), noun phrases (年终总结), idioms (forget it) and reminders (don't forget the milk).
"""

from __future__ import annotations

import re
from typing import Literal

Command = Literal["summarize", "clear", "forget", "remember"]

_POLITE_EN = re.compile(
    r"(?:(?:hey|hi|hello|ok|okay|so|now|well|just|please|kindly|and|alright)\b[,!. ]*)*"
    r"(?P<frame>(?:can|could|would|will) you (?:please |kindly |just |quickly )*"
    r"|(?:i want|i need|i'd like|i would like) you to |let's |let us )?"
    r"(?:(?:please|kindly|just|quickly) )*"
)
_TRAILING_EN = re.compile(r"(?:[,. !]+(?:please|thanks|thank you|now|for me|will you|ok))*[.!? ]*$")
_TALK = r"(?:chat|conversation|dialog(?:ue)?|discussion|context|session|thread|message)s?"
_ALL = "(?:(?:all|any|every|the|our|this|those|these|my|your|whole|entire|full|current|of) )*"
_HISTORY = rf"{_ALL}{_TALK}(?: (?:history|log|window|messages))?"
_MEMORY = r"(?:memor(?:y|ies)|notes?|records?|everything|anything|all(?: of it)?|what)"
_COMMANDS_EN: dict[Command, re.Pattern[str]] = {
    "summarize": re.compile(
        r"(?:summari[sz]e|sum up|recap(?! of)|condense)(?: .+)?"
        r"|sum (?:it|this|that|everything|all of (?:it|this)) up|tl;?dr"
        r"|(?:give|write|make|show)(?: me| us)? (?:an?|the) (?:\w+ )?(?:summary|recap|overview)(?: .+)?"
    ),
    "clear": re.compile(
        rf"(?:clear|wipe|reset|erase|delete|empty|purge|restart|flush)(?: out| away)? {_HISTORY}"
        rf"|(?:start|begin|open) (?:over|afresh|(?:a |an )?(?:new|fresh|clean) {_TALK})|new {_TALK}"
    ),
    "forget": re.compile(
        r"forget(?! (?:it|that|this|to|me not|about (?:it|that|this))$)(?! to )(?: about)? .+"
        rf"|(?:delete|remove|erase|drop|wipe) {_ALL}{_MEMORY}"
        r" (?:\w+ )?(?:of|about|on|that|i|we|you|regarding)\b.*"
    ),
    "remember": re.compile(
        r"(?:remember|memori[sz]e|keep in mind|bear in mind)"
        r"(?: that |: ?|, | this\b| (?=(?:my|our|his|her|their|i|i'm|we|he|she)\b)).*"
        r"|(?:make|take) a note\b.+|note(?: down| that|:).+|(?:write|jot) (?:(?:this|that|it) )?down.*"
    ),
}
_QUESTION_EN = re.compile(
    r"\?.|[,;:.] ?(?:what|where|when|who|why|how|which|do|does|did|is|are|was|were|can|could|should)\b"
)

_RECALL_QUESTION_EN = re.compile(r"remember (?!that |this\b)")

_POLITE_ZH = re.compile(
    r"(?:嗯|好的?|嘿|喂|那么?|现在|那就|[,!。])*"
    r"(?P<frame>(?:我(?:想|要|希望)(?:让|请)?[你您]|(?:[你您])?(?:能不能|可不可以|可以|能够?|可否|能否|会不会)))?"
    r"(?P<asked>(?:请|麻烦|劳烦|拜托|帮忙|帮我|给我|替我|为我|[你您]要?|来|先|再|直接)*)"
)
_REQUEST_ZH = re.compile(r"请|麻烦|劳烦|拜托|[帮给替]")
_TRAILING_ZH = re.compile(
    r"(?P<tail>(?:吧|好吗|好不好|好么|可以吗|行吗|行不行|谢谢你?|啊|呀|哦|嘛|呗|吗|(?<![什怎那这多])么|了|[,。!?~.])*)$"
)
_TALK_ZH = r"(?:对话|聊天|会话|上下文|谈话|消息)(?:记录|历史|内容|窗口)?"
_OURS_ZH = (
    r"(?:我们?的?|咱们的?|所有的?|全部的?|当前的?|目前的?|这个|这次的?|整个|之前的?|以前的?|刚才的?|今天的?)*"
)
_CLEAR_ZH = r"(?:清空|清除|清掉|清理|清一?下|清|删除|删掉|删|重置|抹掉)"
_SUM_ZH = r"(?:总结|概括|归纳|小结|梳理|概述)"
_COMMANDS_ZH: dict[Command, re.Pattern[str]] = {
    "summarize": re.compile(
        rf"(?:{_SUM_ZH}){{1,2}}|(?:{_SUM_ZH}|回顾)一?下.*|(?:把|将|对).+?(?:做个?)?{_SUM_ZH}(?:一?下)?"
        rf"|{_SUM_ZH}(?:我们|咱们|刚才|今天|这[次段]|前面|以上|上面|对话|聊天|本次|所有|全部).*"
        rf"|(?:做|写|来|出)?一?[个份](?:{_SUM_ZH}|摘要)"
    ),
    "clear": re.compile(
        rf"{_CLEAR_ZH}(?:一?下)?{_OURS_ZH}{_TALK_ZH}"
        rf"|(?:把|将){_OURS_ZH}{_TALK_ZH}(?:都|全部|全|给我|给)*{_CLEAR_ZH}"
        rf"|重新(?:开始|来)(?:一?个?新?的?{_TALK_ZH})?|(?:开始?|开启|新建|换)?一?个?新的?{_TALK_ZH}"
    ),
    "forget": re.compile(
        r"忘掉(?!一个人|.*(?:很难|不了)).+|(?:把|将).+?(?:都|全|给)*忘(?:掉|记|光)?"
        r"|(?:删除|删掉|清除|抹掉|抹去|去掉|删).*(?:记忆|回忆)|(?:删除|删掉|清除|抹掉)(?:所有|一切)?关于.+"
        r"|(?:把|将).+?(?:的记忆|的回忆)(?:都|全|给)*(?:删除|删掉|清除|抹掉|抹去|删)"
    ),
    "remember": re.compile(
        r"(?:记住|记好|牢记|记着)(?:[:,].+|(?=[我你您他她它这那今明后下上以每从\d]).{3,})"
        r"|(?:记一?下来?|记录一?下|记个笔记|做个?笔记|备忘)[:,]?(?:.{2,})?"
        r"|.{4,60}[,。](?:请|帮我|[你您]|要)*(?:记住|记一?下来?|记着|记好)"
    ),
}
_FORGET_REQUEST_ZH = re.compile(r"忘(?:记|了).+")
_QUESTION_ZH = re.compile(
    r"什么|谁|哪|几[个次天年月点]|多少|多久|怎么|怎样|如何|为何|何时|是不是|有没有|[?？]"
)
_TALK_VERBS_ZH = re.compile(r"(?:聊|说|谈|讲|讨论|提)")


def find_command(folded: str) -> Command | None:
    """The command of a folded message, if it is one."""
    text = " ".join(folded.split())
    return _english(text) or _chinese(re.sub(r"(?<=[^\x00-\x7f]) | (?=[^\x00-\x7f])", "", text))


def _english(text: str) -> Command | None:
    polite = _POLITE_EN.match(text)
    start = polite.end() if polite else 0
    end = _TRAILING_EN.search(text, start)
    if end is None:
        return None
    asks = "?" in end.group() and not (polite and polite.group("frame"))
    bare = text[start : end.start()]
    if asks or _QUESTION_EN.search(bare) or ("?" in end.group() and _RECALL_QUESTION_EN.match(bare)):
        return None
    return next((name for name, pattern in _COMMANDS_EN.items() if pattern.fullmatch(bare)), None)


def _chinese(text: str) -> Command | None:
    polite = _POLITE_ZH.match(text)
    tail = _TRAILING_ZH.search(text)
    if polite is None or tail is None or tail.start() < polite.end():
        return None
    asked, bare = polite.group("asked"), text[polite.end() : tail.start()]
    asks = bool(re.search(r"[吗么?]", tail.group())) and not re.search(r"[好可行]", tail.group())
    if asks and not polite.group("frame") and not _REQUEST_ZH.search(asked):
        return None
    for name, pattern in _COMMANDS_ZH.items():
        if pattern.fullmatch(bare):
            embedded = name == "summarize" and _TALK_VERBS_ZH.search(bare)
            return None if _QUESTION_ZH.search(bare) and not embedded else name
    wants = (asked or "吧" in tail.group() or polite.group("frame")) and _FORGET_REQUEST_ZH.fullmatch(bare)
    return "forget" if wants and not _QUESTION_ZH.search(bare) else None
