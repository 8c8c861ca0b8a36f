"""`memoryd history`, `memoryd forget` and searches of the past, as people use them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_client import KnowledgeClient
from support.daemons import SpawnedDaemon
from support.processes import clean_environment, memoryd
from support.waiting import eventually


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    home = tmp_path_factory.mktemp("cli-past") / "home"
    daemon = SpawnedDaemon(home, "daemon.port=0", "embedder.model=none")
    with KnowledgeClient(home) as client:
        eventually("the store is ready", lambda: client.status()["stage"] == "ready")
    yield home
    daemon.stop()


@pytest.fixture
def client(home: Path) -> Iterator[KnowledgeClient]:
    with KnowledgeClient(home) as client:
        yield client


def run(home: Path, *arguments: str) -> Any:
    done = memoryd("--data-dir", home, *arguments, env=clean_environment())
    assert "Traceback" not in done.stdout + done.stderr
    return done


def test_a_history_shows_what_changed(home: Path, client: KnowledgeClient) -> None:
    id = client.add("主人住在北京", user_id="h")
    client.update_text(id, "主人住在上海", user_id="h")
    client.update_metadata(id, {"verified": True}, user_id="h")
    client.archive(id, "moved\nagain", user_id="h")
    done = run(home, "history", id, "--user", "h")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines if line.startswith("v")] == ["v1", "v2", "v3", "v4"]
    assert lines[1].strip() == "主人住在北京"
    assert lines[3].strip() == "主人住在[-北京-]{+上海+}"
    assert lines[5].strip() == "verified: False -> True"
    assert f"archive by app: moved again  (ver_{id[4:]}.4, " in lines[6]
    found = json.loads(run(home, "history", id, "--user", "h", "--json", "-n", "1").stdout)
    assert [one["version"] for one in found] == [4]
    failed = run(home, "history", "mem_0000000000000000000z")
    assert failed.returncode == 1
    assert "no memory mem_0000000000000000000z" in failed.stderr


def test_a_history_shows_what_changed_of_the_metadata(home: Path, client: KnowledgeClient) -> None:
    id = client.add("a door", {"mood": "good", "size": 3}, user_id="d")
    client.update_metadata(id, {"mood": "bad", "place": "hall"}, user_id="d")
    lines = run(home, "history", id, "--user", "d").stdout.splitlines()
    told = [line.strip() for line in lines[-2:]]
    assert told == ["mood: good -> bad", "place: nothing -> hall"]


def test_forgetting_is_shown_before_it_is_done(home: Path, client: KnowledgeClient) -> None:
    first = client.add("the plan for Prague", user_id="f")
    second = client.add("a plan for Paris", user_id="f")
    client.archive(second, user_id="f")
    shown = run(home, "forget", "plan", "--user", "f")
    assert shown.returncode == 0, shown.stderr
    assert first in shown.stdout
    assert f"{second}  memory, archived" in shown.stdout
    assert "nothing is destroyed" in shown.stdout
    assert client.count(user_id="f", include_archived=True) == 2
    chosen = run(home, "forget", "plan", "--user", "f", "--id", second, "--yes")
    assert "destroyed: 1" in chosen.stdout
    assert [one["id"] for one in client.get_all("f", include_archived=True)] == [first]
    refused = run(home, "forget", "plan", "--user", "f", "--yes")
    assert (refused.returncode, client.count(user_id="f")) == (2, 1)
    assert "--all" in refused.stderr
    asked = run(home, "forget", "plan", "--user", "f", "--all")
    assert (asked.returncode, client.count(user_id="f")) == (1, 1), "nobody answers"
    assert "destroyed: 1" in run(home, "forget", "plan", "--user", "f", "--all", "--yes").stdout
    assert "nothing found" in run(home, "forget", "plan", "--user", "f", "--all", "--yes").stdout


def test_a_protected_memory_is_forgotten_by_force_alone(home: Path, client: KnowledgeClient) -> None:
    id = client.add("a core plan", {"category": "core"}, user_id="s")
    assert "system, core or pinned: 1" in run(home, "forget", "plan", "--user", "s", "--all", "--yes").stdout
    refused = run(home, "forget", "plan", "--user", "s", "--id", id, "--yes")
    assert (refused.returncode, client.count(user_id="s")) == (2, 1)
    assert "--force" in refused.stderr
    done = run(home, "forget", "plan", "--user", "s", "--id", id, "--yes", "--force", "--reason", "over")
    assert "destroyed: 1" in done.stdout
    assert "user deleted it" in run(home, "history", id, "--user", "s").stderr


def test_what_is_not_shown_is_said(home: Path, client: KnowledgeClient) -> None:
    client.add_many([f"花生事件第{i}次" for i in range(5)], user_id="m")
    other = client.add("主人住在上海", user_id="m")
    assert "and 2 more" in run(home, "forget", "花生", "-n", "3", "--user", "m").stdout
    failed = run(home, "forget", "花生", "--id", other, "--yes", "--user", "m")
    assert (failed.returncode, client.count(user_id="m")) == (2, 6)
    assert other in failed.stderr
    assert run(home, "forget", "zzzqqq", "--user", "m").stdout == "nothing found\n"


def test_the_past_is_searched(home: Path, client: KnowledgeClient) -> None:
    id = client.add("a red door", user_id="p")
    time.sleep(0.01)
    then = time.time()
    time.sleep(0.01)
    client.update_text(id, "a green door", user_id="p")
    client.archive(id, user_id="p")
    assert f"memory fact archived  {id}" in run(home, "search", "door", "--user", "p", "--archived").stdout
    assert id not in run(home, "search", "door", "--user", "p").stdout
    done = run(home, "search", "door", "--user", "p", "--as-of", str(then), "--json")
    assert [hit["text"] for hit in json.loads(done.stdout)["hits"]] == ["a red door"]
    then_shown = run(home, "search", "door", "--user", "p", "--as-of", str(then)).stdout
    assert f"memory fact  {id}" in then_shown
