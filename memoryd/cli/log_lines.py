"""Reads the end of a log file, and follows it as it grows."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

_POLL_SECONDS = 0.2


def tail(file: Path, count: int) -> Iterator[str]:
    """The last lines of a file."""
    with _opened(file) as log:
        yield from _last(log, count)


def follow(file: Path, count: int) -> Iterator[str]:
    """The last lines, then new lines, across rotations; it never ends by itself."""
    while True:
        with _opened(file) as log:
            yield from _last(log, count)
            yield from _added(file, log)
        count = -1


def _opened(file: Path) -> BinaryIO:
    return open(file, "rb")


def _last(log: BinaryIO, count: int) -> Iterator[str]:
    """The last `count` complete lines, all with -1; leaves the position after them."""
    whole: deque[bytes] = deque(maxlen=None if count < 0 else count)
    while (line := log.readline()).endswith(b"\n"):
        whole.append(line)
    log.seek(-len(line), os.SEEK_CUR)
    yield from map(_text, whole)


def _added(file: Path, log: BinaryIO) -> Iterator[str]:
    """Complete lines as they are written, until another file has this name."""
    rest = b""
    while True:
        rest += (part := log.readline())
        if rest.endswith(b"\n"):
            yield _text(rest)
            rest = b""
        elif not part:
            if _is_another(file, log):
                return
            time.sleep(_POLL_SECONDS)


def _text(line: bytes) -> str:
    return line.decode(errors="replace").rstrip("\r\n")


def _is_another(file: Path, log: BinaryIO) -> bool:
    try:
        return not os.path.samestat(file.stat(), os.fstat(log.fileno()))
    except FileNotFoundError:  # between the two renames of a rotation
        return False
