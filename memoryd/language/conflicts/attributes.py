"""Attributes with one value that no triple has: partner, blood type, phone number, the place of a thing."""

from __future__ import annotations

import re

from memory_client.types import ConflictType
from memoryd.language.conflicts.clauses import Clause, read_clause
from memoryd.language.conflicts.states import is_about_a_thing

_NOUN = re.compile(
    r"(?P<owner>.*?)(?:的|'s )?(?P<what>血型|母语|国籍|星座|专业|手机号|电话|邮箱|密码|车牌|学号|民族|公司"
    r"|blood type|native language|mother tongue|nationality|star sign|zodiac sign|major|phone|email|password"
    r"|license plate|shoe size|employer|religion)(?:号码?| number| address)?(?:是|:| is )(?P<value>.+?)型?$"
)
_PARTNER = re.compile(
    r"(?P<owner>.*?)(?: is| am|'m|'s| got)? (?P<what>married|engaged) to (?P<value>.+)$"
    r"|(?P<owner_zh>.*?)[跟和与](?P<value_zh>..{1,2})(?:已经)?(?P<what_zh>结婚|订婚)了?$"
)
_PLACE = re.compile(
    r"(?P<owner>.+?) (?P<what>is|are|was|were|will be)(?: \w+ed| kept| hidden| held)?"
    r" (?:in|at|on|under|behind|inside|near|next to|above|below|beside) (?P<value>.+)$"
    r"|(?P<owner_zh>.+?)在(?P<value_zh>[^有了过]{2,10}?)(?P<what_zh>举行|举办|召开|)$"
)
_OPINION = re.compile(r"^(?:i (?:think|guess|believe|suppose) (?:that )?|(?:我|主人)觉得)")


def attributes_of(clause: Clause) -> dict[tuple[str, ...], tuple[str, ConflictType]]:
    """The value of each attribute a clause names, and the type of a conflict; by what it is, and whose."""
    text = _OPINION.sub("", clause.text.strip(" .。"))
    found: dict[tuple[str, ...], tuple[str, ConflictType]] = {}
    for pattern in (_NOUN, _PARTNER, _PLACE):
        if match := pattern.match(text):
            parts = {group.removesuffix("_zh"): part for group, part in match.groupdict("").items() if part}
            name, value = (parts.get("what", ""), *read_clause(parts.get("owner", "")).words), parts["value"]
            if pattern is not _PLACE:
                found[name] = value, "exclusive"
            elif is_about_a_thing(text) and _is_place(value, clause):
                found[name] = value, "place"
    return found


def _is_place(value: str, clause: Clause) -> bool:
    """Not a time, nor a state such as `in danger`: Chinese, a name, or a noun with an article."""
    return not clause.times and (not value.isascii() or " " in value or value.title() in clause.raw)
