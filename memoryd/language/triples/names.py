"""Names of entities: how a name is stored, and the key that its spellings share."""

from __future__ import annotations

import re

from memory_client.types import Language
from memoryd.language.fold import fold
from memoryd.language.triples.kinship import PEOPLE_EN, SPOKEN_ZH

OWN = "user"
"""The name and the key of the user's own node."""

_OWN_WORDS = frozenset("user i me my myself mine 我 我的 我自己 自己 本人 俺 咱 主人 用户 使用者".split()) | {
    "the user",
    "this user",
    "the owner",
    "my master",
    "the master",
}
_OUTER = " \t\r\n.,;:!?…·~'\"`“”‘’«»()[]{}<>《》〈〉「」『』【】（）。，、；：！？—-"
_ARTICLE = re.compile(r"^(?:the|a|an)\s+(?=\S)")
_TITLE_EN = re.compile(r"^(?:mr|mrs|ms|miss|dr|prof|sir|madam)\b\.?\s+(?=\S+\s+\S)")
_TITLE_ZH = re.compile(r"(?<=[\u4e00-\u9fff]{2})(?:先生|女士|小姐|同学)$")
_OWN_START = re.compile(r"^(?:(?:我|俺|咱|本人|主人|用户)(?:家)?的?|(?:my|(?:the )?user's)\s+)(?=\S)")
_SPACE = re.compile(r"\s+")
_SIGN = re.compile(r"-?\.?$")
_HAN = re.compile(r"[\u4e00-\u9fff]")


def language_of(words: str) -> Language:
    """Chinese if there is any Chinese character, else English."""
    return "zh" if _HAN.search(words) else "en"


def strip_punctuation(name: str) -> str:
    """A name in one line without outer punctuation, '' if nothing is left; a number keeps its sign."""
    line = _SPACE.sub(" ", name)
    inner = line.strip(_OUTER)
    sign = _SIGN.search(line[: line.find(inner)]) if inner[:1].isdigit() else None
    return f"{sign[0] if sign else ''}{inner}"


def name_of(name: str) -> str:
    """A name as it is stored and shown: one line, without outer punctuation."""
    plain = strip_punctuation(name) or _SPACE.sub(" ", name).strip()
    key = key_of(plain)
    return key if key == OWN or key.startswith(f"{OWN}'s ") else plain


def key_of(name: str) -> str:
    """The key of a name, regardless of width, case, traditional characters, articles, quotes and titles.
    Every word for the user is `user`; 我妈妈 and my mom are `user's mother`."""
    folded = strip_punctuation(fold(name)) or _SPACE.sub(" ", fold(name)).strip()
    if folded in _OWN_WORDS:
        return OWN
    relative = _relative(folded)
    if relative:
        return f"{OWN}'s {relative}"
    folded = _ARTICLE.sub("", folded)
    return _TITLE_ZH.sub("", _TITLE_EN.sub("", folded))


def keys_of(name: str) -> tuple[str, ...]:
    """The keys under which an entity of this name may be stored, the current one first. Schema 4 gave
    我父母 a key of its own."""
    return tuple(dict.fromkeys((key_of(name), strip_punctuation(fold(name)))))


def _relative(folded: str) -> str | None:
    """The relation of somebody named by it: 我妈妈, my mom, the user's mother."""
    match = _OWN_START.match(folded)
    if match is None:
        return None
    rest = folded[match.end() :]
    known = SPOKEN_ZH.get(rest) or PEOPLE_EN.get(rest)
    return known or (rest if folded.startswith(f"{OWN}'s ") else None)
