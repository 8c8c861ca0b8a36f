"""Handlers of group `conversation`."""

from __future__ import annotations

from typing import Any

from memory_client.types import (
    AppendResult,
    DeleteResult,
    Direction,
    ExtendResult,
    Filters,
    Role,
    TurnItem,
    TurnPage,
)
from memoryd.core.scope import Scope
from memoryd.engine.conversations.read_turns import TurnReader
from memoryd.engine.conversations.session_end import SessionCloser
from memoryd.engine.conversations.turn_builder import Conversation
from memoryd.engine.conversations.write_turns import TurnWriter
from memoryd.engine.deletion.delete_turns import TurnDeletion
from memoryd.service.parameters import DELETE_ALL_HINT, check_one_given
from memoryd.storage.requests import RequestKey


class ConversationService:
    """Sessions and their turns."""

    def __init__(
        self, converse: TurnWriter, transcript: TurnReader, forget: TurnDeletion, closing: SessionCloser
    ) -> None:
        self._converse = converse
        self._transcript = transcript
        self._forget = forget
        self.get = transcript.get
        self.window = transcript.window
        self.end = closing.end

    def append(
        self,
        session_id: str,
        role: Role,
        text: str,
        *,
        at: float | str | None,
        tz: str | None,
        speaker: str | None,
        metadata: dict[str, Any] | None,
        remember: bool,
        scope: Scope,
        key: RequestKey | None,
    ) -> AppendResult:
        item: TurnItem = {
            "role": role,
            "text": text,
            "at": at,
            "tz": tz,
            "speaker": speaker,
            "metadata": metadata,
            "remember": remember,
        }
        return self._converse.append(Conversation.checked(scope, session_id), item, key)

    def extend(
        self, session_id: str, turns: list[TurnItem], tz: str | None, scope: Scope, key: RequestKey | None
    ) -> ExtendResult:
        return self._converse.extend(Conversation.checked(scope, session_id), turns, tz, key)

    def page(
        self,
        session_id: str | None,
        filters: Filters | None,
        sort_order: Direction,
        cursor: str | None,
        limit: int,
        scope: Scope,
    ) -> TurnPage:
        return self._transcript.page(
            session_id, filters, direction=sort_order, cursor=cursor, limit=limit, scope=scope
        )

    def delete(
        self, ids: list[str] | None, session_id: str | None, scope: Scope, key: RequestKey | None
    ) -> DeleteResult:
        check_one_given(DELETE_ALL_HINT, ids=ids, session_id=session_id)
        if session_id is not None:
            return self._forget.delete_session(session_id, scope, key)
        return self._forget.delete(ids or [], scope, key)
