"""Reading memories. Reads never change a memory's life."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory_client.types import Direction, Filters, Memory, Order, Page, Stats
from memoryd.core.filters.grammar import parse_filters
from memoryd.core.record import to_memory
from memoryd.core.scope import Scope
from memoryd.engine.context import Parts
from memoryd.engine.decay.effective_importance import ages
from memoryd.engine.page_cursor import decode, encode, mark_of
from memoryd.storage import statistics
from memoryd.storage.connection import Connection
from memoryd.storage.records import memories
from memoryd.storage.records.memories import StoredMemory

_CHUNK = 64


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Which page is asked for. cursor: of the page before, None for the first."""

    order: Order
    direction: Direction
    cursor: str | None
    limit: int

    @property
    def is_descending(self) -> bool:
        return self.direction == "desc"

    def after(self, mark: str) -> tuple[float, str] | None:
        """The order value and id that the page before ended with. mark: ties the cursor to its query."""
        return None if self.cursor is None else decode(self.cursor, mark, str)

    def cut(self, found: Sequence[StoredMemory], mark: str) -> tuple[Sequence[StoredMemory], str | None]:
        """The page out of one more than it holds, and the cursor of the next."""
        page = found[: self.limit]
        if len(found) <= self.limit:
            return page, None
        return page, encode(getattr(page[-1].record, self.order), page[-1].record.id, mark)


class MemoryReader:
    """get, page, count and stats."""

    def __init__(self, parts: Parts) -> None:
        self._database = parts.database
        self._parts = parts

    def get_many(self, ids: Sequence[str], scope: Scope) -> list[Memory | None]:
        """Memories by id, None where there is none to see."""
        with self._database.read() as connection:
            found = memories.find(connection, scope, ids)
            known = to_memories(connection, self._parts, list(found.values()))
        by_id = {memory["id"]: memory for memory in known}
        return [by_id.get(id) for id in ids]

    def get_all(self, scope: Scope) -> Iterator[Memory]:
        """All memories the scope sees, oldest first, read in stretches."""
        after: tuple[float, str] | None = None
        while True:
            with self._database.read() as connection:
                stretch = memories.scan(connection, scope, after, _CHUNK)
                known = to_memories(connection, self._parts, stretch)
            yield from known
            if len(stretch) < _CHUNK:
                return
            after = (stretch[-1].record.created_at, stretch[-1].record.id)

    def page(self, filters: Filters | None, where: PageRequest, scope: Scope) -> Page:
        """One page and the cursor of the next."""
        node = parse_filters(filters)
        mark = mark_of(filters or {}, where.order, where.direction, scope.archived)
        with self._database.read() as connection:
            found = memories.page(
                connection,
                scope,
                node,
                order=where.order,
                descending=where.is_descending,
                after=where.after(mark),
                limit=where.limit + 1,
            )
            total = memories.count(connection, scope, node)
            page, following = where.cut(found, mark)
            items = to_memories(connection, self._parts, page)
        return Page(items=items, cursor=following, total=total, omitted=[])

    def count(self, filters: Filters | None, scope: Scope) -> int:
        """How many memories fit."""
        with self._database.read() as connection:
            return memories.count(connection, scope, parse_filters(filters))

    def stats(self, scope: Scope) -> Stats:
        """Counts and sizes."""
        with self._database.read() as connection:
            return statistics.of_scope(connection, scope)


def to_memories(
    connection: Connection, parts: Parts, stored: Sequence[StoredMemory], at: float | None = None
) -> list[Memory]:
    """Memories of one user as callers see them, at present or as of a time."""
    known = ages(connection, parts.calendar, stored, parts.clock() if at is None else at)
    return [
        to_memory(one.record, indexed=one.indexed, effective=age.effective)
        for one, age in zip(stored, known, strict=True)
    ]
