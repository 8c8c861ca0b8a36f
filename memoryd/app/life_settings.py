"""The settings of a memory's life: decay, boosts, reviews, conflicts."""

from __future__ import annotations

from dataclasses import dataclass

from memoryd.app.setting import setting_field as _setting


@dataclass(frozen=True, slots=True)
class DecaySettings:
    clock: str = _setting(
        "active",
        "Days that count for decay: those on which the user was there, or every one.",
        choices=("active", "wall"),
    )
    pass_hours: float = _setting(
        24.0, "Hours between the passes that archive and queue reviews; 0 never.", low=0
    )
    pass_share: float = _setting(
        0.1,
        "Largest share of a user's active memories that a pass archives, and that it queues for review; "
        "20 in any case.",
        low=0,
        high=1,
    )
    retention_days: float = _setting(
        0.0, "Days after which what is archived is destroyed; 0 never.", low=0, high=100_000
    )
    fact_days: float = _setting(5.0, "Days after which a fact begins to fade.", low=0, high=100_000)
    fact_factor: float = _setting(
        0.85, "Factor of a fact's importance for each day after them.", low=0.01, high=1
    )
    fact_review_below: float = _setting(
        0.5, "Importance below which a fact is reviewed; a KEEP begins there again.", low=0, high=5
    )
    fact_archive_below: float = _setting(
        0.2,
        "Importance below which a fact is archived, unless verified or stated by the user.",
        low=0,
        high=5,
    )
    episode_days: float = _setting(3.0, "Days after which an episode begins to fade.", low=0, high=100_000)
    episode_factor: float = _setting(
        0.6, "Factor of an episode's importance for each day after them.", low=0.01, high=1
    )
    episode_archive_days: float = _setting(
        7.0, "Days after which an episode is archived.", low=0, high=100_000
    )
    lasting_importance: float = _setting(
        3.0, "Importance from which the clock no longer matters.", low=0, high=5
    )
    restored_importance: float = _setting(
        0.5, "Least importance of a memory that is restored.", low=0, high=5
    )


@dataclass(frozen=True, slots=True)
class BoostSettings:
    step: float = _setting(0.3, "What a use adds to the importance.", low=0, high=5)
    window_hours: float = _setting(2.0, "Hours within which several uses count once.", low=0, high=8760)
    day_limit: float = _setting(
        1.0, "The most that uses add to a memory's importance on a local day.", low=0, high=5
    )


@dataclass(frozen=True, slots=True)
class ReviewSettings:
    promote_from: float = _setting(
        2.5, "Importance from which a review asks whether a memory becomes core.", low=0, high=5
    )
    longest_grace_days: float = _setting(
        160.0, "Most days that repeated KEEPs keep a memory from fading.", low=0, high=100_000
    )


@dataclass(frozen=True, slots=True)
class ConflictSettings:
    window_days: float = _setting(
        30.0,
        "Days within which a memory was made or changed to be looked at for conflicts, where a call names no "
        "window.",
        low=0.01,
        high=100_000,
    )
