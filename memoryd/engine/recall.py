"""Reading memories. Reads never change a memory's life."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

from memory_client.types import Direction, Filters, Memory, Order, Page, Stats
from memoryd.core.filters import parse_filters
from memoryd.core.record import to_memory
from memoryd.core.scope import Scope
from memoryd.engine.ageing import ages
from memoryd.engine.cursor import decode, encode, mark_of
from memoryd.engine.parts import Parts
from memoryd.storage import memories, statistics
from memoryd.storage.memories import Stored

_CHUNK = 500


class Recall:
    """get, page, count and stats."""

    def __init__(self, parts: Parts) -> None:
        self._database = parts.database
        self._parts = parts

    def get_many(self, ids: Sequence[str], scope: Scope) -> list[Memory | None]:
        """Memories by id, None where there is none to see."""
        with self._database.read() as connection:
            found = memories.find(connection, scope, ids)
            shown = self._shown(connection, list(found.values()))
        by_id = {memory["id"]: memory for memory in shown}
        return [by_id.get(id) for id in ids]

    def get_all(self, scope: Scope) -> Iterator[Memory]:
        """All active memories, oldest first, read in stretches."""
        after: tuple[float, str] | None = None
        while True:
            with self._database.read() as connection:
                stretch = memories.scan(connection, scope, after, _CHUNK)
                shown = self._shown(connection, stretch)
            yield from shown
            if len(stretch) < _CHUNK:
                return
            after = (stretch[-1].record.created_at, stretch[-1].record.id)

    def page(
        self,
        filters: Filters | None,
        *,
        order: Order,
        direction: Direction,
        cursor: str | None,
        limit: int,
        scope: Scope,
    ) -> Page:
        """One page and the cursor of the next."""
        node = parse_filters(filters)
        mark = mark_of(filters or {}, order, direction)
        after = None if cursor is None else decode(cursor, mark, str)
        with self._database.read() as connection:
            found = memories.page(
                connection,
                scope,
                node,
                order=order,
                descending=direction == "desc",
                after=after,
                limit=limit + 1,
            )
            total = memories.count(connection, scope, node)
            page, more = found[:limit], len(found) > limit
            items = self._shown(connection, page)
        following = encode(getattr(page[-1].record, order), page[-1].record.id, mark) if more else None
        return Page(items=items, cursor=following, total=total)

    def count(self, filters: Filters | None, scope: Scope) -> int:
        """How many active memories fit."""
        with self._database.read() as connection:
            return memories.count(connection, scope, parse_filters(filters))

    def stats(self, scope: Scope) -> Stats:
        """Counts and sizes."""
        with self._database.read() as connection:
            return statistics.of_scope(connection, scope)

    def _shown(self, connection: sqlite3.Connection, stored: Sequence[Stored]) -> list[Memory]:
        known = ages(connection, self._parts.calendar, stored, self._parts.clock())
        return [
            to_memory(one.record, indexed=one.indexed, effective=age.effective)
            for one, age in zip(stored, known, strict=True)
        ]
