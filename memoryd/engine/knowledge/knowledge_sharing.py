"""Sets of knowledge points that users publish and others subscribe to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from memory_client.errors import InvalidParameterError, NotFoundError
from memory_client.types import SharedSet
from memoryd.core.filters.grammar import Node
from memoryd.core.scope import Scope
from memoryd.engine.context import Parts
from memoryd.engine.knowledge.knowledge_store import KnowledgeStore
from memoryd.storage.connection import Connection
from memoryd.storage.database import Transaction
from memoryd.storage.knowledge import grants, snapshots
from memoryd.storage.records import texts
from memoryd.storage.requests import RequestKey

T = TypeVar("T")


class KnowledgeSharing:
    """publish, subscribe, unsubscribe, revoke and shared."""

    def __init__(self, parts: Parts, knowledge: KnowledgeStore) -> None:
        self._parts = parts
        self._knowledge = knowledge

    def publish(
        self, user_id: str, name: str, ids: Sequence[str] | None, node: Node, key: RequestKey | None
    ) -> SharedSet:
        """Make a set of the points of `ids`, or of those a filter finds now. Raises `NotFoundError` for
        none."""
        self._knowledge.settle(user_id)
        now = self._parts.clock()

        def apply(tx: Transaction) -> list[float]:
            rows = texts.rows_of(tx.connection, "point", Scope(user_id), node)
            if ids is not None:
                known = snapshots.ids(tx.connection, user_id, rows)
                by_id = {id: row for row, id in known.items()}
                rows = [by_id[id] if id in by_id else _unknown(id) for id in ids]
            if not rows:
                raise NotFoundError(
                    f"no knowledge point this user knows now fits the filters; {name!r} was not published",
                    id=name,
                )
            grants.publish(tx, user_id, name, rows, now)
            return [len(set(rows)), now]

        return self._receipt(user_id, user_id, name, self._parts.write_once(key, apply))

    def subscribe(self, user_id: str, owner: str, name: str, key: RequestKey | None) -> SharedSet:
        """Be granted a published set. Raises `NotFoundError`, `InvalidParameterError` for one's own."""
        if owner == user_id:
            raise InvalidParameterError(
                f"owner: {owner!r} is the user itself; search finds one's own points without a subscription",
                parameter="owner",
                value=owner,
                expected="another user",
            )
        now = self._parts.clock()

        def apply(tx: Transaction) -> list[float]:
            grants.subscribe(tx, user_id, owner, name, now)
            found = self._find(tx.connection, user_id, owner, name)
            return [found["point_count"], found["created_at"]] if found else [0, now]

        return self._receipt(user_id, owner, name, self._parts.write_once(key, apply))

    def unsubscribe(self, user_id: str, owner: str, name: str, key: RequestKey | None) -> None:
        """Give a grant back. Raises `NotFoundError`."""
        self._parts.write_once(key, lambda tx: grants.unsubscribe(tx, user_id, owner, name))

    def revoke(self, user_id: str, name: str, subscriber: str | None, key: RequestKey | None) -> int:
        """Take a set back; return how many grants ended. Raises `NotFoundError`."""
        now = self._parts.clock()
        return self._parts.write_once(key, lambda tx: grants.revoke(tx, user_id, name, subscriber, now))

    def shared(self, user_id: str) -> list[SharedSet]:
        """The user's own sets, then those granted."""
        with self._parts.database.read() as connection:
            return grants.get_shared_sets(connection, user_id)

    def _receipt(self, user_id: str, owner: str, name: str, reply: Sequence[float]) -> SharedSet:
        """The set as it was when the request was carried out, with who sees it now."""
        with self._parts.database.read() as connection:
            found = self._find(connection, user_id, owner, name)
        return SharedSet(
            owner=owner,
            name=name,
            point_count=int(reply[0]),
            created_at=reply[1],
            subscribers=found["subscribers"] if found else [],
        )

    @staticmethod
    def _find(connection: Connection, user_id: str, owner: str, name: str) -> SharedSet | None:
        sets = grants.get_shared_sets(connection, user_id)
        return next((one for one in sets if (one["owner"], one["name"]) == (owner, name)), None)


def _unknown(id: str) -> int:
    raise NotFoundError(f"no knowledge point {id} that this user knows now", id=id)
