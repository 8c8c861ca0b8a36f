"""Acknowledged is durable: the daemon is killed at random points, over and over.

After each restart every acknowledged write is there, nothing half-written shows, what is derived agrees,
what is added is found, and a write without an answer is carried out once when it is sent again.
"""

from __future__ import annotations

import json
import random
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import pytest

from memory_client import KnowledgeClient
from memory_client.errors import MemorydError
from support.daemons import SpawnedDaemon, end_daemons
from support.openai_server import FakeOpenAI, fake_openai
from support.waiting import eventually
from support.write_ledger import Ledger, stored_of, turns_of

T = TypeVar("T")
THREADS = 4
_SAMPLE = 10
_TIMEOUT = 5.0


@pytest.fixture
def endpoint() -> Iterator[FakeOpenAI]:
    with fake_openai(16) as fake:
        yield fake


@pytest.fixture
def home(tmp_path: Path, endpoint: FakeOpenAI) -> Iterator[Path]:
    """Its daemon ends before the endpoint, which waits for its connections to be closed."""
    assert endpoint.url
    yield tmp_path / "home"
    end_daemons(tmp_path / "home")


class Torture:
    """One store, several writers, one murderer."""

    def __init__(self, home: Path, endpoint: FakeOpenAI, seed: int) -> None:
        self.random = random.Random(seed)
        self._kills = 0
        self.ledgers = [Ledger(f"user-{n}", random.Random(seed + n + 1)) for n in range(THREADS)]
        self.daemon = SpawnedDaemon(
            home,
            "daemon.port=0",
            "embedder.model=openai:stars",
            f"embedder.base_url={endpoint.url}",
            "lance.batch_seconds=0.05",
            "lance.batch_rows=16",
            "hot.snapshot_seconds=0.2",
        )

    def round(self) -> None:
        """Write, kill, start again, look.

        Every other time the daemon is back before the writers give up: their clients send again what had
        no answer. Else the ledger keeps it as in doubt and sends it again after a look at the store.
        """
        stop = threading.Event()
        writers = [threading.Thread(target=self._write, args=(ledger, stop)) for ledger in self.ledgers]
        keeper = threading.Thread(target=self._keep, args=(stop,))
        for thread in (*writers, keeper):
            thread.start()
        time.sleep(self.random.uniform(0.05, 0.8))
        self.daemon.kill()
        self._kills += 1
        stop.set()
        if self._kills % 2:
            self.daemon.start()
        for thread in (*writers, keeper):
            thread.join()
        self.daemon.start()
        with KnowledgeClient(self.daemon.home, autostart=False) as client:
            self._verify(client)

    def _write(self, ledger: Ledger, stop: threading.Event) -> None:
        with KnowledgeClient(self.daemon.home, autostart=False, timeout=_TIMEOUT) as client:
            while not stop.is_set():
                try:
                    ledger.carry_out(client, ledger.draw())
                except MemorydError:
                    return

    def _keep(self, stop: threading.Event) -> None:
        """What goes on behind: compaction, and a user who is forgotten."""
        pause = self.random.uniform(0.0, 0.5)
        with KnowledgeClient(self.daemon.home, autostart=False, timeout=_TIMEOUT) as client:
            try:
                client.add_many(["to be", "forgotten"], user_id="leaver")
                stop.wait(pause)
                client.with_timeout(_TIMEOUT).admin.compact()
                client.with_timeout(_TIMEOUT).delete_all("leaver")
            except MemorydError:
                return

    def _verify(self, client: KnowledgeClient) -> None:
        for ledger in self.ledgers:
            stored, turns = stored_of(client, ledger.user), turns_of(client, ledger.user)
            assert ledger.matches(stored, turns), _difference(ledger, stored | turns)
            if ledger.doubt is not None:
                ledger.carry_out(client, ledger.doubt)
            stored, turns = stored_of(client, ledger.user), turns_of(client, ledger.user)
            assert (stored, turns) == (ledger.entries, ledger.turns), _difference(ledger, stored | turns)
            self._find(client, ledger)
            ledger.carry_out(client, ledger.draw())
        agreed(self.daemon.paths.database)
        if self._kills % 2:  # else the next kill may come before the vector store is open
            self._verify_vectors(client)

    def _verify_vectors(self, client: KnowledgeClient) -> None:
        eventually("everything is embedded", lambda: client.status()["pending_vector_count"] == 0, 60)
        for ledger in self.ledgers:
            self._find_by_meaning(client, ledger)
        assert [finding for finding in client.admin.doctor() if not finding["ok"]] == []

    def _find(self, client: KnowledgeClient, ledger: Ledger) -> None:
        """Each memory by its own words, and no destroyed text any more."""
        for id, entry in self._some(list(ledger.entries.items())):
            for query in (entry.text.split()[0], entry.text.split()[2]):
                hits = client.search(query, 3, user_id=ledger.user, mode="lexical")
                assert [hit["id"] for hit in hits if entry.text == hit["text"]] == [id]
        for text in self._some(ledger.destroyed):
            hits = client.search(text.split()[2], 50, user_id=ledger.user, mode="lexical")
            assert text not in {hit["text"] for hit in hits}
        text = f"added after the restart {secrets.token_hex(8)}"
        id = client.add(text, user_id="reader")
        # by words: the endpoint's vectors of other texts may be near by chance
        assert client.search(text.split()[-1], 1, user_id="reader", mode="lexical")[0]["id"] == id

    def _find_by_meaning(self, client: KnowledgeClient, ledger: Ledger) -> None:
        """The endpoint's vectors are the same for the same text: a memory is nearest to itself."""
        for id, entry in self._some(list(ledger.entries.items())):
            hit = client.search(entry.text, 1, user_id=ledger.user, mode="semantic")[0]
            assert (hit["id"], hit["text"]) == (id, entry.text)
            assert hit["score"] > 0.99
        text = f"added to be found by meaning {secrets.token_hex(8)}"
        id = client.add(text, user_id="reader")
        assert client.search(text, 1, user_id="reader", mode="semantic")[0]["id"] == id

    def _some(self, items: list[T]) -> list[T]:
        return self.random.sample(items, min(_SAMPLE, len(items)))


def agreed(database: Path) -> None:
    """The tables agree with each other, looked at from outside."""
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:

        def rows(sql: str) -> list[Any]:
            return connection.execute(sql).fetchall()

        assert rows("PRAGMA integrity_check") == [("ok",)]
        counted = (
            "SELECT m.id FROM memories m WHERE m.version != "
            "(SELECT count(*) FROM versions v WHERE v.user_id = m.user_id AND v.memory_id = m.id)"
        )
        assert rows(counted) == []
        orphans = "SELECT memory_id FROM versions WHERE memory_id NOT IN (SELECT id FROM memories)"
        assert rows(orphans) == []
        kept = "SELECT memory_id FROM versions v JOIN memories m ON m.id = v.memory_id "
        assert rows(kept + "WHERE (v.version = m.version) != (v.snapshot IS NULL)") == []
        strays = (
            "SELECT row FROM outbox WHERE operation = 'put' AND (row, text_seq) NOT IN "
            "(SELECT row, text_seq FROM memories UNION ALL SELECT row, text_seq FROM turns WHERE remembered)"
        )
        assert rows(strays) == []
        homeless = (
            "SELECT t.id FROM turns t LEFT JOIN sessions s ON s.number = t.session "
            "AND s.user_id = t.user_id AND s.session_id = t.session_id AND s.turns > t.position "
            "WHERE s.number IS NULL"
        )
        assert rows(homeless) == []
        newest = rows("SELECT max(seq) FROM (SELECT seq FROM memories UNION ALL SELECT seq FROM turns)")[0][0]
        assert rows("SELECT value FROM counters WHERE name = 'seq'")[0][0] >= newest
        for (snapshot,) in rows("SELECT snapshot FROM versions WHERE snapshot IS NOT NULL"):
            assert json.loads(snapshot)["text"]


def _difference(ledger: Ledger, stored: dict[str, Any]) -> str:
    entered: dict[str, Any] = ledger.entries | ledger.turns
    wrong = {key: (entered.get(key), stored.get(key)) for key in entered.keys() | stored.keys()}
    differing = {key: pair for key, pair in wrong.items() if pair[0] != pair[1]}
    return f"{ledger.user}: acknowledged, stored: {differing}; in doubt: {ledger.doubt}"


def _rounds(home: Path, endpoint: FakeOpenAI, count: int) -> None:
    seed = secrets.randbits(32)
    print(f"seed {seed}")
    torture = Torture(home, endpoint, seed)
    for _ in range(count):
        torture.round()
    acknowledged = sum(ledger.acknowledged for ledger in torture.ledgers)
    print(f"{count} kills, {acknowledged} acknowledged writes, all there")
    assert acknowledged > count


@pytest.mark.timeout(300)
def test_kill_9_at_random_points(home: Path, endpoint: FakeOpenAI) -> None:
    _rounds(home, endpoint, 10)


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_kill_9_at_fifty_random_points(home: Path, endpoint: FakeOpenAI) -> None:
    _rounds(home, endpoint, 50)


def test_a_client_lives_through_the_kill(home: Path, endpoint: FakeOpenAI) -> None:
    """With autostart a writer notices nothing but a delay, and no write is doubled."""
    daemon = Torture(home, endpoint, 1).daemon
    stop = threading.Event()
    stored: list[str] = []

    def write() -> None:
        with KnowledgeClient(home) as client:
            while not stop.is_set():
                stored.append(client.add(f"text {len(stored)}"))

    writer = threading.Thread(target=write)
    writer.start()
    for _ in range(2):
        _writing_goes_on(stored)
        daemon.kill()
        _writing_goes_on(stored)
        daemon.start()
    stop.set()
    writer.join()
    with KnowledgeClient(home) as client:
        assert [memory["id"] for memory in client.get_all()] == stored
        assert [memory["text"] for memory in client.get_all()] == [f"text {n}" for n in range(len(stored))]


def _writing_goes_on(stored: list[str]) -> None:
    goal = len(stored) + 10
    eventually("writing goes on", lambda: len(stored) >= goal)
