"""Export and import of a user's triples as lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memory_client.errors import InvalidParameterError, MemorydError
from memory_client.types import DamagedLine, MissingEvidence, TripleImport, TripleShape
from memoryd.core.call_context import current_call
from memoryd.core.ids import is_id
from memoryd.core.scope import ALL_AGENTS, Scope
from memoryd.core.triple_line_shapes import (
    MAX_EVIDENCE,
    AliasLine,
    LineEvidence,
    TripleLine,
    UnknownKeyError,
    read_line,
    write_line,
)
from memoryd.engine.context import Parts
from memoryd.engine.triples.triple_store import TripleStore, displayed_alias, of_memory, of_turn, screened
from memoryd.storage.database import Transaction
from memoryd.storage.records import memories, turns
from memoryd.storage.requests import RequestKey
from memoryd.storage.triples import entities, evidence, rows
from memoryd.storage.triples.rows import MANUAL, Evidence

_CHUNK = 500
_MAX_ALIASES = 1_000_000
_MAX_MISSING = 1_000
"""Missing evidence that is named."""


@dataclass(slots=True)
class _Lines:
    """What could be read of a file, and what could not."""

    triples: list[TripleLine] = field(default_factory=list)
    aliases: list[AliasLine] = field(default_factory=list)
    damaged: list[DamagedLine] = field(default_factory=list)


@dataclass(slots=True)
class _Stored:
    """What became of lines. missing: (number of the line, place in its evidence) of the first ones."""

    new: int = 0
    missing_count: int = 0
    missing: list[tuple[int, int]] = field(default_factory=list)

    def add(self, new: int, missing_count: int, missing: Sequence[Sequence[int]]) -> None:
        """Count in a chunk."""
        self.new += new
        self.missing_count += missing_count
        self.missing += [(line, place) for line, place in missing[: _MAX_MISSING - len(self.missing)]]


class TripleTransfer:
    """export_jsonl and import_jsonl."""

    def __init__(self, parts: Parts, triples: TripleStore) -> None:
        self._parts = parts
        self._triples = triples

    def export_lines(self, user_id: str, shape: TripleShape) -> Iterator[str]:
        """All of a user's triples, oldest first, read in chunks, then the aliases, for which the companion
        shape has no place."""
        scope = Scope(user_id, ALL_AGENTS, archived=True)
        after = ""
        while True:
            with self._parts.database.read() as connection:
                found = rows.scan(connection, scope, after, _CHUNK)
                told = evidence.of(connection, scope, [one.number for one in found], MAX_EVIDENCE)
            for one in found:
                pieces = told[one.number]
                statement = evidence.worded(one.statement, pieces)
                yield write_line(shape, one.id, statement, [(it.kind, it.id, it.agent_id) for it in pieces])
            if len(found) < _CHUNK:
                break
            after = found[-1].id
        if shape == "memoryd":
            yield from self._export_aliases(user_id)

    def _export_aliases(self, user_id: str) -> Iterator[str]:
        with self._parts.database.read() as connection:
            names = entities.aliases(connection, user_id, None, _MAX_ALIASES)
        for alias, entity in names:
            yield json.dumps(displayed_alias(alias, entity), ensure_ascii=False)

    def import_lines(
        self, lines: Sequence[str], memory_ids: Mapping[str, str], user_id: str, key: RequestKey | None
    ) -> TripleImport:
        """Every line is read before the first is stored; chunks are acknowledged as a whole.

        memory_ids: our id of a memory or turn by that of the file. Raises `InvalidParameterError` for a line
        with a key that is not understood, with nothing stored.
        """
        read = _read(lines, memory_ids)
        stored, total, call = _Stored(), len(read.triples), current_call()
        for part, start in enumerate(range(0, total, _CHUNK)):
            call.deadline.check(f"storing; {start} of {total} triples are stored")
            chunk = read.triples[start : start + _CHUNK]
            stored.add(*self._store(chunk, memory_ids, user_id, key and replace(key, part=part)))
            call.report(start + len(chunk), total, "stored")
        aliases = sum(self._alias(one, user_id, read.damaged) for one in read.aliases)
        by_number = {line.number: line for line in read.triples} if stored.missing else {}
        missing = [
            MissingEvidence(line=number, id=by_number[number].evidence[place].id)
            for number, place in stored.missing
        ]
        return TripleImport(
            stored_count=stored.new,
            known_count=total - stored.new,
            alias_count=aliases,
            damaged=sorted(read.damaged, key=lambda one: one["line"]),
            missing_evidence=missing,
            missing_evidence_count=stored.missing_count,
        )

    def _alias(self, line: AliasLine, user_id: str, damaged: list[DamagedLine]) -> bool:
        try:
            self._triples.alias(line.alias, line.entity, user_id, None)
        except MemorydError as error:
            damaged.append(DamagedLine(line=line.number, reason=error.message))
            return False
        return True

    def _store(
        self, chunk: Sequence[TripleLine], memory_ids: Mapping[str, str], user_id: str, key: RequestKey | None
    ) -> tuple[int, int, list[list[int]]]:
        """How many of the triples were new, how much evidence is missing, and where."""
        now = self._parts.clock()

        def apply(tx: Transaction) -> tuple[int, int, list[list[int]]]:
            known = _known_evidence(tx, user_id, [one for line in chunk for one in line.evidence], memory_ids)
            new, missing = 0, []
            for line in chunk:
                found = [_resolved(one, known, memory_ids) for one in line.evidence]
                missing += [[line.number, place] for place, one in enumerate(found) if one is None]
                told = [one for one in found if one is not None] or [Evidence(MANUAL, None)]
                new_id = self._parts.ids.new("tri", now)
                new += rows.store(tx, user_id, line.statement, new_id, told, now, by_hand=True) == new_id
            tx.mark_changed()
            return new, len(missing), missing[:_MAX_MISSING]

        return self._parts.write_once(key, apply, now)


def _known_evidence(
    tx: Transaction, user_id: str, given: Sequence[LineEvidence], memory_ids: Mapping[str, str]
) -> dict[str, Evidence]:
    """The evidence there is, by our id."""
    scope = Scope(user_id, ALL_AGENTS)
    ids = [memory_ids.get(one.id, one.id) for one in given if one.id]
    told = memories.find(tx.connection, scope, [id for id in ids if id.startswith("mem_")])
    said = turns.find(tx.connection, scope, [id for id in ids if id.startswith("trn_")])
    found = {id: of_memory(stored) for id, stored in told.items()}
    return found | {id: of_turn(turn) for id, turn in said.items() if turn.record.remembered}


def _resolved(
    one: LineEvidence, known: Mapping[str, Evidence], memory_ids: Mapping[str, str]
) -> Evidence | None:
    """None for a memory or turn that is not there."""
    return known.get(memory_ids.get(one.id, one.id)) if one.id else Evidence(MANUAL, one.agent_id)


def _read(lines: Sequence[str], memory_ids: Mapping[str, str]) -> _Lines:
    """Raises `InvalidParameterError` for a key that is not understood."""
    read = _Lines()
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            line = read_line(number, text)
            if isinstance(line, AliasLine):
                read.aliases.append(line)
                continue
            for one in line.evidence:
                if one.is_ours and one.id and not is_id(memory_ids.get(one.id, one.id)):
                    raise TypeError(f"evidence: {one.id[:40]!r} is no id")
            read.triples.append(replace(line, statement=screened(line.statement)))
        except UnknownKeyError as error:
            raise _not_understood(number, error) from error
        except MemorydError as error:
            read.damaged.append(DamagedLine(line=number, reason=error.message))
        except (ValueError, TypeError, RecursionError) as error:
            reason = f"no JSON object of a triple: {str(error)[:200]}"
            read.damaged.append(DamagedLine(line=number, reason=reason))
    return read


def _not_understood(number: int, error: UnknownKeyError) -> InvalidParameterError:
    return InvalidParameterError(
        f"lines: line {number}: unknown key {error.key[:80]!r} in {error.place}; {error.fix()}. "
        f"Nothing was imported",
        parameter="lines",
        value=error.key[:80],
        expected=", ".join(error.keys),
        line=number,
    )
