"""Handlers of group `triples`."""

from __future__ import annotations

from memory_client.types import TripleImport, TriplePage
from memoryd.core.scope import Scope, writing_agent
from memoryd.engine.triples.triple_lines import TripleTransfer
from memoryd.engine.triples.triple_store import TripleFilter, TripleStore
from memoryd.language.triples import parse_statement
from memoryd.storage.requests import RequestKey


class TriplesService:
    """Triples, aliases, export and import."""

    def __init__(self, triples: TripleStore, lines: TripleTransfer) -> None:
        self._triples = triples
        self._lines = lines
        self.query = triples.query
        self.path = triples.path
        self.delete = triples.delete
        self.alias = triples.alias
        self.unalias = triples.unalias
        self.aliases = triples.aliases
        self.stats = triples.stats
        self.export_jsonl = lines.export_lines

    def add(
        self,
        subject: str,
        predicate: str,
        object: str,
        *,
        negation: bool,
        frequency: str | None,
        condition: str | None,
        degree: str | None,
        evidence: list[str] | None,
        scope: Scope,
        key: RequestKey | None,
    ) -> str:
        writing_agent(scope.agent_id)
        statement = parse_statement(
            subject,
            predicate,
            object,
            negation=negation,
            frequency=frequency,
            condition=condition,
            degree=degree,
        )
        return self._triples.add(statement, evidence or [], scope, key)

    def page(
        self,
        subject: str | None,
        predicate: str | None,
        object: str | None,
        entity: str | None,
        negation: bool | None,
        evidence: str | None,
        cursor: str | None,
        limit: int,
        scope: Scope,
    ) -> TriplePage:
        narrowed = TripleFilter(subject, predicate, object, entity, negation, evidence)
        return self._triples.page(narrowed, cursor, limit, scope)

    def import_jsonl(
        self,
        lines: list[str],
        memory_ids: dict[str, str] | None,
        user_id: str,
        key: RequestKey | None,
    ) -> TripleImport:
        return self._lines.import_lines(lines, memory_ids or {}, user_id, key)
