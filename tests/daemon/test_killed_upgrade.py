"""A daemon is killed while it fills the shared keyword table from those of an earlier schema."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from memory_client import KnowledgeClient
from memoryd.core.filters.grammar import EVERYTHING
from memoryd.core.scope import Scope
from memoryd.index.keyword.keyword_check import differences
from memoryd.index.keyword.keyword_fill import KeywordFill, start_over
from memoryd.index.keyword.keyword_index import KeywordIndex
from memoryd.index.keyword.partitions import prefix_of
from memoryd.storage.database import Database
from support.daemons import SpawnedDaemon
from support.keyword_upgrade import USER, former_store, is_filled
from support.waiting import eventually

TEXTS = 6_000
RARE = 500
QUERIES = ("marker3", "tea number17", "北京的茶", "quagga", "花生")


def look(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return connection.execute(sql).fetchall()


def filled_so_far(path: Path) -> int:
    sql = "SELECT documents FROM keyword_partitions WHERE state = 'filling' AND documents > 200"
    return sum(documents for (documents,) in look(path, sql))


def has_own_table(path: Path) -> bool:
    return bool(look(path, "SELECT 1 FROM keyword_partitions WHERE is_shared = 0 AND documents > 1000"))


def index_of(path: Path) -> tuple[list[Any], list[Any]]:
    """The index without the numbers of its partitions, and what searches find in it."""
    with closing(Database(path)) as database, database.read() as connection:
        assert differences(connection) == []
        owners = {
            prefix_of(row["number"]): (row["user_id"], row["kind"], row["documents"], row["terms"])
            for row in connection.execute("SELECT * FROM keyword_partitions")
        }
        held = sorted(
            (owners[prefix + "#"], word, doc)
            for term, doc in connection.execute("SELECT term, doc FROM keywords_instances")
            for prefix, _, word in [term.partition("#")]
        )
        scope = Scope(USER, "*")
        hits = [KeywordIndex().search(connection, scope, query, 100, EVERYTHING) for query in QUERIES]
        return held, hits


def test_a_kill_while_the_keyword_table_is_filled_loses_nothing(home: Path, tmp_path: Path) -> None:
    texts = [f"tea number{n} 北京的茶 marker{n % RARE}" for n in range(TEXTS)]
    path = former_store(home, texts)
    expected = {text for text in texts if text.endswith(" marker3")}
    daemon = SpawnedDaemon(home)
    eventually("the table is being filled", lambda: filled_so_far(path))
    daemon.kill()
    before = filled_so_far(path)
    assert 200 < before < TEXTS, "it was killed too late"
    assert has_own_table(path)

    daemon.start()
    with KnowledgeClient(home) as client:
        hits = client.search("marker3", 50, user_id=USER, mode="lexical")
        assert has_own_table(path), "the old table no longer serves: nothing was tested"
        assert {hit["text"] for hit in hits} == expected
        client.add("a quagga of the meantime", user_id=USER)
        (peanuts,) = client.search("花生", user_id=USER, mode="lexical")
        client.delete(peanuts["id"], user_id=USER)
        eventually("all is filled and the old tables are gone", lambda: is_filled(path), 120)
        hits = client.search("marker3", 50, user_id=USER, mode="lexical")
        assert {hit["text"] for hit in hits} == expected
        assert client.search("花生", user_id=USER, mode="lexical") == []
    daemon.stop()

    fresh = tmp_path / "fresh.sqlite3"
    shutil.copyfile(path, fresh)
    with closing(Database(fresh)) as database:
        database.write(start_over)
        while KeywordFill(database).run(float("inf")):
            pass
    assert index_of(path) == index_of(fresh)
