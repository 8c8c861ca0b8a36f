"""The table of a memory's life: how fast its importance fades, and what is asked or done at which point.

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
    """trigger: days until it begins; factor: of each day after them."""

    trigger: float
    factor: float


_STEADY = Pace(0.0, 1.0)


@dataclass(frozen=True, slots=True)
class DecayRules:
    """The figures, which the settings of group `decay` give.

    lasting: importance from which the clock no longer matters. restored: the least importance of what comes
    back. promote_from: importance from which a review asks whether a memory becomes core. longest_grace: days
    that a KEEP may give at most.
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
        """How a category fades."""
        return {"fact": self.fact, "episode": self.episode}.get(category, _STEADY)

    def has_pace(self, category: str) -> bool:
        """Whether a category fades at all."""
        return self.pace(category) is not _STEADY

    @property
    def factors(self) -> tuple[float, ...]:
        """The factor of each category, in the order of `CATEGORIES`."""
        return tuple(self.pace(category).factor for category in CATEGORIES)


DEFAULT_RULES = DecayRules()
