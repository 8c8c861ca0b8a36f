"""What the ranker sees of each candidate: one column a feature, the same for every kind of text.

Where a text has no neighbours or no session it stands for itself. Scores by tokens are sums over the query's
tokens, weighted by how rare their words are (`token_weights`), of the cosine with the nearest token.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memoryd.index.keyword.forward_index import Documents, bm25, numbers_of
from memoryd.index.keyword.query import KeywordQuery
from memoryd.language import text_features
from memoryd.language.fold import STOP_CHARACTERS_ZH, STOP_WORDS_EN, fold, index_terms
from memoryd.language.query.understanding import Understanding
from memoryd.retrieval.ranking.frame import Column, Frame, Table
from memoryd.storage.records.candidates import Place

Features = dict[str, Column]

NAMES = (
    "late_around",
    "matched",
    "late_centred",
    "matched_centred",
    "session",
    "subject",
    "dense",
    "words_near",
    "speaker",
    "date",
    "date_near",
    "number",
    "name",
    "question",
    "answers",
    "role",
    "length",
    "exact",
)
"""Every feature; `ranker.json` says what each is worth."""

_STOP_WEIGHT = 0.3
_AROUND = 4
"""Turns before and behind that `late_around` looks at."""
_NEAR = 3
"""A turn and its two neighbours."""
_HARDNESS, _MIDDLE, _MIDDLE_CENTRED = 20.0, 0.45, 0.25
_SESSION_GAP = 1800.0
"""Seconds without a memory after which those that follow belong to another session."""
_SESSION_BEST = 3
_EDGE = 1e-6
"""Seconds: the end of a range is no part of it."""
_WEEK = 7 * 86_400.0
_MONTH = 32 * 86_400.0
_NAMED_THING = re.compile(
    r"^(?:who|where|which"
    r"|what(?:'s| is| are| was)?(?: the)? (?:name|book|movie|game|song|city|country|state|band))"
    r"|谁|哪[部本座家里儿]|名字|叫什么"
)
_YOU = re.compile(r"你(?!还?记不?得|知道)|\byou(?:r|rs)?\b(?!\s+(?:remember|recall|know))", re.IGNORECASE)
_WITH_YOU = re.compile(
    r"[跟和给对向问让告诉]{1,2}你|你我|\b(?:tell|told|asked?|with|to|remind|give) you\b"
    r"|\b(?:do|can|could|did|would) you (?:remember|recall|know|tell|remind)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class RankingInput:
    """What is known of a query and of the texts it is ranked over.

    matches: the cosine of each token of the query with the nearest token of each text, (n, tokens), None
    without token vectors; centred: the same with what is due to the languages taken off, None where that is
    not known of the space; word_weights: of the tokens; documents: the texts' terms; dense: cosines by row;
    named: the speaker the query names; span: the time it names; exact: rows that hold what it asks for
    literally.
    """

    frame: Frame
    matches: Table | None
    word_weights: Column
    documents: Documents
    lexical: KeywordQuery | None
    dense: Mapping[int, float]
    understanding: Understanding
    named: str | None
    span: tuple[float, float] | None
    exact: Mapping[int, float]
    centred: Table | None = None


def features(given: RankingInput) -> Features:
    """All features of the texts that can be told, each (n,)."""
    found = {
        **_words(given),
        **_cues(given),
        **_times(given),
        "exact": given.frame.column(given.exact, 0.0),
    }
    if given.matches is not None:
        found |= _late(given.frame, given.matches, given.word_weights)
    if given.matches is not None and given.centred is not None:
        found |= _centred(given, given.matches, given.centred)
    if given.dense:
        found["dense"] = given.frame.column(given.dense, min(given.dense.values()))
    return found


def token_weights(words: Sequence[str], idf: Mapping[str, float]) -> Column:
    """How much each token of a query counts, adding up to 1: its word's rarity, less for stop words.

    idf: of the terms the words are made of; a term that is nowhere counts as the rarest.
    """
    rarest = max(idf.values(), default=1.0)
    weights = np.array([_rarity(word, idf, rarest) for word in words])
    if not weights.sum():
        weights = np.ones(len(words))
    return np.asarray(weights / max(1e-9, weights.sum()))


def terms_of(word: str) -> list[str]:
    """The terms whose rarity is a word's: of an unspaced one its pairs, where it has any."""
    found = index_terms(word)
    return [term for term in found if len(term) > 1] or found


def _rarity(word: str, idf: Mapping[str, float], rarest: float) -> float:
    rarity = max((idf.get(term, rarest) for term in terms_of(word)), default=0.0)
    folded = fold(word)
    is_stop = folded in STOP_WORDS_EN or all(c in STOP_CHARACTERS_ZH or not c.isalnum() for c in folded)
    return rarity * (_STOP_WEIGHT if is_stop else 1.0)


def _late(frame: Frame, own: Table, weights: Column) -> Features:
    return {
        "late_around": frame.max_over_neighbours(own, _AROUND) @ weights,
        "matched": _hard(own) @ weights,
    }


def _centred(given: RankingInput, matches: Table, centred: Table) -> Features:
    """Of memories: matches between languages, the best of those made in one session, who it is about."""
    weights = given.word_weights
    return {
        "late_centred": centred @ weights,
        "matched_centred": _hard(centred, _MIDDLE_CENTRED) @ weights,
        "session": _session(given.frame, matches @ weights),
        "subject": np.array([_is_about(place, given.understanding) for place in given.frame.places]),
    }


def _hard(similar: Table, middle: float = _MIDDLE) -> Table:
    """Near 1 where a token is matched, near 0 where it is not."""
    return np.asarray(1 / (1 + np.exp(-_HARDNESS * (similar - middle))))


def _session(frame: Frame, values: Column) -> Column:
    """The mean of the best values among the texts made within half an hour of each other, for each text."""
    made = np.array([place.created_at for place in frame.places])
    order = np.argsort(made, kind="stable")
    breaks = np.flatnonzero(np.diff(made[order]) > _SESSION_GAP) + 1
    found = np.empty(len(values))
    for members in np.split(order, breaks):
        found[members] = np.sort(values[members])[-_SESSION_BEST:].mean()
    return found


def _is_about(place: Place, read: Understanding) -> float:
    opening = fold(place.opening)
    return float(any(opening.startswith(fold(name)) for name in read.names))


def _words(given: RankingInput) -> Features:
    """BM25 of a text together with its neighbours, as a share of the best it can be; the text's length."""
    frame, documents = given.frame, given.documents
    lengths = frame.spread(documents.rows, documents.lengths, 0.0)
    found: Features = {"length": np.log1p(lengths), "words_near": np.zeros(len(frame))}
    if given.lexical is None:
        return found
    held = documents.counts(numbers_of(list(given.lexical.frequencies)))
    counts = frame.spread(documents.rows, held, 0.0)
    idfs = np.array([given.lexical.idf(term) for term in given.lexical.frequencies])
    mean = given.lexical.partition.mean_length * (_NEAR if frame.sessions.any() else 1)
    found["words_near"] = bm25(
        _with_neighbours(frame, counts), _with_neighbours(frame, lengths), idfs, mean
    ) / max(1e-9, given.lexical.best)
    return found


def _with_neighbours(frame: Frame, column: Column) -> Column:
    before, behind = frame.neighbours(column, 0.0)
    return column + before + behind


def _cues(given: RankingInput) -> Features:
    """Who speaks, and whether the text is of the kind that answers the question."""
    frame, read = given.frame, given.understanding
    own = frame.spread(given.documents.rows, given.documents.cues, 0).astype(np.int64)
    before, _ = frame.neighbours(own, 0)
    wanted = (text_features.NUMBER if read.focus == "number" else 0) | (
        text_features.TIME if read.focus == "time" else 0
    )
    is_named = bool(_NAMED_THING.search(read.query.casefold())) or read.focus in ("person", "place")
    role = _role(read.query)
    return {
        "speaker": np.array([_is_named(place, given.named) for place in frame.places]),
        "number": _flags(own & wanted),
        "name": _flags(own & (text_features.NAME if is_named else 0)),
        "question": _flags(own & text_features.QUESTION),
        "answers": _flags(before & text_features.QUESTION),
        "role": np.array([_role_match(place, role) for place in frame.places]),
    }


def _flags(bits: npt.NDArray[np.int64]) -> Column:
    return np.asarray(bits != 0, dtype=np.float64)


def _is_named(place: Place, named: str | None) -> float:
    return float(named is not None and place.speaker == named)


def _role(query: str) -> str:
    """Whose words a question is about: yours are the assistant's."""
    return "assistant" if _YOU.search(_WITH_YOU.sub("", query)) else "user"


def _role_match(place: Place, wanted: str) -> float:
    """1 for a turn of the wanted role, -1 for another; names say more, where turns have them."""
    if place.role is None or place.speaker is not None:
        return 0.0
    return 1.0 if place.role == wanted else -1.0


def _times(given: RankingInput) -> Features:
    """Whether a text was made in, or speaks of, the time that the query names; and how near it is."""
    frame = given.frame
    if given.span is None:
        return {"date": np.zeros(len(frame)), "date_near": np.zeros(len(frame))}
    start, end = given.span
    gaps = np.array([_gap(place, start, end) for place in frame.places])
    near = np.exp(-gaps / _WEEK) if end - start < _MONTH else np.zeros(len(gaps))
    return {"date": (gaps == 0.0).astype(np.float64), "date_near": near}


def _gap(place: Place, start: float, end: float) -> float:
    """Seconds between a text's time and a range, 0 inside of it."""
    made = max(start - place.created_at, place.created_at - end + _EDGE, 0.0)
    if place.event_start is None:
        return made
    event_end = place.event_start if place.event_end is None else place.event_end
    return min(made, max(start - event_end, place.event_start - end + _EDGE, 0.0))
