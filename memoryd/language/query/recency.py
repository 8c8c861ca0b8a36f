"""Requests for the most recent memories (刚才聊了什么, what did I say recently about work), by rules.

Only questions and requests count, not statements (最近总是失眠), and not other meanings of the words: the
nearest station (最近的地铁站), a quality (my recently divorced sister), a title.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memoryd.language.fold import fold
from memoryd.language.query.wording import find_keywords
from memoryd.language.text_cache import text_cache

RecencyKind = Literal["recent", "previous"]

_END = r"[?!。. ]*$"
_CLAUSE = re.compile(r"(?<=[?!。;\n])|(?<=[.]) |(?<=[\u4e00-\u9fff]{4}),|(?<=[a-z]),(?= *[\u4e00-\u9fff])")
"""Ends of clauses; a comma ends one in Chinese, except after a lone 刚才."""
_NAMED = re.compile(r"《[^》]*》|「[^」]*」|『[^』]*』|“[^”]*”|\"[^\"]*\"")

_TALK_ZH = "聊|谈|(?<!小)说(?![明服])|讲|提到|提过|问|告诉|推荐|建议|对话|话题|会话"
_TALK_EN = (
    r"(?:talk|discuss|chat|speak|spoke|say|said|tell|told|mention|ask|recommend|suggest|leave off|left off"
    r"|stop)(?:ed|ped|ing|ting)?"
)
_LAST_TIME_ZH = "上一?次|上一?回|前一次"
_LAST_TIME_EN = r"\b(?:the )?last time\b"
_LAST_TALK_EN = r"\b(?:last|previous|prior|earlier) (?:conversation|chat|session|discussion|talk)s?\b"
_LATELY_ZH = rf"刚才|刚刚(?!好)|方才|刚(?=(?:{_TALK_ZH}))|最近一?次?|近来|近期|这阵子"
_LATELY_EN = r"\b(?:just now|recently|lately|of late|these days|most recent(?:ly)?)\b"

_ASKS = re.compile(
    r"\?|什么|啥|哪|谁|几[个次点号天]|多[少久远长大高]|怎么|怎样|如何|为何|[吗呢]|有没有|是不是|记得|来着"
    r"|^(?:请|帮我|给我|跟我|和我|你|再)*(?:说说|讲讲|聊聊|告诉|回顾|总结|概括|回忆|想想|提醒|列)"
    rf"|^(?:我们?|咱们?)?[和跟]?你?(?:{_LATELY_ZH}|{_LAST_TIME_ZH})[^,。?!]{{0,4}}的[\u4e00-\u9fff]{{0,4}}{_END}"
    r"|\b(?:what|when|where|who|whom|whose|which|why|how)\b"
    r"|^(?:(?:please|and|so|ok|hey) )*(?:tell|remind|show|list|recall|recap|summari[sz]e|give|do|does|did"
    r"|have|has|had|is|are|was|were|can|could|would|will)\b"
    r"|^(?:(?:the|our|my|your) )?(?:most recent|recent|latest|last(?! time)|previous|prior)\b"
)
"""A question, a request, or a noun phrase."""
_ASKS_BY_CLAUSE = re.compile(
    r"^(?!(?:i|we|you|he|she|it|they|this|that|the|last|lately|recently|when|if|because|since|after)\b)"
    r"\w+(?: \w+)? (?:that |which )?(?:i|we|you)(?:'ve|'d)? "
)
"""A noun phrase with a relative clause: movies I have watched recently."""

_NEAREST = re.compile(
    r"[离距][^,。?!]{0,12}最近|[得的最]最近|附近最近"
    r"|最近的(?:那?一?[个家条间座处位])?[^,。?!的]{0,6}?"
    r"(?:站|店|馆|院|厅|场|厕所|银行|超市|学校|大学|机场|出口|路口|公园|酒店|亲人|亲戚|亲属|邻居)"
    r"(?=$|[在是叫有怎哪多离吗呢里谁,。?!])"
    rf"|最近{_END}"
)
_QUALITY = re.compile(
    r"\b(?:a|an|the|my|our|your|his|her|its|their|some|any|every|is|are|was|were|\w+'s) (?:most )?recently "
    r"\w+(?:ed|en|wn|ught|rn|lt)\b"
)

_PREVIOUS = re.compile(
    rf"(?:{_LAST_TIME_ZH})(?=[^,。?!]{{0,8}}(?:{_TALK_ZH}))|{_LAST_TALK_EN}"
    rf"|\b(?:we|you|i)\b[^,.;?!]{{0,30}}\b{_TALK_EN}\b[^.;?!]{{0,30}}{_LAST_TIME_EN}"
    rf"|{_LAST_TIME_EN},? (?:that )?(?:we|you|i)\b[^,.;?!]{{0,12}}\b{_TALK_EN}\b"
)
"""The last time the two talked."""
_RECENT = re.compile(
    rf"{_LATELY_ZH}|{_LAST_TIME_ZH}|[聊说讲谈]到(?=哪)|{_LATELY_EN}|{_LAST_TIME_EN}"
    r"|\b(?:did|have|has|had|were|was) (?:i|we|you|he|she|they) just\b"
    rf"|\b(?:i|we|you)(?:'ve|'d)? (?:have |had |were |was )?just {_TALK_EN}\b"
    rf"|\bwhere (?:were|are) we{_END}|\bwe (?:leave|left) off\b|\bdid we stop\b|\bwe stopped\b"
)

_OF_TALK = re.compile(
    rf"{_TALK_ZH}|\b{_TALK_EN}\b|\b(?:conversation|chat|session|discussion)s?\b|\bwe (?:leave|left) off\b"
    rf"|\bwhere (?:were|are) we{_END}"
)
_FRAME = re.compile(
    rf"{_LATELY_ZH}|{_LAST_TIME_ZH}|{_LAST_TALK_EN}|{_LAST_TIME_EN}|{_LATELY_EN}|\bjust\b"
    rf"|(?:{_TALK_ZH}|讨论)(?:[到过起了]|的(?:那?[个些件]|是|内容|话题)?|些|一?下)*|关于|话题|内容|发生[了过]?"
    r"|[干做弄搞忙][了过些]*(?=什么|啥|嘛|$)|的?事情?|情况|近况|过得|来着|叫(?=什么|啥|\s*$)|总结|回顾|概括|知道|[到过]"
)
"""Words of the request itself, which are no topic."""
_NO_TOPIC = frozenset(
    """talk talked talking discuss discussed discussing chat chatted chatting speak spoke speaking say said
    saying tell told telling mention mentioned ask asked conversation conversations session topic topics leave
    left off stop stopped go going goes went happen happened happening new up do doing done did been remember
    recall thing things stuff anything something everything summarize recap time last 忙 干 做 好 有 没 话
    新""".split()
)


@dataclass(frozen=True, slots=True)
class Recency:
    """A request for the most recent memories.

    kind: `recent` puts the newest first, `previous` the conversation before the current one; topic: words
    that texts must match, empty for any text; is_of_talk: about what was said, not what happened.
    """

    kind: RecencyKind
    topic: tuple[str, ...]
    is_of_talk: bool = False


def find_recency(query: str, times: Sequence[str] = ()) -> Recency | None:
    """The request of a message, if it is one. times: its time expressions, which are no topic."""
    return _find_recency(query, tuple(times))


@text_cache(1024)
def _find_recency(query: str, times: tuple[str, ...]) -> Recency | None:
    for one in filter(None, times):
        query = query.replace(one, " ")
    clauses = _CLAUSE.split(" ".join(fold(_NAMED.sub(" ", query)).split()))
    return next(filter(None, (_read_clause(clause.strip()) for clause in clauses)), None)


def _read_clause(clause: str) -> Recency | None:
    """The request of one clause, which must ask itself."""
    if not (_ASKS.search(clause) or _ASKS_BY_CLAUSE.search(clause)):
        return None
    text = _QUALITY.sub("\0", _NEAREST.sub("\0", clause))
    is_previous = _PREVIOUS.search(text) is not None
    if not is_previous and not _RECENT.search(text):
        return None
    is_of_talk = _OF_TALK.search(text) is not None
    return Recency("previous" if is_previous else "recent", _topic(text), is_of_talk)


def _topic(folded: str) -> tuple[str, ...]:
    words = find_keywords(_FRAME.sub("\n", folded))
    return tuple(one for one in words if one not in _NO_TOPIC)
