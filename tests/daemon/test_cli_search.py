"""`memoryd search` as people and programs use it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memory_client import KnowledgeClient
from memory_client.types import SearchReport
from memoryd.cli.search_output import report_lines
from support.daemons import SpawnedDaemon
from support.processes import clean_environment, memoryd
from support.waiting import eventually


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cli-search") / "home"


@pytest.fixture(scope="module")
def ids(home: Path) -> Any:
    """A store with memories of two users and a conversation."""
    daemon = SpawnedDaemon(home, "daemon.port=0")
    with KnowledgeClient(home) as client:
        eventually("the model is ready", lambda: client.status()["stage"] == "ready", 60)
        found = {
            "nuts": client.add("主人对花生过敏，不能吃花生酱", {"timestamp": "2026-01-03T04:00:00Z"}),
            "dog": client.add("Her dog \x1b[31m Biscuit \x1b[0m hates the vet"),
            "other": client.add("花生是他的猫", user_id="other"),
            "cook": client.add("花生在厨房", agent_id="cook"),
        }
        said = client.conversation.append("talk", "user", "花生酱放在冰箱里", speaker="小明")
        yield {**found, "turn": said["id"]}
    daemon.stop()


def run(home: Path, *arguments: str) -> Any:
    done = memoryd("--data-dir", home, "search", *arguments, env=clean_environment())
    assert "Traceback" not in done.stdout + done.stderr
    return done


def found(home: Path, *arguments: str) -> list[str]:
    """The ids of the hits."""
    done = run(home, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return [hit["id"] for hit in json.loads(done.stdout)["hits"]]


def test_hits_are_readable(home: Path, ids: dict[str, str]) -> None:
    done = run(home, "花生", "-n", "1")
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first.startswith(" 1. 0.")
    assert first.endswith(f"memory fact  {ids['nuts']}")
    assert "2026-01-03" in first
    assert second.strip() == "主人对[花生]过敏，不能吃[花生]酱"


def test_explain_shows_the_plan_the_sources_and_the_sum(home: Path, ids: dict[str, str]) -> None:
    lines = run(
        home, "昨天谁说“花生酱”放在哪里？", "--explain", "--scope", "all", "--tz", "Asia/Shanghai"
    ).stdout
    for words in (
        *("mode      hybrid", "intent    fact", "searched  memory turn", "phrases   花生酱", "asks for"),
        *("time      昨天: ", "took ", " ms", "embedding ", "sources   lexical ", "exact 1.000 (no. "),
        *("found by  花生酱", "offset -", f"turn talk 小明  {ids['turn']}"),
    ):
        assert words in lines, words


def test_options_reach_the_search(home: Path, ids: dict[str, str]) -> None:
    assert found(home, "花生", "--mode", "lexical") == [ids["nuts"]]
    assert found(home, "花生", "--user", "other") == [ids["other"]]
    assert set(found(home, "花生", "--agent", "cook", "--mode", "lexical")) == {ids["nuts"], ids["cook"]}
    assert found(home, "花生", "--scope", "turn") == [ids["turn"]]
    assert found(home, "花生", "--scope", "all", "--session", "talk") == [ids["turn"]]
    assert found(home, "花生", "--until", "2026-02-01", "--since", "2026-01-01") == [ids["nuts"]]
    assert found(home, "花生", "--since", "1767400000.5", "--until", "2026-01-03T05:00:00+01:00") == []
    assert found(home, ids["dog"], "--mode", "exact") == [ids["dog"]]
    assert len(found(home, "what is there", "-n", "1")) == 1


def test_an_empty_answer_says_why(home: Path, ids: dict[str, str]) -> None:
    assert ids
    lines = run(home, "2月30日吃了什么").stdout.splitlines()
    assert lines[0] == "nothing found"
    assert any(line.startswith("! 2月30日") for line in lines)
    left = run(home, "花生", "--session", "nowhere").stdout
    assert left == "nothing found\n! filters or session_id left nothing; something is found without\n"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([""], 1, "query: "),
        (["花生", "--mode", "temporal"], 1, "time_range"),
        (["花生", "--since", "2026-02-30"], 1, "time_range[0]"),
        (["花生", "--since", "2026-02-02", "--until", "2026-02-01"], 1, "not after the end"),
        (["花生", "--tz", "Mars"], 1, "tz: "),
        (["花生", "-n", "0"], 2, "-n"),
        (["花生", "--scope", "summary"], 2, "--scope"),
        ([], 2, "QUERY"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(
    home: Path, ids: dict[str, str], arguments: list[str], code: int, words: str
) -> None:
    assert ids
    done = run(home, *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert words in done.stderr
    assert code == 2 or done.stderr.count("\n") == 1


def test_nothing_in_a_text_steers_the_terminal(home: Path, ids: dict[str, str]) -> None:
    done = run(home, "Biscuit", "--mode", "lexical", "--explain")
    assert ids["dog"] in done.stdout
    assert "\x1b" not in done.stdout
    with KnowledgeClient(home) as client:
        report: SearchReport = client.explain("Biscuit", mode="lexical")
    bold = "\n".join(report_lines(report, explain=False, colours=True))
    assert "\x1b[1mBiscuit\x1b[0m" in bold
    assert "\x1b[31m" not in bold
