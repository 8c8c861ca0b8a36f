"""The ranking of the texts of one kind: candidates of every source, what is known of them, their scores."""

from __future__ import annotations

import functools
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from memory_client.deadline import Deadline
from memoryd.core.filters.grammar import EVERYTHING
from memoryd.core.life.active_days import Calendar
from memoryd.core.row_ranges import TextKind
from memoryd.index.keyword import forward_index
from memoryd.index.keyword.keyword_index import LexicalIndex
from memoryd.index.keyword.partitions import Partition
from memoryd.index.keyword.query import LexicalQuery
from memoryd.index.keyword.subset_search import ListedTexts
from memoryd.index.vectors.rounding import Rows
from memoryd.language.fold import fold, index_terms
from memoryd.language.text_language import text_language
from memoryd.retrieval.plan import Source
from memoryd.retrieval.ranking import fuse
from memoryd.retrieval.ranking.calibration import calibrate, calibration_of, evidence_of
from memoryd.retrieval.ranking.effective_importance import standings
from memoryd.retrieval.ranking.features import Features, Scene, features, terms_of, token_weights
from memoryd.retrieval.ranking.frame import frame_of
from memoryd.retrieval.ranking.fuse import Candidate, Fused
from memoryd.retrieval.ranking.late_interaction import Late
from memoryd.retrieval.ranking.ranker import RELEVANCE, profile_name, rank
from memoryd.retrieval.ranking.standing import Standings, reorder
from memoryd.retrieval.ranking.trained_space import TrainedSpace, trained_space
from memoryd.retrieval.sources import sources
from memoryd.retrieval.sources.as_of_source import Past
from memoryd.retrieval.sources.meaning_source import Encoded, MeaningSource
from memoryd.retrieval.sources.sources import Ask, GraphSource
from memoryd.storage.knowledge.grants import Granted
from memoryd.storage.records import candidates, texts
from memoryd.storage.records.candidates import Place

_WORDED: frozenset[Source] = frozenset({"lexical", "exact"})
"""The sources that read the query's words."""
_LIKELY = 64
"""Candidates whose neighbours are looked at, too."""
_DAY = 86_400.0
_NEVER = Deadline.after(None)


@dataclass(slots=True)
class Work:
    """What the ranking of a kind works with, and what it has to say.

    trace: milliseconds by step; keys: what rows were found by literally; lacks: what another time may not;
    pending_texts: what is not yet made of the texts that are searched, in words; recipes: the one that was
    taken for a kind.
    """

    connection: sqlite3.Connection
    lexical: LexicalIndex
    meaning: MeaningSource
    graph: GraphSource | None
    encoded: Encoded | None
    weights: Mapping[str, float]
    now: float
    explain: bool = False
    trace: dict[str, float] = field(default_factory=dict)
    keys: dict[int, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    lacks: list[str] = field(default_factory=list)
    recipes: dict[TextKind, str] = field(default_factory=dict)
    pending: Callable[[], Encoded | None] | None = None
    pending_texts: tuple[str, ...] = ()
    deadline: Deadline = _NEVER
    calendar: Calendar = field(default_factory=Calendar)

    @property
    def is_comparable(self) -> bool:
        """Whether the scores may be calibrated: the caller weighs relevance no other way."""
        return all(self.weights.get(group, 1.0) == 1.0 for group in RELEVANCE)

    def await_encoding(self) -> Encoded | None:
        """What was made of the query, which may still be on its way."""
        if self.pending is not None:
            self.encoded, self.pending = self.pending(), None
        return self.encoded

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        """Add the time of a step to the trace. Raises `DeadlineExceededError` when none is left for it."""
        self.deadline.check(step)
        started = time.perf_counter()
        yield
        self.trace[step] = round(self.trace.get(step, 0.0) + (time.perf_counter() - started) * 1000, 3)


@dataclass(frozen=True, slots=True)
class Words:
    """The query's words in one kind: as the index knows them; the speaker it names, if it names one.

    frequency: in how many of the texts a term stands.
    """

    read: LexicalQuery | None
    named: str | None
    frequency: Callable[[str], int]


def words_of(work: Work, ask: Ask) -> Words:
    """Names of speakers are not searched for: they stand for who said it."""
    if ask.past is None and not _WORDED.intersection(ask.plan.sources):
        return Words(None, None, _nowhere)
    if ask.granted is not None:
        return _granted_words(work, ask, ask.granted)
    named, left_out = None, frozenset[str]()
    if ask.kind == "turn":
        known = candidates.speakers(work.connection, ask.scope.user_id)
        mentioned = [name for name in known if _mentions(ask.query, name)]
        named = mentioned[0] if len(mentioned) == 1 else None
        left_out = frozenset(term for name in mentioned for term in index_terms(name))
    read = work.lexical.read(work.connection, ask.scope.user_id, ask.query, ask.kind, left_out)
    if ask.past is not None:
        read = ask.past.widened(work.connection, ask.scope.user_id, ask.query, read)
    frequency = functools.partial(_frequency, work, read.partition) if read else _nowhere
    return Words(read, named, frequency)


def _granted_words(work: Work, ask: Ask, granted: Granted) -> Words:
    """How rare a word is follows from what is shared alone: the rest of the owner's texts stays unknown."""
    rows = texts.rows_of(work.connection, ask.kind, ask.scope, granted.node)
    shared = ListedTexts(ask.kind, forward_index.load(work.connection, rows))
    return Words(shared.read(ask.query), None, shared.frequency)


def _frequency(work: Work, partition: Partition, term: str) -> int:
    return work.lexical.frequency(work.connection, partition, term)


def _nowhere(_: str) -> int:
    return 0


def ranked(work: Work, ask: Ask, words: Words) -> list[Fused]:
    """The candidates of a kind, best first."""
    rankings = asked(work, ask, words)
    recipe = ask.plan.recipe
    if recipe == "ranked" and work.encoded is None:
        recipe = "rrf"
    work.recipes[ask.kind] = recipe
    if recipe != "ranked":
        return _fused(recipe, rankings, work.weights)
    found = _by_features(work, ask, words, rankings)
    fallback, best = ask.plan.fallback, found[0].score if found else 1.0
    if fallback is None or best >= ask.plan.weak:
        return found
    work.notes.append(f"the best {ask.kind} scores {best:.2f} only: ranked by {fallback}")
    work.recipes[ask.kind] = fallback
    return fuse.scaled(_fused(fallback, rankings, work.weights), best)


def _fused(
    recipe: str, found: Mapping[Source, Sequence[Candidate]], weights: Mapping[str, float]
) -> list[Fused]:
    """By one of the recipes that need no features; `lexical` and `semantic` leave each other out."""
    left_out = {"lexical": "semantic", "semantic": "lexical"}.get(recipe)
    rankings = {str(source): ranking for source, ranking in found.items() if source != left_out}
    return fuse.rrf(rankings, weights) if recipe == "rrf" else fuse.normalised(rankings, weights)


def _mentions(query: str, name: str) -> bool:
    folded = f" {fold(query)} "
    wanted = fold(name).strip()
    at = folded.find(wanted) if wanted else -1
    while at >= 0:
        before, behind = folded[at - 1], folded[at + len(wanted)]
        if not wanted.isascii() or not (before.isalnum() or behind.isalnum()):
            return True
        at = folded.find(wanted, at + 1)
    return False


def asked(work: Work, ask: Ask, words: Words) -> dict[Source, list[Candidate]]:
    """The candidates of every source of the plan; those that find nothing are left out."""
    wanted = ask.plan.sources
    found: dict[Source, list[Candidate]] = {}
    if "lexical" in wanted:
        with work.timed("lexical"):
            found["lexical"] = sources.lexical(work.connection, ask, words.read)
    if "exact" in wanted:
        with work.timed("exact"):
            found["exact"], keys = sources.exact(work.connection, ask, words.read, found.get("lexical", ()))
            work.keys.update(keys)
    if "temporal" in wanted:
        with work.timed("temporal"):
            found["temporal"] = sources.temporal(work.connection, ask)
    if "graph" in wanted and work.graph is not None:
        with work.timed("graph"):
            found["graph"] = work.graph.related(work.connection, ask)
    encoded = work.await_encoding() if "semantic" in wanted else None
    if encoded is not None:
        with work.timed("vectors"):
            found["semantic"] = _semantic(work, ask, encoded)
    if ask.past is not None and ask.past.records:
        _add_past(work, ask, ask.past, words, found)
    return {source: ranking for source, ranking in found.items() if ranking or len(wanted) == 1}


def _add_past(work: Work, ask: Ask, past: Past, words: Words, found: dict[Source, list[Candidate]]) -> None:
    """Put what has changed since beside what has not."""
    by_words = past.by_words(words.read)
    own: dict[Source, list[Candidate]] = {"lexical": by_words[: ask.depth]}
    keys = past.by_name(ask.query.strip(), sources.keys_of(ask), ask.plan.understanding.phrases)
    own["exact"] = [Candidate(row, 1.0, 1.0) for row in keys]
    own["temporal"] = [Candidate(row, 1.0, 1.0) for row in past.within(*sources.named_time(ask))]
    if ask.plan.recency is not None:
        own["temporal"] += [Candidate(row, 0.0, 0.0) for row in past.records]
    if "semantic" in found and work.encoded is not None:
        with work.timed("past texts"):
            own["semantic"] = past.by_meaning(work.meaning, ask.scope, work.encoded, by_words)
    for source in found.keys() & own.keys():
        found[source] = sorted([*found[source], *own[source]], key=lambda one: -one.raw)
    if "exact" in found:
        work.keys.update(keys)


def _semantic(work: Work, ask: Ask, encoded: Encoded) -> list[Candidate]:
    allowed = _allowed(work, ask)
    nearest = work.meaning.nearest(ask.scope, encoded, ask.depth, allowed, ask.kind)
    across = _across_languages(work, ask, encoded, allowed, {row for row, _ in nearest})
    return [Candidate(row, cosine, min(1.0, max(0.0, cosine))) for row, cosine in (*nearest, *across)]


def _across_languages(
    work: Work, ask: Ask, encoded: Encoded, allowed: Rows | None, known: Set[int]
) -> list[tuple[int, float]]:
    """What is near in the other language, which all texts of the query's own may hide; best first."""
    space = space_of(ask, encoded)
    if space is None or len(known) < ask.depth:  # fewer than asked for: these are all there are
        return []
    vector = space.translated(encoded.encoding.vector, text_language(ask.query))
    moved = replace(encoded, encoding=replace(encoded.encoding, vector=vector))
    found = work.meaning.nearest(ask.scope, moved, ask.depth // 2, allowed, ask.kind)
    rows = np.array(sorted({row for row, _ in found} - known), np.int64)
    cosines = work.meaning.cosines(ask.scope, encoded, rows, ask.kind)
    return sorted(cosines.items(), key=lambda one: -one[1])


def space_of(ask: Ask, encoded: Encoded) -> TrainedSpace | None:
    """What is trained for the space of a query, on memories; turns are ranked with those around them."""
    return trained_space(encoded.fingerprint) if ask.kind == "memory" else None


def _allowed(work: Work, ask: Ask) -> Rows | None:
    """The rows a filter leaves; None without one."""
    if ask.node == EVERYTHING:
        return None
    return np.array(texts.rows_of(work.connection, ask.kind, ask.scope, ask.node), dtype=np.int64)


def _by_features(
    work: Work, ask: Ask, words: Words, rankings: Mapping[Source, Sequence[Candidate]]
) -> list[Fused]:
    if not rankings:
        return []
    found, known = judged(work, ask, words, rankings)
    with work.timed("ranking"):
        best = rank(list(found), found, known, work.weights, explain=work.explain)
        if work.is_comparable and ask.kind != "point":  # points had no part in the calibration
            _calibrate(work.encoded, best, known)
        if ask.kind == "memory":
            rows = sorted(found)
            moved = _standings(work, ask, rows).adjustments(work.weights)
            best = reorder(best, dict(zip(rows, moved.tolist(), strict=True)))
    asked_for = {candidate.row for ranking in rankings.values() for candidate in ranking}
    return best if ask.node == EVERYTHING else [one for one in best if one.row in asked_for]


def _calibrate(encoded: Encoded | None, best: Sequence[Fused], known: Features) -> None:
    """Make the scores probabilities, where the space and the features are those that were calibrated."""
    space = None if encoded is None else trained_space(encoded.fingerprint)
    calibration = calibration_of(profile_name(known))
    if encoded is None or space is None or calibration is None or not best:
        return
    wants = space.wants_memory(encoded.encoding.vector)
    sums, tokens = [one.rank_score for one in best], len(encoded.encoding.words)
    calibrate(best, calibration, evidence_of(sums, float(known["dense"].max()), wants, tokens))


def judged(
    work: Work, ask: Ask, words: Words, rankings: Mapping[Source, Sequence[Candidate]]
) -> tuple[dict[int, Fused], Features]:
    """The candidates and turns beside them, by row in ascending order, and their features, each (rows,)."""
    found = fuse.gathered({str(source): ranking for source, ranking in rankings.items()})
    scene = _scene(work, ask, words, found)
    with work.timed("features"):
        known = features(scene)
        if "graph" in rankings:
            known["graph"] = scene.frame.column({one.row: one.share for one in rankings["graph"]}, 0.0)
    every = {row: found.get(row) or Fused(row) for row in scene.frame.rows.tolist()}
    for row, one in every.items():
        if row in scene.dense:
            one.raw.setdefault("semantic", scene.dense[row])
    return every, known


def _scene(work: Work, ask: Ask, words: Words, found: Mapping[int, Fused]) -> Scene:
    """What is known of the candidates, and of the turns beside the likeliest of them."""
    if ask.past is not None and ask.past.records:
        return _past_scene(work, ask, ask.past, words, found)
    assert work.encoded is not None
    rows = sorted(found)
    with work.timed("places"):
        places = candidates.places(work.connection, ask.kind, rows)
    with work.timed("late interaction"):
        weights = token_weights(work.encoded.encoding.words, _idf(words, work.encoded.encoding.words))
        space, language = space_of(ask, work.encoded), text_language(ask.query)
        late = Late(work.meaning, work.connection, work.encoded, weights, space, language)
        late.read(sorted(places))
        likely = late.best(_LIKELY) if late.is_there else sorted(places)[:_LIKELY]
        beside = sorted({at for row in likely for at in beside_of(places[row])} - places.keys())
        if beside:
            places |= candidates.places(work.connection, ask.kind, beside)
            late.read(beside)
        frame = frame_of(places)
    with work.timed("cosines"):
        dense = work.meaning.cosines(ask.scope, work.encoded, frame.rows, ask.kind)
    with work.timed("terms"):
        documents = forward_index.load(work.connection, frame.rows.tolist())
    return Scene(
        frame=frame,
        matches=late.over(frame) if late.is_there else None,
        centred=late.centred_over(frame) if late.is_there else None,
        word_weights=weights,
        documents=documents,
        lexical=words.read,
        dense=dense,
        understanding=ask.plan.understanding,
        named=words.named,
        span=_span(ask),
        exact=dict.fromkeys(work.keys, 1.0),
    )


def _past_scene(work: Work, ask: Ask, past: Past, words: Words, found: Mapping[int, Fused]) -> Scene:
    """The same with candidates that are no longer stored: nobody has their token vectors."""
    assert work.encoded is not None
    then = past.places(list(found))
    rows = sorted(found.keys() - then.keys())
    frame = frame_of(candidates.places(work.connection, ask.kind, rows) | then)
    dense = work.meaning.cosines(ask.scope, work.encoded, np.array(rows, np.int64), ask.kind)
    made = {row: found[row].raw["semantic"] for row in then if "semantic" in found[row].raw}
    kept = forward_index.stored(work.connection, rows) | {row: past.kept[row] for row in then}
    return Scene(
        frame=frame,
        matches=None,
        word_weights=np.empty(0),
        documents=forward_index.documents({row: kept[row] for row in sorted(kept)}),
        lexical=words.read,
        dense=dense | made,
        understanding=ask.plan.understanding,
        named=words.named,
        span=_span(ask),
        exact=dict.fromkeys(work.keys, 1.0),
    )


def beside_of(place: Place) -> list[int]:
    """The rows of the turns beside a text."""
    return [row for row in (place.before, place.behind) if row is not None]


def _span(ask: Ask) -> tuple[float, float] | None:
    """The time the query names, open ends at infinity."""
    times = ask.plan.times
    if times is None or times.invalid:
        return None
    return -np.inf if times.start is None else times.start, np.inf if times.end is None else times.end


def _idf(words: Words, spoken: Sequence[str]) -> dict[str, float]:
    """The rarity of the terms of a query's words, in the partition."""
    if words.read is None:
        return {}
    partition = words.read.partition
    wanted = {term for word in spoken for term in terms_of(word)}
    found = {term: words.frequency(term) for term in wanted}
    return {term: partition.idf(count) for term, count in found.items() if count}


def _standings(work: Work, ask: Ask, rows: Sequence[int]) -> Standings:
    """What weighs memories whatever is asked."""
    known = standings(work.connection, work.calendar, work.now, ask.scope.user_id, rows, ask.past)
    empty = candidates.Standing(0, 1.0, 1.0, 0.0)
    own = [known.get(row, empty) for row in rows]
    return Standings(
        importance=np.array([one.importance for one in own]),
        unused_days=np.array([max(0.0, work.now - one.last_access) / _DAY for one in own]),
        confidence=np.array([one.confidence for one in own]),
    )
