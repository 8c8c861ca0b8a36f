"""What the store says of itself, and looking after it."""

from __future__ import annotations

import os
from typing import Any

import pytest

from memory_client.errors import InvalidRequestError
from memory_client.protocol import PROTOCOL
from memory_client.types import (
    CheckResult,
    CompactResult,
    Metrics,
    PingResult,
    ReindexResult,
    SettingValue,
    Status,
)
from memory_client.version import VERSION
from memoryd.app.settings import SETTINGS
from memoryd.storage.migrations import SCHEMA
from support.faces import Face
from support.waiting import eventually

KB = Any


def test_ping(face: Face) -> None:
    pong = face.kb.ping()
    assert set(pong) == set(PingResult.__annotations__)
    assert (pong["version"], pong["protocol"]) == (VERSION, PROTOCOL)
    assert (pong["pid"] == os.getpid()) == (face.name == "in-process")
    assert pong["stage"] in ("starting", "ready")


def test_status(ready: Face, user: str) -> None:
    kb = ready.kb
    kb.add("counted", user_id=user)
    status = kb.status()
    assert set(status) == set(Status.__annotations__)
    assert status["pid"] == kb.ping()["pid"]
    assert (status["endpoint"] is None) == (ready.name == "in-process")
    if status["endpoint"]:
        assert status["endpoint"].startswith("tcp://127.0.0.1:")
    assert (status["version"], status["protocol"], status["schema"]) == (VERSION, PROTOCOL, SCHEMA)
    assert status["stage"] == "ready"
    assert status["uptime_seconds"] > 0
    assert status["data_dir"] == str(ready.home)
    assert status["embedder"]["state"] == "ready"
    assert status["embedder"]["is_searchable"] is True
    assert status["embedder"]["remote_endpoint"] is None
    assert status["counts"]["memories"] >= status["counts"]["users"] >= 1
    assert status["counts"]["versions"] >= status["counts"]["memories"]
    assert {"turns", "sessions"} <= set(status["counts"])
    assert status["memory_bytes"]["resident"] > 2**20
    parts = {"database", "vectors", "hot_index", "models", "logs", "backups", "free"}
    assert set(status["disk_bytes"]) == parts
    assert status["disk_bytes"]["database"] > 0
    assert set(status["jobs"]) == {"queued", "running", "failed"}
    assert status["jobs"]["failed"] == 0


def test_config_lists_every_setting_and_masks_secrets(face: Face) -> None:
    config = face.kb.admin.config()
    assert [set(line) for line in config] == [set(SettingValue.__annotations__)] * len(config)
    assert [line["name"] for line in config] == [setting.name for setting in SETTINGS]
    assert all(line["source"] in ("default", "config.toml", "environment", "command line") for line in config)


def test_metrics_count_the_calls(face: Face) -> None:
    face.kb.ping()
    metrics = face.kb.admin.metrics()
    assert set(metrics) == set(Metrics.__annotations__)
    assert {"query_vectors", "term_frequencies"} <= set(metrics["caches"])
    if face.name == "daemon":
        ping = metrics["methods"]["memory.ping"]
        assert set(ping) == {"count", "error_count", "p50_ms", "p95_ms"}
        assert ping["count"] >= 1
        assert ping["p50_ms"] <= ping["p95_ms"]


def test_doctor_finds_all_well(ready: Face, user: str) -> None:
    ready.kb.add("healthy", user_id=user)
    findings = ready.kb.admin.doctor()
    assert [set(finding) for finding in findings] == [set(CheckResult.__annotations__)] * len(findings)
    checks = {"database", "keyword index", "vector index", "embedding model", "reranker", "jobs", "disk"}
    assert {finding["check"] for finding in findings} == checks
    assert [f for f in findings if not f["ok"] and f["check"] != "disk"] == []
    assert ready.kb.admin.doctor(repair=True)


def test_compact_gives_space_back(ready: Face, user: str) -> None:
    kb = ready.kb
    ids = kb.add_many([f"{i} {'long text ' * 20}" for i in range(40)], user_id=user)
    eventually("the vectors are in the store", lambda: kb.status()["pending_vector_count"] == 0, 60)
    kb.delete_many(ids, user_id=user)
    compacted = kb.admin.compact()
    assert set(compacted) == set(CompactResult.__annotations__)
    assert 0 < compacted["bytes_after"] <= compacted["bytes_before"]
    again = kb.admin.compact()
    assert again["bytes_after"] <= compacted["bytes_after"] * 1.2


def test_reindex_makes_everything_derived_anew(ready: Face, user: str) -> None:
    from memory_client.progress import on_progress

    kb = ready.kb
    ids = kb.add_many(["主人喜欢喝拿铁咖啡", "The bicycle has a flat tyre"], user_id=user)
    before = {
        mode: [(hit["id"], hit["score"]) for hit in kb.search("咖啡", user_id=user, mode=mode)]
        for mode in ("lexical", "semantic")
    }
    with on_progress(lambda *_: None):
        reindexed = kb.admin.reindex()
    assert set(reindexed) == set(ReindexResult.__annotations__)
    counts = kb.status()["counts"]
    stored = sum(counts[kind] for kind in ("memories", "turns", "points"))  # of all tests, windows too
    assert len(ids) <= reindexed["keyword_count"] == reindexed["vector_count"] <= stored
    assert reindexed["pending_count"] == 0
    after = {
        mode: [(hit["id"], hit["score"]) for hit in kb.search("咖啡", user_id=user, mode=mode)]
        for mode in ("lexical", "semantic")
    }
    assert after == before
    assert before["lexical"][0][0] == ids[0]
    assert all(finding["ok"] for finding in kb.admin.doctor() if finding["check"] != "disk")


def test_a_store_in_process_is_closed_not_shut_down(face: Face) -> None:
    if face.name == "daemon":
        pytest.skip("the daemon's shutdown is tested with the daemon's life")
    with pytest.raises(InvalidRequestError, match="close"):
        face.kb.admin.shutdown()
