"""Keyword search: very many users, a store of an earlier schema, writes while deleted texts are removed."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from benchmarks.harness import HUNDRED_THOUSAND, Bench, Figure, median, spread, timed
from memory_client import KnowledgeClient
from memory_client.paths import DataPaths
from memoryd.core.ids import IdFactory
from memoryd.core.record import Record
from memoryd.index.keyword import forward_index
from memoryd.index.keyword.keyword_index import KeywordIndex
from memoryd.knowledge_base import KnowledgeBase
from memoryd.language.fold import FOLD_VERSION, index_terms
from memoryd.storage.connection import connect
from memoryd.storage.database import Database, Transaction
from memoryd.storage.migrations import STEPS, migrate
from memoryd.storage.records import memories

USERS, EACH = 20_000, 5
ASKED = 200
FORMER = 5
"""The last schema with a keyword table per user and kind."""
NO_MODEL = {"embedder.model": "none"}
_AT_ONCE = 1000
_BETWEEN_SEARCHES = 0.25
"""Seconds between the searches during the filling, which would otherwise last for minutes."""
_START = 1_780_000_000.0


def run(bench: Bench) -> Iterator[Figure]:
    yield from _many_users(bench)
    yield from _former_schema(bench)
    yield from _removal(bench)


def _many_users(bench: Bench) -> Iterator[Figure]:
    bench.notice(f"storing {EACH} memories of each of {USERS} users")
    home = bench.root / "users"
    texts = bench.many_texts[: USERS * EACH]
    with KnowledgeBase(home, settings=NO_MODEL) as store:
        lexical = KeywordIndex()
        _fill(store._app._parts.database, texts, lambda place: f"user {place // EACH}", lexical)
        opened = [_open(DataPaths(home).database) for _ in range(ASKED)]
        yield Figure("opening a reader, 20,000 users", median(opened), "ms", 5, note=spread(opened))
        users = range(0, USERS, USERS // ASKED)
        firsts = [
            timed(store.search, texts[user * EACH][-12:], user_id=f"user {user}", mode="lexical")
            for user in users
        ]
        yield Figure("first search of a user", median(firsts), "ms", 15, note=spread(firsts))


def _open(path: Path) -> float:
    started = time.perf_counter()
    with closing(connect(path, read_only=True)) as reader:
        reader.execute("SELECT number FROM keyword_partitions WHERE user_id = 'user 0'").fetchall()
    return (time.perf_counter() - started) * 1000


def _former_schema(bench: Bench) -> Iterator[Figure]:
    bench.notice(f"storing {HUNDRED_THOUSAND} memories in schema {FORMER}")
    home = bench.root / "former"
    home.mkdir(mode=0o700)
    path = DataPaths(home).database
    migrate(path, home, STEPS[:FORMER])
    with closing(Database(path)) as database:
        _fill(database, bench.many_texts, lambda _: "default", None)
    (home / "config.toml").write_text('[embedder]\nmodel = "none"\n', encoding="utf-8")
    started = time.perf_counter()
    with bench.running(home) as client:
        client.search(bench.many_texts[7][-12:], mode="lexical")
        first = time.perf_counter() - started
        meanwhile = list(_while_filled(client, path, bench.many_texts))
        note = f"filled after {time.perf_counter() - started:.0f} s"
        yield Figure("first answer while 100k texts migrate", first, "s", 1, note=note)
        if meanwhile:
            yield Figure("  searches meanwhile", median(meanwhile), "ms", note=spread(meanwhile))


def _while_filled(client: KnowledgeClient, path: Path, texts: Sequence[str]) -> Iterator[float]:
    with closing(connect(path, read_only=True)) as reader:
        sql = "SELECT count(*) FROM keyword_partitions WHERE state = 'filling' OR is_shared = 0"
        while reader.execute(sql).fetchone()[0]:
            time.sleep(_BETWEEN_SEARCHES)
            yield timed(client.search, texts[int(time.monotonic() * 100) % len(texts)][-12:], mode="lexical")


def _removal(bench: Bench, rows: int = HUNDRED_THOUSAND) -> Iterator[Figure]:
    with KnowledgeBase(bench.root / "users", settings=NO_MODEL) as store:
        store.delete_many(filters={"text": {"contains": "1"}}, user_id="user 7")
        yield removal_figure(store, rows)


def removal_figure(store: KnowledgeBase, rows: int) -> Figure:
    """The longest that a small write takes while what was deleted is removed physically."""
    waits: list[float] = []
    done = threading.Event()

    def write() -> None:
        while not done.wait(0.005):
            waits.append(timed(store._app._parts.database.write, lambda tx: tx.seq))

    thread = threading.Thread(target=write)
    thread.start()
    started = time.perf_counter()
    try:
        store._app._maintain.remove_physically()
    finally:
        done.set()
        thread.join()
    note = f"median {median(waits):.1f} ms; the whole removal {time.perf_counter() - started:.1f} s"
    return Figure(f"longest write during a removal, {rows:,} texts", max(waits), "ms", 100, note=note)


def _fill(database: Database, texts: Sequence[str], user_of: object, lexical: KeywordIndex | None) -> None:
    """Store memories without the engine around them; with keyword tables of the former schema for None."""
    ids = IdFactory()
    if lexical is None:
        database.write(_create_former)

    def store(tx: Transaction, start: int) -> None:
        for place, text in enumerate(texts[start : start + _AT_ONCE], start):
            owner = str(user_of(place))  # type: ignore[operator]
            now = _START + place
            record = Record(ids.new("mem", now), owner, text, now, now, now, now)
            row = memories.insert(tx, record)
            if lexical is None:
                _put_former(tx, row, text)
            else:
                lexical.put(tx, owner, row, text)

    for start in range(0, len(texts), _AT_ONCE):
        database.write(lambda tx, start=start: store(tx, start))  # type: ignore[misc]


def _create_former(tx: Transaction) -> None:
    tx.execute("INSERT INTO partitions VALUES (1, 'default', 'memory', 0, 0)")
    tx.execute(
        "CREATE VIRTUAL TABLE lexical_1 USING fts5 (terms, content='', tokenize=\"ascii tokenchars '''+#'\")"
    )
    tx.execute("CREATE VIRTUAL TABLE lexical_1_terms USING fts5vocab (lexical_1, 'row')")
    tx.execute("INSERT INTO properties VALUES ('fold_version', ?)", (FOLD_VERSION,))


def _put_former(tx: Transaction, row: int, text: str) -> None:
    found = index_terms(text)
    tx.execute("INSERT INTO lexical_1 (rowid, terms) VALUES (?, ?)", (row, " ".join(found)))
    forward_index.put(tx, row, found, 0)
    tx.execute("UPDATE partitions SET documents = documents + 1, terms = terms + ?", (len(found),))
