"""The scripts as a person runs them, each on a data directory of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from memory_client.launch import find_daemon
from memory_client.paths import DataPaths
from support.waiting import eventually

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
TOUR = "import quickstart, sys; sys.exit(quickstart.tour(stop=sys.argv[1] == 'stop'))"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A script in the environment that the fixture `home` has set."""
    environ = {**os.environ, "MEMORYD_AUTOSTART": "0"}
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=SCRIPTS, env=environ, capture_output=True, encoding="utf-8", timeout=100, check=False
    )


def test_quickstart_stores_once_finds_and_stops(home: Path) -> None:
    turns = json.loads((SCRIPTS / "sample_conversation.json").read_text(encoding="utf-8"))
    first = run("-c", TOUR, "go on")
    second = run("-c", TOUR, "stop")
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert f"Stored {len(turns)} turns" in first.stdout
    assert re.search(rf"Stored 0 turns in [0-9.]+ ms; {len(turns)} are there", second.stdout)
    assert "电脑的C盘又满了" in first.stdout
    assert str(home) in first.stdout
    eventually("the daemon has stopped", lambda: find_daemon(DataPaths.at(home)) is None)


def test_sample_conversation_has_distinct_ids_and_both_languages() -> None:
    turns = json.loads((SCRIPTS / "sample_conversation.json").read_text(encoding="utf-8"))
    assert len({turn["id"] for turn in turns}) == len(turns) >= 40
    chinese = [turn for turn in turns if any("\u4e00" <= char <= "\u9fff" for char in turn["text"])]
    assert 10 <= len(turns) - len(chinese) < len(chinese)


def test_evaluation_measures_a_data_set_and_leaves_nothing_behind(home: Path, tmp_path: Path) -> None:
    pairs = [{"query": "我养了一只猫", "response": "它叫什么？"}, {"query": "我爱吃面", "response": "好"}]
    question = {
        "user": "林",
        "question": "我爱吃什么？",
        "kind": "fact",
        "any_of": ["2023-05-01#1"],
        "all_of": [],
    }
    data = {"users": [{"user": "林", "history": {"2023-05-01": pairs}}], "questions": [question]}
    path, out = tmp_path / "data.json", tmp_path / "out.jsonl"
    path.write_text(json.dumps(data), encoding="utf-8")
    script = ("eval_retrieval.py", "--dataset", str(path), "--mode", "lexical", "--k", "1", "--out", str(out))
    done = run(*script)
    assert done.returncode == 0, done.stderr
    assert "own store: fact" in done.stdout
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [line["recall"] for line in lines] == [{"1": 1.0}, {"1": 1.0}]
    assert not home.exists()


def test_evaluation_names_a_file_it_cannot_read() -> None:
    done = run("eval_retrieval.py", "--dataset", "nowhere.json")
    assert (done.returncode, done.stderr) == (
        1,
        "eval_retrieval: nowhere.json cannot be read: No such file or directory\n",
    )
