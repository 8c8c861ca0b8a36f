"""What somebody is called, and who is something to somebody of which one has one: wife, boss, landlord."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_client.types import Severity
from memoryd.language.conflicts.attribute_words import (
    HAN,
    JOBS,
    ONE_KIN,
    ONE_KIN_EN,
    ONE_OTHER,
    ONE_OTHER_EN,
    SPOUSE,
    WHO,
)
from memoryd.language.conflicts.claims import Claim
from memoryd.language.conflicts.clause_reader import words_of
from memoryd.language.conflicts.slot import Slot, bare, owner, plain

_NAME_ZH = re.compile(
    rf"{WHO}(?:的)?(?:名字|全名|真名|本名|大名|姓名)?(?:叫做?|名叫|名字是|全名是|姓名是"
    rf"|真名是)(?P<value>(?![他她你我它了来醒车上])(?:{HAN}|·){{2,6}}|[a-z]+(?: [a-z]+)*)$"
)
_NAME_EN = re.compile(
    r"^(?P<who>.*?)(?:(?:'s)? ?(?:full |real )?name is|(?: am| is|'m|'s|'re) (?:called|named)) (?P<value>.+)$"
)
_KIN_IS = re.compile(
    rf"^(?:(?P<who>.*?)的?(?P<kin>{ONE_KIN}|{ONE_OTHER})是(?P<value>{HAN}{{2,3}})$"
    rf"|(?P<value_2>{HAN}{{1,4}}|[a-z]+)是(?P<who_2>主人|用户|我|.*?)的?(?P<kin_2>{ONE_KIN}|{ONE_OTHER})$)"
)
_KIN_IS_EN = re.compile(
    rf"^(?:(?P<who>.*?)(?:'s)? ?(?P<kin>{ONE_KIN_EN}|{ONE_OTHER_EN}) is (?P<value>[\w'-]+(?: [\w'-]+)?)"
    rf"|(?P<value_2>[\w'-]+(?: [\w'-]+)?) is (?P<who_2>my|the user's|his|her"
    rf"|[\w]+'s) (?P<kin_2>{ONE_KIN_EN}|{ONE_OTHER_EN}))$"
)

_UNIQUE = frozenset(
    words[0]
    for alternatives in (ONE_KIN, ONE_OTHER, ONE_KIN_EN, ONE_OTHER_EN)
    for one in alternatives.split("|")
    if len(words := words_of(one)) == 1
)
_NEAREST = frozenset(
    word
    for one in (
        *SPOUSE.split("|"),
        *"wife husband spouse 妈妈 爸爸".split(),
        *"mother father 儿子 女儿 son daughter 孩子".split(),
    )
    for word in words_of(one)
)
_USER = re.compile(r"(?:你好，?)?(?:主人|用户|我|本人)(?:的|是)?|my|the user(?:'s)?|i")
"""Whose name it is when it is the user's; something else may be called so, as in 我养了一只叫豆豆的猫."""
_ONLY = re.compile(r"独生|唯一|\bonly\b")
_NO_NAME = re.compile(rf".*(?:{JOBS}|人)")


def named(claim: Claim) -> Iterator[Slot]:
    """The names a claim gives."""
    for pattern in (_NAME_ZH, _NAME_EN):
        if match := pattern.match(plain(claim.text)):
            slot = _called(match)
            if slot.about or slot.attribute != "name" or _USER.fullmatch(match["who"].strip()):
                yield slot


def related(claim: Claim) -> Iterator[Slot]:
    """Who is somebody's wife, boss and the like."""
    text = plain(claim.text)
    for pattern in (_KIN_IS, _KIN_IS_EN):
        if match := pattern.match(text):
            groups = {k.removesuffix("_2"): v for k, v in match.groupdict().items() if v is not None}
            value = bare(groups["value"])
            if _is_name(value, text, claim):
                kin = frozenset(words_of(groups["kin"]))
                yield _who_is(kin, owner(groups.get("who", "")), value)


def _called(match: re.Match[str]) -> Slot:
    """Somebody's name; one whose kind there is one of is known by the kind: my wife is called Ann."""
    whose = owner(match["who"]) - {"唯一", "onli"}
    unique = whose & _UNIQUE
    if unique:
        return _who_is(unique, whose - unique, bare(match["value"]))
    single = not whose or bool(_ONLY.search(match["who"]))
    return Slot("name", whose, bare(match["value"]), "name", "exclusive", _severity(whose), single)


def _who_is(kin: frozenset[str], whose: frozenset[str], value: str) -> Slot:
    return Slot(f"who is {' '.join(sorted(kin))}", whose, value, "name", "exclusive", _severity(kin))


def _is_name(value: str, text: str, claim: Claim) -> bool:
    """My wife is Ann, not: is tired, is a doctor."""
    if value.isascii():
        return value.split()[0] in claim.names | {text.split()[0]}
    return not _NO_NAME.fullmatch(value)


def _severity(about: frozenset[str]) -> Severity:
    return "high" if not about or about & _NEAREST else "medium"
