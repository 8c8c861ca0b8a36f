"""The candidates of every question with all their features, taken from the product once and kept in a file.

With them rankers are trained and compared in seconds, exactly as a search would rank.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from _temporary import temporary_home, wait_for_engine
from evaluation.datasets import POOLED, Dataset, Question
from evaluation.runner import Kind, Notice, ingest, remember, wait_for_vectors
from memory_client.deadline import Deadline
from memoryd.core.scope import Scope
from memoryd.core.times import parse_time, parse_zone
from memoryd.engine.context import Parts
from memoryd.knowledge_base import KnowledgeBase
from memoryd.retrieval.context import SearchContext, SourceQuery
from memoryd.retrieval.plan import make_plan, read_times
from memoryd.retrieval.ranking import features
from memoryd.retrieval.ranking.ranking import candidate_features
from memoryd.retrieval.ranking.trained_space import trained_space
from memoryd.retrieval.request import SearchRequest
from memoryd.retrieval.sources.vector_source import find_by_vectors
from memoryd.retrieval.sources.word_sources import find_by_words
from memoryd.storage.records.texts import TABLES

Matrix = npt.NDArray[np.float32]
SOURCES = ("lexical", "semantic", "temporal", "exact")
FEATURES = (*features.NAMES, "graph")
_PATIENCE = 60.0
_ENGINE_SECONDS = 120.0
_FORM = "4"


@dataclass(frozen=True, slots=True)
class Judged:
    """A question's candidates, older rows first.

    items: the item of each, (n,); values: (n, features), in the order of `FEATURES`; ranks: (n, sources) from
    1, 0 where a source did not find it; is_gold: (n,), none where nothing stored answers. wants, tokens: of
    the query, see `memoryd.retrieval.ranking.calibration`.
    """

    question: Question
    items: Sequence[str]
    values: Matrix
    ranks: npt.NDArray[np.int32]
    is_gold: npt.NDArray[np.bool_]
    wants: float
    tokens: int

    @property
    def group(self) -> str:
        """The conversation or the user that the question is about: what is left out together."""
        evidence = self.question.any_of | self.question.all_of
        return min(evidence).split(" ")[0] if self.question.suite == POOLED else self.question.store


def kept(
    path: Path, asked: Sequence[Dataset], data: bytes, depth: int, notice: Notice, kind: Kind = "turn"
) -> list[list[Judged]]:
    """The candidates from a file, made there first when it is not of this data, depth and features.

    asked: data sets of the same stores, with questions of their own. data: what they were read from. kind:
    what the items are stored as.
    """
    mark = hashlib.sha256(data + repr((_FORM, depth, FEATURES, kind)).encode()).hexdigest()
    if path.exists():
        with np.load(path) as stored:
            if str(stored["mark"]) == mark:
                return _restored(stored, asked)
    found = collect(asked, depth, notice, kind)
    _keep(path, mark, [one for each in found for one in each])
    return found


def collect(asked: Sequence[Dataset], depth: int, notice: Notice, kind: Kind = "turn") -> list[list[Judged]]:
    """Store what the data sets have in common in an empty directory, and judge all candidates."""
    with temporary_home() as home, KnowledgeBase(home) as store:
        wait_for_engine(store, _ENGINE_SECONDS)
        keep = ingest if kind == "turn" else remember
        names = {user: keep(store, user, items, notice) for user, items in asked[0].stores.items()}
        wait_for_vectors(store, notice)
        notice("judging candidates")
        parts: Parts = store._app._parts  # the features are no part of any face
        return [
            [_judged(parts, dataset, question, names, depth, kind) for question in dataset.questions]
            for dataset in asked
        ]


def _judged(
    parts: Parts,
    dataset: Dataset,
    question: Question,
    names: dict[str, dict[str, str]],
    depth: int,
    kind: Kind,
) -> Judged:
    request = _request(dataset, question, kind)
    plan = replace(make_plan(request, read_times(request), why_not=None), depth=depth)
    query = SourceQuery(request.query, kind, request.scope, plan.filters)
    with parts.database.read() as connection:
        encoded = parts.meaning.encode(request.query, request.deadline)
        context = SearchContext(
            connection, request, plan, parts.lexical, parts.meaning, parts.calendar, parts.clock(), [query]
        )
        find_by_words(context, query)
        context.encoded = encoded
        find_by_vectors(context, query)
        found, known = candidate_features(context, query, encoded)
        ids = dict(connection.execute(f"SELECT row, id FROM {TABLES[kind]}").fetchall())
    items = [names[question.store][ids[row]] for row in found]
    gold = question.any_of | question.all_of
    nothing = np.zeros(len(items))
    space = trained_space(encoded.fingerprint)
    return Judged(
        question,
        items,
        np.stack([known.get(name, nothing) for name in FEATURES], axis=1).astype(np.float32),
        np.array([[one.ranks.get(source, 0) for source in SOURCES] for one in found.values()], np.int32),
        np.array([item in gold for item in items]),
        0.0 if space is None else space.wants_memory(encoded.encoding.vector),
        len(encoded.encoding.words),
    )


def _request(dataset: Dataset, question: Question, kind: Kind) -> SearchRequest:
    moment = parse_time(dataset.reference(question.store), "reference_time")
    return SearchRequest(
        query=question.text,
        scope=Scope.checked(question.store, None),
        deadline=Deadline.after(_PATIENCE),
        reference=datetime.fromtimestamp(moment, UTC).astimezone(parse_zone(dataset.tz, "tz")),
        targets=(kind,),
        mode="hybrid",
    )


def _keep(path: Path, mark: str, found: Sequence[Judged]) -> None:
    np.savez(
        path,
        mark=np.array(mark),
        sizes=np.array([len(one.items) for one in found]),
        items=np.array([item for one in found for item in one.items]),
        values=np.concatenate([one.values for one in found]),
        ranks=np.concatenate([one.ranks for one in found]),
        is_gold=np.concatenate([one.is_gold for one in found]),
        wants=np.array([one.wants for one in found]),
        tokens=np.array([one.tokens for one in found]),
    )


def _restored(stored: Any, asked: Sequence[Dataset]) -> list[list[Judged]]:
    ends = np.cumsum(stored["sizes"])[:-1]
    columns = [np.split(stored[name], ends) for name in ("items", "values", "ranks", "is_gold")]
    questions = [question for one in asked for question in one.questions]
    of_queries = stored["wants"].tolist(), stored["tokens"].tolist()
    found = [
        Judged(question, items.tolist(), *rest)
        for question, items, *rest in zip(questions, *columns, *of_queries, strict=True)
    ]
    ends = np.cumsum([len(one.questions) for one in asked])
    return [found[end - len(one.questions) : end] for one, end in zip(asked, ends, strict=True)]
