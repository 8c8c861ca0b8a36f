"""The shapes of a triple as one JSON object in a line: our own, and that of companion apps.

Ours:      {"subject", "predicate", "object", "negation", "frequency", "condition", "degree",
            "evidence": [{"kind", "id", "agent_id"}]}, and {"alias", "entity"} for another name.
Companion: {"id", "subject", "predicate", "object", "source_memory_ids": [...],
            "metadata": {"negation", "frequency", "condition", "degree", "agent_ids"}}

A line is in the companion shape as soon as it has `id`, `source_memory_ids` or `metadata`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from memory_client.types import TripleShape
from memoryd.core.ids import check_name
from memoryd.core.scope import writing_agent
from memoryd.language.triples.display import display_statement
from memoryd.language.triples.predicates import predicate_of
from memoryd.language.triples.statement import Statement, parse_name, parse_statement

MAX_EVIDENCE = 1_000
"""Pieces of evidence of one line."""
_MAX_CHARS = 100_000
_ENDS = ("subject", "predicate", "object")
_QUALIFIERS = ("negation", "frequency", "condition", "degree")
_ALIAS_KEYS = ("alias", "entity")
_OWN_KEYS = (*_ENDS, *_QUALIFIERS, "evidence")
_EVIDENCE_KEYS = ("kind", "id", "agent_id")
_KINDS = ("memory", "manual", "turn")
_COMPANION_ONLY = ("id", "source_memory_ids", "metadata")
_COMPANION_KEYS = (*_ENDS, *_COMPANION_ONLY)
_METADATA_KEYS = (*_QUALIFIERS, "agent_ids")


class UnknownKeyError(Exception):
    """A key that no shape has: the file may mean what would be lost."""

    def __init__(self, place: str, key: str, keys: Sequence[str]) -> None:
        super().__init__(place, key)
        self.place, self.key, self.keys = place, key, keys

    def fix(self) -> str:
        """What to do about it."""
        if self.place == "the line" and self.key in _METADATA_KEYS:
            return "move it into metadata, where this shape has it"
        near = get_close_matches(self.key, self.keys, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        return f"{hint}rename or remove it; known are {', '.join(self.keys)}"


@dataclass(frozen=True, slots=True)
class LineEvidence:
    """id: as the line has it, '' for a caller's own word; agent_id: of that caller; is_ours: whether the line
    says that it is an id of a memoryd store."""

    id: str
    agent_id: str | None = None
    is_ours: bool = False


@dataclass(frozen=True, slots=True)
class TripleLine:
    """A triple and what it rests on."""

    number: int
    statement: Statement
    evidence: tuple[LineEvidence, ...]


@dataclass(frozen=True, slots=True)
class AliasLine:
    """Another name of an entity."""

    number: int
    alias: str
    entity: str


def read_line(number: int, text: str) -> TripleLine | AliasLine:
    """A line in either shape. Raises `UnknownKeyError`, `InvalidParameterError`, ValueError, TypeError."""
    if len(text) > _MAX_CHARS:
        raise ValueError(f"{len(text):,} characters; expected at most {_MAX_CHARS:,}")
    found = json.loads(text)
    if not isinstance(found, dict):
        raise TypeError("expected an object with subject, predicate and object")
    if "alias" in found:
        _check_keys(found, _ALIAS_KEYS, "the line")
        alias, entity = found["alias"], found.get("entity", "")
        parse_name(alias, "alias")
        parse_name(entity, "entity")
        return AliasLine(number, alias, entity)
    if any(key in found for key in _COMPANION_ONLY):
        return _read_companion(number, found)
    _check_keys(found, _OWN_KEYS, "the line")
    return TripleLine(number, _statement(found, found), tuple(_own_evidence(found.get("evidence"))))


def write_line(
    shape: TripleShape, id: str, statement: Statement, evidence: Iterable[tuple[str, str | None, str | None]]
) -> str:
    """A triple as a line, in the language of the statement. evidence: (kind, id, agent) of each piece."""
    shown, pieces = display_statement(statement), list(evidence)
    line = _companion_line(id, shown, pieces) if shape == "companion" else _own_line(shown, pieces)
    return json.dumps(line, ensure_ascii=False)


def _own_line(shown: Statement, evidence: Sequence[tuple[str, str | None, str | None]]) -> dict[str, Any]:
    qualifiers = {name: value for name in _QUALIFIERS if (value := getattr(shown, name))}
    pieces = [
        {"kind": kind} | ({"id": id} if id else {}) | ({"agent_id": agent} if agent else {})
        for kind, id, agent in evidence
    ]
    return {name: getattr(shown, name) for name in _ENDS} | qualifiers | {"evidence": pieces}


def _companion_line(
    id: str, shown: Statement, evidence: Sequence[tuple[str, str | None, str | None]]
) -> dict[str, Any]:
    ids = [id for _, id, _ in evidence if id]
    agents = [agent for kind, _, agent in evidence if kind == "manual"]
    metadata = {name: getattr(shown, name) for name in ("negation", "frequency", "condition")}
    if shown.degree:
        metadata["degree"] = shown.degree
    if agents and (ids or agents != [None]):  # without any evidence it is taken for the caller's own word
        metadata["agent_ids"] = agents
    ends = {name: getattr(shown, name) for name in _ENDS}
    return {"id": id, **ends, "source_memory_ids": ids, "metadata": metadata}


def _read_companion(number: int, found: Mapping[str, Any]) -> TripleLine:
    _check_keys(found, _COMPANION_KEYS, "the line")
    if not isinstance(found.get("id"), str | int | None):
        raise TypeError(f"id: {str(found['id'])[:40]!r} is neither a text nor a number")
    metadata = {} if found.get("metadata") is None else found["metadata"]
    if not isinstance(metadata, dict):
        raise TypeError("metadata: expected an object")
    _check_keys(metadata, _METADATA_KEYS, "metadata")
    given = {name: None if value == "" else value for name, value in metadata.items()}
    if given.get("negation") is True and _is_negated(found.get("predicate")):
        raise ValueError(
            f"negation: true beside the negated predicate {found['predicate'][:40]!r} may mean either; "
            f"state the negation once"
        )
    evidence = [LineEvidence(id) for id in _source_ids(found.get("source_memory_ids"))]
    evidence += [LineEvidence("", agent) for agent in _agents(given.get("agent_ids"))]
    return TripleLine(number, _statement(found, given), tuple(evidence))


def _is_negated(predicate: Any) -> bool:
    return isinstance(predicate, str) and predicate_of(predicate).is_negated


def _statement(ends: Mapping[str, Any], qualifiers: Mapping[str, Any]) -> Statement:
    negation = qualifiers.get("negation")
    if not isinstance(negation, bool | None):
        raise TypeError(f"negation: {str(negation)[:40]!r}; expected true or false")
    return parse_statement(
        *(ends.get(name, "") for name in _ENDS),
        negation=bool(negation),
        frequency=qualifiers.get("frequency"),
        condition=qualifiers.get("condition"),
        degree=qualifiers.get("degree"),
    )


def _own_evidence(given: Any) -> Iterator[LineEvidence]:
    for one in _listed(given, "evidence"):
        if not isinstance(one, dict):
            raise TypeError("evidence: expected objects with kind and id")
        _check_keys(one, _EVIDENCE_KEYS, "evidence")
        if one.get("kind", "manual") not in _KINDS:
            raise TypeError(f"evidence.kind: {str(one['kind'])[:40]!r}; expected {', '.join(_KINDS)}")
        id = one.get("id") or ""
        if not isinstance(id, str):
            raise TypeError(f"evidence: {str(id)[:40]!r} is no id")
        yield LineEvidence(id, _agent(one.get("agent_id"), "evidence.agent_id"), is_ours=True)


def _source_ids(given: Any) -> Iterator[str]:
    for id in _listed(given, "source_memory_ids"):
        if isinstance(id, bool) or not isinstance(id, str | int) or id == "":
            raise TypeError(f"source_memory_ids: {str(id)[:40]!r} is neither a text nor a number")
        yield str(id)


def _agents(given: Any) -> Iterator[str | None]:
    return (_agent(one, "metadata.agent_ids") for one in _listed(given, "metadata.agent_ids"))


def _agent(given: Any, parameter: str) -> str | None:
    return None if given is None else writing_agent(check_name(given, parameter))


def _listed(given: Any, name: str) -> list[Any]:
    if given is None:
        return []
    if not isinstance(given, list):
        raise TypeError(f"{name}: expected a list")
    if len(given) > MAX_EVIDENCE:
        raise ValueError(f"{name}: {len(given):,} entries; expected at most {MAX_EVIDENCE:,}")
    return given


def _check_keys(given: Mapping[str, Any], keys: Sequence[str], place: str) -> None:
    for key in given:
        if key not in keys:
            raise UnknownKeyError(place, key, keys)
