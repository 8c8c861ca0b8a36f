"""What is embedded of a turn: its line, and the lines of the remembered turns before it in its session.

The endpoint keeps what it was asked to embed.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memoryd.knowledge_base import KnowledgeBase
from support.openai_server import FakeOpenAI, Fault, fake_openai
from support.waiting import eventually


@pytest.fixture
def endpoint() -> Iterator[FakeOpenAI]:
    with fake_openai(16) as fake:
        yield fake


@pytest.fixture
def kb(tmp_path: Path, endpoint: FakeOpenAI) -> Iterator[KnowledgeBase]:
    chosen = {
        "embedder.model": "openai:stars",
        "embedder.base_url": endpoint.url,
        "lance.batch_seconds": 0.05,
    }
    with KnowledgeBase(tmp_path / "home", settings=chosen) as kb:
        eventually("the model is ready", lambda: kb.status()["embedder"]["is_searchable"])
        endpoint.seen.clear()
        yield kb


def embedded(kb: KnowledgeBase, endpoint: FakeOpenAI) -> set[str]:
    """The texts embedded since the last look, once nothing waits any more."""
    eventually("everything is embedded", lambda: kb.status()["pending_vector_count"] == 0)
    found = {text for one in endpoint.seen for text in one.body["input"]}
    endpoint.seen.clear()
    return found


def say(*texts: str) -> list[Any]:
    return [{"role": "user", "text": text, "speaker": "Ann"} for text in texts]


def test_a_turn_is_embedded_with_those_before(kb: KnowledgeBase, endpoint: FakeOpenAI) -> None:
    c = kb.conversation
    c.append("s", "user", "hi", speaker="Ann")
    c.append("s", "assistant", "for now", remember=False)
    first = c.append("s", "assistant", "hello")
    c.append("t", "user", "another session")
    c.append("s", "user", "an agent's", agent_id="cook")
    assert embedded(kb, endpoint) == {"Ann: hi", "Ann: hi\nhello", "another session", "an agent's"}
    turn = c.get(first["id"])
    assert turn is not None
    assert turn["indexed"]


def test_extend_embeds_each_turn_in_its_context(kb: KnowledgeBase, endpoint: FakeOpenAI) -> None:
    c = kb.conversation
    c.append("s", "user", "before")
    embedded(kb, endpoint)
    items = say("one", "two")
    items.insert(1, {"role": "tool", "text": "for now", "remember": False})
    ids = c.extend("s", items)["ids"]
    turns = [c.get(id) for id in ids]
    assert [turn["indexed"] for turn in turns if turn is not None] == [True, False, True]
    assert embedded(kb, endpoint) == {"before\nAnn: one", "before\nAnn: one\nAnn: two"}
    c.extend("s", say("three"))
    assert embedded(kb, endpoint) == {"Ann: one\nAnn: two\nAnn: three"}


def test_a_delete_embeds_the_turns_behind_anew(kb: KnowledgeBase, endpoint: FakeOpenAI) -> None:
    c = kb.conversation
    ids = c.extend("s", say(*"abcdef"))["ids"]
    embedded(kb, endpoint)
    c.delete([ids[1], ids[2], ids[5]])
    assert kb.stats()["turn_count"] == 3
    assert embedded(kb, endpoint) == {"Ann: a\nAnn: d", "Ann: a\nAnn: d\nAnn: e"}
    c.delete([ids[0]])
    assert embedded(kb, endpoint) == {"Ann: d", "Ann: d\nAnn: e"}
    turn = c.get(ids[3])
    assert turn is not None
    assert turn["indexed"]
    assert [finding for finding in kb.admin.doctor() if not finding["ok"]] == []


def test_what_is_not_remembered_leaves_no_trace_in_the_index(kb: KnowledgeBase, endpoint: FakeOpenAI) -> None:
    c = kb.conversation
    c.extend("s", [{"role": "user", "text": "for now", "remember": False}])
    passing = c.append("s", "user", "this too", remember=False)
    c.append("s", "user", "kept")
    c.delete([passing["id"]])
    c.end("s")
    assert embedded(kb, endpoint) == {"kept"}


def test_a_turn_that_comes_while_others_are_embedded_is_their_context(
    kb: KnowledgeBase, endpoint: FakeOpenAI
) -> None:
    c = kb.conversation
    c.append("s", "user", "early")
    embedded(kb, endpoint)
    endpoint.faults.append(Fault(seconds=1.0))
    worker = threading.Thread(target=c.extend, args=("s", say("one", "two")))
    worker.start()
    eventually("the embedding is under way", lambda: endpoint.seen)
    c.append("s", "user", "between")
    worker.join()
    assert [turn["text"] for turn in c.window("s")] == ["early", "between", "one", "two"]
    asked = embedded(kb, endpoint)
    assert {"early\nbetween", "early\nbetween\nAnn: one", "between\nAnn: one\nAnn: two"} <= asked


def test_reindex_makes_the_same_of_a_turn(kb: KnowledgeBase, endpoint: FakeOpenAI) -> None:
    c = kb.conversation
    c.append("s", "user", f"long {'字' * 1000}")
    c.extend("s", say("two", "three", f"also long {'word ' * 300}", "five"))
    before = embedded(kb, endpoint)
    done = kb.admin.reindex()
    assert (done["keyword_count"], done["pending_count"]) == (5, 0)
    assert embedded(kb, endpoint) == before
