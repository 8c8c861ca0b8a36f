"""The moment an expression is read at, and periods counted from it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from memoryd.language.times.periods import DAY, Period, Unit, add, midnight, period_of, shifted

_ELAPSED: dict[str, timedelta] = {"hour": timedelta(hours=1), "minute": timedelta(minutes=1)}
# "A few" units: the seven before the current one.
FEW = 7


@dataclass(frozen=True, slots=True)
class Reference:
    """now: wall-clock time in `zone`, without its zone."""

    now: datetime
    zone: tzinfo

    @classmethod
    def at(cls, moment: datetime) -> Reference:
        """Raises ValueError for a moment without a time zone."""
        if moment.tzinfo is None:
            raise ValueError(f"reference time {moment.isoformat()} has no time zone; give one such as UTC")
        return cls(moment.replace(tzinfo=None), moment.tzinfo)

    def aware(self, moment: datetime) -> datetime:
        """The local moment with its zone; one that a clock change leaves out is moved past it."""
        return moment.replace(tzinfo=self.zone).astimezone(UTC).astimezone(self.zone)

    def aware_span(
        self, start: datetime | None, end: datetime | None
    ) -> tuple[datetime | None, datetime | None]:
        """Both ends with their zone; the length is kept where a clock change would leave none."""
        first, last = start and self.aware(start), end and self.aware(end)
        if start and end and first and last and last.timestamp() <= first.timestamp():
            last = (first.astimezone(UTC) + (end - start)).astimezone(self.zone)
        return first, last

    def period(self, offset: int, unit: Unit) -> Period:
        """The calendar unit so many units from the current one."""
        return shifted(self.now, offset, unit)

    def ago(self, count: int, unit: Unit) -> Period:
        """The unit so many before the current one; hours and minutes are counted in elapsed time."""
        if unit not in _ELAPSED:
            return shifted(self.now, -count, unit)
        return period_of(self._elapsed(count, unit), unit)

    def few_before(self, unit: Unit, count: int = FEW) -> Period:
        """The units just before the current one."""
        current = period_of(self.now, unit).start
        return Period(add(current, -count, unit), current, "part")

    def past(self, count: int, unit: Unit) -> Period:
        """From the beginning of the day so many units ago to now; hours and minutes back exactly."""
        if unit in _ELAPSED:
            return Period(self._elapsed(count, unit), self.now, "part")
        return Period(midnight(add(self.now, -count, unit)), self.now, "part")

    def coming(self, count: int, unit: Unit) -> Period:
        """From now to the end of the day so many units on; hours and minutes on exactly."""
        after = add(self.now, count, unit)
        return Period(self.now, after if unit in _ELAPSED else midnight(after) + DAY, "part")

    def to_date(self, unit: Unit) -> Period:
        """From the beginning of the current unit to now."""
        return Period(period_of(self.now, unit).start, self.now, "part")

    def _elapsed(self, count: int, unit: Unit) -> datetime:
        then = self.now.replace(tzinfo=self.zone).astimezone(UTC) - count * _ELAPSED[unit]
        return then.astimezone(self.zone).replace(tzinfo=None)
