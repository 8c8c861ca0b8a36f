"""Review: when a memory needs a verdict, and which verdicts are possible."""

from __future__ import annotations

from memory_client.types import Verdict
from memoryd.core.life.decay_rules import DecayRules
from memoryd.core.record import Record

_SETTLED = ("core", "system")
"""Categories that cannot be promoted."""


def is_promotion_due(record: Record, before: float, after: float, rules: DecayRules) -> bool:
    """Whether a write raised the effective importance to where a memory may become core."""
    may_rise = record.state == "active" and record.category not in _SETTLED and not record.pinned
    return may_rise and before < rules.promote_from <= after


def verdict_refusal(verdict: Verdict, category: str) -> str | None:
    """What to do instead of a verdict that is impossible for a category; None if it is possible."""
    if verdict == "promote" and category in _SETTLED:
        return "keep: it cannot be promoted"
    if verdict == "delete" and category == "system":
        return "keep, or delete(id, force=True)"
    return None


def is_lifted(after: float, rules: DecayRules) -> bool:
    """Whether a memory is important enough again to cancel its review."""
    return after >= rules.review_below
