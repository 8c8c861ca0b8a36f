"""The rules of decay: how fast importance fades, and what happens when.

| category | begins | factor | end |
|---|---|---|---|
| system | never | - | never |
| core, or importance `lasting` and over | never | - | never by the clock |
| fact | `fact.trigger` | `fact.factor` | review below `review_below`; archived below `archive_below`, unless
verified or stated by the user |
| episode | `episode.trigger` | `episode.factor` | archived after `episode_days` |
"""

from __future__ import annotations

from dataclasses import dataclass

from memoryd.core.record import CATEGORIES


@dataclass(frozen=True, slots=True)
class Pace:
    """trigger: days until decay starts; factor: per day after them."""

    trigger: float
    factor: float


_STEADY = Pace(0.0, 1.0)


@dataclass(frozen=True, slots=True)
class DecayRules:
    """The values of the settings group `decay`.

    lasting: importance from which a memory does not decay; restored: minimum importance of a restored memory;
    promote_from: importance from which a review asks whether a memory becomes core; longest_grace: maximum
    days of grace after a KEEP.
    """

    fact: Pace = Pace(5.0, 0.85)
    episode: Pace = Pace(3.0, 0.6)
    review_below: float = 0.5
    archive_below: float = 0.2
    episode_days: float = 7.0
    lasting: float = 3.0
    restored: float = 0.5
    promote_from: float = 2.5
    longest_grace: float = 160.0

    def pace(self, category: str) -> Pace:
        """The pace of a category."""
        return {"fact": self.fact, "episode": self.episode}.get(category, _STEADY)

    def has_pace(self, category: str) -> bool:
        """Whether a category decays."""
        return self.pace(category) is not _STEADY

    @property
    def factors(self) -> tuple[float, ...]:
        """The factor of each category, in the order of `CATEGORIES`."""
        return tuple(self.pace(category).factor for category in CATEGORIES)


DEFAULT_RULES = DecayRules()
