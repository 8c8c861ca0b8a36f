"""When somebody is asked about a memory."""

from __future__ import annotations

from memory_client.types import Verdict
from memoryd.core.life.decay_rules import DecayRules
from memoryd.core.record import Record

_SETTLED = ("core", "system")
"""Categories there is nothing to promote to."""


def is_promotion_due(record: Record, before: float, after: float, rules: DecayRules) -> bool:
    """Whether a write has lifted a memory's effective importance to where it may become core."""
    may_rise = record.state == "active" and record.category not in _SETTLED and not record.pinned
    return may_rise and before < rules.promote_from <= after


def verdict_refusal(verdict: Verdict, category: str) -> str | None:
    """What to do instead of a verdict that a memory of a category is not open to; None when it is."""
    if verdict == "promote" and category in _SETTLED:
        return "keep: there is nothing to promote it to"
    if verdict == "delete" and category == "system":
        return "keep, or delete(id, force=True), which alone ends it"
    return None


def is_lifted(after: float, rules: DecayRules) -> bool:
    """Whether a memory is so important again that its fall need not be judged any more."""
    return after >= rules.review_below
