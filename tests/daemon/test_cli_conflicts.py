"""`memoryd conflicts` and `memoryd resolve` as people and programs use them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memory_client import KnowledgeClient
from support.daemons import SpawnedDaemon
from support.processes import clean_environment, memoryd


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Any:
    home = tmp_path_factory.mktemp("cli-conflicts") / "home"
    daemon = SpawnedDaemon(home, "daemon.port=0", "embedder.model=none")
    yield home
    daemon.stop()


def run(home: Path, *arguments: str) -> Any:
    done = memoryd("--data-dir", home, *arguments, env=clean_environment())
    assert "Traceback" not in done.stdout + done.stderr
    return done


def test_conflicts_are_shown_and_resolved(home: Path) -> None:
    assert run(home, "conflicts").stdout == "no conflicts\n"
    with KnowledgeClient(home) as client:
        winner = client.add("主人的公司是蓝天")
        loser = client.add("主人的公司是海洋\x1b[31m")
    shown = run(home, "conflicts")
    lines = shown.stdout.splitlines()
    assert [lines[i] for i in (0, 1, 3)] == [
        "medium exclusive: 蓝天 / 海洋 [31m",
        f"    {winner} v1  主人的公司是蓝天",
        f"    {loser} v1  主人的公司是海洋 [31m",
    ]
    assert [line.endswith(" by app") for line in lines] == [False, False, True, False, True]
    (found,) = json.loads(run(home, "conflicts", "--window", "12h", "--json").stdout)
    assert (found["first"]["id"], found["second"]["id"]) == (winner, loser)
    done = run(home, "resolve", winner, loser, "--reason", "she said so")
    assert done.stdout == f"{loser} is archived as wrong; conflicts closed: 1\n"
    assert run(home, "conflicts").stdout == "no conflicts\n"
    (line,) = [
        line for line in run(home, "conflicts", "--decided").stdout.splitlines() if "exclusive" in line
    ]
    assert "(resolved " in line
    assert line.endswith(" by user: she said so)")


def test_what_is_wrong_is_one_line(home: Path) -> None:
    for arguments in (
        ("conflicts", "--window", "soon"),
        ("conflicts", "--memory", "nonsense"),
        ("resolve", "mem_0000000000000000000z", "mem_0000000000000000000y"),
    ):
        done = run(home, *arguments)
        assert done.returncode == 1
        assert done.stderr.startswith("memoryd: ")
        assert len(done.stderr.splitlines()) == 1
