"""Writes turns: they are stored verbatim and indexed together with the turns before them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from memory_client.types import AppendResult, ExtendResult, TurnItem
from memoryd.core.call_context import current_call
from memoryd.core.passage import turn_line
from memoryd.core.turn import TurnRecord
from memoryd.engine.context import Parts
from memoryd.engine.conversations.session_end import SessionCloser
from memoryd.engine.conversations.turn_builder import (
    Conversation,
    new_turn,
    text_of_item,
    turn_of_item,
    zone_of,
)
from memoryd.engine.embedding.batches import portions
from memoryd.retrieval.semantic_index import EncodedText
from memoryd.storage import requests
from memoryd.storage.database import Transaction
from memoryd.storage.life import active_days
from memoryd.storage.records import sessions, turns
from memoryd.storage.records.sessions import TurnPosition
from memoryd.storage.records.texts import CONTEXT_TURNS
from memoryd.storage.records.turns import ContextTurn
from memoryd.storage.requests import RequestKey

T = TypeVar("T")
_Vectors = dict[int, EncodedText | None]
"""By the place of a turn in its chunk; those not to be remembered have none."""


class TurnWriter:
    """append and extend."""

    def __init__(self, parts: Parts, closing: SessionCloser) -> None:
        self._parts = parts
        self._closing = closing

    def append(self, conversation: Conversation, item: TurnItem, key: RequestKey | None) -> AppendResult:
        """Store one turn; its vector is made in the background."""
        now = self._parts.clock()
        record = new_turn(conversation, item, zone=self._parts.zone(), now=now, limits=self._parts.limits)

        def apply(tx: Transaction) -> tuple[str, int]:
            place = self._receive(tx, [record])
            active_days.record_activity(tx, self._parts.calendar, record.user_id, now, record.created_at)
            return self._insert(tx, record, place.session, place.position, None), place.position

        id, position = self._parts.write_once(key, apply, now)
        return AppendResult(
            id=id, session_id=conversation.session_id, position=position, topic="unknown", anchors=[]
        )

    def extend(
        self, conversation: Conversation, items: Sequence[TurnItem], tz: str | None, key: RequestKey | None
    ) -> ExtendResult:
        """Store many, in chunks that are each embedded, committed and acknowledged as a whole."""
        now, limits = self._parts.clock(), self._parts.limits
        zone = zone_of(tz, self._parts.zone())
        records = [
            turn_of_item(conversation, item, f"turns[{i}]", zone=zone, now=now, limits=limits)
            for i, item in enumerate(items)
        ]
        given = [text_of_item(item) for item in items]
        ids: list[str] = []
        for number, portion in enumerate(portions(given)):  # as given: a repeated request is cut alike
            call = current_call()
            call.deadline.check(f"storing; {len(ids)} of {len(records)} turns are stored")
            ids += self._extend_chunk(conversation, records[portion], key and replace(key, part=number))
            call.report(len(ids), len(records), "stored")
        return ExtendResult(ids=ids, session_id=conversation.session_id, count=len(ids))

    def _extend_chunk(
        self, conversation: Conversation, chunk: Sequence[TurnRecord], key: RequestKey | None
    ) -> list[str]:
        known, reply, before = self._looked_up(conversation, key)
        if known:
            return list(reply)
        vectors = self._embed(chunk, before)

        def apply(tx: Transaction) -> list[str]:
            place = self._receive(tx, chunk)
            is_context = turns.last_turns(tx.connection, place.session) == before
            given = vectors if is_context else _without_context(vectors)
            return [
                self._insert(tx, record, place.session, place.position + i, given.get(i))
                for i, record in enumerate(chunk)
            ]

        return self._parts.write_once(key, apply, chunk[0].received_at)

    def _looked_up(
        self, conversation: Conversation, key: RequestKey | None
    ) -> tuple[bool, Any, list[ContextTurn]]:
        """Whether the request was carried out before, its reply, and the last turns of the session."""
        owner = (conversation.user_id, conversation.agent_id, conversation.session_id)
        with self._parts.database.read() as connection:
            known, reply = requests.find_reply(connection, key)
            number = sessions.number_of(connection, *owner)
            return known, reply, [] if number is None else turns.last_turns(connection, number)

    def _embed(self, chunk: Sequence[TurnRecord], before: Sequence[ContextTurn]) -> _Vectors:
        places = [i for i, record in enumerate(chunk) if record.remembered]
        passages = turns.passages_of(before, [turn_line(chunk[i].speaker, chunk[i].text) for i in places])
        return dict(zip(places, self._parts.meaning.embed_all(passages), strict=True))

    def _receive(self, tx: Transaction, records: Sequence[TurnRecord]) -> TurnPosition:
        first = records[0]
        place = sessions.receive(
            tx, first.user_id, first.agent_id, first.session_id, len(records), self._parts.clock()
        )
        if place.opened:
            self._closing.expect(tx)
        return place

    def _insert(
        self, tx: Transaction, record: TurnRecord, session: int, position: int, embedded: EncodedText | None
    ) -> str:
        """The id is made here, in the order of the positions."""
        id = self._parts.ids.new("trn", record.received_at)
        row = turns.insert(tx, replace(record, id=id, position=position), session)
        if record.remembered:
            self._parts.lexical.put(tx, record.user_id, row, record.text)
            self._parts.meaning.stage(tx, record.user_id, row, record.agent_id, embedded)
        return id


def _without_context(vectors: _Vectors) -> _Vectors:
    """Without those of the first turns, whose context changed: they are re-embedded in the background."""
    return dict(list(vectors.items())[CONTEXT_TURNS:])
