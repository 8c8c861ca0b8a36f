"""What a claim says of attributes of which there is one: name, birthday, age, job, spouse, home and more."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoryd.language.conflicts.attribute_rules import RULES, Rule
from memoryd.language.conflicts.claims import Claim
from memoryd.language.conflicts.clause_reader import words_of
from memoryd.language.conflicts.locations import is_place, placed
from memoryd.language.conflicts.naming import named, related
from memoryd.language.conflicts.slot import Slot, bare, owner, plain
from memoryd.language.text_cache import text_cache

_NUMBER_OF = re.compile(r"号码?$| number$")
_PLACES = frozenset({"home", "origin"})


@text_cache(4096)
def slots(claim: Claim) -> tuple[Slot, ...]:
    """The attributes a claim gives a value for."""
    return tuple(slot for slot in _all(claim) if slot.value)


def _all(claim: Claim) -> Iterator[Slot]:
    for rule in RULES:
        if slot := _by_rule(rule, claim):
            yield slot
    yield from named(claim)
    yield from related(claim)
    if place := placed(claim):
        yield place


def _by_rule(rule: Rule, claim: Claim) -> Slot | None:
    match = rule.pattern.match(plain(claim.text))
    if match is None:
        return None
    value = bare(match["value"])
    if rule.attribute in _PLACES and not is_place(value):
        return None
    what = " ".join(words_of(_NUMBER_OF.sub("", match.groupdict().get("what") or "")))
    attribute = f"{rule.attribute} {what}".strip()
    return Slot(attribute, owner(match["who"]), value, rule.kind, rule.type, rule.severity)
