"""Group `conversation`: validation and user scoping; the work is done by the engine."""

from __future__ import annotations

from typing import Any

from memory_client.api import ConversationAPI
from memory_client.errors import InvalidParameterError
from memory_client.types import (
    AppendResult,
    DeleteResult,
    Direction,
    EndResult,
    ExtendResult,
    Filters,
    Role,
    Turn,
    TurnItem,
    TurnPage,
)
from memoryd.core.ids import check_id, check_name
from memoryd.core.scope import Scope
from memoryd.engine.conversations.read_turns import TurnReader
from memoryd.engine.conversations.session_end import SessionCloser
from memoryd.engine.conversations.turn_builder import Conversation
from memoryd.engine.conversations.write_turns import TurnWriter
from memoryd.engine.deletion.delete_turns import TurnDeletion
from memoryd.service.arguments import MAX_PAGE, checked_ids, request_key
from memoryd.service.validation import in_range


class ConversationService(ConversationAPI):
    """Conversations over one store."""

    def __init__(
        self, converse: TurnWriter, transcript: TurnReader, forget: TurnDeletion, closing: SessionCloser
    ) -> None:
        self._converse = converse
        self._transcript = transcript
        self._forget = forget
        self._closing = closing

    def append(
        self,
        session_id: str,
        role: Role,
        text: str,
        *,
        user_id: str = "default",
        agent_id: str | None = None,
        at: float | str | None = None,
        tz: str | None = None,
        speaker: str | None = None,
        metadata: dict[str, Any] | None = None,
        remember: bool = True,
        request_id: str | None = None,
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
        scope = Scope.checked(user_id, agent_id)
        params = {"session_id": session_id, "agent_id": agent_id, **item}
        key = request_key("conversation.append", scope, request_id, params)
        return self._converse.append(Conversation.checked(scope, session_id), item, key)

    def extend(
        self,
        session_id: str,
        turns: list[TurnItem],
        *,
        user_id: str = "default",
        agent_id: str | None = None,
        tz: str | None = None,
        request_id: str | None = None,
    ) -> ExtendResult:
        scope = Scope.checked(user_id, agent_id)
        params = {"session_id": session_id, "turns": turns, "agent_id": agent_id, "tz": tz}
        key = request_key("conversation.extend", scope, request_id, params)
        return self._converse.extend(Conversation.checked(scope, session_id), turns, tz, key)

    def window(
        self, session_id: str, limit: int = 20, *, user_id: str = "default", agent_id: str | None = None
    ) -> list[Turn]:
        in_range("limit", limit, 1, MAX_PAGE)
        check_name(session_id, "session_id")
        return self._transcript.window(session_id, limit, Scope.checked(user_id, agent_id))

    def page(
        self,
        session_id: str | None = None,
        *,
        filters: Filters | None = None,
        sort_order: Direction = "asc",
        cursor: str | None = None,
        limit: int = 50,
        user_id: str = "default",
        agent_id: str | None = None,
    ) -> TurnPage:
        in_range("limit", limit, 1, MAX_PAGE)
        if session_id is not None:
            check_name(session_id, "session_id")
        return self._transcript.page(
            session_id,
            filters,
            direction=sort_order,
            cursor=cursor,
            limit=limit,
            scope=Scope.checked(user_id, agent_id),
        )

    def get(self, id: str, *, user_id: str = "default", agent_id: str | None = None) -> Turn | None:
        check_id(id, "trn")
        return self._transcript.get(id, Scope.checked(user_id, agent_id))

    def delete(
        self,
        ids: list[str] | None = None,
        *,
        session_id: str | None = None,
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> DeleteResult:
        if bool(ids) == (session_id is not None):
            raise InvalidParameterError(
                "ids, session_id: give exactly one of them; delete_all forgets a whole user",
                parameter="ids",
                value=f"ids={ids!r:.40}, session_id={session_id!r:.40}",
                expected="either ids or session_id",
            )
        scope = Scope.checked(user_id, agent_id)
        params = {"ids": ids, "session_id": session_id, "agent_id": agent_id}
        key = request_key("conversation.delete", scope, request_id, params)
        if session_id is not None:
            return self._forget.delete_session(check_name(session_id, "session_id"), scope, key)
        return self._forget.delete(checked_ids(ids or [], "trn"), scope, key)

    def end(
        self,
        session_id: str,
        *,
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> EndResult:
        check_name(session_id, "session_id")
        scope = Scope.checked(user_id, agent_id)
        params = {"session_id": session_id, "agent_id": agent_id}
        key = request_key("conversation.end", scope, request_id, params)
        return self._closing.end(session_id, scope, key)
