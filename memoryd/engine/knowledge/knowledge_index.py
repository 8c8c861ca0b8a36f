"""The texts of knowledge points in the indexes."""

from __future__ import annotations

from collections.abc import Sequence

from memoryd.engine.context import Parts
from memoryd.storage.database import Transaction


class KnowledgeIndex:
    """Keywords at once, vectors in the background: no save of points waits for the model."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def put(self, tx: Transaction, user_id: str, row: int, text: str) -> None:
        """Add a point."""
        self._parts.lexical.put(tx, user_id, row, text)
        self._parts.meaning.stage(tx, user_id, row, None, None)

    def remove(self, tx: Transaction, user_id: str, texts: Sequence[tuple[int, str]]) -> None:
        """Remove points that are in no version any more."""
        for row, text in texts:
            self._parts.lexical.remove(tx, user_id, row, text)
        if texts:
            self._parts.vectors.unstage(tx, user_id, [row for row, _ in texts])
