"""Group `review`: validation and user scoping; the work is done by the engine."""

from __future__ import annotations

from memory_client.api import ReviewAPI
from memory_client.types import DecideResult, ReviewKind, ReviewPage, ReviewState, Verdict
from memoryd.core.ids import check_id
from memoryd.core.scope import Scope
from memoryd.engine.author import Author
from memoryd.engine.decay.reviews import ReviewQueue
from memoryd.service.arguments import MAX_PAGE, added, request_key
from memoryd.service.validation import in_range


class ReviewService(ReviewAPI):
    """The reviews of one store."""

    def __init__(self, judge: ReviewQueue) -> None:
        self._judge = judge

    def page(
        self,
        state: ReviewState = "pending",
        *,
        kind: ReviewKind | None = None,
        cursor: str | None = None,
        limit: int = 50,
        user_id: str = "default",
        agent_id: str | None = None,
    ) -> ReviewPage:
        in_range("limit", limit, 1, MAX_PAGE)
        return self._judge.page(state, kind, cursor, limit, Scope.checked(user_id, agent_id))

    def decide(
        self,
        id: str,
        verdict: Verdict,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> DecideResult:
        check_id(id, "rev")
        scope = Scope.checked(user_id, agent_id)
        params = {"id": id, "verdict": verdict, "reason": reason, "agent_id": agent_id, **added(operator)}
        key = request_key("review.decide", scope, request_id, params)
        return self._judge.decide(id, verdict, Author.checked(operator, reason), scope, key)
