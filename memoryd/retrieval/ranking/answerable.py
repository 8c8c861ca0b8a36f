"""Whether an answer holds anything relevant: the product's own threshold over calibrated scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory_client.types import Threshold
from memoryd.retrieval.plan import RetrievalPlan
from memoryd.retrieval.ranking.calibration import relevant_score
from memoryd.retrieval.ranking.trained_space import trained_space
from memoryd.retrieval.request import SearchRequest
from memoryd.retrieval.results.hits import FoundRecord
from memoryd.retrieval.semantic_index import EncodedText

NOT_CALIBRATED = "the scores are not calibrated: min_score='relevant' drops nothing"


def is_answerable(found: Sequence[FoundRecord], plan: RetrievalPlan, *, is_degraded: bool) -> bool | None:
    """Whether any hit is likely to answer the message; None where the scores cannot say so.

    Small talk asks for nothing, whatever it finds; what was last answers a request for nothing else. Where
    nothing at all is found, a full search has shown that nothing is stored.
    """
    if asks_for_latest(plan):
        return bool(found)
    if plan.understanding.intent == "chitchat":
        return False
    if is_degraded or not all(one.fused.is_calibrated for one in found):
        return None
    if not found:
        return False if plan.mode == "hybrid" else None
    return best_score(found) >= relevant_score()


def with_learned_intent(
    plan: RetrievalPlan, request: SearchRequest, encoded: EncodedText | None
) -> RetrievalPlan:
    """The plan with intent `chitchat` where the model takes the message for small talk and no rule, and no
    caller, knows better."""
    read = plan.understanding
    space = None if encoded is None else trained_space(encoded.fingerprint)
    is_open = request.intent is None and read.intent == "fact" and plan.times is None and not read.names
    if encoded is None or space is None or not is_open or not space.is_small_talk(encoded.encoding.vector):
        return plan
    return replace(plan, understanding=replace(read, intent="chitchat"))


def asks_for_latest(plan: RetrievalPlan) -> bool:
    """Whether the message asks for what was last, of nothing in particular: no score judges that."""
    return plan.recency is not None and not plan.recency.topic


def passing_hits(
    found: list[FoundRecord], plan: RetrievalPlan, threshold: Threshold | None
) -> tuple[list[FoundRecord], str | None]:
    """The hits that pass `min_score`, and what there is to say about it.

    `relevant` judges calibrated scores only: a hit without one passes.
    """
    if threshold is None or (threshold == "relevant" and asks_for_latest(plan)):
        return found, None
    if threshold != "relevant":
        return [one for one in found if one.fused.score >= threshold], None
    least = relevant_score()
    kept = [one for one in found if not one.fused.is_calibrated or one.fused.score >= least]
    return kept, None if all(one.fused.is_calibrated for one in found) else NOT_CALIBRATED


def best_score(found: Sequence[FoundRecord]) -> float:
    """The highest score, which need not be that of the first hit: importance and recency order too."""
    return max(one.fused.score for one in found)
