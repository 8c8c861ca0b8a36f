"""Sets of knowledge points that users publish and others subscribe to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from memory_client.errors import InvalidParameterError, NotFoundError
from memory_client.types import SharedSet
from memoryd.core.filters import Node
from memoryd.core.scope import Scope
from memoryd.engine.knowledge import Knowledge
from memoryd.engine.parts import Parts
from memoryd.storage import requests, texts
from memoryd.storage.database import Transaction
from memoryd.storage.knowledge import grants, snapshots
from memoryd.storage.requests import RequestKey

T = TypeVar("T")


class ShareKnowledge:
    """publish, subscribe, unsubscribe, revoke and shared."""

    def __init__(self, parts: Parts, knowledge: Knowledge) -> None:
        self._parts = parts
        self._knowledge = knowledge

    def publish(
        self, user_id: str, name: str, ids: Sequence[str] | None, node: Node, key: RequestKey | None
    ) -> SharedSet:
        """Make a set of the points of `ids`, or of those a filter finds now. Raises `NotFoundError`."""
        self._knowledge.settle(user_id)

        def apply(tx: Transaction) -> None:
            rows = texts.rows_of(tx.connection, "point", Scope(user_id), node)
            if ids is not None:
                known = snapshots.ids(tx.connection, user_id, rows)
                by_id = {id: row for row, id in known.items()}
                rows = [by_id[id] if id in by_id else _unknown(id) for id in ids]
            grants.publish(tx, user_id, name, rows, self._parts.clock())

        self._write(key, apply)
        return self._one(user_id, user_id, name)

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
        self._write(key, lambda tx: grants.subscribe(tx, user_id, owner, name, now))
        return self._one(user_id, owner, name)

    def unsubscribe(self, user_id: str, owner: str, name: str, key: RequestKey | None) -> None:
        """Give a grant back. Raises `NotFoundError`."""
        self._write(key, lambda tx: grants.unsubscribe(tx, user_id, owner, name))

    def revoke(self, user_id: str, name: str, subscriber: str | None, key: RequestKey | None) -> int:
        """Take a set back; return how many grants ended. Raises `NotFoundError`."""
        now = self._parts.clock()
        return self._write(key, lambda tx: grants.revoke(tx, user_id, name, subscriber, now))

    def shared(self, user_id: str) -> list[SharedSet]:
        """The user's own sets, then those granted."""
        with self._parts.database.read() as connection:
            return grants.shared(connection, user_id)

    def _one(self, user_id: str, owner: str, name: str) -> SharedSet:
        for found in self.shared(user_id):
            if (found["owner"], found["name"]) == (owner, name):
                return found
        raise grants.unknown_set(name)

    def _write(self, key: RequestKey | None, apply: Callable[[Transaction], T]) -> T:
        now = self._parts.clock()
        return self._parts.database.write(lambda tx: requests.once(tx, key, now, lambda: apply(tx)))


def _unknown(id: str) -> int:
    raise NotFoundError(f"no knowledge point {id} that this user knows now", id=id)
