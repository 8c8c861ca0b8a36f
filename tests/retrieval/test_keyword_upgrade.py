"""Keyword tables of an earlier schema: how they go, and what does not wait for it."""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memoryd.index.keyword import keyword_removal, partitions
from memoryd.index.keyword.keyword_fill import KeywordFill
from memoryd.knowledge_base import KnowledgeBase
from memoryd.storage.database import Database
from memoryd.storage.migrations import migrate
from support.keyword_upgrade import USER, former_store, is_filled
from support.waiting import PATIENCE, eventually

NO_MODEL = {"embedder.model": "none"}
OTHER = "other/../user"


def test_a_large_table_is_deleted_in_slices_and_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partitions, "_DROPPED_AT_ONCE", 100)
    monkeypatch.setattr(keyword_removal, "_DELETED_AT_ONCE", 50)
    monkeypatch.setattr(keyword_removal, "_SECONDS", 0.0)
    path = former_store(tmp_path, [f"tea number{n}" for n in range(300)])
    migrate(path, tmp_path)
    with closing(Database(path)) as database:

        def left() -> list[str]:
            with database.read() as connection:
                return partitions.set_aside(connection)

        fill = KeywordFill(database)
        assert fill.run(float("inf"), lambda: bool(left())), "stopped before the content is deleted"
        assert len(left()) == 2
        with database.read() as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        assert KeywordFill(database).is_needed()
        slices = []
        assert not KeywordFill(database).run(float("inf"), lambda: slices.append(left()))  # type: ignore[func-returns-value]
        assert len(slices) > 5
        assert left() == []
        assert not fill.is_needed()
    assert is_filled(path)


def test_forgetting_a_user_does_not_wait_for_the_filling_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = former_store(tmp_path, [f"unforgettable tea {n}" for n in range(50)], OTHER)
    begun, may_go_on, go_on = threading.Event(), threading.Event(), KeywordFill._go_on

    def hold(self: KeywordFill, *args: Any) -> deque[int]:
        begun.set()
        assert may_go_on.wait(PATIENCE * 2)
        return go_on(self, *args)

    monkeypatch.setattr(KeywordFill, "_go_on", hold)
    with KnowledgeBase(tmp_path, settings=NO_MODEL) as kb, ThreadPoolExecutor(1) as pool:
        assert begun.wait(PATIENCE)
        try:
            gone = pool.submit(kb.delete_all, OTHER).result(PATIENCE)
            assert not may_go_on.is_set()
            assert gone["counts"]["memories"] == 51
            assert kb.search("tea", user_id=OTHER, mode="lexical") == []
            assert not [file for file in tmp_path.glob("memory*") if b"unforgett" in file.read_bytes()]
            assert kb.search("花生", user_id=USER, mode="lexical")
            assert not is_filled(path)
        finally:
            may_go_on.set()
        eventually("the others are filled", lambda: is_filled(path))
        assert kb.search("花生", user_id=USER, mode="lexical")
