"""What everybody knows to exclude each other, though no word is another's opposite."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_client.types import Severity
from memoryd.language.conflicts.claims import Claim
from memoryd.language.conflicts.clause_reader import words_of
from memoryd.language.conflicts.types import FoundConflict
from memoryd.language.text_cache import text_cache

_MEAT = "牛排|牛肉|猪肉|羊肉|鸡肉|烤肉|红烧肉|肉|鸡翅|培根|烤鸭"
_MEAT_EN = "steaks?|beef|pork|chicken|bacon|meat|lamb|burgers?|ham|sausages?|ribs|turkey"
_KIN = "哥哥|弟弟|姐姐|妹妹|兄弟|姐妹|哥|弟|姐|妹"


@dataclass(frozen=True, slots=True)
class _Pair:
    one: re.Pattern[str]
    other: re.Pattern[str]


def _pair(one: str, other: str) -> _Pair:
    """Each begins behind whom it is about."""
    return _Pair(re.compile(one), re.compile(other))


_PETS = "狗|猫|柯基|金毛|泰迪|柴犬|哈士奇|仓鼠|兔子|鹦鹉"
_PETS_EN = "dog|cat|puppy|kitten|parrot|hamster|rabbit|goldfish|corgi|labrador|poodle|golden retriever"
_PAIRS = (
    _pair(
        r"没有?养?(?:任何)?宠物|(?:do not|don't|doesn't|does not) (?:have|own|keep) (?:any |a )?pets?\b",
        rf"(?:养了?|有)(?:了|着)?(?:一|两|二|三|几|\d)?[只条个]?(?:叫.{{1,6}}的)?(?:{_PETS})"
        rf"|(?:has|have|owns?) (?:an? |two |three |\d )?(?:\w+ )?(?:{_PETS_EN})s?\b",
    ),
    _pair(
        r"(?:是一?[名个位]?)?(?:纯|严格的?)?(?:素食主义者|素食者|吃素)|(?:am|is|'m"
        r"|'s) an? (?:strict )?(?:vegetarian|vegan)",
        rf"(?:很|最|特别|非常|经常|常|每\w)*(?:喜欢|爱|常)?吃(?:{_MEAT})|(?:eats?|loves?|likes?"
        rf"|enjoys?)(?: eating)?(?: a lot of)? (?:{_MEAT_EN})\b",
    ),
    _pair(
        r"是(?:家里的?)?(?:独生子女|独生子|独生女)$|(?:am|is|'m|'s) an only child",
        rf"有.{{0,3}}(?:{_KIN})|ha(?:ve|s) (?:\w+ ){{1,3}}(?:brother|sister|sibling)s?\b",
    ),
    _pair(
        r"(?:从来?)?(?:滴酒不沾|不喝酒)|(?:do not|don't|doesn't|does not"
        r"|never) drinks?(?: alcohol| any alcohol)?$",
        r"(?:很|最|特别|经常|常|每\w|天天)*(?:喜欢|爱|常)?喝(?:啤酒|红酒|白酒|威士忌)"
        r"|(?:drinks?|loves?|likes?|enjoys?)(?: drinking)? (?:beer|wine|whisky|whiskey|vodka|gin)\b",
    ),
    _pair(
        r"(?:还)?(?:单身|没有?结婚|未婚)|(?:am|is|'m|'s) (?:single|unmarried|not married)",
        r"的?(?:妻子|老婆|丈夫|老公)|(?:(?<=^my)|(?<='s)) (?:wife|husband)\b",
    ),
)


@text_cache(4096)
def _found(claim: Claim) -> tuple[tuple[int, bool, tuple[str, ...], str], ...]:
    """Which pair, whether its one side, about whom, in which words: all a claim says of the pairs."""
    found = []
    for number, pair in enumerate(_PAIRS):
        for is_one, pattern in ((True, pair.one), (False, pair.other)):
            if match := pattern.search(claim.text):
                about = words_of(claim.text[: match.start()])
                found.append((number, is_one, about, match.group().strip()))
    return tuple(found)


def implied(a: Claim, b: Claim) -> FoundConflict | None:
    """The conflict of two claims about the same one that cannot both be so for what they mean."""
    for number, is_one, about, words in _found(a):
        for other_number, other_is_one, other_about, other_words in _found(b):
            if (number, about, is_one) != (other_number, other_about, not other_is_one):
                continue
            if _is_said(b if is_one else a):
                severity: Severity = "low" if a.hedged or b.hedged else "medium"
                return FoundConflict("antonym", severity, f"{words} / {other_words}")
    return None


def _is_said(claim: Claim) -> bool:
    return not claim.negations and claim.mood == "said"
