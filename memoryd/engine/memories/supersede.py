"""Successors: a memory that is no longer true is kept as superseded, and a new one replaces it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memory_client.errors import InvalidParameterError
from memoryd.core.record import CATEGORIES, Record, default_importance
from memoryd.core.scope import Scope
from memoryd.engine.author import Author
from memoryd.engine.context import Parts
from memoryd.engine.decay.effective_importance import age_of
from memoryd.engine.memories.archive import require_active
from memoryd.engine.memories.memory_writer import MemoryWriter, get_memory
from memoryd.engine.memories.record_builder import check_periods, new_record
from memoryd.language.fold import hash_form
from memoryd.storage import requests
from memoryd.storage.connection import Connection
from memoryd.storage.database import Transaction
from memoryd.storage.records.memories import StoredMemory
from memoryd.storage.requests import RequestKey


class MemorySuccession:
    """supersede."""

    def __init__(self, parts: Parts, writer: MemoryWriter) -> None:
        self._parts = parts
        self._writer = writer

    def supersede(
        self,
        id: str,
        text: str,
        metadata: Mapping[str, Any] | None,
        author: Author,
        scope: Scope,
        key: RequestKey | None,
    ) -> str:
        """Store the successor of an active memory; return its id."""
        now = self._parts.clock()
        with self._parts.database.read() as connection:
            done, reply = requests.find_reply(connection, key)
            if done:
                return str(reply)
            draft = self._successor(connection, get_memory(connection, scope, id), text, metadata or {}, now)
        embedded = self._parts.meaning.embed_in_time(draft.text, self._parts.limits.add_cap)

        def apply(tx: Transaction) -> str:
            stored = get_memory(tx.connection, scope, id)
            require_active(stored.record)
            new = self._successor(tx.connection, stored, text, metadata or {}, now, draft.id)
            until = now if new.valid_from is None else new.valid_from
            over = replace(
                stored.record, state="superseded", valid_to=_earlier(stored.record.valid_to, until)
            )
            _check_succession(over)
            self._writer.apply(tx, stored, over, now, author.cause("supersede"))
            self._writer.insert(tx, new, embedded, author.cause("create"))
            return new.id

        return self._parts.write_once(key, apply, now)

    def _successor(
        self,
        connection: Connection,
        stored: StoredMemory,
        text: str,
        metadata: Mapping[str, Any],
        now: float,
        id: str | None = None,
    ) -> Record:
        """The new record, with what it inherits where the metadata says nothing else."""
        old = stored.record
        effective = age_of(connection, self._parts.calendar, stored, now).effective
        given = {name: value for name, value in metadata.items() if value is not None}
        new = new_record(
            text,
            {**_inherited(old, effective, given, now), **metadata},
            id=id or self._parts.ids.new("mem", now),
            user_id=old.user_id,
            agent_id=old.agent_id,
            session_id=None if "session_id" in given else old.session_id,
            now=now,
            limits=self._parts.limits,
            rules=self._parts.decay,
        )
        if new.agent_id != old.agent_id:
            raise InvalidParameterError(
                f"metadata.agent_id: a successor stays with the old memory's agent ({old.agent_id!r})",
                parameter="metadata.agent_id",
                value=new.agent_id,
                expected=repr(old.agent_id),
            )
        if new.valid_from is not None and new.valid_from > now:
            raise InvalidParameterError(
                f"metadata.valid_from: {new.valid_from} is in the future, and until then {old.id} is true; "
                f"expected now or earlier: supersede when it becomes true, or add it with event_start",
                parameter="metadata.valid_from",
                value=new.valid_from,
                expected="now or earlier",
            )
        if hash_form(new.text) == hash_form(old.text):
            raise InvalidParameterError(
                f"text: says the same as {old.id}; expected what is true now; update_text puts it better",
                parameter="text",
                value=new.text[:80],
                expected="another text",
            )
        return replace(new, root_id=old.root_id, parent_id=old.id, pinned=old.pinned)


def _inherited(old: Record, effective: float, given: Mapping[str, Any], now: float) -> dict[str, Any]:
    """Of the fields that are not given. A category may be given as a kind: then neither is inherited."""
    inherited = {"tags": list(old.tags), "exact_keys": list(old.exact_keys), "valid_from": now}
    category = given.get("category", old.category)
    if category in CATEGORIES:
        inherited |= {"category": category, "kind": old.kind}
    return {**inherited, "importance": max(effective, default_importance(category))}


def _earlier(ended: float | None, until: float) -> float:
    """The earlier of the end a memory had and the start of its successor."""
    return until if ended is None else min(ended, until)


def _check_succession(old: Record) -> None:
    """Refuse a successor that is valid from before the old memory."""
    try:
        check_periods(old)
    except InvalidParameterError as error:
        raise InvalidParameterError(
            f"metadata.valid_from: {old.valid_to} is before the old memory's valid_from ({old.valid_from})",
            parameter="metadata.valid_from",
            value=old.valid_to,
            expected="a time not before it",
        ) from error
