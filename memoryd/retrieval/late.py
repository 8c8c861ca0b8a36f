"""Late interaction: each token of a query with the nearest token of each text."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import numpy as np

from memoryd.index.vectors import Rows
from memoryd.retrieval.frame import Column, Frame, Table
from memoryd.retrieval.meaning_source import Encoded, MeaningSource


class Late:
    """The matches of one query, read for some texts after the other. weights: of the query's tokens."""

    def __init__(
        self, meaning: MeaningSource, connection: sqlite3.Connection, query: Encoded, weights: Column
    ) -> None:
        self._meaning = meaning
        self._connection = connection
        self._query = query
        self._weights = weights
        self._rows: list[Rows] = []
        self._matches: list[Table] = []

    @property
    def is_there(self) -> bool:
        """Whether the query and any of the texts have token vectors."""
        return any(len(rows) for rows in self._rows)

    def read(self, rows: Sequence[int]) -> None:
        """Read the token vectors of texts, as far as they have any."""
        tokens = self._query.encoding.tokens
        if tokens is None or not len(tokens):
            return
        block = self._meaning.tokens(self._connection, self._query, rows)
        self._rows.append(block.rows)
        self._matches.append(block.best_matches(tokens))

    def best(self, limit: int) -> list[int]:
        """The rows that match best by themselves."""
        rows, matches = np.concatenate(self._rows), np.concatenate(self._matches)
        order = np.argsort(-(matches @ self._weights), kind="stable")[:limit]
        return [int(row) for row in rows[order]]

    def over(self, frame: Frame) -> Table:
        """The matches of all texts of a frame, (n, tokens); the least there is for one without tokens."""
        rows, matches = np.concatenate(self._rows), np.concatenate(self._matches)
        return np.asarray(frame.spread(rows, matches, matches.min(axis=0)), dtype=np.float32)
