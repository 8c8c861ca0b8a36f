"""Whether a text clearly matches a query, for operations that delete the matches.

Similar vectors are not enough: 主人住在上海 is similar to 主人住在北京, and an unknown word to everything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from memoryd.language.fold import STOP_CHARACTERS_ZH, UNSPACED, fold, index_terms, query_terms
from memoryd.language.text_cache import text_cache

_RUN = re.compile(rf"[{UNSPACED}]+")
_REQUEST_WORDS = re.compile(
    r"请|帮我|关于|有关|忘记|忘掉|忘了|删除|删掉|所有|全部|一切|[这那]件事|的事情?(?![\u4e00-\u9fff])|主人|用户"
    r"|(?<!自)我们?|(?<!目)的(?![确士])"
    r"|\b(?:please|forget|delete|remove|erase|about|everything|anything|the fact that|that|the user)\b"
    r"|\b(?:my|me|i)\b",
    re.IGNORECASE,
)
"""Words of a request to forget, and of the user, whom every memory is about."""


def topic(query: str) -> str:
    """A query without the words of the request; the query itself if nothing is left."""
    left = " ".join(_REQUEST_WORDS.sub(" ", query).split())
    return left if any(map(str.isalnum, left)) else query


def contains_query(query: str, text: str) -> bool:
    """Whether a text contains every word of a query except stop words.

    In scripts without spaces every character must be in a bigram that both have: 花生过敏 is in
    对花生有过敏反应, 喜欢喝可乐 is not in 喜欢喝咖啡.
    """
    terms, wanted = set(index_terms(text)), _query_terms(query)
    words = {term for term in wanted if not _RUN.fullmatch(term)}
    characters = list(_match_characters(fold(query), terms))
    if not words and not characters:
        return bool(wanted) and wanted <= terms
    return words <= terms and all(characters)


def shares_words(query: str, text: str) -> bool:
    """Whether a text contains any word of a query except stop words."""
    return not _query_terms(query).isdisjoint(index_terms(text))


@text_cache(64)
def _query_terms(query: str) -> frozenset[str]:
    """The terms of a query, which is compared with hundreds of texts."""
    return frozenset(query_terms(query))


def _match_characters(folded: str, terms: Set[str]) -> Iterator[bool]:
    """Whether the text has each character, except stop characters, beside one of its neighbours."""
    for match in _RUN.finditer(folded):
        run = match.group()
        for at, one in enumerate(run):
            if one not in STOP_CHARACTERS_ZH:
                pairs = {run[max(0, at - 1) : at + 1], run[at : at + 2]} if len(run) > 1 else {run}
                yield any(len(pair) == min(2, len(run)) and pair in terms for pair in pairs)
