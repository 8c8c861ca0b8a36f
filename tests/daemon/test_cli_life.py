"""`memoryd decay` and `memoryd review` as people and programs use them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from memory_client import KnowledgeClient
from support.daemons import SpawnedDaemon
from support.processes import clean_environment, memoryd


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeClient]:
    home = tmp_path_factory.mktemp("cli-life") / "home"
    daemon = SpawnedDaemon(home, "daemon.port=0", "embedder.model=none")
    with KnowledgeClient(home) as client:
        client.ping()
        client.home = home  # type: ignore[attr-defined]
        yield client
    daemon.stop()


def run(client: Any, *arguments: str, code: int = 0) -> str:
    done = memoryd("--data-dir", client.home, *arguments, env=clean_environment())
    assert "Traceback" not in done.stdout + done.stderr
    assert done.returncode == code, done.stderr
    return str(done.stdout + done.stderr)


def test_a_pass_is_shown_made_and_undone(client: KnowledgeClient) -> None:
    id = client.add("the \x1b[31mcoupon\x1b[0m for the museum", {"expires_at": "2020-01-01"}, user_id="ann")
    shown = run(client, "decay", "preview", "--user", "ann")
    assert "of 1 active memories a pass would archive 0 that have faded and 1 that have expired" in shown
    assert f"archive, expired fact    1.00 -> 1.00 in 0 days    {id}  the  [31mcoupon [0m" in shown
    [one] = json.loads(run(client, "decay", "preview", "--user", "ann", "--json"))["items"]
    assert (one["id"], one["outcome"]) == (id, "expired")

    done = run(client, "decay", "run", "--user", "ann")
    assert "archived 1, asked about 0" in done
    pass_id = done.partition(":")[0]
    assert f"memoryd decay undo {pass_id}" in done
    assert pass_id in run(client, "decay", "preview", "--user", "ann")
    assert run(client, "decay", "undo", pass_id, "--user", "ann") == "restored 1, withdrew 0 reviews\n"
    assert "is undone already" in run(client, "decay", "undo", pass_id, "--user", "ann", code=1)


def test_what_is_archived_is_purged_when_asked(client: KnowledgeClient) -> None:
    id = client.add("old", user_id="bob")
    client.archive(id, user_id="bob")
    assert "decay.retention_days" in run(client, "decay", "purge", "--user", "bob", code=1)
    assert run(client, "decay", "purge", "--older-than-days", "1", "--user", "bob") == "destroyed 0\n"
    assert (
        run(client, "decay", "purge", "--older-than-days", "0", "--dry-run", "--user", "bob")
        == "would destroy 1\n"
    )
    assert run(client, "decay", "purge", "--older-than-days", "0", "--user", "bob") == "destroyed 1\n"
    assert client.get(id, user_id="bob") is None


def test_reviews_are_shown_and_decided(client: KnowledgeClient) -> None:
    assert run(client, "review", "page", "--user", "eve") == "no reviews\n"
    ids = [client.add(text, user_id="eve") for text in ("one", "two")]
    for id in ids:
        client.feedback(id, "wrong", "it was three", user_id="eve")
    lines = run(client, "review", "page", "-n", "1", "--user", "eve").splitlines()
    review_id = lines[0].partition(" ")[0]
    assert lines[0].endswith("wrong, fact, importance 1.00")
    assert [line.strip() for line in lines[1:3]] == [f"{ids[0]}  one", "said: it was three"]
    assert lines[3].startswith("of 2; 1 others; next page: --cursor ")
    rest = run(client, "review", "page", "--cursor", lines[3].rpartition(" ")[2], "--user", "eve")
    assert ids[1] in rest

    told = run(client, "review", "decide", review_id, "delete", "--reason", "so it was", "--user", "eve")
    assert told == f"{ids[0]} is archived\n"
    assert "decided already" in run(client, "review", "decide", review_id, "keep", "--user", "eve", code=1)
    decided = run(client, "review", "page", "--state", "decided", "--user", "eve")
    assert "delete by user: so it was" in decided
    assert (
        json.loads(run(client, "review", "page", "--kind", "decay", "--user", "eve", "--json"))["total"] == 0
    )


def test_a_memory_is_used_kept_put_away_and_brought_back(client: KnowledgeClient) -> None:
    id = client.add("主人住在北京", user_id="eve")
    client.update_text(id, "主人住在上海", user_id="eve")
    lines = run(client, "compare", id, "1", "2", "--user", "eve").splitlines()
    assert [line.split()[0] for line in lines[:2]] == ["v1", "v2"]
    assert lines[0].endswith("create by app")
    assert lines[2:] == ["changes: 1", "主人住在[-北京-]{+上海+}"]
    assert run(client, "boost", id, "--user", "eve") == "+0.3; importance 1.30\n"
    assert "within 2 hours" in run(client, "boost", id, "--user", "eve", "--reason", "again")
    assert run(client, "pin", id, "--user", "eve") == f"{id} is at version 3\n"
    assert run(client, "pin", id, "--user", "eve") == "nothing has changed\n"
    assert run(client, "archive", id, "--user", "eve", "--reason", "enough") == f"{id} is at version 4\n"
    assert "is archived" in run(client, "archive", id, "--user", "eve", code=1)
    assert run(client, "restore", id, "--user", "eve") == f"{id} is at version 5\n"
    assert "  pinned: False -> True" in run(client, "compare", id, "2", "3", "--user", "eve")
    assert json.loads(run(client, "compare", id, "1", "2", "--json", "--user", "eve"))["b"] == 2
    assert run(client, "revert", id, "1", "--user", "eve") == f"{id} is at version 6\n"
    assert "no version 9" in run(client, "revert", id, "9", "--user", "eve", code=1)
    memory = client.get(id, user_id="eve")
    assert memory is not None
    assert (memory["text"], memory["state"], memory["pinned"]) == ("主人住在北京", "active", True)
