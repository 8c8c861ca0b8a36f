"""Knowledge points in the caller's process: `MemoryManager`, `MemoryConfig`, and storages of other hands."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import memoryd
from memory_client.errors import registry
from memoryd import (
    ConversationMessage,
    InvalidParameterError,
    KnowledgeValidationError,
    LLMExtractionError,
    MemoryConfig,
    MemoryManager,
    MemorySystemError,
    MemStorage,
    MemStorageFileSys,
    StorageError,
    validate_knowledge_point,
)
from support.processes import spawned

FIRST, SECOND, THIRD = "20260103174500", "20260104080000", "20260105090000"


def point(content: str, score: int = 50, **more: Any) -> Any:
    return {"content": content, "type": "WorldModel", "score": score, **more}


def contents(points: Any) -> list[str]:
    return [one["content"] for one in points]


@pytest.fixture
def manager(tmp_path: Path) -> MemoryManager:
    return MemoryManager(MemoryConfig(tmp_path / "knowledge"))


# Configuration


def test_the_defaults() -> None:
    config = MemoryConfig("somewhere")
    assert config.storage_path == "somewhere"
    assert (config.max_extraction_retries, config.extraction_timeout, config.default_top_k) == (3, 300, 5)
    assert (config.min_score_threshold, config.recent_versions_count) == (20, 5)
    assert config.max_knowledge_points == 10_000


@pytest.mark.parametrize(
    "wrong",
    [
        {"storage_path": None},
        {"storage_path": 7},
        {"storage_path": ""},
        {"storage_path": b"bytes"},
        {"max_extraction_retries": -1},
        {"extraction_timeout": "300"},
        {"extraction_timeout": 0},
        {"default_top_k": 0},
        {"default_top_k": True},
        {"min_score_threshold": 101},
        {"min_score_threshold": 20.5},
        {"recent_versions_count": "5"},
        {"max_knowledge_points": 0},
    ],
    ids=str,
)
def test_a_wrong_value_is_an_error_at_once(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameterError, match=next(iter(wrong))):
        MemoryConfig(**{"storage_path": "x", **wrong})


def test_it_takes_a_configuration_or_what_has_one(tmp_path: Path) -> None:
    config = MemoryConfig(str(tmp_path / "k"), default_top_k=2)
    for given in (config, SimpleNamespace(memory_config=config, theme="dark"), MemoryManager(config)):
        manager = MemoryManager(given)
        assert manager.memory_config is config
        assert isinstance(manager.storage, MemStorageFileSys)
        assert manager.storage.memory_config is config


@pytest.mark.parametrize(
    "wrong",
    [None, 7, "a/path", {"storage_path": "x"}, SimpleNamespace(memory_config={"storage_path": "x"})],
    ids=str,
)
def test_another_type_is_an_error_at_construction(wrong: Any, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError, match="MemoryConfig"):
        MemoryManager(wrong)
    if wrong is not None:
        with pytest.raises(InvalidParameterError, match="memory_config"):
            MemStorageFileSys(tmp_path, wrong)


@pytest.mark.parametrize("path", [None, 7, "", b"x", ["x"]], ids=str)
def test_a_path_of_another_type_is_an_error_at_construction(path: Any) -> None:
    with pytest.raises(InvalidParameterError, match="base_path"):
        MemStorageFileSys(path, MemoryConfig("x"))


def test_a_path_that_is_a_file_is_an_error_at_construction(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(InvalidParameterError, match=r"base_path: .* is a file"):
        MemStorageFileSys(tmp_path / "file", MemoryConfig(tmp_path))


@pytest.mark.parametrize("wrong", [7, object(), MemStorageFileSys], ids=["number", "object", "class"])
def test_a_storage_without_the_methods_is_an_error_at_construction(wrong: Any, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError, match=r"storage: .*get_recent_versions"):
        MemoryManager(MemoryConfig(tmp_path), wrong)


# The manager


def test_keywords_of_the_storage(tmp_path: Path) -> None:
    config = MemoryConfig(tmp_path)
    storage = MemStorageFileSys(base_path=tmp_path, memory_config=config)
    storage.save_knowledge(user_id="u", version_id=FIRST, knowledge_data=[point("a")])
    assert contents(storage.load_knowledge(user_id="u", version_id="latest", top_k=1)) == ["a"]
    assert validate_knowledge_point(point("a", user_id="u"), expected_user_id="u")["user_id"] == "u"
    with pytest.raises(KnowledgeValidationError, match="user_id"):
        validate_knowledge_point(point("a", user_id="v"), expected_user_id="u")


def test_relevant_points_are_found_by_their_words(manager: MemoryManager) -> None:
    manager.storage.save_knowledge(
        "u",
        FIRST,
        [point("主人对花生过敏", 40), point("She plays the violin on Sundays", 60), point("tea", 90)],
    )
    manager.storage.save_knowledge("u", SECOND, [point("Her violin was made in 1902", 30), point("low", 19)])
    find = manager.retrieve_relevant_knowledge
    assert contents(find("u", "什么花生")) == ["主人对花生过敏"]
    assert set(contents(find("u", "violin"))) == {
        "She plays the violin on Sundays",
        "Her violin was made in 1902",
    }
    assert contents(find("u", top_k=2)) == ["tea", "She plays the violin on Sundays"]
    assert contents(find("u", "nothing of the kind", 1)) == ["tea"], "the best scores"
    assert "low" not in contents(find("u", "low", 100))
    assert find("nobody", "tea") == []


def test_default_top_k_counts_for_both(tmp_path: Path) -> None:
    manager = MemoryManager(MemoryConfig(tmp_path, default_top_k=2))
    manager.storage.save_knowledge("u", FIRST, [point(f"tea {n}") for n in range(9)])
    assert len(manager.retrieve_relevant_knowledge("u")) == 2
    assert len(manager.retrieve_relevant_knowledge("u", "tea")) == 2
    assert len(manager.retrieve_knowledge_with_sampling("u")) == 2
    assert len(manager.retrieve_knowledge_with_sampling("u", top_k=4)) == 4


def test_thresholds_of_the_configuration_count_for_samples(tmp_path: Path) -> None:
    config = MemoryConfig(tmp_path, min_score_threshold=60, recent_versions_count=2, max_knowledge_points=2)
    manager = MemoryManager(config)
    for version, score in ((FIRST, 90), (SECOND, 60), (THIRD, 59)):
        manager.storage.save_knowledge("u", version, [point(version, score)])
    assert contents(manager.retrieve_knowledge_with_sampling("u", 9)) == [SECOND]
    assert contents(manager.storage.load_knowledge("u", None, 9)) == [SECOND]
    assert contents(manager.retrieve_relevant_knowledge("u")) == [FIRST, SECOND]
    with pytest.raises(KnowledgeValidationError, match="max_knowledge_points"):
        manager.storage.save_knowledge("u", "20260106000000", [point(str(n)) for n in range(3)])


def test_a_merge_stands_for_its_parents(tmp_path: Path) -> None:
    storage = MemStorageFileSys(tmp_path)
    storage.save_knowledge("u", FIRST, [point("old words")])
    storage.save_knowledge("u", SECOND, [point("new words")], kind="merge", parents=[FIRST])
    storage.save_knowledge("u", THIRD, [point("more"), point("new words", 80)])
    found = MemoryManager(MemoryConfig(tmp_path)).retrieve_relevant_knowledge("u")
    assert [(one["content"], one["score"]) for one in found] == [("new words", 80), ("more", 50)]


def test_what_is_found_can_be_saved_again(manager: MemoryManager) -> None:
    manager.storage.save_knowledge("u", FIRST, [point("a", metadata={"from": "chat"})])
    found = manager.retrieve_relevant_knowledge("u", "a")
    manager.storage.save_knowledge("u", SECOND, found)
    assert manager.storage.load_knowledge("u", SECOND) == found


@pytest.mark.parametrize("count", [0, -1, True, "5", 10_001], ids=str)
def test_a_wrong_count_is_refused(manager: MemoryManager, count: Any) -> None:
    with pytest.raises(InvalidParameterError, match="top_k"):
        manager.retrieve_relevant_knowledge("u", top_k=count)
    with pytest.raises(InvalidParameterError, match="top_k"):
        manager.retrieve_knowledge_with_sampling("u", count)


def test_extraction_without_a_language_model_is_a_typed_error(manager: MemoryManager) -> None:
    messages: list[ConversationMessage] = [ConversationMessage(role="user", content="我对花生过敏")]
    with pytest.raises(LLMExtractionError, match="no language model") as raised:
        manager.extract_knowledge_sync("u", messages)
    assert isinstance(raised.value, MemorySystemError)
    with pytest.raises(LLMExtractionError):
        asyncio.run(manager.extract_knowledge_async("u", messages))
    wrongs: list[Any] = [None, [], ["hi"], [{"role": "boss", "content": "hi"}], [{"role": "user"}]]
    for wrong in wrongs:
        with pytest.raises(InvalidParameterError, match="messages"):
            manager.extract_knowledge_sync("u", wrong)


def test_the_package_offers_the_error_tree() -> None:
    names = {cls.__name__ for cls in registry().values() if cls.__module__ == "memory_client.errors"}
    assert names <= set(memoryd.__all__)
    assert all(getattr(memoryd, name) is not None for name in memoryd.__all__)


def test_it_starts_no_daemon_and_takes_no_directory(tmp_path: Path) -> None:
    code = (
        "import sys, memoryd\n"
        "manager = memoryd.MemoryManager(memoryd.MemoryConfig(sys.argv[1]))\n"
        "manager.storage.save_knowledge('u', '20260103174500', "
        "[{'content': 'tea', 'type': 'WorldModel', 'score': 50}])\n"
        "print(manager.retrieve_relevant_knowledge('u', 'tea')[0]['content'])\n"
    )
    home, place = tmp_path / "home", tmp_path / "knowledge"
    done = subprocess.run(
        [sys.executable, "-c", code, str(place)],
        env={**os.environ, "MEMORYD_AUTOSTART": "", "MEMORYD_HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == ("tea\n", "")
    assert not home.exists()


# A storage of one's own


class FourMethods(MemStorage):
    """Only what the interface asks for."""

    def __init__(self) -> None:
        self.versions: dict[tuple[str, str], list[Any]] = {}

    def save_knowledge(self, user_id: str, version_id: str, knowledge_data: Any) -> None:
        self.versions[user_id, version_id] = list(knowledge_data)

    def load_knowledge(
        self, user_id: str, version_id: str | None = "latest", top_k: int | None = None
    ) -> list[Any]:
        version = self.get_latest_version_id(user_id) if version_id == "latest" else version_id
        return self.versions.get((user_id, version or ""), [])[:top_k]

    def get_latest_version_id(self, user_id: str) -> str:
        return next(iter(self.get_recent_versions(user_id, 1)), "")

    def get_recent_versions(self, user_id: str, count: int) -> list[str]:
        return sorted((v for user, v in self.versions if user == user_id), reverse=True)[:count]


class NotDerived:
    """The four methods, and no relation to `MemStorage`."""

    def __init__(self) -> None:
        inner = FourMethods()
        self.save_knowledge = inner.save_knowledge
        self.load_knowledge = inner.load_knowledge
        self.get_latest_version_id = inner.get_latest_version_id
        self.get_recent_versions = inner.get_recent_versions


@pytest.mark.parametrize("make", [FourMethods, NotDerived])
def test_a_storage_with_the_four_methods_is_enough(make: Callable[[], Any], tmp_path: Path) -> None:
    manager = MemoryManager(MemoryConfig(tmp_path / "unused"), storage=make())
    manager.storage.save_knowledge("u", "1", [point("old tea", 60, source="x"), point("tea", 30)])
    manager.storage.save_knowledge("u", "2", [point("tea", 70), point("low", 1)])
    assert contents(manager.retrieve_relevant_knowledge("u", "tea")) == ["tea", "old tea"]
    drawn = manager.retrieve_knowledge_with_sampling("u", 9, seed=1)
    assert sorted((one["content"], one["score"]) for one in drawn) == [("old tea", 60), ("tea", 70)]
    assert drawn[0].keys() == {"content", "type", "score", "user_id", "metadata"}
    assert not (tmp_path / "unused").exists()


def test_a_storage_that_returns_what_is_no_point_is_named(tmp_path: Path) -> None:
    manager = MemoryManager(MemoryConfig(tmp_path), storage=FourMethods())
    manager.storage.save_knowledge("u", "1", [{"content": "a", "type": "WorldModel", "score": "90"}])
    with pytest.raises(KnowledgeValidationError, match=r"1\[0\]\.score"):
        manager.retrieve_relevant_knowledge("u")


# Folders of another program


def write_foreign(root: Path, user: str, version: str, lines: list[Any]) -> Path:
    place = root / f"user_{user}" / "versions" / version
    place.mkdir(parents=True)
    (place / "knowledge.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (root / f"user_{user}" / "latest.txt").write_text(version)
    return root / f"user_{user}"


def test_a_folder_under_the_plain_name_is_read_and_not_renamed(tmp_path: Path) -> None:
    lines = [point("tea", 80, user_id="Alice", timestamp=1.5, extra={"deep": [1]}), point("no owner", 30)]
    home = write_foreign(tmp_path, "Alice", FIRST, lines)
    before = (home / "versions" / FIRST / "knowledge.jsonl").read_bytes()
    manager = MemoryManager(MemoryConfig(tmp_path))
    storage = manager.storage
    assert storage.get_latest_version_id("Alice") == FIRST
    assert storage.load_knowledge("Alice")[0] == {
        "content": "tea",
        "type": "WorldModel",
        "score": 80,
        "user_id": "Alice",
        "metadata": {},
    }
    assert contents(manager.retrieve_relevant_knowledge("Alice", "tea")) == ["tea"]
    assert storage.get_recent_versions("alice", 5) == []
    storage.save_knowledge("Alice", SECOND, [point("coffee")])
    assert storage.get_recent_versions("Alice", 5) == [SECOND, FIRST]
    assert (home / "latest.txt").read_text() == SECOND, "the other program finds it"
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["user_Alice"]
    assert (home / "versions" / FIRST / "knowledge.jsonl").read_bytes() == before


def test_both_folders_of_a_user_are_read(tmp_path: Path) -> None:
    storage = MemStorageFileSys(tmp_path)
    storage.save_knowledge("Alice", SECOND, [point("ours")])
    write_foreign(tmp_path, "Alice", FIRST, [point("theirs")])
    write_foreign(tmp_path, "Bob", FIRST, [point("of Bob")])
    assert storage.get_recent_versions("Alice", 5) == [SECOND, FIRST]
    assert contents(storage.load_knowledge("Alice", FIRST)) == ["theirs"]
    storage.save_knowledge("Alice", THIRD, [point("new")])
    assert (tmp_path / "user_%41lice" / "versions" / THIRD).is_dir()
    storage.forget_user("Alice")
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == ["user_Bob"]


@pytest.mark.parametrize("user", ["%41lice", "a/../user_Alice", "../user_Alice", "ALICE", "Alice "])
def test_no_other_user_gets_the_folder(user: str, tmp_path: Path) -> None:
    storage = MemStorageFileSys(tmp_path / "k")
    write_foreign(tmp_path / "k", "Alice", FIRST, [point("theirs")])
    storage.save_knowledge("Alice2", FIRST, [point("ours")])
    (tmp_path / "k" / "user_%41lice").mkdir()
    assert storage.get_recent_versions(user, 5) == []


def test_a_folder_of_another_case_is_not_taken_for_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_foreign(tmp_path, "Alice", FIRST, [point("theirs")])
    storage = MemStorageFileSys(tmp_path)
    exact = Path.is_dir

    def folding(path: Path) -> bool:
        names = [one.name.casefold() for one in path.parent.iterdir()] if exact(path.parent) else []
        return exact(path) or path.name.casefold() in names

    monkeypatch.setattr(Path, "is_dir", folding)  # as on Windows and macOS
    with pytest.raises(StorageError, match="letter case"):
        storage.get_recent_versions("alice", 5)


def test_two_processes_may_write(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from memoryd import MemStorageFileSys\n"
        "storage = MemStorageFileSys(sys.argv[1])\n"
        "for n in range(20):\n"
        "    storage.save_knowledge('u', f'202601030000{n:02d}-{int(sys.argv[2]):03d}', "
        "[{'content': str(n), 'type': 'WorldModel', 'score': 50}])\n"
    )
    commands = [[sys.executable, "-c", code, str(tmp_path), str(n)] for n in (1, 2, 3)]
    with ExitStack() as stack:
        running = [stack.enter_context(spawned(command, stderr=subprocess.PIPE)) for command in commands]
        assert [process.communicate(timeout=60)[1] for process in running] == ["", "", ""]
    assert len(MemStorageFileSys(tmp_path).get_recent_versions("u", 100)) == 60
