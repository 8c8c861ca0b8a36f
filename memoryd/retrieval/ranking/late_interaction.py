"""Late interaction: each token of a query with the nearest token of each text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memoryd.index.vectors.rounding import FloatMatrix, Rows
from memoryd.language.text_features import Language, text_language
from memoryd.retrieval.ranking.frame import Column, Frame, Table
from memoryd.retrieval.ranking.trained_space import TrainedSpace
from memoryd.retrieval.semantic_index import EncodedText, SemanticIndex
from memoryd.storage.connection import Connection


class LateInteraction:
    """The matches of one query, read for some texts after the other.

    weights: of the query's tokens. space: where given, the matches of the language-centred query are read in
    the same pass. language: of the query.
    """

    def __init__(
        self,
        semantic: SemanticIndex,
        connection: Connection,
        query: EncodedText,
        weights: Column,
        space: TrainedSpace | None = None,
        language: Language = "en",
    ) -> None:
        self._semantic = semantic
        self._connection = connection
        self._query = query
        self._weights = weights
        self._space = space
        self._rows: list[Rows] = []
        self._matches: list[Table] = []
        tokens = query.encoding.tokens
        self._tokens = None if tokens is None or not len(tokens) else tokens
        self._centred = None
        if space is not None and self._tokens is not None:
            self._centred = space.centred_query(self._tokens, language)

    @property
    def has_tokens(self) -> bool:
        """Whether the query and any of the texts have token vectors."""
        return any(len(rows) for rows in self._rows)

    def read(self, rows: Sequence[int]) -> None:
        """Read the token vectors of texts, as far as they have any."""
        if self._tokens is None:
            return
        block = self._semantic.tokens(self._connection, self._query, rows)
        self._rows.append(block.rows)
        self._matches.append(block.best_matches(self._compared(self._tokens)))

    def best(self, limit: int) -> list[int]:
        """The rows that match best by themselves."""
        rows, matches = self._all()
        own = matches[:, : len(self._weights)]
        order = np.argsort(-(own @ self._weights), kind="stable")[:limit]
        return [int(row) for row in rows[order]]

    def over(self, frame: Frame) -> Table:
        """The matches of all texts of a frame, (n, tokens); the least there is for one without tokens."""
        rows, matches = self._all()
        return _spread(frame, rows, matches[:, : len(self._weights)])

    def centred_over(self, frame: Frame) -> Table | None:
        """The same of the language-centred query, less what a text's language adds; None without a space."""
        if self._space is None or self._centred is None:
            return None
        rows, matches = self._all()
        languages = [text_language(place.opening) for place in frame.places]
        owed = self._space.centring(self._centred, languages)
        return np.asarray(_spread(frame, rows, matches[:, len(self._weights) :]) - owed, np.float32)

    def _compared(self, tokens: FloatMatrix) -> FloatMatrix:
        return tokens if self._centred is None else np.concatenate([tokens, self._centred])

    def _all(self) -> tuple[Rows, Table]:
        return np.concatenate(self._rows), np.concatenate(self._matches)


def _spread(frame: Frame, rows: Rows, matches: Table) -> Table:
    return np.asarray(frame.spread(rows, matches, matches.min(axis=0)), dtype=np.float32)
