from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory_client.types import ConflictState, Severity
from memoryd.core.scope import Scope
from memoryd.storage.life import conflicts
from memoryd.storage.life.conflicts import ConflictRow, Decision
from memoryd.storage.records import memories, versions
from memoryd.storage.records.versions import Cause
from support.small_store import START, USER, SmallStore, small_store

ALL = Scope(USER, "*")

DECISION = Decision(START, "user", "because")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SmallStore]:
    with small_store(tmp_path) as made:
        yield made


def pair(store: SmallStore, *texts: str, **owner: Any) -> tuple[str, str]:
    """The ids of two memories."""
    rows = store.add(*(texts or ("one", "other")), **owner)
    kept = store.stored(rows, owner.get("user_id", USER))
    return kept[rows[0]].record.id, kept[rows[1]].record.id


def note(
    store: SmallStore,
    ids: tuple[str, str],
    *,
    user_id: str = USER,
    severity: Severity = "medium",
    at: float = START,
) -> bool:
    with store.database.read() as connection:
        hashes = [versions.hash_of(connection, text) for text in ("one", "other")]
    row = ConflictRow(
        id=store.ids.new("cnf", START),
        user_id=user_id,
        first_id=ids[0],
        first_version=1,
        second_id=ids[1],
        second_version=1,
        type="negation",
        severity=severity,
        detail="…",
        source="found",
        created_at=at,
        first_hash=hashes[0],
        second_hash=hashes[1],
    )
    return store.database.write(lambda tx: conflicts.queue(tx, row))


def told(
    store: SmallStore, scope: Scope = ALL, memory_id: str | None = None, limit: int = 10
) -> list[tuple[str, str]]:
    with store.database.read() as connection:
        found = conflicts.get_open(connection, scope, memory_id, limit)
    return [one.row.pair for one in found]


def close(store: SmallStore, ids: tuple[str, str], state: ConflictState = "dismissed") -> int:
    return store.database.write(lambda tx: conflicts.close(tx, USER, ids, state, DECISION))


def change(store: SmallStore, id: str, **fields: Any) -> None:
    """Make a version."""

    def apply(tx: Any) -> None:
        stored = memories.find(tx.connection, ALL, [id])[id]
        new = replace(stored.record, version=stored.record.version + 1, **fields)
        memories.update(tx, stored.row, new, text_changed="text" in fields)
        versions.append(tx, new, Cause("update"), list(fields), stored.record)

    store.database.write(apply)


def settled(store: SmallStore, user_id: str = USER) -> set[tuple[str, str]]:
    with store.database.read() as connection:
        return conflicts.settled_pairs(connection, user_id)


def test_a_conflict_is_noted_once(store: SmallStore) -> None:
    ids = pair(store)
    assert [note(store, ids), note(store, ids)] == [True, False]
    assert told(store) == [ids]
    with store.database.read() as connection:
        (one,) = conflicts.get_open(connection, ALL, None, 10)
    assert (one.first.text, one.second.text, one.row.state) == ("one", "other", "open")


def test_nothing_is_noted_of_what_is_gone(store: SmallStore) -> None:
    first, second = pair(store)
    assert not note(store, (first, "mem_0000000000000000000z"))
    assert not note(store, ("mem_0000000000000000000z", second))
    assert not note(store, (first, second), user_id="other")
    assert store.scalar("SELECT count(*) FROM conflicts") == 0


def test_what_is_put_away_is_not_told(store: SmallStore) -> None:
    first, second = pair(store)
    note(store, (first, second))
    change(store, first, state="archived")
    assert told(store) == []
    change(store, first, state="active")
    assert told(store) == [(first, second)]


def test_it_holds_while_both_say_the_same(store: SmallStore) -> None:
    first, second = pair(store)
    note(store, (first, second))
    change(store, second, importance=3.0)
    assert (told(store), settled(store)) == ([(first, second)], {(first, second)})
    change(store, second, text="another")
    assert (told(store), settled(store)) == ([], set())
    change(store, second, text="other")
    assert (told(store), settled(store)) == ([(first, second)], {(first, second)})


def test_what_is_dismissed_stays_settled(store: SmallStore) -> None:
    first, second = pair(store)
    note(store, (first, second))
    assert [close(store, (first, second)), close(store, (second, first))] == [1, 0]
    assert (told(store), settled(store)) == ([], {(first, second)})
    assert not note(store, (first, second))
    row = store.scalar("SELECT state || reason FROM conflicts")
    assert row == "dismissedbecause"


def test_what_is_resolved_is_undecided_with_both_active(store: SmallStore) -> None:
    first, second = pair(store)
    note(store, (first, second))
    assert close(store, (first, second), "resolved") == 1
    change(store, second, state="archived")
    assert (told(store), settled(store)) == ([], {(first, second)})
    change(store, second, state="active")
    assert told(store) == [(first, second)]


def test_a_decision_outlives_the_versions_it_was_made_at(store: SmallStore) -> None:
    first, second = pair(store)
    note(store, (first, second))
    close(store, (first, second))
    for number in range(2, 7):
        change(store, second, importance=float(number) / 10, history_from=max(1, number - 2))
    assert settled(store) == {(first, second)}
    assert not note(store, (first, second))
    change(store, second, text="another", history_from=5)
    assert settled(store) == set()


def test_only_those_of_two_that_hold_are_closed(store: SmallStore) -> None:
    (a, b), (c, _) = pair(store), pair(store)
    for ids in ((a, b), (a, c), (c, b)):
        note(store, ids)
    assert close(store, (b, a)) == 1
    assert set(told(store)) == {(a, c), (c, b)}
    change(store, b, text="another")
    assert close(store, (c, b)) == 0


def test_of_a_pair_that_changes_again_and_again_one_is_kept(store: SmallStore) -> None:
    first, second = pair(store)
    for number in range(5):
        note(store, (first, second))
        change(store, second, text=f"other {number}")
    assert store.scalar("SELECT count(*) FROM conflicts") == 1


def test_both_are_kept_once_whether_noted_or_not(store: SmallStore) -> None:
    first, second = pair(store)

    def keep(tx: Any) -> None:
        found = memories.find(tx.connection, ALL, [first, second])
        conflicts.keep(tx, store.ids.new("cnf", START), found[first].record, found[second].record, DECISION)

    for _ in range(2):
        store.database.write(keep)
    assert (told(store), settled(store)) == ([], {(first, second)})
    assert not note(store, (first, second))
    assert store.scalar("SELECT count(*) FROM conflicts") == 1


def test_the_gravest_come_first_and_a_limit_keeps_them(store: SmallStore) -> None:
    low, high, newer = pair(store), pair(store), pair(store)
    note(store, low, severity="low", at=START + 9)
    note(store, high, severity="high")
    note(store, newer, severity="high", at=START + 1)
    assert told(store) == [newer, high, low]
    assert told(store, limit=2) == [newer, high]
    assert told(store, memory_id=low[1]) == [low]


def test_both_must_be_seen(store: SmallStore) -> None:
    common, own = pair(store)[0], pair(store, agent_id="a")[0]
    theirs = pair(store, user_id="other")
    note(store, (common, own))
    note(store, theirs, user_id="other")
    assert told(store) == told(store, Scope(USER, "a")) == [(common, own)]
    assert told(store, Scope(USER)) == told(store, Scope(USER, "b")) == []
    assert told(store, Scope("other")) == [theirs]
    assert settled(store, "other") == {theirs}


def test_removal_and_forgetting(store: SmallStore) -> None:
    (a, b), (c, d) = pair(store), pair(store)
    theirs = pair(store, user_id="other")
    for ids in ((a, b), (b, c), (c, d)):
        note(store, ids)
    note(store, theirs, user_id="other")
    store.database.write(lambda tx: conflicts.remove(tx, USER, [b, theirs[0]]))
    assert told(store) == [(c, d)]
    store.database.write(lambda tx: conflicts.forget_user(tx, USER))
    assert told(store) == []
    assert told(store, Scope("other")) == [theirs]
