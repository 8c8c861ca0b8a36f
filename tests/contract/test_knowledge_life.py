"""Knowledge over time and under load, in process: the schedule, restarts, many at once, large versions."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_client.errors import KnowledgeValidationError
from memoryd.knowledge_base import KnowledgeBase
from support.waiting import eventually, no_new_threads

START = 1_767_462_300.0
DAY = 86_400.0
FIRST = "20260103174500"


class Clock:
    now = START

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def _no_leaked_threads() -> None:
    """Checked where the store is closed."""


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["sqlite", "files"])
def storage(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def kb(tmp_path: Path, clock: Clock, storage: str) -> Iterator[KnowledgeBase]:
    with no_new_threads(), opened(tmp_path, clock, storage) as kb:
        yield kb


def opened(tmp_path: Path, clock: Clock, storage: str, **more: Any) -> KnowledgeBase:
    settings = {"embedder.model": "none", "knowledge.storage": storage, **more}
    return KnowledgeBase(tmp_path / "home", settings=settings, clock=clock)


def point(content: str, score: int = 50) -> Any:
    return {"content": content, "type": "WorldModel", "score": score}


def kinds(kb: KnowledgeBase, user: str) -> list[str]:
    """Of all versions, newest first."""
    ids = kb.knowledge.get_recent_versions(user, 100)
    found = [kb.knowledge.get_version(user, id) for id in ids]
    return [one["kind"] for one in found if one is not None]


def test_increments_are_merged_weekly(kb: KnowledgeBase, clock: Clock) -> None:
    kb.knowledge.save_knowledge("u", None, [point("tea is hot")])
    kb.knowledge.save_knowledge("v", None, [point("tea is hot")])
    clock.now += 6.9 * DAY
    kb._app._knowledge.merging.run_due()
    assert kinds(kb, "u") == ["increment"]
    clock.now += 0.2 * DAY
    kb._app._jobs.enqueue("knowledge")
    eventually("both are merged", lambda: kinds(kb, "u") == kinds(kb, "v") == ["merge", "increment"])
    clock.now += 30 * DAY
    kb._app._knowledge.merging.run_due()
    assert kinds(kb, "u") == ["merge", "increment"], "there was nothing new"


def test_after_a_rollback_the_schedule_merges_once(kb: KnowledgeBase, clock: Clock) -> None:
    made = [kb.knowledge.save_knowledge("u", None, [point(f"fact {n}")])["version_id"] for n in range(3)]
    kb.knowledge.save_knowledge("v", None, [point("tea is hot")])
    kb.knowledge.rollback("u", made[1])
    clock.now += 8 * DAY
    kb._app._jobs.enqueue("knowledge")
    eventually("both are merged", lambda: kinds(kb, "u")[0] == kinds(kb, "v")[0] == "merge")
    clock.now += 8 * DAY
    assert not kb._app._knowledge.merging.run_due()
    assert kinds(kb, "u") == ["merge", "rollback", *["increment"] * 3]


def test_a_version_saved_among_those_that_are_merged_is_merged_with_them(
    kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    knowledge, merging = kb.knowledge, kb._app._knowledge.merging
    knowledge.save_knowledge("u", FIRST, [point("one")])
    knowledge.save_knowledge("u", "20260105174500", [point("three")])
    ready, times = merging._ready, []

    def interrupted(*given: Any) -> Any:
        made = ready(*given)
        if not times:
            knowledge.save_knowledge("u", "20260104174500", [point("two")])
        times.append(1)
        return made

    monkeypatch.setattr(merging, "_ready", interrupted)
    assert knowledge.merge("u")["point_count"] == 3
    assert len(knowledge.retrieve_relevant_knowledge("u")) == 3


def test_nothing_is_saved_while_a_rollback_looks_at_the_newest(
    kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = kb._app._knowledge.knowledge
    kb.knowledge.save_knowledge("u", FIRST, [point("good")])
    saver = threading.Thread(target=lambda: kb.knowledge.save_knowledge("u", None, [point("bad")]))
    latest, came_between = inner.storage.get_latest_version_id, []

    def interrupted(user: str) -> str:
        found = latest(user)
        if saver.ident is None:
            saver.start()
            saver.join(0.3)
            came_between.append(not saver.is_alive())
        return found

    monkeypatch.setattr(inner.storage, "get_latest_version_id", interrupted)
    assert kb.knowledge.rollback("u", FIRST)["version_id"] == FIRST, "nothing to do"
    saver.join()
    assert came_between == [False], "the rollback would have done nothing about it"
    assert kinds(kb, "u") == ["increment", "increment"]


def test_the_twenty_first_increment_has_them_merged(kb: KnowledgeBase) -> None:
    for number in range(20):
        kb.knowledge.save_knowledge("u", None, [point(f"fact number {number}")])
    assert kinds(kb, "u") == ["increment"] * 20
    kb.knowledge.save_knowledge("u", None, [point("the last straw")])
    eventually("they are merged", lambda: kinds(kb, "u")[0] == "merge")
    assert len(kb.knowledge.load_knowledge("u")) == 21


def test_the_clock_may_go_back(kb: KnowledgeBase, clock: Clock) -> None:
    kb.knowledge.save_knowledge("u", None, [point("a")])
    clock.now -= 3000 * DAY
    kb.knowledge.save_knowledge("u", None, [point("b")])
    kb._app._knowledge.merging.run_due()
    assert [one["content"] for one in kb.knowledge.load_knowledge("u")] == ["b"]
    assert {one["content"] for one in kb.knowledge.retrieve_relevant_knowledge("u")} == {"a", "b"}
    merged = kb.knowledge.merge("u")
    assert kb.knowledge.get_latest_version_id("u") == merged["version_id"]


def test_a_merge_keeps_to_the_limit(tmp_path: Path, clock: Clock, storage: str) -> None:
    with opened(tmp_path, clock, storage, **{"knowledge.max_points": 3}) as kb:
        with pytest.raises(KnowledgeValidationError, match="max_points"):
            kb.knowledge.save_knowledge("u", None, [point(f"fact {n}") for n in range(4)])
        kb.knowledge.save_knowledge("u", None, [point("a", 10), point("b", 90)])
        kb.knowledge.save_knowledge("u", None, [point("c", 80), point("d", 70)])
        receipt = kb.knowledge.merge("u")
        assert (receipt["point_count"], receipt["omitted_count"]) == (3, 1)
        assert [one["content"] for one in kb.knowledge.load_knowledge("u")] == ["b", "c", "d"]


def test_a_rollback_during_a_merge_wins(kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    knowledge, merging = kb.knowledge, kb._app._knowledge.merging
    knowledge.save_knowledge("u", FIRST, [point("good")])
    knowledge.save_knowledge("u", None, [point("bad")])
    ready, times = merging._ready, []

    def interrupted(*given: Any) -> Any:
        made = ready(*given)
        if not times:
            knowledge.rollback("u", FIRST)
            knowledge.save_knowledge("u", None, [point("better")])
        times.append(1)
        return made

    monkeypatch.setattr(merging, "_ready", interrupted)
    receipt = knowledge.merge("u")
    assert len(times) == 2
    assert receipt["point_count"] == 2
    assert {one["content"] for one in knowledge.retrieve_relevant_knowledge("u")} == {"good", "better"}


def test_an_increment_during_a_merge_is_kept(kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    knowledge, merging = kb.knowledge, kb._app._knowledge.merging
    knowledge.save_knowledge("u", FIRST, [point("one")])
    ready = merging._ready

    def interrupted(*given: Any) -> Any:
        made = ready(*given)
        knowledge.save_knowledge("u", None, [point("two")])
        return made

    monkeypatch.setattr(merging, "_ready", interrupted)
    assert knowledge.merge("u")["point_count"] == 1
    assert {one["content"] for one in knowledge.retrieve_relevant_knowledge("u")} == {"one", "two"}


def test_many_save_at_once(kb: KnowledgeBase) -> None:
    def save(who: int) -> None:
        for number in range(5):
            kb.knowledge.save_knowledge("u", None, [point(f"{who} {number}")])

    threads = [threading.Thread(target=save, args=(who,)) for who in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    eventually("no merge is under way", lambda: not kb._app._jobs.is_busy)
    contents = {one["content"] for one in kb.knowledge.retrieve_relevant_knowledge("u", top_k=100)}
    assert len(contents) == 30
    ids = kb.knowledge.get_recent_versions("u", 100)
    assert len(ids) == len(set(ids)) >= 30


def test_a_large_version_is_there_as_a_whole_or_not_at_all(kb: KnowledgeBase) -> None:
    """Its points are made known in portions; until it is there nobody finds them."""
    found: list[int] = []
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            found.append(len(kb.knowledge.retrieve_relevant_knowledge("u", "tea", 1000)))

    watcher = threading.Thread(target=watch)
    watcher.start()
    kb.knowledge.save_knowledge("u", None, [point(f"tea number {number}") for number in range(900)])
    done.set()
    watcher.join()
    assert set(found) <= {0, 900}
    assert len(kb.knowledge.retrieve_relevant_knowledge("u", "tea", 1000)) == 900


def test_what_was_left_of_a_version_that_never_came_goes(
    kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalogue = kb._app._knowledge.knowledge._catalogue

    def broken(*_: Any) -> None:
        raise OSError("the process died here")

    with monkeypatch.context() as patch:
        patch.setattr(type(catalogue), "record", broken)
        with pytest.raises(OSError, match="died"):
            kb.knowledge.save_knowledge("u", FIRST, [point(f"tea number {number}") for number in range(600)])
    assert kb.status()["counts"]["points"] == 600
    for path in (kb._app._parts.paths.knowledge).glob("*/versions/*/*"):
        path.unlink()
    kb._app._knowledge.knowledge.prune()
    assert kb.status()["counts"]["points"] == 0
    assert [finding for finding in kb.admin.doctor() if not finding["ok"]] == []


def test_knowledge_survives_a_restart_and_a_reindex(tmp_path: Path, clock: Clock, storage: str) -> None:
    with opened(tmp_path, clock, storage) as kb:
        kb.knowledge.save_knowledge("u", FIRST, [point("tea is hot", 60)])
        kb.knowledge.publish("teas", filters={"type": "WorldModel"}, user_id="u")
        kb.knowledge.subscribe("u", "teas", user_id="v")
    with opened(tmp_path, clock, storage) as kb:
        for _ in range(2):
            found = kb.knowledge.retrieve_relevant_knowledge("u", "hot tea")
            assert [one["content"] for one in found] == ["tea is hot"]
            assert [hit["text"] for hit in kb.search("tea", scope=["shared"], user_id="v")] == ["tea is hot"]
            kb.admin.reindex()


def test_another_storage_loses_nothing(tmp_path: Path, clock: Clock) -> None:
    def known(kb: KnowledgeBase) -> set[str]:
        return {one["content"] for one in kb.knowledge.retrieve_relevant_knowledge("u")}

    files = tmp_path / "home" / "knowledge" / "user_u"
    with opened(tmp_path, clock, "sqlite") as kb:
        kb.knowledge.save_knowledge("u", FIRST, [point("one")])
    with opened(tmp_path, clock, "files") as kb:
        assert known(kb) == {"one"}
        kb.knowledge.save_knowledge("u", None, [point("two")])
        assert len(list((files / "versions").iterdir())) == 2
        assert len(kb.knowledge.get_recent_versions("u")) == 2
    with opened(tmp_path, clock, "sqlite") as kb:
        assert known(kb) == {"one", "two"}
        kb.knowledge.save_knowledge("u", None, [point("three")])
    with opened(tmp_path, clock, "files") as kb:
        assert known(kb) == {"one", "two", "three"}
    with opened(tmp_path, clock, "sqlite") as kb:
        kb.delete_all("u")
        assert not files.exists()
