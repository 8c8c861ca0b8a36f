"""Candidates for a conflict: memories that may say the same as a memory, or the contrary."""

from __future__ import annotations

from memory_client.errors import SpaceMismatchError
from memoryd.core.filters.grammar import EVERYTHING
from memoryd.core.scope import Scope
from memoryd.engine.context import Parts
from memoryd.engine.triples.stated_triples import related_rows
from memoryd.storage.connection import Connection
from memoryd.storage.records.memories import StoredMemory

_NEAREST = 20
"""By meaning; in this many the contrary of a statement is found: a negation hardly moves a vector."""
_ALIKE = 20
"""By words, where there is no vector."""
_READ = 300
"""Characters of a text that are looked for by words."""


class Neighbours:
    """By vectors (by words for a memory that has none), and by triples."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def of(self, connection: Connection, scope: Scope, stored: StoredMemory) -> list[int]:
        """Rows of active memories the scope sees, without the memory's own, the nearest first."""
        near = self._by_meaning(scope, stored) or self._by_words(connection, scope, stored)
        rows = dict.fromkeys([*near, *related_rows(connection, scope, stored.row)])
        rows.pop(stored.row, None)
        return list(rows)

    def _by_meaning(self, scope: Scope, stored: StoredMemory) -> list[int]:
        try:
            return [row for row, _ in self._parts.vectors.neighbours(scope, stored.row, _NEAREST)]
        except SpaceMismatchError:  # another model took over just now
            return []

    def _by_words(self, connection: Connection, scope: Scope, stored: StoredMemory) -> list[int]:
        text = stored.record.text[:_READ]
        hits = self._parts.lexical.search(connection, scope, text, _ALIKE, EVERYTHING)
        return [hit.row for hit in hits]
