from __future__ import annotations

from dataclasses import replace

import pytest

from memory_client.errors import HistoryLimitError
from memoryd.core.record import Record
from memoryd.core.scope import Scope
from memoryd.language.fold import hash_form
from memoryd.storage.database import Transaction
from memoryd.storage.records import memories, tombstones, versions
from memoryd.storage.records.versions import Cause
from support.small_store import START, USER, SmallStore

SCOPE = Scope(USER, "*")


def changed(store: SmallStore, row: int, text: str, at: float, history_from: int = 1) -> Record:
    """The next version of a memory, known at a time."""
    old = store.stored([row])[row].record
    new = replace(old, text=text, version=old.version + 1, updated_at=at, history_from=history_from)

    def apply(tx: Transaction) -> None:
        memories.update(tx, row, new, text_changed=True)
        versions.append(tx, new, Cause("update"), ["text"], old)

    store.database.write(apply)
    return new


def said_at(store: SmallStore, record: Record, at: float) -> str | None:
    with store.database.read() as connection:
        found = versions.version_at(connection, record, at)
    return None if found is None else found.text


def test_the_last_version_that_was_known_counts_though_the_clock_was_set_back(store: SmallStore) -> None:
    (row,) = store.add("one")
    changed(store, row, "two", START + 100)
    record = changed(store, row, "three", START + 50)  # the clock was put right
    moments = {START: None, START + 10: "one", START + 60: "three", START + 200: "three"}
    assert {at: said_at(store, record, at) for at in moments} == moments


def test_a_merged_history_knows_since_when_something_was_known(store: SmallStore) -> None:
    (row,) = store.add("one")
    changed(store, row, "two", START + 10)
    changed(store, row, "three", START + 20)
    record = changed(store, row, "four", START + 30, history_from=3)
    assert said_at(store, record, START) is None
    for at in (START + 5, START + 15):
        with pytest.raises(HistoryLimitError):
            said_at(store, record, at)
    assert said_at(store, record, START + 25) == "three"
    with store.database.read() as connection:
        former = list(versions.former_versions(connection, SCOPE, START + 15))
        assert [(one.row, one.record) for one in former] == [(row, None)]
        assert [one.number for one in versions.history(connection, record, 99, 99)] == [3, 4]
    assert (
        store.scalar("SELECT count(*) FROM versions WHERE snapshot LIKE '%one%' OR snapshot LIKE '%two%'")
        == 0
    )


@pytest.mark.parametrize("is_of_schema_2", [False, True])
def test_all_that_was_said_is_buried(store: SmallStore, is_of_schema_2: bool) -> None:
    (row,) = store.add("I live in Rome")
    record = changed(store, row, "I live in Oslo", START + 10)

    def bury(tx: Transaction) -> None:
        if is_of_schema_2:
            tx.execute("UPDATE versions SET hash = NULL")
        tombstones.bury_texts(tx, USER, [record], START)

    store.database.write(bury)
    with store.database.read() as connection:
        for text in ("I live in Rome", "i live in  oslo."):
            hash = versions.hash_of(connection, text)
            assert tombstones.is_buried(connection, USER, "memory", hash)
            assert not tombstones.is_buried(connection, "other", "memory", hash)
            assert not tombstones.is_buried(connection, USER, "triple", hash)
        assert not tombstones.is_buried(connection, USER, "memory", versions.hash_of(connection, "I live?"))
    assert store.scalar("SELECT count(*) FROM tombstones") == 2


def test_who_says_a_text_or_said_it_is_found(store: SmallStore) -> None:
    now, once, never = store.add("I live in Rome", "I LIVE in Rome!", "I live in Oslo")
    changed(store, once, "I live in Bern", START + 10)
    store.add("I live in Rome", user_id="other")
    ids = {row: store.stored([row])[row].record.id for row in (now, once, never)}
    with store.database.read() as connection:
        assert set(versions.ids_with_text(connection, SCOPE, "I live in Rome.")) == {ids[now], ids[once]}
        assert versions.ids_with_text(connection, Scope(USER, None), "nothing") == []


@pytest.mark.parametrize(
    ("a", "b", "is_one"),
    [
        ("主人住在北京", "主人住在北京。", True),
        ("Ｉ Live  in\nRome!", "i live in rome", True),
        ("He lives in Rome?", "He lives in Rome", False),
        ("1.5 km", "15 km", False),
        ("-5度", "5度", False),
        ("...", "。。。", False),
    ],
)
def test_what_has_one_normal_form(a: str, b: str, is_one: bool) -> None:
    assert (hash_form(a) == hash_form(b)) is is_one
