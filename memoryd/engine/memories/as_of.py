"""Reads memories as of a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memory_client.types import Filters, Memory, Page
from memoryd.core.filters.grammar import Node, parse_filters
from memoryd.core.filters.matching import filter_active_at, filter_unchanged_since, matches
from memoryd.core.record import Record
from memoryd.core.scope import Scope
from memoryd.engine.context import Parts
from memoryd.engine.memories.read_memories import PageRequest, to_memories
from memoryd.engine.page_cursor import mark_of
from memoryd.storage.connection import Connection
from memoryd.storage.records import memories, versions
from memoryd.storage.records.memories import StoredMemory


class AsOfReader:
    """get and page, as of a time."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def get(self, id: str, at: float, scope: Scope) -> Memory | None:
        """A memory as of a time, in any state; None if it was not known yet.

        Raises `HistoryLimitError` for a time whose version is no longer kept.
        """
        with self._parts.database.read() as connection:
            stored = memories.find(connection, scope, [id]).get(id)
            if stored is None:
                return None
            record = versions.version_at(connection, stored.record, at)
            if record is None:
                return None
            is_current = record.version == stored.record.version
            then = stored if is_current else _former(stored.row, record)
            return to_memories(connection, self._parts, [then], at)[0]

    def page(self, filters: Filters | None, at: float, where: PageRequest, scope: Scope) -> Page:
        """One page of the memories as of a time, and the cursor of the next."""
        node = parse_filters(filters)
        mark = mark_of(filters or {}, where.order, where.direction, at, scope.archived)
        after = where.after(mark)
        with self._parts.database.read() as connection:
            same, total = _unchanged(connection, node, at, where, after, scope)
            former = list(versions.former_versions(connection, scope, at))
            then = filter_active_at(node, at, archived=scope.archived)
            known = [_former(one.row, one.record) for one in former if one.record is not None]
            others = [one for one in known if matches(then, one.record)]
            page, following = where.cut(_behind([*same, *others], where, after), mark)
            return Page(
                items=to_memories(connection, self._parts, page, at),
                cursor=following,
                total=total + len(others),
                omitted=[one.id for one in former if one.record is None],
            )


def _former(row: int, record: Record) -> StoredMemory:
    """A former record; its vector is gone, and every day counts for its age."""
    return StoredMemory(row, 0, record, indexed=False, decay_seq=0)


def _unchanged(
    connection: Connection,
    node: Node,
    at: float,
    where: PageRequest,
    after: tuple[float, str] | None,
    scope: Scope,
) -> tuple[list[StoredMemory], int]:
    """The memories that have not changed since: those of the page, and their number."""
    wanted = filter_unchanged_since(node, "memory", at, archived=scope.archived)
    found = memories.page(
        connection,
        scope,
        wanted,
        order=where.order,
        descending=where.is_descending,
        after=after,
        limit=where.limit + 1,
    )
    return found, memories.count(connection, scope, wanted)


def _behind(
    found: Sequence[StoredMemory], where: PageRequest, after: tuple[float, str] | None
) -> list[StoredMemory]:
    """Those after a cursor, in order."""

    def place(one: StoredMemory) -> tuple[Any, str]:
        return getattr(one.record, where.order), one.record.id

    ordered = sorted(found, key=place, reverse=where.is_descending)
    if after is None:
        return ordered
    return [one for one in ordered if (place(one) < after if where.is_descending else place(one) > after)]
