"""`memoryd triples` as people and programs use it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_client import KnowledgeClient
from support.daemons import SpawnedDaemon
from support.processes import clean_environment, memoryd


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeClient]:
    home = tmp_path_factory.mktemp("cli-triples") / "home"
    daemon = SpawnedDaemon(home, "daemon.port=0", "embedder.model=none")
    with KnowledgeClient(home) as client:
        client.add("小明是我的同事，住在苏州。我不喜欢香菜")
        client.triples.add("tea", "comes_from", "Assam", frequency="often")
        client.home = home  # type: ignore[attr-defined]
        yield client
    daemon.stop()


def run(client: Any, *arguments: str, code: int = 0) -> str:
    done = memoryd("--data-dir", client.home, "triples", *arguments, env=clean_environment())
    assert "Traceback" not in done.stdout + done.stderr
    assert done.returncode == code, done.stderr
    return str(done.stdout + done.stderr)


def test_triples_are_shown(client: KnowledgeClient) -> None:
    shown = run(client, "page")
    assert "主人 不 喜欢 香菜  <- mem_" in shown
    assert "tea comes_from Assam [often]  <- by hand" in shown
    assert "of 4; 2 others; next page: --cursor " in run(client, "page", "-n", "2")
    [one] = json.loads(run(client, "page", "--predicate", "喜欢", "--json"))["items"]
    assert (one["object"], one["negation"]) == ("香菜", True)
    assert run(client, "page", "--user", "nobody") == "no triples\n"


def test_the_graph_is_walked(client: KnowledgeClient) -> None:
    assert "小明 住在 苏州" in run(client, "query", "我", "--hops", "2")
    assert run(client, "query", "nobody") == "nothing is known of nobody\n"
    assert len(run(client, "path", "香菜", "苏州").splitlines()) == 3
    assert run(client, "path", "tea", "苏州") == "no way\n"
    assert json.loads(run(client, "path", "香菜", "苏州", "--hops", "1", "--json"))["found"] is False


def test_lines_go_out_and_come_in(client: KnowledgeClient, tmp_path: Path) -> None:
    file = tmp_path / "triples.jsonl"
    assert run(client, "export", "-o", str(file)) == f"4 lines in {file}\n"
    assert run(client, "export") == file.read_text(encoding="utf-8")
    file.write_text(file.read_text(encoding="utf-8") + "{broken\n", encoding="utf-8")
    done = run(client, "import", str(file), "--user", "ann", code=1)
    assert done.startswith("4 new triples and 0 aliases taken in, 0 triples known before\n3 pieces of ")
    assert "\nline 1: mem_" in done
    assert "\nline 5: no JSON" in done
    assert client.triples.page(user_id="ann")["total"] == 4


def test_lines_of_a_companion_come_in(client: KnowledgeClient, tmp_path: Path) -> None:
    memory = client.add("hm", user_id="bob")
    file, ids = tmp_path / "companion.jsonl", tmp_path / "ids.json"
    line = {
        "subject": "user",
        "predicate": "likes",
        "object": "coffee",
        "source_memory_ids": ["m1"],
        "metadata": {"negation": True, "degree": "at all"},
    }
    file.write_text(json.dumps(line), encoding="utf-8")
    ids.write_text(json.dumps({"m1": memory}), encoding="utf-8")
    done = run(client, "import", str(file), "--memory-ids", str(ids), "--user", "bob")
    assert done == "1 new triple and 0 aliases taken in, 0 triples known before\n"
    assert f"user not likes coffee <at all>  <- {memory}" in run(client, "page", "--user", "bob")
    out = json.loads(run(client, "export", "--shape", "companion", "--user", "bob"))
    assert (out["source_memory_ids"], out["metadata"]["negation"]) == ([memory], True)
    ids.write_text("[]", encoding="utf-8")
    assert "no JSON object" in run(client, "import", str(file), "--memory-ids", str(ids), code=2)
    file.write_text(json.dumps({**line, "weight": 1}), encoding="utf-8")
    assert "unknown key 'weight'" in run(client, "import", str(file), "--user", "carl", code=1)
