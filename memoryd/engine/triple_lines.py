"""Triples as lines of JSON: written out for a user, and taken in again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memory_client.errors import MemorydError
from memory_client.types import DamagedLine, TripleImport
from memoryd.core.call import current_call
from memoryd.core.ids import check_name, is_id
from memoryd.core.scope import ALL_AGENTS, Scope, writing_agent
from memoryd.core.triples import Statement, checked_statement
from memoryd.core.triples.statement import checked_name
from memoryd.engine.parts import Parts
from memoryd.engine.triples import Triples, changed, of_memory, of_turn, screened
from memoryd.storage import memories, requests, turns
from memoryd.storage.database import Transaction
from memoryd.storage.requests import RequestKey
from memoryd.storage.triples import entities, evidence, rows
from memoryd.storage.triples.rows import MANUAL, Evidence, Stored

_CHUNK = 500
_MOST_EVIDENCE = 1_000
_LINE_CHARS = 100_000
_MOST_ALIASES = 1_000_000


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that could be read: a triple with ids of its evidence, or an alias."""

    number: int
    statement: Statement | None
    evidence: tuple[tuple[str, str | None], ...]
    alias: tuple[str, str] | None = None


class TripleLines:
    """export_jsonl and import_jsonl."""

    def __init__(self, parts: Parts, triples: Triples) -> None:
        self._parts = parts
        self._triples = triples

    def written(self, user_id: str) -> Iterator[str]:
        """All of a user's triples and aliases, oldest first, read in stretches."""
        scope = Scope(user_id, ALL_AGENTS, archived=True)
        after = ""
        while True:
            with self._parts.database.read() as connection:
                found = rows.scan(connection, scope, after, _CHUNK)
                told = evidence.of(connection, scope, [one.number for one in found], _MOST_EVIDENCE)
            for one in found:
                yield _written(one, told[one.number])
            if len(found) < _CHUNK:
                break
            after = found[-1].id
        with self._parts.database.read() as connection:
            names = entities.aliases(connection, user_id, None, _MOST_ALIASES)
        for alias, entity in names:
            yield json.dumps({"alias": alias, "entity": entity}, ensure_ascii=False)

    def taken_in(self, lines: Sequence[str], user_id: str, key: RequestKey | None) -> TripleImport:
        """Every line is read before the first is stored; chunks are acknowledged as a whole."""
        read, damaged = _read(lines)
        triples = [one for one in read if one.statement is not None]
        stored, new, call = 0, 0, current_call()
        for number, start in enumerate(range(0, len(triples), _CHUNK)):
            call.deadline.check(f"storing; {stored} of {len(triples)} triples are stored")
            chunk = triples[start : start + _CHUNK]
            new += self._store(chunk, user_id, key and replace(key, part=number))
            stored += len(chunk)
            call.report(stored, len(triples), "stored")
        aliases = 0
        for one in read:
            if one.alias is not None:
                try:
                    self._triples.alias(*one.alias, user_id, None)
                    aliases += 1
                except MemorydError as error:
                    damaged.append(DamagedLine(line=one.number, reason=error.message))
        damaged.sort(key=lambda one: one["line"])
        return TripleImport(stored=new, known=stored - new, aliases=aliases, damaged=damaged)

    def _store(self, chunk: Sequence[_Line], user_id: str, key: RequestKey | None) -> int:
        """How many of the triples were new."""
        now = self._parts.clock()
        scope = Scope(user_id, ALL_AGENTS)

        def apply(tx: Transaction) -> int:
            ids = [id for line in chunk for id, _ in line.evidence]
            told = memories.find(tx.connection, scope, [id for id in ids if id.startswith("mem_")])
            said = turns.find(tx.connection, scope, [id for id in ids if id.startswith("trn_")])
            new = 0
            for line in chunk:
                assert line.statement is not None
                found = [of_memory(told[id]) for id, _ in line.evidence if id in told]
                found += [
                    of_turn(said[id]) for id, _ in line.evidence if id in said and said[id].record.remembered
                ]
                found += [Evidence(MANUAL, agent) for id, agent in line.evidence if not id]
                new_id, rest = self._parts.ids.new("tri", now), [Evidence(MANUAL, None)]
                id = rows.store(tx, user_id, line.statement, new_id, found or rest, now, by_hand=True)
                new += id == new_id
            changed(tx)
            return new

        return self._parts.database.write(lambda tx: requests.once(tx, key, now, lambda: apply(tx)))


def _written(stored: Stored, told: Sequence[evidence.Told]) -> str:
    said = stored.statement
    line: dict[str, Any] = {"subject": said.subject, "predicate": said.predicate, "object": said.object}
    if said.negation:
        line["negation"] = True
    line |= {name: value for name in ("frequency", "condition") if (value := getattr(said, name))}
    line["evidence"] = [
        {
            "kind": one.kind,
            **({"id": one.id} if one.id else {}),
            **({"agent_id": one.agent_id} if one.agent_id else {}),
        }
        for one in told
    ]
    return json.dumps(line, ensure_ascii=False)


def _read(lines: Sequence[str]) -> tuple[list[_Line], list[DamagedLine]]:
    read: list[_Line] = []
    damaged: list[DamagedLine] = []
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            read.append(_line(number, text))
        except MemorydError as error:
            damaged.append(DamagedLine(line=number, reason=error.message))
        except (ValueError, TypeError, RecursionError) as error:
            damaged.append(DamagedLine(line=number, reason=f"no JSON object of a triple: {str(error)[:200]}"))
    return read, damaged


def _line(number: int, text: str) -> _Line:
    """Raises `InvalidParameterError`, ValueError, TypeError."""
    if len(text) > _LINE_CHARS:
        raise ValueError(f"{len(text):,} characters; expected at most {_LINE_CHARS:,}")
    found = json.loads(text)
    if not isinstance(found, dict):
        raise TypeError("expected an object with subject, predicate and object")
    if "alias" in found:
        alias, entity = found["alias"], found.get("entity", "")
        for name, value in (("alias", alias), ("entity", entity)):
            checked_name(value, name)
        return _Line(number, None, (), (alias, entity))
    negation = found.get("negation", False)
    if not isinstance(negation, bool):
        raise TypeError(f"negation: {str(negation)[:40]!r}; expected true or false")
    statement = checked_statement(
        found.get("subject", ""),
        found.get("predicate", ""),
        found.get("object", ""),
        negation=negation,
        frequency=found.get("frequency"),
        condition=found.get("condition"),
    )
    return _Line(number, screened(statement), tuple(_evidence_of(found.get("evidence") or [])))


def _evidence_of(given: Any) -> Iterator[tuple[str, str | None]]:
    """(id, '' for a caller's word; its agent)."""
    if not isinstance(given, list):
        raise TypeError("evidence: expected a list")
    for one in given[:_MOST_EVIDENCE]:
        if not isinstance(one, dict):
            raise TypeError("evidence: expected objects with kind and id")
        id = one.get("id") or ""
        if not isinstance(id, str) or (id and not is_id(id)):
            raise TypeError(f"evidence: {str(id)[:40]!r} is no id")
        agent = one.get("agent_id")
        yield id, None if agent is None else writing_agent(check_name(agent, "evidence.agent_id"))
