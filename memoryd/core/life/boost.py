"""Boost: how much a use adds to the importance of a memory."""

from __future__ import annotations

from dataclasses import dataclass

from memoryd.core.record import MAX_IMPORTANCE

_DIGITS = 9


@dataclass(frozen=True, slots=True)
class BoostRules:
    """step: importance added by a use; window: seconds within which several uses count once; day_limit:
    maximum per memory and local date."""

    step: float = 0.3
    window: float = 2 * 3600.0
    day_limit: float = 1.0


DEFAULT_RULES = BoostRules()


@dataclass(frozen=True, slots=True)
class UseEffect:
    """counts: whether decay starts again; applied: importance added; limited_by: why less than a step."""

    counts: bool
    applied: float
    limited_by: str | None = None


def effect_of_use(
    effective: float,
    last_at: float | None,
    used_today: float,
    now: float,
    rules: BoostRules = DEFAULT_RULES,
) -> UseEffect:
    """The effect of a use. last_at: time of the last use that counted; used_today: importance added today.

    A last use far in the future comes from a wrong clock and is ignored.
    """
    if last_at is not None and abs(now - last_at) < rules.window:
        hours = f"{rules.window / 3600:g} hours"
        return UseEffect(
            counts=False, applied=0.0, limited_by=f"within {hours} of the last one, which counts once"
        )
    allowance = max(0.0, rules.day_limit - used_today)
    applied = round(min(rules.step, allowance, MAX_IMPORTANCE - effective), _DIGITS)
    return UseEffect(counts=True, applied=applied, limited_by=_limit(applied, allowance, rules))


def _limit(applied: float, allowance: float, rules: BoostRules) -> str | None:
    if applied >= rules.step:
        return None
    if round(allowance, _DIGITS) > applied:
        return f"the maximum is {MAX_IMPORTANCE:g}"
    most = f"{rules.day_limit:g}"
    return f"{most} a day is the maximum" if applied else f"{most} was added today already"
