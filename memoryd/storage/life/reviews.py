"""The queue of reviews: decisions about memories that a person has to make."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

from memory_client.types import FeedbackFinding, ReviewKind, ReviewState, Verdict
from memoryd.core.scope import Scope
from memoryd.storage.database import Transaction
from memoryd.storage.records.texts import scoped


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """A review. importance: effective, when it was queued; decay_from: the epoch it is about."""

    id: str
    user_id: str
    memory_id: str
    kind: ReviewKind
    importance: float
    decay_from: float
    created_at: float
    pass_id: str | None = None
    finding: FeedbackFinding | None = None
    note: str | None = None
    state: ReviewState = "pending"
    verdict: Verdict | None = None
    operator: str | None = None
    reason: str | None = None
    decided_at: float | None = None


_NAMES = tuple(field.name for field in fields(ReviewRow))
_COLUMNS = ", ".join(f"r.{name}" for name in _NAMES)
_OF_SCOPE = "FROM reviews r JOIN memories m ON m.user_id = r.user_id AND m.id = r.memory_id"


def insert(tx: Transaction, review: ReviewRow) -> None:
    """Queue a review."""
    marks = ", ".join("?" * len(_NAMES))
    values = [getattr(review, name) for name in _NAMES]
    tx.execute(f"INSERT INTO reviews ({', '.join(_NAMES)}) VALUES ({marks})", values)


def find(connection: sqlite3.Connection, scope: Scope, id: str) -> ReviewRow | None:
    """A review of a memory the scope sees."""
    owner, params = scoped(scope)
    sql = f"SELECT {_COLUMNS} {_OF_SCOPE} WHERE {owner} AND r.id = ?"
    row = connection.execute(sql, [*params, id]).fetchone()
    return None if row is None else ReviewRow(*row)


def page(
    connection: sqlite3.Connection,
    scope: Scope,
    state: ReviewState,
    kind: ReviewKind | None,
    after: tuple[float, str] | None,
    limit: int,
) -> list[ReviewRow]:
    """Reviews in a state, oldest first, after `(created_at, id)`; pending ones of active memories only."""
    condition, params = _listed(scope, state, kind)
    if after is not None:
        condition, params = f"{condition} AND (r.created_at, r.id) > (?, ?)", [*params, *after]
    sql = f"SELECT {_COLUMNS} {_OF_SCOPE} WHERE {condition} ORDER BY r.created_at, r.id LIMIT {limit:d}"
    return [ReviewRow(*row) for row in connection.execute(sql, params)]


def count(connection: sqlite3.Connection, scope: Scope, state: ReviewState, kind: ReviewKind | None) -> int:
    """How many there are."""
    condition, params = _listed(scope, state, kind)
    return int(connection.execute(f"SELECT count(*) {_OF_SCOPE} WHERE {condition}", params).fetchone()[0])


def pending_id(connection: sqlite3.Connection, user_id: str, memory_id: str, kind: ReviewKind) -> str | None:
    """The id of the review of a kind that waits for a memory."""
    row = connection.execute(
        "SELECT id FROM reviews WHERE user_id = ? AND memory_id = ? AND kind = ? AND state = 'pending'",
        (user_id, memory_id, kind),
    ).fetchone()
    return None if row is None else str(row[0])


def update_pending(
    tx: Transaction, user_id: str, id: str, finding: FeedbackFinding, note: str | None
) -> None:
    """Give a review of feedback the newer finding, and the newer note if there is one."""
    tx.execute(
        "UPDATE reviews SET finding = ?, note = coalesce(?, note) WHERE user_id = ? AND id = ?",
        (finding, note, user_id, id),
    )


def asked_rows(connection: sqlite3.Connection, user_id: str) -> list[int]:
    """Rows of the memories whose present fall was reviewed or is to be."""
    found = connection.execute(
        "SELECT m.row FROM reviews r JOIN memories m ON m.user_id = r.user_id AND m.id = r.memory_id "
        "WHERE r.user_id = ? AND r.kind = 'decay' AND r.decay_from = m.decay_from",
        (user_id,),
    )
    return [int(row) for (row,) in found]


def decide(
    tx: Transaction, review: ReviewRow, verdict: Verdict, operator: str, reason: str | None, now: float
) -> None:
    """Write down a verdict."""
    tx.execute(
        "UPDATE reviews SET state = 'decided', verdict = ?, operator = ?, reason = ?, decided_at = ? "
        "WHERE user_id = ? AND id = ?",
        (verdict, operator, reason, now, review.user_id, review.id),
    )


def withdraw(tx: Transaction, user_id: str, memory_id: str, kinds: Sequence[ReviewKind] = ()) -> None:
    """Drop the pending reviews of a memory; of some kinds only, if given."""
    marks = f" AND kind IN ({', '.join('?' * len(kinds))})" if kinds else ""
    tx.execute(
        f"DELETE FROM reviews WHERE user_id = ? AND memory_id = ? AND state = 'pending'{marks}",
        (user_id, memory_id, *kinds),
    )


def withdraw_pass(tx: Transaction, scope: Scope, pass_id: str) -> int:
    """Drop the pending reviews a pass has queued of memories the scope sees; return how many."""
    owner, params = scoped(scope)
    return tx.execute(
        "DELETE FROM reviews WHERE user_id = ? AND pass_id = ? AND state = 'pending' "
        f"AND EXISTS (SELECT 1 FROM memories m WHERE m.id = reviews.memory_id AND {owner})",
        (scope.user_id, pass_id, *params),
    ).rowcount


def remove(tx: Transaction, user_id: str, ids: Iterable[str]) -> None:
    """Destroy all reviews of memories."""
    tx.executemany("DELETE FROM reviews WHERE user_id = ? AND memory_id = ?", ((user_id, id) for id in ids))


def forget_user(tx: Transaction, user_id: str) -> None:
    """Destroy all reviews of a user's memories."""
    tx.execute("DELETE FROM reviews WHERE user_id = ?", (user_id,))


def _listed(scope: Scope, state: ReviewState, kind: ReviewKind | None) -> tuple[str, list[object]]:
    owner, params = scoped(scope)
    condition, values = f"{owner} AND r.state = ?", [*params, state]
    if state == "pending":
        condition += " AND m.state = 'active'"
    return (condition, values) if kind is None else (f"{condition} AND r.kind = ?", [*values, kind])
