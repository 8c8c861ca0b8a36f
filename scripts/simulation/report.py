"""What came of the year: lines for people, and the plot."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import fmean

from simulation.person import ABSENCES, KINDS
from simulation.svg import Chart, Line, document
from simulation.year import MONTHS, Age, Daily, Year

_MB = 1024 * 1024


def lines(year: Year) -> Iterator[str]:
    """The figures."""
    there = sum(day.there for day in year.days)
    yield f"{len(year.days)} days, {there} of use; {len(year.told)} memories told, {year.uses} uses counted"
    yield ""
    yield "found in the first 5 of a search, so many months old: active (with the archive) of how many"
    yield f"{'':12}" + "".join(f"{months:>18} mo" for months in MONTHS)
    for kind in KINDS:
        yield f"{kind:12}" + "".join(f"{_share(year, kind, months):>21}" for months in MONTHS)
    stated = _told_by_user(year)
    yield (
        f"what the user stated, after 12 months: {stated.found} of {stated.asked} found, "
        f"{stated.active} active"
    )
    yield ""
    yield "at the end: " + "; ".join(
        f"{kind} {counts['active']} active, {counts['archived']} archived"
        for kind, counts in year.states.items()
    )
    yield from _absence_lines(year)
    yield from _daily_lines(year.days, year.restored)


def plot(year: Year) -> str:
    """The same as SVG."""
    months = sorted(MONTHS)
    found = [
        Line(name, [(m, _percent(year, kind, m, everything=everything)) for m in months], dashed=everything)
        for kind in KINDS
        for name, everything in ((kind, False), ("with archive", True))
    ]
    by_day = year.days
    top = _round_up(max(max(day.active, day.archived, day.pending) for day in by_day))
    size = [(day.day, day.bytes / _MB) for day in by_day]
    days = [*range(0, len(by_day), 60), len(by_day)]
    archives, reviews = (_weekly(by_day, name) for name in ("archives", "reviews"))
    away = [(first, last + 1) for first, last in ABSENCES]
    return document(
        [
            Chart(
                "Found in the first 5, percent", "months after it was told", months, range(0, 101, 25), found
            ),
            Chart(
                "Memories in the store",
                "days; grey: nobody there",
                days,
                [0, top / 2, top],
                [
                    Line("active", [(day.day, day.active) for day in by_day]),
                    Line("archived", [(day.day, day.archived) for day in by_day]),
                    Line("reviews waiting", [(day.day, day.pending) for day in by_day]),
                ],
                away,
            ),
            Chart(
                "Archived a day, reviews a day: mean of a week",
                "days",
                days,
                [0, _round_up(max(rate for _, rate in [*archives, *reviews]))],
                [Line("archived", archives), Line("reviews", reviews)],
                away,
            ),
            Chart(
                "Size on disk, MB",
                "days",
                days,
                [0, _round_up(max(mb for _, mb in size))],
                [Line("store", size)],
                away,
            ),
        ]
    )


def _weekly(days: Sequence[Daily], name: str) -> list[tuple[float, float]]:
    """Means of a week, at the middle of each."""
    weeks = [days[at : at + 7] for at in range(0, len(days), 7)]
    return [(week[len(week) // 2].day, fmean(getattr(day, name) for day in week)) for week in weeks]


def _share(year: Year, kind: str, months: int) -> str:
    known = year.ages.get((kind, months))
    if known is None or not known.asked:
        return "-"
    active, found = (_percent(year, kind, months, everything=everything) for everything in (False, True))
    return f"{active:.0f} % ({found:.0f} %) of {known.asked}"


def _percent(year: Year, kind: str, months: int, *, everything: bool) -> float:
    known = year.ages[kind, months]
    return 100.0 * (known.found if everything else known.active) / max(1, known.asked)


def _told_by_user(year: Year) -> Age:
    """What the user stated, of whatever kind, after a year."""
    kinds = [kind for kind, metadata in KINDS.items() if metadata.get("source") == "user"]
    known = [year.ages[kind, max(MONTHS)] for kind in kinds]
    return Age(*(sum(getattr(one, name) for one in known) for name in ("asked", "active", "found")))


def _absence_lines(year: Year) -> Iterator[str]:
    yield ""
    yield "two months of absence: active memories before -> after; questions answered on the return"
    for clock, known in year.absences.items():
        kinds = ", ".join(f"{kind} {known.before[kind]} -> {known.after[kind]}" for kind in KINDS)
        yield (
            f"  {clock:7} {kinds}; {known.answered} of {known.asked} from the active, "
            f"{known.through_archive} more from the archive"
        )


def _daily_lines(days: Sequence[Daily], restored: int) -> Iterator[str]:
    archives, reviews = [day.archives for day in days], [day.reviews for day in days]
    yield ""
    yield (
        f"a day: {sum(archives) / len(days):.2f} archived (most {max(archives)}), "
        f"{sum(reviews) / len(days):.2f} reviews (most {max(reviews)}); {restored} restored by use"
    )
    at = [days[min(len(days) - 1, day)] for day in (30, 91, 182, 365)]
    yield "store: " + ", ".join(
        f"day {one.day} {one.bytes / _MB:.1f} MB ({one.active} active, {one.archived} archived)" for one in at
    )


def _round_up(value: float) -> float:
    """To one digit that matters, or a half of it."""
    step = 10 ** math.floor(math.log10(value)) / 2 if value else 1
    return max(step, math.ceil(value / step) * step)
