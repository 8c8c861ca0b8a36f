"""Reading conversations."""

from __future__ import annotations

from memory_client.types import Direction, Filters, Turn, TurnPage
from memoryd.core.filters.grammar import And, Compare, parse_filters
from memoryd.core.scope import Scope
from memoryd.core.turn import to_turn
from memoryd.engine.context import Parts
from memoryd.engine.page_cursor import decode, encode, mark_of
from memoryd.storage.records import turns
from memoryd.storage.records.turns import StoredTurn


class TurnReader:
    """get, window and page."""

    def __init__(self, parts: Parts) -> None:
        self._database = parts.database

    def get(self, id: str, scope: Scope) -> Turn | None:
        """One turn, None where there is none to see."""
        with self._database.read() as connection:
            found = turns.find(connection, scope, [id])
        return _turn(found[id]) if id in found else None

    def window(self, session_id: str, limit: int, scope: Scope) -> list[Turn]:
        """The newest turns of a session in order."""
        with self._database.read() as connection:
            return [_turn(one) for one in turns.window(connection, scope, session_id, limit)]

    def page(
        self,
        session_id: str | None,
        filters: Filters | None,
        *,
        direction: Direction,
        cursor: str | None,
        limit: int,
        scope: Scope,
    ) -> TurnPage:
        """One page and the cursor of the next."""
        node = parse_filters(filters)
        if session_id is not None:
            node = And((Compare("session_id", "eq", session_id), node))
        mark = mark_of(session_id, filters or {}, direction)
        after = None if cursor is None else decode(cursor, mark, int)
        with self._database.read() as connection:
            found = turns.page(
                connection,
                scope,
                node,
                in_session=session_id is not None,
                descending=direction == "desc",
                after=after,
                limit=limit + 1,
            )
            total = turns.count(connection, scope, node)
        page, more = found[:limit], len(found) > limit
        following = encode(page[-1].record.created_at, page[-1].row, mark) if more else None
        return TurnPage(items=[_turn(one) for one in page], cursor=following, total=total)


def _turn(stored: StoredTurn) -> Turn:
    return to_turn(stored.record, indexed=stored.indexed)
