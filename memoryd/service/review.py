"""Handlers of group `review`."""

from __future__ import annotations

from memoryd.engine.decay.reviews import ReviewQueue


class ReviewService:
    """Open questions about memories, and their verdicts."""

    def __init__(self, judge: ReviewQueue) -> None:
        self.page = judge.page
        self.decide = judge.decide
