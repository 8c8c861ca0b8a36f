"""One suite over every storage of knowledge: files and database keep the same promises."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from memory_client.errors import InvalidParameterError, KnowledgeValidationError, NotFoundError
from memory_client.types import KnowledgePoint
from memoryd.core.knowledge.config import MemoryConfig
from memoryd.storage.database import Database
from memoryd.storage.knowledge.base import VersionStorage
from memoryd.storage.knowledge.files import MemStorageFileSys
from memoryd.storage.knowledge.sqlite import MemStorageSQLite
from memoryd.storage.migrations import migrate

Open = Callable[..., VersionStorage]
FIRST, SECOND, THIRD = "20260103174500", "20260103174500-001", "20260104080000"
AWKWARD = (
    "../../etc",
    "a/b",
    "a\\b",
    "CON",
    "con",
    "NUL",
    "nul.txt",
    "Case",
    "case",
    "trailing.",
    "trailing ",
    "trailing",
    ".",
    "..",
    "~",
    "%2F",
    "小明",
    "é",
    "e\u0301",
    "a:b*c?",
    "-rf",
    "x" * 200,
    "X" * 200,
    "虫" * 66,
)
BAD_POINTS: dict[str, dict[str, Any]] = {
    "score 101": {"score": 101},
    "score -1": {"score": -1},
    "score 80.5": {"score": 80.5},
    "score true": {"score": True},
    "score as text": {"score": "80"},
    "no score": {"score": None},
    "wrong type": {"type": "Gossip"},
    "type None": {"type": None},
    "control character": {"content": "a\x07b"},
    "escape": {"content": "a\x1b[31mb"},
    "blank": {"content": " \n"},
    "no text": {"content": 7},
    "lone surrogate": {"content": "a\ud800"},
    "somebody else's": {"user_id": "somebody else"},
    "metadata a list": {"metadata": ["x"]},
    "metadata no JSON": {"metadata": {"x": {1, 2}}},
    "unknown field": {"scroe": 1},
}


@pytest.fixture(params=["files", "sqlite"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Opens the storage, as often as wanted over the same data."""
    with ExitStack() as stack:

        def sqlite(max_points: int = 10_000) -> VersionStorage:
            path = tmp_path / "memory.sqlite3"
            migrate(path, tmp_path)
            database = Database(path)
            stack.callback(database.close)
            return MemStorageSQLite(database, MemoryConfig(tmp_path, max_knowledge_points=max_points))

        def files(max_points: int = 10_000) -> VersionStorage:
            config = MemoryConfig(tmp_path, max_knowledge_points=max_points)
            return MemStorageFileSys(tmp_path / "knowledge", config)

        yield {"files": files, "sqlite": sqlite}[request.param]


@pytest.fixture
def storage(opened: Open) -> VersionStorage:
    return opened()


def point(content: str, score: int = 50, user_id: str = "u", **more: Any) -> KnowledgePoint:
    given: Any = {
        "content": content,
        "type": "WorldModel",
        "score": score,
        "user_id": user_id,
        "metadata": {},
        **more,
    }
    return given


def test_nothing_is_known_of_a_new_user(storage: VersionStorage) -> None:
    assert storage.get_latest_version_id("u") == ""
    assert storage.get_recent_versions("u", 5) == []
    assert storage.load_knowledge("u") == storage.load_knowledge("u", None) == []
    with pytest.raises(NotFoundError):
        storage.load_knowledge("u", FIRST)


def test_what_is_saved_is_loaded_word_for_word(opened: Open) -> None:
    points = [
        point("主人对花生过敏\n不能吃花生酱", 90, metadata={"from": ["c1", {"n": 1.5}], "ok": None}),
        point("She lives in Beijing \u2028 and “works” there", 20, type="ExperientialKnowledge"),
        point("👍🏽 emoji", 0, type="OtherKnowledge"),
        point("same again", 10),
        point("same again", 70),
    ]
    opened().save_knowledge("u", FIRST, points)
    for version in ("latest", FIRST):
        assert opened().load_knowledge("u", version) == points
    assert opened().describe("u", FIRST).point_count == 5  # type: ignore[union-attr]


def test_what_a_point_leaves_out_is_filled_in(storage: VersionStorage) -> None:
    storage.save_knowledge("u", FIRST, [{"content": "x", "type": "WorldModel", "score": 1, "metadata": None}])
    assert storage.load_knowledge("u") == [point("x", 1)]


def test_the_latest_version_is_the_one_of_the_latest_time(storage: VersionStorage) -> None:
    for version in (SECOND, THIRD, FIRST):
        storage.save_knowledge("u", version, [point(version)])
    assert storage.get_latest_version_id("u") == THIRD
    assert storage.get_recent_versions("u", 2) == [THIRD, SECOND]
    assert storage.get_recent_versions("u", 9) == [THIRD, SECOND, FIRST]
    assert [one["content"] for one in storage.load_knowledge("u")] == [THIRD]


def test_top_k_takes_the_best_scores(storage: VersionStorage) -> None:
    storage.save_knowledge("u", FIRST, [point("a", 10), point("b", 90), point("c", 40), point("d", 90)])
    assert [one["content"] for one in storage.load_knowledge("u", FIRST, 3)] == ["b", "d", "c"]


def test_kind_and_parents_are_kept(opened: Open) -> None:
    storage = opened()
    storage.save_knowledge("u", FIRST, [point("a")])
    storage.save_knowledge("u", THIRD, [point("a")], kind="merge", parents=[FIRST])
    found = opened().describe("u", THIRD)
    assert found is not None
    assert (found.kind, found.parents) == ("merge", (FIRST,))
    assert opened().describe("u", FIRST).kind == "increment"  # type: ignore[union-attr]


def test_a_version_never_changes(storage: VersionStorage) -> None:
    storage.save_knowledge("u", FIRST, [point("a")])
    storage.save_knowledge("u", FIRST, [point("a")])
    with pytest.raises(InvalidParameterError, match=FIRST):
        storage.save_knowledge("u", FIRST, [point("b")])
    assert storage.load_knowledge("u") == [point("a")]
    assert storage.get_recent_versions("u", 9) == [FIRST]


@pytest.mark.parametrize("fault", BAD_POINTS.values(), ids=BAD_POINTS)
def test_a_bad_point_is_refused_and_nothing_changes(storage: VersionStorage, fault: dict[str, Any]) -> None:
    storage.save_knowledge("u", FIRST, [point("a")])
    with pytest.raises(KnowledgeValidationError) as raised:
        storage.save_knowledge("u", SECOND, [point("good"), {**point("bad"), **fault}])
    assert raised.value.data["parameter"].startswith("knowledge_data[1].")
    assert storage.get_recent_versions("u", 9) == [FIRST]


def test_a_version_holds_so_many_points(opened: Open) -> None:
    storage = opened(max_points=3)
    storage.save_knowledge("u", FIRST, [point(str(n)) for n in range(3)])
    with pytest.raises(KnowledgeValidationError, match="max_points"):
        storage.save_knowledge("u", SECOND, [point(str(n)) for n in range(4)])
    assert storage.get_latest_version_id("u") == FIRST


@pytest.mark.parametrize(
    "version",
    [
        "",
        None,
        7,
        "newest",
        "../20260103174500",
        "20261303174500",
        "2026010317450",
        f"{FIRST}-1",
        f"{FIRST}\n",
    ],
)
def test_a_version_is_a_time(storage: VersionStorage, version: Any) -> None:
    with pytest.raises(InvalidParameterError):
        storage.save_knowledge("u", version, [point("a")])
    if version is not None:
        with pytest.raises(InvalidParameterError):
            storage.load_knowledge("u", version)


@pytest.mark.parametrize("points", [None, "abc", 7, {"content": "a"}, [None], ["abc"]])
def test_what_is_no_list_of_points_is_refused(storage: VersionStorage, points: Any) -> None:
    with pytest.raises(KnowledgeValidationError):
        storage.save_knowledge("u", FIRST, points)
    assert storage.get_latest_version_id("u") == ""


@pytest.mark.parametrize(
    "user", ["", None, 7, " ", "a\x00b", "a\nb", "a\x7fb", "a\x85b", "x" * 201, "虫" * 67, "a\ud800"]
)
def test_a_user_that_cannot_be_is_refused(storage: VersionStorage, user: Any, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError):
        storage.save_knowledge(user, FIRST, [point("a", user_id=user)])
    with pytest.raises(InvalidParameterError):
        storage.load_knowledge(user)
    assert not list((tmp_path / "knowledge").glob("*"))


def test_awkward_users_are_apart_and_stay_inside(opened: Open, tmp_path: Path) -> None:
    storage = opened()
    for user in AWKWARD:
        storage.save_knowledge(user, FIRST, [point(f"of {user}", user_id=user)])
    for user in AWKWARD:
        assert opened().load_knowledge(user) == [point(f"of {user}", user_id=user)]
    inside = {"knowledge", "memory.sqlite3", "memory.sqlite3-wal", "memory.sqlite3-shm"}
    assert {path.name for path in tmp_path.iterdir()} <= inside
    for user in AWKWARD[::2]:
        storage.forget_user(user)
    assert [user for user in AWKWARD if storage.get_latest_version_id(user)] == list(AWKWARD[1::2])


def test_a_sample_takes_identical_points_once_and_none_below_the_threshold(storage: VersionStorage) -> None:
    storage.save_knowledge("u", FIRST, [point("old", 100), point("again", 100), point("sunk", 100)])
    storage.save_knowledge("u", SECOND, [point("again", 30), point("sunk", 19), point("low", 19)])
    drawn = storage.load_knowledge("u", None, 50)
    assert sorted((one["content"], one["score"]) for one in drawn) == [("again", 30), ("old", 100)]


def test_a_sample_is_of_the_five_newest_versions(storage: VersionStorage) -> None:
    ids = [f"2026010{day}000000" for day in range(1, 8)]
    for version in ids:
        storage.save_knowledge("u", version, [point(f"{version} {n}") for n in range(3)])
    drawn = storage.load_knowledge("u", None, 100)
    assert {one["content"].split()[0] for one in drawn} == set(ids[-5:])
    assert len(drawn) == 15
    assert len(storage.load_knowledge("u", None)) == 5


def test_a_seed_draws_the_same(opened: Open) -> None:
    storage = opened()
    storage.save_knowledge("u", FIRST, [point(str(n), 20 + n) for n in range(80)])
    drawn = [opened().load_knowledge("u", None, 9, seed=seed) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert len({tuple(one["content"] for one in storage.load_knowledge("u", None, 9)) for _ in range(5)}) > 1


# Files


@pytest.fixture
def files(tmp_path: Path) -> MemStorageFileSys:
    return MemStorageFileSys(tmp_path / "knowledge")


def test_the_layout(files: MemStorageFileSys, tmp_path: Path) -> None:
    files.save_knowledge("u", FIRST, [point("a")])
    files.save_knowledge("u", THIRD, [point("b")])
    home = tmp_path / "knowledge" / "user_u"
    assert (home / "latest.txt").read_text() == THIRD
    assert sorted(path.name for path in (home / "versions").iterdir()) == [FIRST, THIRD]
    path = home / "versions" / FIRST / "knowledge.jsonl"
    assert path.read_text() == (
        '{"content":"a","type":"WorldModel","score":50,"user_id":"u","metadata":{}}\n'
    )
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o600
        assert home.stat().st_mode & 0o777 == 0o700


def test_damaged_lines_are_told_and_skipped(
    files: MemStorageFileSys, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    files.save_knowledge("u", FIRST, [point("a"), point("z")])
    path = tmp_path / "knowledge" / "user_u" / "versions" / FIRST / "knowledge.jsonl"
    good = path.read_bytes().splitlines(keepends=True)
    bad = [
        b"{half a line\n",
        b'{"content":"x","type":"WorldModel","score":101,"metadata":{}}\n',
        b'{"content":"x","type":"WorldModel","score":5,"user_id":"v","metadata":{}}\n',
        b"\xff\xfe\n",
        b"[1]\n",
        b"\n",
        b"[" * 100_000 + b"\n",
        b'{"content":"secret words","type":"Gossip","score":5}\n',
    ]
    path.write_bytes(b"".join([good[0], *bad, good[1], b'{"content":"cut o']))
    damaged: list[Any] = []
    assert list(files.read("u", FIRST, damaged)) == [point("a"), point("z")]
    assert [one["line"] for one in damaged] == [*range(2, 10), 11]
    assert damaged[1]["reason"] == "line.score: expected a whole number from 0 to 100"
    assert files.load_knowledge("u") == [point("a"), point("z")]
    assert f"{path}, line 3, is skipped" in caplog.text
    assert "secret words" not in caplog.text + str(damaged)


def test_a_line_of_another_user_is_not_loaded(files: MemStorageFileSys, tmp_path: Path) -> None:
    files.save_knowledge("u", FIRST, [point("a")])
    root = tmp_path / "knowledge"
    (root / "user_u").rename(root / "user_v")
    assert files.load_knowledge("v") == []
    assert files.load_knowledge("u") == []


def test_a_file_without_an_end_is_not_read_whole(
    files: MemStorageFileSys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryd.storage.knowledge.files._LONGEST_LINE", 1000)
    files.save_knowledge("u", FIRST, [point("a")])
    path = tmp_path / "knowledge" / "user_u" / "versions" / FIRST / "knowledge.jsonl"
    path.write_bytes(b"x" * 5000 + b"\n" + path.read_bytes())
    damaged: list[Any] = []
    assert list(files.read("u", FIRST, damaged)) == [point("a")]
    assert [one["line"] for one in damaged] == [1]


def test_a_file_of_too_many_points_is_read_as_far_as_a_version_goes(tmp_path: Path) -> None:
    MemStorageFileSys(tmp_path).save_knowledge("u", FIRST, [point(str(n)) for n in range(9)])
    damaged: list[Any] = []
    assert (
        len(
            list(
                MemStorageFileSys(tmp_path, MemoryConfig(tmp_path, max_knowledge_points=4)).read(
                    "u", FIRST, damaged
                )
            )
        )
        == 4
    )
    assert [one["line"] for one in damaged] == [5]


def test_what_died_while_it_wrote_is_no_version_and_goes(files: MemStorageFileSys, tmp_path: Path) -> None:
    files.save_knowledge("u", FIRST, [point("a")])
    versions = tmp_path / "knowledge" / "user_u" / "versions"
    left = versions / ".new-0123"
    left.mkdir()
    (left / "knowledge.jsonl").write_text("{")
    (versions / THIRD).mkdir()
    assert files.get_recent_versions("u", 9) == [FIRST]
    files.save_knowledge("u", SECOND, [point("b")])
    assert sorted(path.name for path in versions.iterdir()) == [FIRST, SECOND, THIRD]


@pytest.mark.parametrize(
    "about", [None, "{", '{"kind":"gossip","parents":[]}', '{"kind":"merge","parents":[]}']
)
def test_a_version_without_a_sound_description_is_an_increment(
    files: MemStorageFileSys, tmp_path: Path, about: str | None
) -> None:
    files.save_knowledge("u", FIRST, [point("a")], kind="merge", parents=[FIRST])
    path = tmp_path / "knowledge" / "user_u" / "versions" / FIRST / "version.json"
    path.unlink()
    if about is not None:
        path.write_text(about)
    found = files.describe("u", FIRST)
    assert found is not None
    assert (found.kind, found.parents, found.created_at) == ("increment", (), 1767462300.0)
