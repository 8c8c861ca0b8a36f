"""A change of model: the old index serves until the new one is complete, spaces never meet."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from memory_client import KnowledgeClient
from memory_client.deadline import Deadline
from memory_client.errors import MemorydError, ModelUnavailableError
from memory_client.launch import stop_daemon
from memory_client.paths import DataPaths
from memoryd.knowledge_base import KnowledgeBase
from support.daemons import end_daemons
from support.faces import FACES, opened
from support.openai_server import FakeOpenAI, fake_openai
from support.waiting import PATIENCE, eventually

KB = Any
OPENAI = "openai:stars"
DIM = 12
COUNT = 700
BATCH = 256
"""Texts the re-embedding job takes at a time."""


class Gate:
    """A fake endpoint that can be told to hold its answers back."""

    def __init__(self, fake: FakeOpenAI) -> None:
        self.fake = fake
        self.open = threading.Event()
        self.open.set()
        self.waiting = threading.Event()
        original = fake.reply

        def reply(request: dict[str, Any]) -> dict[str, Any]:
            if len(request["input"]) > 1:  # not the probes of one text
                self.waiting.set()
                self.open.wait(60)
            return original(request)

        fake.reply = reply  # type: ignore[method-assign]

    @property
    def settings(self) -> dict[str, object]:
        return {
            "embedder.model": OPENAI,
            "embedder.base_url": self.fake.url,
            "embedder.batch_size": 32,
            "lance.batch_seconds": 0.1,
        }


@pytest.fixture
def gate() -> Iterator[Gate]:
    with fake_openai(DIM) as fake:
        gate = Gate(fake)
        yield gate
        gate.open.set()


@pytest.fixture(params=FACES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def home(tmp_path: Path, gate: Gate) -> Iterator[Path]:
    """Its daemon ends before the endpoint, which waits for its connections to be closed."""
    with daemon_ended(tmp_path / "home") as home:
        yield home
    gate.open.set()


@contextmanager
def daemon_ended(home: Path) -> Iterator[Path]:
    try:
        yield home
    finally:
        end_daemons(home)


def closed(kb: KnowledgeBase | KnowledgeClient, home: Path) -> None:
    """End the store in order, whichever face it has."""
    kb.close()
    stop_daemon(DataPaths(home), Deadline.after(PATIENCE))


def settled(kb: KB) -> None:
    eventually("the model is settled", lambda: kb.status()["stage"] == "ready", 60)


def filled(name: str, home: Path, gate: Gate) -> list[str]:
    """A store whose index is of the endpoint's model."""
    kb = opened(name, home, **gate.settings)
    settled(kb)
    ids = kb.add_many([f"memory number {i}" for i in range(COUNT)])
    eventually("all are embedded", lambda: kb.status()["pending_vector_count"] == 0, 60)
    closed(kb, home)
    return ids


def fingerprint(kb: KB) -> str:
    return str(kb.status()["embedder"]["fingerprint"])


def served_by(kb: KB, text: str, id: str) -> None:
    """A search by meaning finds a text by itself, with a cosine near 1."""
    hit = kb.search(text, 1, mode="semantic", explain=True)[0]
    assert hit["id"] == id
    assert hit["score"] > 0.8


def test_the_old_index_serves_until_the_new_one_is_complete(name: str, home: Path, gate: Gate) -> None:
    # The bundled model first, with few texts; then the endpoint's.
    kb = opened(name, home, **{"lance.batch_seconds": 0.1})
    settled(kb)
    if not kb.status()["embedder"]["is_searchable"]:
        closed(kb, home)
        pytest.skip("no bundled model")
    texts = ["主人对花生过敏", "Her dog is called Biscuit", "C盘空间不够了", "他每天早上跑步"]
    ids = kb.add_many(texts)
    old = fingerprint(kb)
    closed(kb, home)

    gate.open.clear()
    kb = opened(name, home, **gate.settings)
    settled(kb)
    assert gate.waiting.wait(60)  # the new model is at work and gets nowhere
    status = kb.status()["embedder"]
    assert status["is_searchable"] is True
    assert status["former"] == "bundled"
    hit = kb.search("what is the name of the pet?", 1, mode="semantic")[0]
    assert hit["id"] == ids[1]
    late = kb.add("妈妈的生日是三月十二号")  # embedded with the model that serves
    assert kb.search("我妈是哪天出生的", 1, mode="semantic")[0]["id"] == late
    kb.update_text(ids[3], "他每天晚上游泳")
    kb.delete(ids[2])

    gate.open.set()
    eventually("the new index serves", lambda: kb.status()["embedder"]["former"] is None, 60)
    eventually("all are embedded", lambda: kb.status()["pending_vector_count"] == 0, 60)
    assert fingerprint(kb) != old
    served_by(kb, "妈妈的生日是三月十二号", late)
    served_by(kb, "他每天晚上游泳", ids[3])
    assert ids[2] not in {hit["id"] for hit in kb.search("C盘空间不够了", 10, mode="semantic")}
    assert [f for f in kb.admin.doctor() if not f["ok"] and f["check"] != "disk"] == []
    closed(kb, home)

    kb = opened(name, home)  # and back again
    eventually("the bundled model serves again", lambda: kb.status()["embedder"]["former"] is None, 60)
    settled(kb)
    eventually(
        "its index is complete",
        lambda: kb.status()["embedder"]["is_searchable"] and kb.status()["pending_vector_count"] == 0,
        60,
    )
    assert fingerprint(kb) == old
    eventually(
        "the new index serves",
        lambda: kb.search("what is the name of the pet?", 1, mode="semantic")[0]["id"] == ids[1],
        60,
    )
    assert [f for f in kb.admin.doctor() if not f["ok"] and f["check"] != "disk"] == []
    closed(kb, home)


def test_without_the_former_model_words_serve_meanwhile(home: Path, gate: Gate) -> None:
    """The former endpoint is gone: keyword search, then the new index."""
    ids = filled("in-process", home, gate)
    with fake_openai(DIM + 4) as other:
        second = Gate(other)
        second.open.clear()
        with KnowledgeBase(home, settings={**second.settings, "embedder.model": "openai:planets"}) as kb:
            settled(kb)
            assert second.waiting.wait(60)
            hit = kb.search("memory number 7", 1, explain=True)[0]
            assert hit["explain"]["mode"] == "lexical"
            assert any("re-embedded" in note for note in hit["explain"]["notes"])
            with pytest.raises(ModelUnavailableError, match="re-embedded"):
                kb.search("memory number 7", mode="semantic")
            assert kb.status()["embedder"]["former"] is None
            second.open.set()
            eventually("the new index serves", lambda: kb.status()["embedder"]["is_searchable"], 60)
            served_by(kb, "memory number 7", ids[7])
            assert kb.status()["embedder"]["dim"] == DIM + 4


def test_killed_in_the_middle_it_goes_on_where_it_was(home: Path, gate: Gate) -> None:
    import psutil

    ids = filled("daemon", home, gate)
    with fake_openai(DIM + 4) as other, daemon_ended(home):
        second = Gate(other)
        settings = {**second.settings, "embedder.model": "openai:planets"}
        asked: list[str] = []
        inner = other.reply

        def reply(request: dict[str, Any]) -> dict[str, Any]:
            if len(asked) > 2 * BATCH and not resumed.is_set():
                second.open.clear()
            asked.extend(text for text in request["input"] if text.startswith("memory number"))
            return inner(request)

        resumed = threading.Event()
        other.reply = reply  # type: ignore[method-assign]
        kb = opened("daemon", home, **settings)
        eventually("two batches are stored, the third is begun", lambda: len(asked) > 2 * BATCH, 60)
        pid = kb.ping()["pid"]
        kb.close()
        process = psutil.Process(pid)
        process.kill()
        process.wait(10)
        resumed.set()
        second.open.set()
        before = len(asked)

        kb = opened("daemon", home, **settings)
        eventually("the new index serves", lambda: kb.status()["embedder"]["is_searchable"], 60)
        eventually("all are embedded", lambda: kb.status()["pending_vector_count"] == 0, 60)
        # calls under way at the kill may be answered late and count once more
        assert len(asked) - before <= COUNT - BATCH, "what was stored is not embedded again"
        for i in (0, COUNT // 2, COUNT - 1):
            served_by(kb, f"memory number {i}", ids[i])
        assert kb.count() == COUNT
        assert [f for f in kb.admin.doctor() if not f["ok"] and f["check"] != "disk"] == []
        closed(kb, home)


def test_a_refused_text_holds_nothing_up(home: Path, gate: Gate) -> None:
    """Neither the texts beside it while it waits, nor the change of model."""
    refused = "this one the server does not like"
    gate.fake.refused = {refused}
    with KnowledgeBase(home, settings={"embedder.model": "none"}) as kb:
        ids = kb.add_many([refused, *(f"memory number {i}" for i in range(40))])
    with KnowledgeBase(home, settings=gate.settings) as kb:
        settled(kb)
        eventually("all others are embedded", lambda: kb.status()["pending_vector_count"] == 1, 60)
        served_by(kb, "memory number 39", ids[40])
        assert not kb.get(ids[0])["indexed"]
        assert kb.search("server like", 1, mode="lexical")[0]["id"] == ids[0]

    with fake_openai(DIM + 4) as other:
        other.refused = {refused}
        with KnowledgeBase(home, settings={**Gate(other).settings, "embedder.model": "openai:planets"}) as kb:
            settled(kb)
            eventually("the new index serves", lambda: kb.status()["embedder"]["former"] is None, 60)
            eventually("and is searched", lambda: kb.status()["embedder"]["dim"] == DIM + 4, 60)
            eventually("by meaning", lambda: kb.status()["embedder"]["is_searchable"], 60)
            served_by(kb, "memory number 39", ids[40])
            assert kb.status()["pending_vector_count"] == 1


def test_a_space_that_is_not_wanted_any_more_is_given_up(home: Path, gate: Gate) -> None:
    ids = filled("in-process", home, gate)
    with fake_openai(DIM + 4) as other:
        second = Gate(other)
        second.open.clear()
        with KnowledgeBase(home, settings={**second.settings, "embedder.model": "openai:planets"}) as kb:
            assert second.waiting.wait(60)
            second.open.set()
    with KnowledgeBase(home, settings=gate.settings) as kb:
        settled(kb)
        tables = home / "lance"
        eventually("one table is left", lambda: len(list(tables.glob("*.lance"))) == 1, 60)
        served_by(kb, "memory number 5", ids[5])


def test_searches_and_writes_go_on_through_the_switch(home: Path, gate: Gate) -> None:
    """One endpoint serves both models: at no moment does a search fail, miss, or meet the other space."""
    _of_the_model(gate.fake)
    ids = filled("in-process", home, gate)
    stop = threading.Event()
    failures: list[str] = []
    searches = itertools.count()
    settings = {**gate.settings, "embedder.model": "openai:planets"}
    with KnowledgeBase(home, settings=settings) as kb:

        def search(n: int) -> None:
            while not stop.is_set():
                n = (n + 7) % COUNT
                try:
                    served_by(kb, f"memory number {n}", ids[n])
                    next(searches)
                except (AssertionError, MemorydError) as error:
                    failures.append(f"{n}: {error!r}")

        def write() -> None:
            while not stop.is_set():
                text = f"new {next(searches)}"
                id = kb.add(text)
                if id not in {hit["id"] for hit in kb.search(text, 20)}:
                    failures.append(f"{text}: not found")

        settled(kb)
        threads = [threading.Thread(target=search, args=(n,)) for n in range(2)]
        threads.append(threading.Thread(target=write))
        assert kb.status()["embedder"]["former"] == OPENAI
        for thread in threads:
            thread.start()
        eventually("the new index serves", lambda: kb.status()["embedder"]["former"] is None, 60)
        goal = next(searches) + 100
        eventually("it is searched and written for a while", lambda: next(searches) > goal, 60)
        stop.set()
        for thread in threads:
            thread.join()
        assert failures == []
        assert next(searches) > 100
        eventually("all are embedded", lambda: kb.status()["pending_vector_count"] == 0, 60)
        assert [f for f in kb.admin.doctor() if not f["ok"] and f["check"] != "disk"] == []


def _of_the_model(fake: FakeOpenAI) -> None:
    """Let each model have dimensions of its own, and vectors that differ with them."""
    reply = fake.reply

    def reply_for(request: dict[str, Any]) -> dict[str, Any]:
        dimensions = DIM + 4 if request["model"] == "planets" else DIM
        return reply({**request, "dimensions": dimensions})

    fake.reply = reply_for  # type: ignore[method-assign]


def test_another_model_behind_the_same_name_is_noticed(home: Path, gate: Gate) -> None:
    """Same server, same name, same dimensions: only the probe set tells."""
    ids = filled("in-process", home, gate)
    asked = len(gate.fake.seen)
    with KnowledgeBase(home, settings=gate.settings) as kb:
        settled(kb)
        served_by(kb, "memory number 3", ids[3])
    assert len(gate.fake.seen) - asked < 10  # nothing was embedded again

    inner = gate.fake.vector
    gate.fake.vector = lambda text, dim: inner(f"another model: {text}", dim)  # type: ignore[method-assign]
    with KnowledgeBase(home, settings=gate.settings) as kb:
        settled(kb)
        eventually("the new index serves", lambda: kb.status()["embedder"]["is_searchable"], 60)
        eventually("all are embedded", lambda: kb.status()["pending_vector_count"] == 0, 60)
        for n in (3, COUNT - 1):
            served_by(kb, f"memory number {n}", ids[n])
        assert [f for f in kb.admin.doctor() if not f["ok"] and f["check"] != "disk"] == []
