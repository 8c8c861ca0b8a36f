"""A text as clauses: the words of each in one spelling, its numbers, times, opposites and mood."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from memoryd.language.conflicts.tokens import tokenizer
from memoryd.language.conflicts.vocabulary import ROLES, SIDES, SYNONYMS, WHOLE, Role, stem
from memoryd.language.fold import UNSPACED, fold
from memoryd.language.numerals import ENGLISH_NUMBERS
from memoryd.language.text_cache import text_cache

_READ_CHARS = 2_000
_MAX_CLAUSES = 12
_NOW = re.compile(r"今[天年]|[这本](?:周|个?月)|today|this (?:year|week|month)")
_PAST = re.compile(r"昨|前|去年|上|last |yesterday")
_KIND_ROLES: dict[str, Role] = {"negation": "negation", "particle": "empty", "asking": "question"}
_BOUNDARY = re.compile(
    r"[。！；;\n]+|!+\s|(?<!\b[DdMm]r)[.](?=\s|$)|(?<=[？?])|，(?!\s*\d)"
    r"|,(?=\s*(?:but|and|so|while|though|because|he|she|they|it|i|my|the user)\b)"
    rf"|,(?=[{UNSPACED}])|\s+but\s+|但是|可是"
)
_WITHOUT_SUBJECT = re.compile(
    r"(?:and |but |so |also |now )*(?:likes?|loves?|hates?|lives?|works?|is|has|have|am|was|can|does|do"
    r"|speaks?|owns?|eats?|drinks?|plays?|stud(?:y|ies)|prefers?|enjoys?|never|always|usually|moved|went)\b"
    r"|(?:也|还|又|并且|而且|现在|目前|最近|已经|一直|从不|从来)*"
    r"(?:喜欢|讨厌|[爱住在是有不没会能养对叫每最常学想怕吃喝]|经常|今年|生日|身高|体重|来自|毕业|职业|工作)"
)
_SUBJECT = re.compile(
    rf"(?:(?:主人|用户|我|他|她)的?)?[{UNSPACED}]{{2,4}}?(?=喜欢|讨厌|[住在是有不会对叫\d]|今年)|主人|用户|[我他她]"
    r"|(?:the user's|my|his|her) \w+(?= )|the user|(?:i|he|she|they)\b"
    r"|\w+(?= (?:likes?|loves?|hates?|lives?|works?|is|has|was|can)\b)"
)
_USER_SAYS = re.compile(
    r"^(?:(?:主人|用户|我)(?:说过?|提到过?|表示过?)(?:自己|他|她|我)?"
    r"|(?:the user|i) (?:said|says|mentioned|told me)(?: that)?(?: (?:he|she|they|i)\b)?)[:： ]*"
)
_QUOTED = re.compile(r"[“\"][^”\"]{2,}[”\"]|「[^」]+」")
_tokens = tokenizer(word for word in {*ROLES, *SIDES, *SYNONYMS, *WHOLE} if not re.fullmatch("[a-z]+", word))


@dataclass(slots=True)
class Clause:
    """text: folded; raw: without an inherited subject; words: in order, `@` before a subject of opposites;
    sides: on which side of each subject; times: spelled, each with its text."""

    text: str
    raw: str
    words: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    times: dict[str, str] = field(default_factory=dict)
    sides: dict[str, int] = field(default_factory=dict)
    roles: set[Role] = field(default_factory=set)
    is_negated: bool = False


@text_cache(1024)
def read_clauses(text: str) -> tuple[Clause, ...]:
    """The clauses of a text; one without a subject inherits that of the clause before."""
    clauses = (clause for clause in _read_clauses(text[:_READ_CHARS]) if clause.words or clause.times)
    return tuple(clauses)[:_MAX_CLAUSES]


def _read_clauses(text: str) -> Iterator[Clause]:
    subject: str | None = ""
    for raw in _BOUNDARY.split(text):
        folded = fold(raw or "").strip()
        if not folded:
            continue
        folded = _USER_SAYS.sub("i " if folded[0].isascii() else "主人", folded)
        if not _WITHOUT_SUBJECT.match(folded):
            match = _SUBJECT.match(folded)
            subject = match and match.group() + (" " if match.group().isascii() else "")
        elif subject is not None:
            folded = f"{subject}{folded}"
        if subject is not None or not _WITHOUT_SUBJECT.match(folded):
            yield read_clause(folded, raw.strip())


def read_clause(folded: str, raw: str = "") -> Clause:
    """A clause or a value, folded."""
    clause = Clause(folded, raw, roles={"supposition"} if _QUOTED.search(raw) else set())
    for token in _tokens(folded):
        stemmed = stem(token.text) if token.kind == "word" else token.text
        side = SIDES.get(token.text) or SIDES.get(stemmed)
        role = ROLES.get(token.text) or ROLES.get(token.spelling) or ROLES.get(stemmed)
        role = role or _KIND_ROLES.get(token.kind)
        if token.kind == "time":
            if not _NOW.fullmatch(token.text):
                clause.times[token.spelling] = token.text
            clause.roles |= {"past"} if _PAST.match(token.text) else set()
        elif side:
            clause.sides[side.subject] = side.number
            clause.words.append(f"@{side.subject}")
        elif role:
            clause.roles.add(role)
            clause.is_negated ^= role == "negation"
        elif token.kind == "number" or token.text in ENGLISH_NUMBERS:
            clause.numbers.append(token.spelling.lstrip("#"))
        else:
            clause.words.append(stem(SYNONYMS.get(token.text, token.spelling)))
    return clause
