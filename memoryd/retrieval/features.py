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

from memoryd.core import cues
from memoryd.core.fold import STOP_CHARACTERS_ZH, STOP_WORDS_EN, fold, index_terms
from memoryd.index.lexical_query import LexicalQuery
from memoryd.index.terms import Documents, bm25, numbers_of
from memoryd.index.tokens import TokenBlock
from memoryd.models.base import Encoding
from memoryd.retrieval.planning.understanding import Understanding
from memoryd.storage.candidates import Place

Column = npt.NDArray[np.float64]
Features = dict[str, Column]

NAMES = (
    "late",
    "late_near",
    "late_around",
    "late_session",
    "matched",
    "matched_near",
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
_HARDNESS, _MIDDLE = 20.0, 0.45
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
class Scene:
    """What is known of a query and of its candidates, neighbours included.

    rows: the candidates, ascending; places: of every row that was loaded; documents, tokens: of as many as
    have them; dense: cosines by row; spans: times the query names, as (start, end); exact: rows that hold
    what was asked for literally; speakers: folded names known, as the texts have them.
    """

    rows: Sequence[int]
    places: Mapping[int, Place]
    documents: Documents
    lexical: LexicalQuery | None
    encoding: Encoding | None
    tokens: TokenBlock | None
    word_weights: Column
    dense: Mapping[int, float]
    understanding: Understanding
    named: str | None
    span: tuple[float, float] | None
    exact: Mapping[int, float]


def features(scene: Scene) -> Features:
    """All features of the candidates that can be told, each (rows,)."""
    found = {
        **_late(scene),
        **_words(scene),
        **_cues(scene),
        **_times(scene),
        "exact": _column(scene, scene.exact, 0.0),
    }
    if scene.dense:
        found["dense"] = _column(scene, scene.dense, min(scene.dense.values()))
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


def _column(scene: Scene, values: Mapping[int, float], missing: float) -> Column:
    return np.array([values.get(row, missing) for row in scene.rows])


def _late(scene: Scene) -> Features:
    if scene.encoding is None or scene.encoding.tokens is None or scene.tokens is None:
        return {}
    if not len(scene.tokens.rows) or not len(scene.encoding.tokens):
        return {}
    loaded = scene.tokens.rows.tolist()
    place = {row: at for at, row in enumerate(loaded)}
    best = scene.tokens.best_matches(scene.encoding.tokens)
    floor = best.min(axis=0)
    own = np.array([best[place[row]] if row in place else floor for row in scene.rows])
    weights = scene.word_weights
    near = _widened(scene, best, place, own, 1)
    around = _widened(scene, best, place, near, _AROUND)
    return {
        "late": own @ weights,
        "late_near": near @ weights,
        "late_around": around @ weights,
        "late_session": _over_sessions(scene, best, loaded, own) @ weights,
        "matched": _hard(own) @ weights,
        "matched_near": _hard(near) @ weights,
    }


def _hard(similar: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Near 1 where a token is matched, near 0 where it is not."""
    return np.asarray(1 / (1 + np.exp(-_HARDNESS * (similar - _MIDDLE))))


def _widened(
    scene: Scene,
    best: npt.NDArray[np.float32],
    place: Mapping[int, int],
    own: npt.NDArray[np.float32],
    steps: int,
) -> npt.NDArray[np.float32]:
    """The best matches within so many turns before and behind, as far as they are loaded."""
    found = own.copy()
    for at, row in enumerate(scene.rows):
        for beside in neighbours(scene.places, row, steps):
            if beside in place:
                np.maximum(found[at], best[place[beside]], out=found[at])
    return found


def neighbours(places: Mapping[int, Place], row: int, steps: int) -> list[int]:
    """The rows within so many turns of a row, as far as they are known."""
    found: list[int] = []
    for step in ("before", "behind"):
        beside = places.get(row)
        for _ in range(steps):
            at = None if beside is None else getattr(beside, step)
            if at is None:
                break
            found.append(at)
            beside = places.get(at)
    return found


def _over_sessions(
    scene: Scene, best: npt.NDArray[np.float32], loaded: Sequence[int], own: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """The best matches among what is loaded of the same session."""
    sessions = [scene.places[row].session if row in scene.places else 0 for row in loaded]
    number = {session: at for at, session in enumerate(dict.fromkeys(sessions)) if session}
    if not number:
        return own
    summed = np.full((max(number.values()) + 1, best.shape[1]), -1.0, np.float32)
    members = [at for at, session in enumerate(sessions) if session]
    np.maximum.at(summed, [number[sessions[at]] for at in members], best[members])
    found = own.copy()
    for at, row in enumerate(scene.rows):
        session = scene.places[row].session
        if session in number:
            np.maximum(found[at], summed[number[session]], out=found[at])
    return found


def _words(scene: Scene) -> Features:
    """BM25 of a text together with its neighbours, as a share of the best it can be; the text's length."""
    place = {row: at for at, row in enumerate(scene.documents.rows.tolist())}
    lengths = scene.documents.lengths
    own = np.array([lengths[place[row]] if row in place else 0.0 for row in scene.rows])
    found = {"length": np.log1p(own)}
    if scene.lexical is None:
        return {**found, "words_near": np.zeros(len(scene.rows))}
    counts, summed = _near_counts(scene, scene.lexical, place)
    idfs = np.array([scene.lexical.idf(term) for term in scene.lexical.frequencies])
    mean = (
        3 * scene.lexical.partition.mean_length if _has_turns(scene) else scene.lexical.partition.mean_length
    )
    found["words_near"] = bm25(counts, summed, idfs, mean) / max(1e-9, scene.lexical.best)
    return found


def _has_turns(scene: Scene) -> bool:
    return any(scene.places[row].session for row in scene.rows[:1])


def _near_counts(scene: Scene, lexical: LexicalQuery, place: Mapping[int, int]) -> tuple[Column, Column]:
    """How often each term stands in a text and its neighbours, and how long they are together."""
    held = scene.documents.counts(numbers_of(list(lexical.frequencies)))
    counts = np.zeros((len(scene.rows), held.shape[1]))
    lengths = np.zeros(len(scene.rows))
    for at, row in enumerate(scene.rows):
        near = [place[one] for one in (row, *neighbours(scene.places, row, 1)) if one in place]
        counts[at] = held[near].sum(axis=0)
        lengths[at] = scene.documents.lengths[near].sum()
    return counts, lengths


def _cues(scene: Scene) -> Features:
    """Who speaks, and whether the text is of the kind that answers the question."""
    held = dict(zip(scene.documents.rows.tolist(), scene.documents.cues.tolist(), strict=True))
    own = [held.get(row, 0) for row in scene.rows]
    places = [scene.places[row] for row in scene.rows]
    before = [held.get(place.before or 0, 0) for place in places]
    read = scene.understanding
    number, time = read.focus == "number", read.focus == "time"
    named = bool(_NAMED_THING.search(read.query.casefold())) or read.focus in ("person", "place")
    wanted = _role(read.query)
    return {
        "speaker": _flags(place.speaker is not None and place.speaker == scene.named for place in places),
        "number": _flags(
            (number and bool(one & cues.NUMBER)) or (time and bool(one & cues.TIME)) for one in own
        ),
        "name": _flags(named and bool(one & cues.NAME) for one in own),
        "question": _flags(bool(one & cues.QUESTION) for one in own),
        "answers": _flags(bool(one & cues.QUESTION) for one in before),
        "role": np.array([_role_match(place, wanted) for place in places]),
    }


def _flags(values: object) -> Column:
    return np.array(list(values), dtype=np.float64)  # type: ignore[call-overload]


def _role(query: str) -> str:
    """Whose words a question is about: yours are the assistant's."""
    return "assistant" if _YOU.search(_WITH_YOU.sub("", query)) else "user"


def _role_match(place: Place, wanted: str) -> float:
    """1 for a turn of the wanted role, -1 for another; names say more, where turns have them."""
    if place.role is None or place.speaker is not None:
        return 0.0
    return 1.0 if place.role == wanted else -1.0


def _times(scene: Scene) -> Features:
    """Whether a text was made in, or speaks of, the time that the query names; and how near it is."""
    if scene.span is None:
        return {"date": np.zeros(len(scene.rows)), "date_near": np.zeros(len(scene.rows))}
    start, end = scene.span
    gaps = np.array([_gap(scene.places[row], start, end) for row in scene.rows])
    near = np.exp(-gaps / _WEEK) if end - start < _MONTH else np.zeros(len(gaps))
    return {"date": (gaps == 0.0).astype(np.float64), "date_near": near}


def _gap(place: Place, start: float, end: float) -> float:
    """Seconds between a text's time and a range, 0 inside of it."""
    made = max(start - place.created_at, place.created_at - end, 0.0)
    if place.event_start is None:
        return made
    event_end = place.event_start if place.event_end is None else place.event_end
    return min(made, max(start - event_end, place.event_start - end, 0.0))
