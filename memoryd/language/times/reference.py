"""The moment an expression is relative to, and periods counted from it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from memoryd.language.times.periods import DAY, Period, Unit, add, midnight, period_at_offset, period_of

_ELAPSED: dict[str, timedelta] = {"hour": timedelta(hours=1), "minute": timedelta(minutes=1)}
FEW = 7
"""How many units "a few" is."""


@dataclass(frozen=True, slots=True)
class Reference:
    """The present. now: wall-clock time in `zone`, naive."""

    now: datetime
    zone: tzinfo

    @classmethod
    def at(cls, moment: datetime) -> Reference:
        """The reference of an aware moment. Raises ValueError for a naive one."""
        if moment.tzinfo is None:
            raise ValueError(f"reference time {moment.isoformat()} has no time zone; give one such as UTC")
        return cls(moment.replace(tzinfo=None), moment.tzinfo)

    def with_zone(self, moment: datetime) -> datetime:
        """A local moment with its zone; one skipped by a clock change moves past the change."""
        return moment.replace(tzinfo=self.zone).astimezone(UTC).astimezone(self.zone)

    def with_zones(
        self, start: datetime | None, end: datetime | None
    ) -> tuple[datetime | None, datetime | None]:
        """Both ends with their zone; an interval that a clock change would make empty keeps its length."""
        first, last = start and self.with_zone(start), end and self.with_zone(end)
        if start and end and first and last and last.timestamp() <= first.timestamp():
            last = (first.astimezone(UTC) + (end - start)).astimezone(self.zone)
        return first, last

    def period(self, offset: int, unit: Unit) -> Period:
        """The calendar unit `offset` units after the current one."""
        return period_at_offset(self.now, offset, unit)

    def ago(self, count: int, unit: Unit) -> Period:
        """The calendar unit `count` units ago; hours and minutes are elapsed time."""
        if unit not in _ELAPSED:
            return period_at_offset(self.now, -count, unit)
        return period_of(self._elapsed(count, unit), unit)

    def few_before(self, unit: Unit, count: int = FEW) -> Period:
        """The `count` units before the current one."""
        current = period_of(self.now, unit).start
        return Period(add(current, -count, unit), current, "part")

    def past(self, count: int, unit: Unit) -> Period:
        """From the day `count` units ago to now; hours and minutes are elapsed time."""
        if unit in _ELAPSED:
            return Period(self._elapsed(count, unit), self.now, "part")
        return Period(midnight(add(self.now, -count, unit)), self.now, "part")

    def coming(self, count: int, unit: Unit) -> Period:
        """From now to the end of the day `count` units ahead; hours and minutes are exact."""
        after = add(self.now, count, unit)
        return Period(self.now, after if unit in _ELAPSED else midnight(after) + DAY, "part")

    def to_date(self, unit: Unit) -> Period:
        """From the start of the current unit to now."""
        return Period(period_of(self.now, unit).start, self.now, "part")

    def _elapsed(self, count: int, unit: Unit) -> datetime:
        then = self.now.replace(tzinfo=self.zone).astimezone(UTC) - count * _ELAPSED[unit]
        return then.astimezone(self.zone).replace(tzinfo=None)
