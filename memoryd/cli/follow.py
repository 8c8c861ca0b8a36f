"""Reading the end of a log file, and going on as it grows."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path

_POLL_SECONDS = 0.2


def last_lines(file: Path, count: int) -> list[str]:
    """The last lines of a file."""
    with open(file, encoding="utf-8", errors="replace") as log:
        return [line.rstrip("\n") for line in deque(log, maxlen=count)]


def follow(file: Path) -> Iterator[str]:
    """Lines as they are added from now on, through rotations; it never ends by itself."""
    place = file.stat().st_size
    while True:
        with open(file, encoding="utf-8", errors="replace") as log:
            log.seek(place)
            yield from _until_rotated(file, log.fileno(), iter(log.readline, None))
        place = 0


def _until_rotated(file: Path, opened: int, lines: Iterator[str]) -> Iterator[str]:
    """Whole lines of an open log, until another file has its name."""
    rest = ""
    for part in lines:
        if part.endswith("\n"):
            yield rest + part[:-1]
            rest = ""
            continue
        rest += part
        if not part and _is_another(file, opened):
            return
        time.sleep(_POLL_SECONDS)


def _is_another(file: Path, opened: int) -> bool:
    try:
        return not os.path.samestat(file.stat(), os.fstat(opened))
    except FileNotFoundError:  # between the two renames of a rotation
        return False
