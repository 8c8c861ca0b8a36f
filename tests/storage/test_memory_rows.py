from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from memoryd.core.filters.grammar import EVERYTHING, parse_filters
from memoryd.core.record import Record
from memoryd.core.scope import Scope
from memoryd.storage import statistics
from memoryd.storage.records import memories, texts
from support.small_store import START, USER, SmallStore, record


def everything(store: SmallStore, scope: Scope) -> list[str]:
    with store.database.read() as connection:
        return [one.record.text for one in memories.scan(connection, scope, None, 100)]


def test_a_record_comes_back_as_it_was_stored(store: SmallStore) -> None:
    one = record(
        "主人 \U0001f469\u200d\U0001f467 'quoted' \"text\"",
        {
            "category": "episode",
            "tags": ["健康", 'a"b', "\\"],
            "exact_keys": ["K"],
            "verified": True,
            "valid_from": 0.1,
            "mood": {"a": [1, 2.5, None, True, "\u2028"]},
            "kind": "user_opinion",
        },
        agent_id="cook",
    )
    row = store.database.write(lambda tx: memories.insert(tx, one))
    assert store.stored([row])[row].record == one


def test_an_update_keeps_the_row_and_counts_a_changed_text(store: SmallStore) -> None:
    [row] = store.add("one")
    before = store.stored([row])[row]
    changed = record("two", {"a": 1})
    store.database.write(lambda tx: memories.update(tx, row, changed, text_changed=False))
    assert store.stored([row])[row].text_seq == before.text_seq
    store.database.write(lambda tx: memories.update(tx, row, changed, text_changed=True))
    assert store.stored([row])[row].text_seq == before.text_seq + 2
    assert store.stored([row])[row].record == changed


def test_a_row_number_is_never_used_again(store: SmallStore) -> None:
    rows = store.add("one", "two")
    store.take_out(rows[1])
    assert store.add("three")[0] > rows[1]


def test_users_and_agents_are_part_of_every_query(store: SmallStore) -> None:
    [common] = store.add("common")
    [cooks] = store.add("cook's", agent_id="cook")
    [guides] = store.add("guide's", agent_id="guide")
    [foreign] = store.add("other's", user_id="other")
    rows = [common, cooks, guides, foreign]
    ids = [one.record.id for user in (USER, "other") for one in store.stored(rows, user).values()]
    sees = {
        Scope(USER): {common},
        Scope(USER, "cook"): {common, cooks},
        Scope(USER, "nobody"): {common},
        Scope(USER, "*"): {common, cooks, guides},
        Scope("other"): {foreign},
        Scope("other", "*"): {foreign},
        Scope("third", "*"): set(),
    }
    with store.database.read() as connection:
        for scope, wanted in sees.items():
            page = memories.page(
                connection, scope, EVERYTHING, order="created_at", descending=False, after=None, limit=9
            )
            assert {one.row for one in page} == wanted
            assert {one.row for one in memories.scan(connection, scope, None, 9)} == wanted
            assert {one.row for one in memories.find(connection, scope, ids).values()} == wanted
            assert set(memories.by_rows(connection, scope, rows)) == wanted
            assert set(texts.rows_of(connection, "memory", scope, EVERYTHING)) == wanted
            assert memories.count(connection, scope, EVERYTHING) == len(wanted)
            assert statistics.of_scope(connection, scope)["total"] == len(wanted)
        assert {row for row, _ in memories.all_of_user(connection, USER)} == {common, cooks, guides}


def test_a_user_who_is_called_like_sql_or_a_pattern_is_only_a_user(store: SmallStore) -> None:
    for user in ("%", "_", "' OR 1=1 --", "小明 "):
        store.add(user, user_id=user)
    assert [everything(store, Scope(user)) for user in ("%", "_", "' OR 1=1 --", "小明 ")] == [
        ["%"],
        ["_"],
        ["' OR 1=1 --"],
        ["小明 "],
    ]
    assert everything(store, Scope(USER)) == []


@pytest.mark.parametrize("order", ["created_at", "last_access", "importance", "confidence"])
@pytest.mark.parametrize("descending", [True, False])
def test_pages_hold_everything_once_and_in_order(store: SmallStore, order: str, descending: bool) -> None:
    for i in range(23):
        time = START + (i * 7) % 5
        store.add(
            f"t{i}",
            metadata={
                "timestamp": time,
                "last_access": time + i % 3,
                "importance": (i * 3) % 4,
                "confidence": (i % 3) / 3,
            },
        )
    seen: list[Record] = []
    after = None
    while True:
        with store.database.read() as connection:
            page = memories.page(
                connection, Scope(USER), EVERYTHING, order=order, descending=descending, after=after, limit=5
            )
        seen += [one.record for one in page]
        if len(page) < 5:
            break
        after = (getattr(seen[-1], order), seen[-1].id)
    assert len({one.text for one in seen}) == 23
    keys = [(getattr(one, order), one.id) for one in seen]
    assert keys == sorted(keys, reverse=descending)


def test_a_memory_is_indexed_once_the_outbox_holds_its_vector(store: SmallStore) -> None:
    [row] = store.add("one")
    states = []
    for vector in (None, b"\0\0"):
        store.database.write(
            lambda tx, vector=vector: tx.execute(  # type: ignore[misc]
                "INSERT OR REPLACE INTO outbox VALUES (?, ?, 'put', 1, ?)", (row, USER, vector)
            )
        )
        states.append(store.stored([row])[row].indexed)
    assert states == [False, True]


def test_many_ids_at_once(store: SmallStore) -> None:
    rows = store.add(*(f"t{i}" for i in range(1200)))
    with store.database.read() as connection:
        stored = memories.by_rows(connection, Scope(USER), rows)
        found = memories.find(connection, Scope(USER), [one.record.id for one in stored.values()])
    assert len(stored) == len(found) == 1200


def test_statistics_count_what_is_active_and_what_it_weighs(store: SmallStore) -> None:
    store.add("花生", metadata={"category": "core", "kind": "task", "source": "import", "timestamp": 5})
    store.add("ab", "abc")
    [gone] = store.add("archived")
    store.database.write(
        lambda tx: tx.execute("UPDATE memories SET state = 'archived' WHERE row = ?", (gone,))
    )
    store.database.write(
        lambda tx: tx.execute("INSERT INTO outbox SELECT row, user_id, 'put', 1, NULL FROM memories")
    )
    store.write("INSERT INTO properties SELECT 'triples_unread', max(row) - 1 FROM memories")
    with store.database.read() as connection:
        stats = statistics.of_scope(connection, Scope(USER))
        totals = statistics.totals(connection)
    assert stats == {
        "total": 3,
        "by_category": {"fact": 2, "core": 1},
        "by_kind": {"fact": 2, "task": 1},
        "by_source": {"user": 2, "import": 1},
        "by_state": {"active": 3, "archived": 1},
        "character_count": 7,
        "oldest": 5.0,
        "newest": START + 3,
        "turn_count": 0,
        "pending_vector_count": 3,
        "pending_triple_count": 3,
    }
    assert totals == {"memories": 4, "turns": 0, "sessions": 0, "users": 1, "versions": 4, "points": 0}


def test_statistics_of_nobody(store: SmallStore) -> None:
    with store.database.read() as connection:
        stats = statistics.of_scope(connection, Scope("nobody"))
    assert (
        stats["total"]
        == stats["character_count"]
        == stats["pending_vector_count"]
        == stats["pending_triple_count"]
        == 0
    )
    assert stats["oldest"] is stats["newest"] is None


def plan(connection: sqlite3.Connection, run: Any) -> str:
    """How SQLite carries out what `run` asks."""

    class Explained:
        said = ""

        def execute(self, sql: str, params: Any = ()) -> sqlite3.Cursor:
            for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", params):
                self.said += f"{row[3]}\n"
            return connection.execute(sql, params)

    explained = Explained()
    run(explained)
    return explained.said


def test_the_queries_of_every_day_go_by_an_index_and_sort_nothing(store: SmallStore) -> None:
    store.add(*(f"t{i}" for i in range(50)))
    scope, after = Scope(USER), (START, "mem_")
    how = {"order": "created_at", "descending": True, "limit": 5}
    session = parse_filters({"session_id": "s"})
    with store.database.read() as connection:
        plans = {
            "page": plan(connection, lambda c: memories.page(c, scope, EVERYTHING, after=None, **how)),
            "next page": plan(connection, lambda c: memories.page(c, scope, EVERYTHING, after=after, **how)),
            "scan": plan(connection, lambda c: memories.scan(c, scope, after, 5)),
            "find": plan(connection, lambda c: memories.find(c, scope, ["mem_1", "mem_2"])),
            "rows": plan(connection, lambda c: memories.by_rows(c, scope, [1, 2, 3])),
            "session": plan(connection, lambda c: texts.rows_of(c, "memory", scope, session)),
            "count": plan(connection, lambda c: memories.count(c, scope, EVERYTHING)),
        }
    for name, said in plans.items():
        assert "SCAN m" not in said, name
        assert "TEMP B-TREE" not in said, name
    assert "created_at,id)<(?,?)" in plans["next page"]
    assert "memories_by_id (user_id=? AND id=?)" in plans["find"]
    assert "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)" in plans["rows"]
    assert "memories_by_session (user_id=? AND session_id=? AND state=?)" in plans["session"]
    assert "COVERING INDEX" in plans["count"]
