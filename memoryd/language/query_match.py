"""Whether a text clearly is what a query means, for those who destroy what they find.

Nearness alone does not say so: 主人住在上海 is near to 主人住在北京, and an unknown word is near to all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from memoryd.language.fold import STOP_CHARACTERS_ZH, UNSPACED, fold, index_terms, query_terms
from memoryd.language.text_cache import text_cache

_RUN = re.compile(rf"[{UNSPACED}]+")
_ASIDE = re.compile(
    r"请|帮我|关于|有关|忘记|忘掉|忘了|删除|删掉|所有|全部|一切|[这那]件事|的事情?(?![\u4e00-\u9fff])|主人|用户"
    r"|(?<!自)我们?|(?<!目)的(?![确士])"
    r"|\b(?:please|forget|delete|remove|erase|about|everything|anything|the fact that|that|the user)\b"
    r"|\b(?:my|me|i)\b",
    re.IGNORECASE,
)
"""What a wish to forget is dressed in, and the user, of whom everything is told."""


def topic(query: str) -> str:
    """What is left of a query without the wish; the query itself when nothing is."""
    left = " ".join(_ASIDE.sub(" ", query).split())
    return left if any(map(str.isalnum, left)) else query


def says_all(query: str, text: str) -> bool:
    """Whether a text holds every word of a query but stop words.

    Of what is written without spaces every character must stand in a pair that the text has, too: 花生过敏 is
    in 对花生有过敏反应, 喜欢喝可乐 is not in 喜欢喝咖啡.
    """
    terms, telling = set(index_terms(text)), _telling(query)
    words = {term for term in telling if not _RUN.fullmatch(term)}
    characters = list(_told(fold(query), terms))
    if not words and not characters:
        return bool(telling) and telling <= terms
    return words <= terms and all(characters)


def shares_words(query: str, text: str) -> bool:
    """Whether a text holds any word of a query but stop words."""
    return not _telling(query).isdisjoint(index_terms(text))


@text_cache(64)
def _telling(query: str) -> frozenset[str]:
    """The words of a query but stop words: it is held against hundreds of texts."""
    return frozenset(query_terms(query))


def _told(folded: str, terms: Set[str]) -> Iterator[bool]:
    """Of each character that is no stop character whether the text has it beside one of its neighbours."""
    for match in _RUN.finditer(folded):
        run = match.group()
        for at, one in enumerate(run):
            if one not in STOP_CHARACTERS_ZH:
                pairs = {run[max(0, at - 1) : at + 1], run[at : at + 2]} if len(run) > 1 else {run}
                yield any(len(pair) == min(2, len(run)) and pair in terms for pair in pairs)
