"""The open store and its helpers, which all of the engine works with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from memory_client.paths import DataPaths
from memoryd.core.ids import IdFactory
from memoryd.core.life.active_days import Calendar
from memoryd.core.life.boost import DEFAULT_RULES, BoostRules
from memoryd.core.life.decay_rules import DecayRules
from memoryd.core.times import ZoneSource, utc
from memoryd.index.keyword.keyword_index import KeywordIndex
from memoryd.index.vectors.vector_index import VectorIndex
from memoryd.models.reranker import RerankerChoice, RerankerHost
from memoryd.retrieval.semantic_index import SemanticIndex
from memoryd.storage import requests
from memoryd.storage.database import Database, Transaction
from memoryd.storage.requests import RequestKey

T = TypeVar("T")
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on what is stored. add_cap: seconds a write waits for its vector; versions: told apart of each
    memory."""

    text_chars: int = 1_000_000
    metadata_bytes: int = 65_536
    add_cap: float = 0.5
    versions: int = 100


@dataclass(frozen=True, slots=True)
class Parts:
    """The open store and its helpers, shared by all use cases. zone: where a call names none."""

    paths: DataPaths
    database: Database
    lexical: KeywordIndex
    vectors: VectorIndex
    meaning: SemanticIndex
    clock: Clock
    zone: ZoneSource = utc
    calendar: Calendar = field(default_factory=Calendar)
    boost: BoostRules = DEFAULT_RULES
    limits: Limits = field(default_factory=Limits)
    ids: IdFactory = field(default_factory=IdFactory)
    reranker: RerankerHost = field(default_factory=lambda: RerankerHost(RerankerChoice()))

    @property
    def decay(self) -> DecayRules:
        """How importance fades."""
        return self.calendar.rules

    def write_once(
        self, key: RequestKey | None, apply: Callable[[Transaction], T], now: float | None = None
    ) -> T:
        """Run `apply` as one transaction; for a repeated request, return the reply of the first one instead.

        now: the present by default. The reply must hold ids and counts only. Raises `RequestIdConflict`.
        """
        at = self.clock() if now is None else now
        return self.database.write(lambda tx: requests.run_once(tx, key, at, lambda: apply(tx)))

    def find_reply(self, key: RequestKey | None) -> tuple[bool, Any]:
        """Whether the request was carried out before, and its reply; ask before anything costly is done.

        Raises `RequestIdConflict`.
        """
        if key is None:
            return False, None
        with self.database.read() as connection:
            return requests.find_reply(connection, key)
