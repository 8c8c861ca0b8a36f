"""Overwriting the unused bytes of a database file, which may hold copies of deleted rows.

`secure_delete` clears the cells of deleted rows, but when SQLite rebuilds a page it leaves copies of moved
cells in the unused part. VACUUM would remove them too, but holds the writer while it rewrites the whole file.
SQLite never reads these bytes; see "B-tree Pages" in https://www.sqlite.org/fileformat2.html.
"""

from __future__ import annotations

import time
from typing import BinaryIO

_HEADER = 100  # bytes before the first page's own
_PAGE_SIZE_AT, _RESERVED_AT = 16, 20
_LOCK_BYTE = 0x40000000  # its page is never used by SQLite, and locked on Windows
_LEAF, _INTERIOR = (10, 13), (2, 5)
_PAGES_AT_ONCE = 64


def wipe(file: BinaryIO, start: int, seconds: float) -> int | None:
    """Overwrite unused bytes from a page on, 0 for the first, for so long; the next page, None at the end.

    The caller keeps everybody else from writing, and has emptied the WAL.
    """
    until = time.monotonic() + seconds
    file.seek(0)
    head = file.read(_HEADER)
    if len(head) < _HEADER:
        return None
    size = int.from_bytes(head[_PAGE_SIZE_AT : _PAGE_SIZE_AT + 2]) or 1
    size = 65536 if size == 1 else size
    usable = size - head[_RESERVED_AT]
    while time.monotonic() < until:
        file.seek(start * size)
        pages = file.read(_PAGES_AT_ONCE * size)
        if len(pages) < size:
            return None
        for at in range(0, len(pages) - size + 1, size):
            number = start + at // size
            if number != _LOCK_BYTE // size:
                _wipe_page(file, number * size, pages[at : at + usable], _HEADER if number == 0 else 0)
        start += len(pages) // size
    return start


def _wipe_page(file: BinaryIO, offset: int, page: bytes, header: int) -> None:
    """Overwrite what lies between the cell pointers and the cells, if this is a page of a b-tree."""
    kind = page[header]
    if kind not in _LEAF + _INTERIOR:
        return
    cells = int.from_bytes(page[header + 3 : header + 5])
    end = int.from_bytes(page[header + 5 : header + 7]) or 65536
    begin = header + (12 if kind in _INTERIOR else 8) + 2 * cells
    if begin >= end or end > len(page):
        return  # nothing unused there, or no b-tree page after all
    unused = page[begin:end]
    if unused.count(0) != len(unused):
        file.seek(offset + begin)
        file.write(bytes(len(unused)))
