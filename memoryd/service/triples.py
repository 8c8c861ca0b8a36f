"""Group `triples`: validation and user scoping; the work is done by the engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from memory_client.api import TriplesAPI
from memory_client.types import (
    DeleteResult,
    TripleAlias,
    TripleImport,
    TriplePage,
    TriplePath,
    TripleQuery,
    TripleShape,
    TripleStats,
)
from memoryd.core.ids import check_id
from memoryd.core.scope import Scope, writing_agent
from memoryd.engine.triples.triple_lines import TripleTransfer
from memoryd.engine.triples.triple_store import TripleFilter, TripleStore
from memoryd.language.triples import checked_statement
from memoryd.language.triples.statement import checked_name
from memoryd.service.arguments import MAX_PAGE, request_key
from memoryd.service.validation import in_range

_MAX_EVIDENCE = 100
_MAX_RELATED = 500
_MAX_LINES = 1_000_000
_MAX_ALIASES = 10_000


class TriplesService(TriplesAPI):
    """The triples of one store."""

    def __init__(self, triples: TripleStore, lines: TripleTransfer) -> None:
        self._triples = triples
        self._lines = lines

    def add(
        self,
        subject: str,
        predicate: str,
        object: str,
        *,
        negation: bool = False,
        frequency: str | None = None,
        condition: str | None = None,
        degree: str | None = None,
        evidence: list[str] | None = None,
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> str:
        scope = Scope.checked(user_id, agent_id)
        writing_agent(agent_id)
        statement = checked_statement(
            subject,
            predicate,
            object,
            negation=negation,
            frequency=frequency,
            condition=condition,
            degree=degree,
        )
        in_range("evidence", len(evidence or []), 0, _MAX_EVIDENCE)
        for i, id in enumerate(evidence or []):
            _check_evidence(id, f"evidence[{i}]")
        params = {
            "subject": subject,
            "predicate": predicate,
            "object": object,
            "negation": negation,
            "frequency": frequency,
            "condition": condition,
            **({"degree": degree} if degree is not None else {}),  # hashed as before it was there
            "evidence": evidence,
            "agent_id": agent_id,
        }
        key = request_key("triples.add", scope, request_id, params)
        return self._triples.add(statement, evidence or [], scope, key)

    def page(
        self,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,
        entity: str | None = None,
        negation: bool | None = None,
        evidence: str | None = None,
        include_archived: bool = False,
        cursor: str | None = None,
        limit: int = 50,
        user_id: str = "default",
        agent_id: str | None = None,
    ) -> TriplePage:
        in_range("limit", limit, 1, MAX_PAGE)
        names = {"subject": subject, "predicate": predicate, "object": object, "entity": entity}
        for name, value in names.items():
            if value is not None:
                checked_name(value, name)
        if evidence is not None:
            _check_evidence(evidence, "evidence")
        narrowed = TripleFilter(subject, predicate, object, entity, negation, evidence)
        scope = Scope.checked(user_id, agent_id, archived=include_archived)
        return self._triples.page(narrowed, cursor, limit, scope)

    def query(
        self,
        entity: str,
        hops: int = 1,
        *,
        predicate: str | None = None,
        limit: int = 50,
        include_archived: bool = False,
        user_id: str = "default",
        agent_id: str | None = None,
    ) -> TripleQuery:
        in_range("hops", hops, 1, 3)
        in_range("limit", limit, 1, _MAX_RELATED)
        if predicate is not None:
            checked_name(predicate, "predicate")
        scope = Scope.checked(user_id, agent_id, archived=include_archived)
        checked_name(entity, "entity")
        return self._triples.query(entity, hops, predicate, limit, scope)

    def path(
        self,
        a: str,
        b: str,
        max_hops: int = 3,
        *,
        include_archived: bool = False,
        user_id: str = "default",
        agent_id: str | None = None,
    ) -> TriplePath:
        in_range("max_hops", max_hops, 1, 6)
        scope = Scope.checked(user_id, agent_id, archived=include_archived)
        return self._triples.path(checked_name(a, "a"), checked_name(b, "b"), max_hops, scope)

    def delete(
        self,
        id: str,
        *,
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> DeleteResult:
        check_id(id, "tri")
        scope = Scope.checked(user_id, agent_id)
        key = request_key("triples.delete", scope, request_id, {"id": id, "agent_id": agent_id})
        return self._triples.delete(id, scope, key)

    def alias(
        self, alias: str, entity: str, *, user_id: str = "default", request_id: str | None = None
    ) -> TripleAlias:
        scope = Scope.checked(user_id, None)
        for name, value in (("alias", alias), ("entity", entity)):
            checked_name(value, name)
        key = request_key("triples.alias", scope, request_id, {"alias": alias, "entity": entity})
        return self._triples.alias(alias, entity, user_id, key)

    def unalias(self, alias: str, *, user_id: str = "default", request_id: str | None = None) -> None:
        scope = Scope.checked(user_id, None)
        key = request_key("triples.unalias", scope, request_id, {"alias": alias})
        self._triples.unalias(checked_name(alias, "alias"), user_id, key)

    def aliases(
        self, entity: str | None = None, *, limit: int = 1000, user_id: str = "default"
    ) -> list[TripleAlias]:
        in_range("limit", limit, 1, _MAX_ALIASES)
        Scope.checked(user_id, None)
        name = None if entity is None else checked_name(entity, "entity")
        return self._triples.aliases(name, limit, user_id)

    def export_jsonl(self, user_id: str = "default", *, shape: TripleShape = "memoryd") -> list[str]:
        """A stream: the server sends it in chunks, the in-process face makes a list of it."""
        Scope.checked(user_id, None)
        lines: Iterator[str] = self._lines.written(user_id, shape)
        return cast("list[str]", lines)

    def import_jsonl(
        self,
        lines: list[str],
        *,
        memory_ids: dict[str, str] | None = None,
        user_id: str = "default",
        request_id: str | None = None,
    ) -> TripleImport:
        in_range("lines", len(lines), 0, _MAX_LINES)
        ids = memory_ids or {}
        in_range("memory_ids", len(ids), 0, _MAX_LINES)
        for foreign, id in ids.items():
            _check_evidence(id, f"memory_ids[{foreign[:80]!r}]")
        params = {"lines": lines, **({"memory_ids": ids} if ids else {})}
        key = request_key("triples.import_jsonl", Scope.checked(user_id, None), request_id, params)
        return self._lines.taken_in(lines, ids, user_id, key)

    def stats(self, *, user_id: str = "default", agent_id: str | None = None) -> TripleStats:
        return self._triples.stats(Scope.checked(user_id, agent_id))


def _check_evidence(id: str, parameter: str) -> None:
    check_id(id, "trn" if id.startswith("trn_") else "mem", parameter)
