"""How commands write times, texts and counts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def date(seconds: float) -> str:
    """Epoch seconds in the time zone of this machine."""
    try:
        return f"{(_EPOCH + timedelta(seconds=seconds)).astimezone():%Y-%m-%d %H:%M}"
    except (OverflowError, OSError):  # beyond the calendar, or beyond what the platform knows of zones
        return f"{seconds:g} s"


def counted(count: int, word: str, many: str | None = None) -> str:
    """`1 point`, `1,000 points`; many: the plural, by default with an s."""
    return f"{count:,} {word if count == 1 else many or f'{word}s'}"


def plain(text: str) -> str:
    """The text without characters that could steer the terminal."""
    return "".join(c if c.isprintable() else " " for c in text)


def excerpt(text: str, length: int = 300) -> str:
    """The first characters of a text, `plain`."""
    return plain(text[:length])


def because(reason: str | None) -> str:
    """`: reason`, or nothing without one."""
    return f": {excerpt(reason)}" if reason else ""
