"""The part of `engine.embedding.semantic_index` that search needs."""

from __future__ import annotations

import sqlite3
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Protocol

from memory_client.deadline import Deadline
from memoryd.core.passage import Passage
from memoryd.core.row_ranges import TextKind
from memoryd.core.scope import Scope
from memoryd.index.vectors.rounding import Rows
from memoryd.index.vectors.tokens import TokenBlock
from memoryd.models.base import Encoding


@dataclass(frozen=True, slots=True)
class Encoded:
    """What was made of a text, and the fingerprint of its space."""

    fingerprint: str
    encoding: Encoding


class MeaningSource(Protocol):
    """Search by meaning. Everything that takes an `Encoded` raises `SpaceMismatchError` when another space
    serves by now, `StorageError`."""

    def why_not(self) -> str | None:
        """None when meaning can be searched now, else the reason."""
        ...

    def caveat(self) -> str | None:
        """What a search by meaning may miss now; None for nothing."""
        ...

    def version(self) -> Hashable:
        """Another one whenever a search by meaning may find something else."""
        ...

    def wait(self, deadline: Deadline) -> None:
        """Return once meaning can be searched. Raises `ModelUnavailableError`, `DeadlineExceededError`."""
        ...

    def wait_loaded(self, patience: Deadline) -> bool:
        """Wait for a model that is loading, for none that is absent or failed; whether one serves."""
        ...

    def wait_vectors(self, user_id: str, kinds: Sequence[TextKind], patience: Deadline) -> None:
        """Wait for the vectors of a user's texts, when few are missing and they are soon there."""
        ...

    def settle(self) -> None:
        """Return when no other model is about to take over."""
        ...

    def encode(self, query: str, deadline: Deadline) -> Encoded:
        """What is made of a query. Raises as `wait`."""
        ...

    def nearest(
        self, scope: Scope, query: Encoded, limit: int, allowed: Rows | None, kind: TextKind
    ) -> list[tuple[int, float]]:
        """(row, cosine) of the nearest texts of a kind, best first."""
        ...

    def cosines(self, scope: Scope, query: Encoded, rows: Rows, kind: TextKind) -> dict[int, float]:
        """The cosines with chosen texts, by row; those without a vector are left out."""
        ...

    def tokens(self, connection: sqlite3.Connection, query: Encoded, rows: Sequence[int]) -> TokenBlock:
        """The token vectors of chosen texts."""
        ...

    def embed_all(self, texts: Sequence[Passage]) -> list[Encoded | None]:
        """What is made of texts that are not stored, None where nothing can be."""
        ...

    def missing(self, user_id: str) -> int:
        """Texts of the user that wait to be embedded."""
        ...
