"""What the clock does to sessions, with a clock of the test's own, and conversations awaited."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_client import AsyncKnowledgeClient, KnowledgeClient
from memory_client.deadline import Deadline
from memory_client.paths import DataPaths
from memory_client.progress import on_progress
from memoryd.app.build import App
from memoryd.app.settings import load_settings
from memoryd.core.call_context import Call
from memoryd.engine.conversations.session_end import IDLE, SessionCloser
from memoryd.engine.deletion.removal import REMOVAL, PhysicalRemoval
from support.daemons import SpawnedDaemon

MINUTE = 60.0
START = 1_800_000_000.0


class Store:
    """A store whose workers are not started: the test runs the job that closes sessions."""

    def __init__(self, home: Path, **settings: object) -> None:
        self.now = START
        paths = DataPaths(home)
        paths.make()
        chosen = load_settings(paths, {}, {"embedder.model": "none", **settings})
        self.app = App(paths, chosen, lambda: self.now)
        parts = self.app._parts
        self.closing = SessionCloser(
            parts, PhysicalRemoval(parts, MINUTE), chosen.conversation.idle_minutes * MINUTE
        )

    def call(self, method: str, **params: Any) -> Any:
        return self.app.dispatcher.dispatch(f"conversation.{method}", params, Call(Deadline.after(None)))

    def say(self, session_id: str, **values: Any) -> Any:
        return self.call("append", session_id=session_id, role="user", text="x", **values)

    def jobs(self) -> dict[str, float]:
        with self.app._parts.database.read() as connection:
            return dict(connection.execute("SELECT kind, not_before FROM jobs").fetchall())

    def open_sessions(self) -> set[str]:
        with self.app._parts.database.read() as connection:
            found = connection.execute("SELECT session_id FROM sessions WHERE closed_at IS NULL")
            return {name for (name,) in found}

    def work(self) -> None:
        """What the job runner does with the job that closes sessions."""
        self.app._parts.database.write(lambda tx: tx.execute("DELETE FROM jobs WHERE kind = ?", (IDLE,)))
        self.closing.close_idle()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "home")
    yield store
    store.app.close()


def test_one_job_waits_for_the_session_that_is_quiet_longest(store: Store) -> None:
    assert store.jobs() == {}
    store.say("a")
    store.now += 10 * MINUTE
    store.say("b")
    assert store.jobs() == {IDLE: START + 30 * MINUTE}


def test_sessions_close_after_half_an_hour_without_a_turn(store: Store) -> None:
    store.say("quiet", remember=False)
    store.say("busy", remember=False)
    store.now += 20 * MINUTE
    store.say("busy", at=5)
    store.now += 10 * MINUTE
    store.work()
    assert store.open_sessions() == {"busy"}
    assert store.jobs() == {IDLE: START + 50 * MINUTE, REMOVAL: store.now + MINUTE}
    assert store.call("window", session_id="quiet") == []
    assert len(store.call("window", session_id="busy")) == 2
    store.now += 20 * MINUTE
    store.work()
    assert store.open_sessions() == set()
    assert IDLE not in store.jobs()
    assert [turn["remembered"] for turn in store.call("window", session_id="busy")] == [True]


def test_a_job_that_comes_early_closes_nothing(store: Store) -> None:
    store.say("a")
    store.now += 29 * MINUTE
    store.work()
    assert store.open_sessions() == {"a"}
    assert store.jobs() == {IDLE: START + 30 * MINUTE}


def test_a_session_that_is_opened_again_waits_anew(store: Store) -> None:
    store.say("a")
    store.call("end", session_id="a")
    store.work()
    assert IDLE not in store.jobs()
    store.now += 60 * MINUTE
    store.say("a")
    assert store.jobs()[IDLE] == store.now + 30 * MINUTE
    store.work()
    assert store.open_sessions() == {"a"}


def test_a_clock_that_is_put_back_keeps_a_session_open(store: Store) -> None:
    store.say("a")
    store.now -= 120 * MINUTE
    store.say("a")
    store.work()
    assert store.open_sessions() == {"a"}


def test_with_zero_minutes_no_session_closes_by_itself(tmp_path: Path) -> None:
    store = Store(tmp_path / "home", **{"conversation.idle_minutes": 0})
    try:
        store.say("a")
        assert store.jobs() == {}
        store.now += 1e6
        store.work()
        assert store.open_sessions() == {"a"}
        assert store.call("end", session_id="a")["closed"]
    finally:
        store.app.close()


def test_conversations_awaited_and_with_another_time_limit(home: Path) -> None:
    SpawnedDaemon(home, "daemon.port=0", "embedder.model=none")
    reports: list[int] = []

    async def talk() -> list[str]:
        async with AsyncKnowledgeClient(home) as client:
            await client.conversation.append("s", "user", "first")
            with on_progress(lambda done, _total, _what: reports.append(done)):
                items: list[Any] = [{"role": "assistant", "content": f"turn {i}"} for i in range(300)]
                await client.conversation.extend("s", items)
            window = await client.with_timeout(20).conversation.window("s", 2)
            return [turn["text"] for turn in window]

    assert asyncio.run(talk()) == ["turn 298", "turn 299"]
    assert reports[-1] == 300
    with KnowledgeClient(home) as client:
        assert client.with_timeout(20).conversation.page("s")["total"] == 301
