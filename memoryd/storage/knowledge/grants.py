"""Sets of points that users publish, and the grants by which others see them.

What a set holds is settled when it is published. Nothing here takes another user's id on trust: whose points
a user may see follows from the grants alone.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memory_client.errors import NotFoundError
from memory_client.types import SharedSet
from memoryd.core.filters.grammar import Compare
from memoryd.core.knowledge.point import PointRecord
from memoryd.storage.database import Transaction
from memoryd.storage.knowledge.snapshots import RECORD, record
from memoryd.storage.salt import salted_hash

_GRANTED = "SELECT number FROM grants WHERE subscriber = ? AND state = 'granted'"

_SET_OF = (
    "(SELECT min(t.name) FROM shared_points s JOIN shared_sets t ON t.number = s.number "
    f"WHERE s.point = m.row AND t.owner = m.user_id AND t.number IN ({_GRANTED}))"
)


@dataclass(frozen=True, slots=True)
class Granted:
    """What one owner shares with a user. sets: names by number."""

    owner: str
    sets: Mapping[int, str] = field(default_factory=dict)

    @property
    def node(self) -> Compare:
        """The filter that leaves these points."""
        return Compare("shared_set", "in", tuple(self.sets))


def publish(tx: Transaction, owner: str, name: str, rows: Iterable[int], now: float) -> None:
    """Publish a set of points, or replace the points of a published set; its subscribers stay."""
    tx.execute(
        "INSERT INTO shared_sets (owner, name, created_at) VALUES (?, ?, ?) "
        "ON CONFLICT (owner, name) DO UPDATE SET created_at = excluded.created_at",
        (owner, name, now),
    )
    number = _number(tx.connection, owner, name)
    tx.execute("DELETE FROM shared_points WHERE number = ?", (number,))
    tx.executemany(
        "INSERT INTO shared_points VALUES (?, ?) ON CONFLICT DO NOTHING", ((number, row) for row in rows)
    )
    tx.mark_changed()


def subscribe(tx: Transaction, subscriber: str, owner: str, name: str, now: float) -> None:
    """Grant a published set. Raises `NotFoundError` where there is none for this user."""
    number = _number(tx.connection, owner, name)
    barred = tx.execute(
        "SELECT 1 FROM grants WHERE subscriber = ? AND number = ?", (_barred(tx, subscriber), number)
    )
    if barred.fetchone() is not None:
        raise unknown_set(name)
    tx.execute(
        "INSERT INTO grants VALUES (?, ?, 'granted', ?) ON CONFLICT DO NOTHING", (subscriber, number, now)
    )
    tx.mark_changed()


def unsubscribe(tx: Transaction, subscriber: str, owner: str, name: str) -> None:
    """Give a grant back. Raises `NotFoundError` where there is none."""
    ended = tx.execute(
        "DELETE FROM grants WHERE subscriber = ? AND state = 'granted' AND number = "
        "(SELECT number FROM shared_sets WHERE owner = ? AND name = ?)",
        (subscriber, owner, name),
    ).rowcount
    if not ended:
        raise NotFoundError(
            f"no subscription of this user to {name!r} of {owner!r}; see knowledge.shared", id=name
        )
    tx.mark_changed()


def revoke(tx: Transaction, owner: str, name: str, subscriber: str | None, now: float) -> int:
    """Take a set back from one user, who cannot subscribe to it again, or from all, and the set with it.

    Return how many grants ended. Raises `NotFoundError`.
    """
    number = _number(tx.connection, owner, name)
    whose, params = ("", []) if subscriber is None else (" AND subscriber = ?", [subscriber])
    ended = tx.execute(
        f"SELECT count(*) FROM grants WHERE number = ? AND state = 'granted'{whose}", [number, *params]
    ).fetchone()[0]
    if subscriber is None:
        _remove_set(tx, number)
    else:
        tx.execute("DELETE FROM grants WHERE subscriber = ? AND number = ?", (subscriber, number))
        barred = (_barred(tx, subscriber), number, now)
        tx.execute(
            "INSERT INTO grants VALUES (?, ?, 'revoked', ?) "
            "ON CONFLICT (subscriber, number) DO UPDATE SET state = excluded.state, at = excluded.at",
            barred,
        )
    tx.mark_changed()
    return int(ended)


def carry_over(tx: Transaction, pairs: Iterable[tuple[int, int]]) -> None:
    """Add the first point of each pair to every set that holds the second, which it absorbed."""
    for kept, gone in pairs:
        tx.execute(
            "INSERT INTO shared_points SELECT number, ? FROM shared_points WHERE point = ? "
            "ON CONFLICT DO NOTHING",
            (kept, gone),
        )


def get_shared_sets(connection: sqlite3.Connection, user_id: str) -> list[SharedSet]:
    """The sets a user has published, then those granted to the user, each by name."""
    own = connection.execute(_SETS.format(whose="t.owner = :user", at="t.created_at"), {"user": user_id})
    granted = connection.execute(
        _SETS.format(whose=f"t.number IN ({_GRANTED.replace('?', ':user')})", at=_GRANTED_AT),
        {"user": user_id},
    )
    return [
        *(_set(row, subscribers=json.loads(row["subscribers"])) for row in own),
        *(_set(row, subscribers=[]) for row in granted),
    ]


def get_grants(connection: sqlite3.Connection, user_id: str) -> list[Granted]:
    """What is granted to a user now, by owner."""
    found: dict[str, dict[int, str]] = {}
    sql = f"SELECT owner, number, name FROM shared_sets WHERE number IN ({_GRANTED}) ORDER BY owner, name"
    for owner, number, name in connection.execute(sql, (user_id,)):
        found.setdefault(owner, {})[int(number)] = name
    return [Granted(owner, sets) for owner, sets in found.items()]


def by_rows(connection: sqlite3.Connection, user_id: str, rows: Sequence[int]) -> dict[int, PointRecord]:
    """Those of some points that are granted to a user, by row; of the first set by name."""
    found = connection.execute(
        f"SELECT row, {RECORD}, {_SET_OF} AS set_name FROM points m "
        "WHERE m.row IN (SELECT value FROM json_each(?)) AND m.is_current AND set_name IS NOT NULL",
        (user_id, json.dumps(rows)),
    )
    return {row["row"]: replace(record(row), shared=row["set_name"]) for row in found}


def forget_user(tx: Transaction, user_id: str) -> None:
    """Delete the sets of a user, and what was granted to the user. Of other users' sets the user stays barred
    by a hash; who was barred from the user's own sets goes with these."""
    tx.execute("DELETE FROM grants WHERE subscriber = ?", (user_id,))
    for (number,) in tx.execute("SELECT number FROM shared_sets WHERE owner = ?", (user_id,)).fetchall():
        _remove_set(tx, number)
    tx.mark_changed()


def unknown_set(name: str) -> NotFoundError:
    """The error for a set that does not exist or that this user may not see; it does not say which."""
    return NotFoundError(f"no set {name!r} of knowledge points for this user", id=name)


_SETS = """
    SELECT t.owner, t.name, {at} AS at,
        (SELECT count(*) FROM shared_points s JOIN points p ON p.row = s.point
         WHERE s.number = t.number AND p.is_current) AS point_count,
        (SELECT json_group_array(subscriber) FROM
         (SELECT subscriber FROM grants WHERE number = t.number AND state = 'granted' ORDER BY 1)
        ) AS subscribers
    FROM shared_sets t WHERE {whose} ORDER BY t.owner, t.name
"""
_GRANTED_AT = "(SELECT at FROM grants g WHERE g.number = t.number AND g.subscriber = :user)"


def _number(connection: sqlite3.Connection, owner: str, name: str) -> int:
    sql = "SELECT number FROM shared_sets WHERE owner = ? AND name = ?"
    found = connection.execute(sql, (owner, name)).fetchone()
    if found is None:
        raise unknown_set(name)
    return int(found[0])


def _barred(tx: Transaction, subscriber: str) -> str:
    """In whose place a revoked grant stands: it outlives what is stored of the user, and names nobody."""
    return (
        f"\1{salted_hash(tx.connection, subscriber.encode()).hex()}"  # no user's id holds a control character
    )


def _remove_set(tx: Transaction, number: int) -> None:
    for table in ("grants", "shared_points", "shared_sets"):
        tx.execute(f"DELETE FROM {table} WHERE number = ?", (number,))


def _set(row: sqlite3.Row, subscribers: list[str]) -> SharedSet:
    return SharedSet(
        owner=row["owner"],
        name=row["name"],
        point_count=row["point_count"],
        created_at=row["at"],
        subscribers=subscribers,
    )
