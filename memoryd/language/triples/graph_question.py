"""What a query asks of the graph: entities by name or by relation (my sister's cat), and predicates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memoryd.language.fold import fold
from memoryd.language.triples.kinship import KIN_EN, KIN_ZH
from memoryd.language.triples.names import key_of

READ_CHARS = 200
"""Characters of a query that are searched for names."""
_LONGEST_RUN = 10
_MOST_WORDS = 4
_RUN = re.compile(r"[\u4e00-\u9fff]+")
_WORD = re.compile(r"[^\W_\u4e00-\u9fff]+(?:['’-][^\W_\u4e00-\u9fff]+)*")
_PETS_ZH = "狗狗 小狗 狗 猫咪 小猫 猫 宠物 兔子 仓鼠 鹦鹉".split()
_PETS_EN = "dog cat pet puppy kitten rabbit hamster parrot".split()
_RELATIONS = {word: f"{relation}_of" for table in (KIN_ZH, KIN_EN) for word, relation in table.items()}
_RELATIONS |= dict.fromkeys((*_PETS_ZH, *_PETS_EN), "has_pet")
_ZH = "|".join(sorted((word for word in _RELATIONS if not word.isascii()), key=len, reverse=True))
_EN = "|".join(sorted((re.escape(word) for word in _RELATIONS if word.isascii()), key=len, reverse=True))
_STEP = re.compile(rf"(?P<zh>{_ZH})|\b(?P<en>{_EN})\b")
_BETWEEN = re.compile(r"(?:的|家的?|'s(?: \w+)?)? ?|的?那个|'s (?:best|older|younger|little|big) ")
_OWN = re.compile(r"我|主人|用户|\b(?:i|me|my|mine|the user|user)\b")
_HAS_OWNER = re.compile(r"(?:我|主人|用户)(?:家)?的?$|的$|(?:\bmy|'s) $")
_CUES = {
    "lives_in": r"住|城市|\blives?\b|\bliving in\b|\bcity\b|\bhome\b",
    "born_on": r"生日|出生|\bbirthday\b|\bborn\b",
    "works_as": (
        r"职业|工作|做什么|什么生意|\bjob\b|\bwork\b|\bfor a living\b|\bprofession\b|\bdo for\b"
        r"|\boccupation\b"
    ),
    "works_at": r"上班|单位|公司|工作|\bwork\b|\bemploy\w*|\bcompany\b|\bemployer\b",
    "likes": r"喜欢|爱(?!人)|爱好|\blikes?\b|\bloves?\b|\benjoys?\b|\bhobb\w+|\bfavou?rite\b",
    "dislikes": r"讨厌|不喜欢|反感|\bhates?\b|\bdislikes?\b|\bnot like\b",
    "allergic_to": r"过敏|忌口|避开|不能吃|\ballerg\w+|\bavoid\b|\bnot (?:cook|eat)\b|can't eat",
    "eats": r"吃|忌口|餐|\beats?\b|\bfood\b|\bcook\b",
    "drinks": r"喝|\bdrinks?\b",
    "fears": r"怕|吓|\bafraid\b|\bscare[sd]?\b|\bfears?\b|\bfrighten\w*",
    "plays": r"乐器|弹|拉|\binstrument\b|\bplays?\b|球|\bsport\b",
    "can": r"会|\bcan\b|\bable\b",
    "studies": r"学|专业|\bstud\w+|\bmajor\b|\blearn\w*",
    "studies_at": r"上学|读书|学校|大学|\bschool\b|\buniversity\b|\bcollege\b|\bstudy\b",
    "comes_from": r"哪国|哪里人|老家|家乡|国家|\bfrom\b|\bcountry\b|\bhometown\b",
    "speaks": r"语|\blanguages?\b|\bspeaks?\b",
    "has_pet": r"养|宠物|\bpets?\b",
    "owns": r"有什么|\bowns?\b",
    "is_a": r"品种|\bkind of\b|\bbreed\b",
    "age": r"几岁|多大|岁|\bold\b|\bage\b",
    "name": r"名字|叫什么|\bname\b",
    "suffers_from": r"病|\billness\b|\bcondition\b|\bhealth\b|\bdisease\b",
}
_PATTERNS = {name: re.compile(pattern) for name, pattern in _CUES.items()}


@dataclass(frozen=True, slots=True)
class Mention:
    """A range of the folded query that may be the name of an entity, with the key of that name."""

    start: int
    end: int
    key: str


@dataclass(frozen=True, slots=True)
class Chain:
    """An entity given by its relations: predicates to follow from an owner, who is named before `start`."""

    start: int
    end: int
    predicates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A parsed query. mentions: longest first; says_own: the user is named; predicates: of its words."""

    mentions: tuple[Mention, ...]
    chains: tuple[Chain, ...]
    says_own: bool
    predicates: frozenset[str]


def question_of(query: str) -> Question:
    """Parse the first `READ_CHARS` characters of a query."""
    text = fold(query[:READ_CHARS]).replace("’", "'")
    mentions = sorted(_mentions(text), key=lambda one: (one.start - one.end, one.start))
    predicates = frozenset(name for name, pattern in _PATTERNS.items() if pattern.search(text))
    return Question(tuple(mentions), tuple(_chains(text)), bool(_OWN.search(text)), predicates)


def _mentions(text: str) -> Iterator[Mention]:
    for run in _RUN.finditer(text):
        for start in range(run.start(), run.end()):
            for end in range(start + 2, min(run.end(), start + _LONGEST_RUN) + 1):
                yield Mention(start, end, text[start:end])
    words = list(_WORD.finditer(text))
    for first in range(len(words)):
        for last in range(first, min(len(words), first + _MOST_WORDS)):
            start, end = words[first].start(), words[last].end()
            key = key_of(text[start:end])
            yield Mention(start, end, key)
            if key.endswith("'s"):
                yield Mention(start, end - 2, key[:-2])


def _chains(text: str) -> Iterator[Chain]:
    steps = list(_STEP.finditer(text))
    at = 0
    while at < len(steps):
        first = last = at
        while last + 1 < len(steps) and _BETWEEN.fullmatch(text[steps[last].end() : steps[last + 1].start()]):
            last += 1
        found = steps[first : last + 1]
        at = last + 1
        if _RELATIONS[found[0].group()] == "has_pet" and not _HAS_OWNER.search(text[: found[0].start()]):
            continue
        yield Chain(found[0].start(), found[-1].end(), tuple(_RELATIONS[one.group()] for one in found))


def stands_before(text_start: int, mention: Mention) -> bool:
    """Whether a name ends right before a position of the query, with only 的 or 's between."""
    return 0 <= text_start - mention.end <= 3
