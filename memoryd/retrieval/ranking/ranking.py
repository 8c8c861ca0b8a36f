"""The ranking of a query's candidates: by features, or by another fusion method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memoryd.core.filters.grammar import EVERYTHING
from memoryd.retrieval.context import SearchContext, SourceQuery
from memoryd.retrieval.plan import FusionMethod, Source
from memoryd.retrieval.ranking import fuse
from memoryd.retrieval.ranking.calibration import calibrate, calibration_of, evidence_of
from memoryd.retrieval.ranking.features import Features, features
from memoryd.retrieval.ranking.fuse import Candidate, Fused
from memoryd.retrieval.ranking.ranker import RELEVANCE, profile_name, rank
from memoryd.retrieval.ranking.ranking_input import read_ranking_input
from memoryd.retrieval.ranking.standing import reorder, standings_of
from memoryd.retrieval.ranking.trained_space import trained_space
from memoryd.retrieval.semantic_index import EncodedText


def rank_candidates(context: SearchContext) -> list[Fused]:
    """The candidates of all queries, best first; of several queries merged by their rank scores."""
    ranked = [one for query in context.queries for one in _rank_query(context, query)]
    if len(context.queries) > 1:
        ranked.sort(key=lambda one: (-one.rank_score, -one.row))
    return ranked


def _rank_query(context: SearchContext, query: SourceQuery) -> list[Fused]:
    """The candidates of one query, best first; by the fallback method when the best of them is weak."""
    plan, weights = context.plan, context.request.weights
    if plan.fusion_method != "ranked" or context.encoded is None:
        fusion_method: FusionMethod = "rrf" if plan.fusion_method == "ranked" else plan.fusion_method
        context.fusion_methods[query.kind] = fusion_method
        return _fuse(fusion_method, query.candidates, weights)
    context.fusion_methods[query.kind] = "ranked"
    found = _rank_by_features(context, query, context.encoded)
    best = found[0].score if found else 1.0
    if plan.fallback is None or best >= plan.weak:
        return found
    context.notes.append(f"the best {query.kind} scores {best:.2f} only: ranked by {plan.fallback}")
    context.fusion_methods[query.kind] = plan.fallback
    return fuse.scale(_fuse(plan.fallback, query.candidates, weights), best)


def _fuse(
    fusion_method: FusionMethod, found: Mapping[Source, Sequence[Candidate]], weights: Mapping[str, float]
) -> list[Fused]:
    """Rank without features; `lexical` and `semantic` leave each other's candidates out."""
    left_out = {"lexical": "semantic", "semantic": "lexical"}.get(fusion_method)
    rankings = {str(source): ranking for source, ranking in found.items() if source != left_out}
    return fuse.rrf(rankings, weights) if fusion_method == "rrf" else fuse.weighted_mean(rankings, weights)


def _rank_by_features(context: SearchContext, query: SourceQuery, encoded: EncodedText) -> list[Fused]:
    if not query.candidates:
        return []
    weights = context.request.weights
    found, columns = candidate_features(context, query, encoded)
    with context.timed("ranking"):
        best = rank(list(found), found, columns, weights, explain=context.request.explain)
        is_comparable = all(weights.get(group, 1.0) == 1.0 for group in RELEVANCE)
        if is_comparable and query.kind != "point":  # points had no part in the calibration
            _calibrate(encoded, best, columns)
        if query.kind == "memory":
            rows = sorted(found)
            moved = standings_of(context, query, rows).adjustments(weights)
            best = reorder(best, dict(zip(rows, moved.tolist(), strict=True)))
    if query.node == EVERYTHING:
        return best
    passing = {candidate.row for ranking in query.candidates.values() for candidate in ranking}
    return [one for one in best if one.row in passing]


def candidate_features(
    context: SearchContext, query: SourceQuery, encoded: EncodedText
) -> tuple[dict[int, Fused], Features]:
    """The candidates and the turns beside them, by row in ascending order, and their features, (rows,)."""
    found = fuse.gather({str(source): ranking for source, ranking in query.candidates.items()})
    given = read_ranking_input(context, query, encoded, found)
    with context.timed("features"):
        columns = features(given)
        if "graph" in query.candidates:
            shares = {one.row: one.share for one in query.candidates["graph"]}
            columns["graph"] = given.frame.column(shares, 0.0)
    every = {row: found.get(row) or Fused(row) for row in given.frame.rows.tolist()}
    for row, one in every.items():
        if row in given.dense:
            one.raw.setdefault("semantic", given.dense[row])
    return every, columns


def _calibrate(encoded: EncodedText, best: Sequence[Fused], columns: Features) -> None:
    """Make the scores probabilities, if this space and these features were calibrated."""
    space = trained_space(encoded.fingerprint)
    calibration = calibration_of(profile_name(columns))
    if space is None or calibration is None or not best:
        return
    wants = space.wants_memory(encoded.encoding.vector)
    sums, tokens = [one.rank_score for one in best], len(encoded.encoding.words)
    calibrate(best, calibration, evidence_of(sums, float(columns["dense"].max()), wants, tokens))
