"""Time expressions in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from memoryd.language.fold import simplified_table
from memoryd.language.text_features import HAN
from memoryd.language.times.reader import Reader, Reading
from memoryd.language.times.reference import Reference
from memoryd.language.times.syntax import CHINESE, ENGLISH, Language

_WIDE = {code: code - 0xFEE0 for code in range(0xFF10, 0xFF5B)} | {0x2019: "'", 0x130: "I", 0x3000: " "}
_LATIN = re.compile(r"[A-Za-z]{2}|\d")
_TITLE = re.compile(r"《[^《》\n]{1,80}》|[\"“][^\"“”\n]{1,60}[\"”]|「[^「」\n]{1,60}」|『[^『』\n]{1,60}』")
_SMALL_WORD = re.compile(r"\b[a-z]\w{3,}")


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """Words of a text that name a time.

    start, end: in the zone of the reference, end exclusive, None if open; matched: the words,
    text[span[0]:span[1]]; invalid: why they name no possible time (both ends are None then), such as a date
    that does not exist or a reversed range.
    """

    start: datetime | None
    end: datetime | None
    matched: str
    span: tuple[int, int]
    invalid: str | None = None


def find_times(text: str, reference: datetime) -> tuple[TimeExpression, ...]:
    """The time expressions of a text in order, without overlaps.

    reference: the moment that relative expressions count from, and the zone of all. Raises ValueError if it
    has no zone; no text raises.
    """
    at = Reference.at(reference)
    folded = text.translate(_WIDE).translate(simplified_table())
    readings = _readings(folded, at)
    return tuple(_expression(text, reading, at) for reading in readings)


def _readings(folded: str, reference: Reference) -> list[Reading]:
    """The readings of both languages; of two that overlap the longer is kept."""
    found: list[Reading] = []
    if HAN.search(folded):
        found += _read(CHINESE, folded, reference)
    if _LATIN.search(folded):
        found += _read(ENGLISH, folded, reference)
    kept: list[Reading] = []
    for reading in sorted(found, key=lambda r: (r.first, -r.last)):
        if not kept or reading.first >= kept[-1].last:
            kept.append(reading)
        elif reading.last - reading.first > kept[-1].last - kept[-1].first:
            kept[-1] = reading
    return kept


def _read(language: Language, folded: str, reference: Reference) -> Iterator[Reading]:
    reader = Reader(language, folded, reference)
    titles = [match.span() for match in _TITLE.finditer(folded)]
    end = title = 0
    for position in language.positions(folded):
        if position < end:
            continue
        while title < len(titles) and titles[title][1] <= position:
            title += 1
        reading = _possible(reader, position)
        if reading is None:
            continue
        if (
            title < len(titles)
            and titles[title][0] < reading.last
            and _is_title(folded, titles[title], reading)
        ):
            end = titles[title][1]
            continue
        end = reading.last
        yield reading


def _possible(reader: Reader, position: int) -> Reading | None:
    try:
        return reader.read(position)
    except (OverflowError, ValueError):  # outside the years 1 to 9999
        return None


def _is_title(folded: str, span: tuple[int, int], reading: Reading) -> bool:
    """Whether quoted words are a title: in 《》, exactly the expression, or capitalised."""
    first, last = span
    if folded[first] == "《":
        return True
    inside = folded[first + 1 : last - 1]
    if inside.strip() == folded[reading.first : reading.last]:
        return True
    return inside[:1].isascii() and inside[:1].isupper() and not _SMALL_WORD.search(inside)


def _expression(text: str, reading: Reading, reference: Reference) -> TimeExpression:
    span = (reading.first, reading.last)
    matched = text[reading.first : reading.last]
    if reading.span.impossible:
        return TimeExpression(None, None, matched, span, f"{matched}: {reading.span.impossible}")
    start, end = reference.with_zones(reading.span.start, reading.span.end)
    return TimeExpression(start, end, matched, span)
