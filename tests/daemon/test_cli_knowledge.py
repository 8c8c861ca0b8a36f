"""`memoryd knowledge` as people and programs use it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_client import KnowledgeClient
from support.daemons import SpawnedDaemon
from support.processes import clean_environment, memoryd

FIRST, SECOND = "20260103174500", "20260104080000"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A daemon with two versions of ann's knowledge."""
    home = tmp_path_factory.mktemp("cli-knowledge") / "home"
    daemon = SpawnedDaemon(home, "daemon.port=0", "embedder.model=none")

    def point(content: str, score: int) -> Any:
        return {"content": content, "type": "WorldModel", "score": score}

    with KnowledgeClient(home) as client:
        client.knowledge.save_knowledge("ann", FIRST, [point("主人对花生过敏", 90), point("tea", 10)])
        client.knowledge.save_knowledge("ann", SECOND, [point("主人对花生过敏", 80), point("new", 50)])
        client.knowledge.save_knowledge("cleo", None, [point("tea", 50)])
    yield home
    daemon.stop()


def run(home: Path, *arguments: str, code: int = 0) -> str:
    done = memoryd("--data-dir", home, "knowledge", *arguments, env=clean_environment())
    assert "Traceback" not in done.stdout + done.stderr
    assert done.returncode == code, done.stderr
    return str(done.stdout + done.stderr)


def test_versions_are_listed(home: Path) -> None:
    lines = run(home, "versions", "--user", "ann").splitlines()
    assert [line.split()[0] for line in lines] == [SECOND, FIRST]
    assert "2 points, increment" in lines[0]
    assert run(home, "versions", "--user", "bob") == "nothing is known yet\n"
    assert "1 point, increment" in run(home, "versions", "--user", "cleo")
    assert [one["version_id"] for one in json.loads(run(home, "versions", "--user", "ann", "--json"))] == [
        SECOND,
        FIRST,
    ]


def test_points_are_shown(home: Path) -> None:
    assert run(home, "show", "--user", "ann").splitlines() == [
        "   80  WorldModel            主人对花生过敏",
        "   50  WorldModel            new",
    ]
    assert len(run(home, "show", FIRST, "--top", "1", "--user", "ann").splitlines()) == 1
    assert "no version 20270101000000" in run(home, "show", "20270101000000", "--user", "ann", code=1)
    assert "expected YYYYMMDDHHMMSS" in run(home, "show", "../x", "--user", "ann", code=1)


def test_versions_are_compared_and_gone_back_to(home: Path) -> None:
    assert run(home, "compare", FIRST, SECOND, "--user", "ann").splitlines() == [
        "+  50  WorldModel            new",
        "-  10  WorldModel            tea",
        "~ 90 -> 80  WorldModel  主人对花生过敏",
        "0 are the same",
    ]
    done = run(home, "rollback", FIRST, "--user", "ann")
    assert f"2 points, rollback of {FIRST}" in done
    assert run(home, "compare", FIRST, "--user", "ann") == "2 are the same\n"
