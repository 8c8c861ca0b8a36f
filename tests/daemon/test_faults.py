"""Faults: a full disk, damaged files, an embedder that is down or slow. Nothing acknowledged is lost."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest

from memory_client import KnowledgeClient
from memory_client.deadline import Deadline
from memory_client.errors import DatabaseCorruptError, LaunchError, ModelUnavailableError, StorageError
from memory_client.launch import ensure_daemon
from memory_client.paths import DataPaths
from memoryd.knowledge_base import KnowledgeBase
from support.daemons import SpawnedDaemon, end_daemons
from support.openai_server import FakeOpenAI, Fault, fake_openai
from support.processes import clean_environment, helper_environment, memoryd
from support.waiting import eventually

KB = Any


def sick(kb: KB) -> list[Any]:
    return [f for f in kb.admin.doctor() if not f["ok"] and f["check"] not in ("disk", "embedding model")]


# -- a full disk


def test_a_full_disk_fails_the_write_and_loses_nothing(tmp_path: Path) -> None:
    """On a real file system that is full: a small one, mounted in a name space of its own."""
    place = tmp_path / "small"
    place.mkdir()
    if shutil.which("unshare") is None:
        pytest.skip("no `unshare` here: a file system cannot be mounted without rights")
    mounted = [
        "unshare",
        "-Urm",
        "sh",
        "-c",
        'mount -t tmpfs -o size=12m,mode=700 tmpfs "$1" && shift && exec "$@"',
    ]
    scenario = [sys.executable, "-m", "support.full_disk", str(place)]
    if subprocess.run([*mounted, "sh", str(place), "true"], capture_output=True).returncode:
        pytest.skip("this system lets nobody mount a file system in a name space of their own")
    done = subprocess.run(
        [*mounted, "sh", str(place), *scenario],
        env=helper_environment(),
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["is_disk_full"], seen
    assert "no space left" in seen["message"]
    assert seen["path"].endswith("memory.sqlite3")
    assert seen["again"] == "DiskFullError"
    assert seen["acknowledged"] > 20
    assert seen["found"] == "before 7"
    assert seen["readable_while_full"]
    assert seen["warned"]
    assert seen["stopped_cleanly"]
    assert seen["all_there_after"]
    assert seen["sick"] == []


def fill(client: KnowledgeClient, stored: dict[str, str]) -> None:
    for n in range(1000):
        text = f"filling {n} {'x' * 2000}"
        stored[client.add(text)] = text


@pytest.mark.skipif(not hasattr(psutil.Process, "rlimit"), reason="limits of another process: Linux only")
def test_a_file_that_may_not_grow_fails_the_write_and_loses_nothing(home: Path) -> None:
    """As by a quota: the system refuses to let the daemon's files grow, and then allows it again."""
    daemon = SpawnedDaemon(home)
    process = psutil.Process(daemon.info.pid)
    with KnowledgeClient(home) as client:
        stored = {client.add(f"before {n}"): f"before {n}" for n in range(10)}
        before = process.rlimit(psutil.RLIMIT_FSIZE)
        process.rlimit(psutil.RLIMIT_FSIZE, (400_000, before[1]))
        with pytest.raises(StorageError, match=r"memory\.sqlite3"):
            fill(client, stored)
        assert {memory["id"]: memory["text"] for memory in client.get_all()} == stored
        process.rlimit(psutil.RLIMIT_FSIZE, before)
        stored |= {client.add(f"after {n}"): f"after {n}" for n in range(10)}
        assert {memory["id"]: memory["text"] for memory in client.get_all()} == stored
        assert client.ping()["pid"] == daemon.info.pid
        assert sick(client) == []


# -- a damaged database


def _garbage(file: Path) -> None:
    file.write_bytes(random.Random(1).randbytes(50_000))


def _torn_header(file: Path) -> None:
    with open(file, "r+b") as content:
        content.write(b"\0" * 100)


def _a_foreign_file(file: Path) -> None:
    file.write_text("dear diary\n" * 2000, encoding="utf-8")


@pytest.fixture
def filled(home: Path) -> dict[str, str]:
    """A store with some memories, closed in order."""
    with KnowledgeBase(home) as kb:
        return {id: f"salvage {n}" for n, id in enumerate(kb.add_many([f"salvage {n}" for n in range(300)]))}


@pytest.mark.parametrize("damage", [_garbage, _torn_header, _a_foreign_file])
def test_a_damaged_database_is_named_and_left_as_it_is(
    home: Path, filled: dict[str, str], damage: Callable[[Path], None]
) -> None:
    paths = DataPaths(home)
    assert filled
    damage(paths.database)
    content = paths.database.read_bytes()

    with pytest.raises(DatabaseCorruptError) as in_process:
        KnowledgeBase(home)
    with pytest.raises(LaunchError) as launched:
        ensure_daemon(paths, Deadline.after(20))

    assert in_process.value.data["path"] == str(paths.database)
    assert launched.value.data["cause"] == DatabaseCorruptError.code
    for error in (in_process.value, launched.value):
        assert str(paths.database) in str(error)
        assert "memoryd doctor --repair" in str(error)
    assert paths.database.read_bytes() == content
    assert not paths.connection.exists()
    found = memoryd("--data-dir", home, "doctor", env=clean_environment())
    assert found.returncode != 0
    assert str(paths.database) in found.stdout + found.stderr
    assert paths.database.read_bytes() == content


def test_damage_in_the_middle_is_said_and_the_rest_is_salvaged(home: Path, filled: dict[str, str]) -> None:
    paths = DataPaths(home)
    pages = _pages_with(paths.database, b"salvage 1")
    with open(paths.database, "r+b") as file:
        file.seek(pages[len(pages) // 2])
        file.write(random.Random(2).randbytes(4096))

    with pytest.raises((DatabaseCorruptError, LaunchError)) as caught:
        read_all(home)
    assert "memoryd doctor --repair" in str(caught.value)
    assert str(paths.database) in str(caught.value)
    end_daemons(home)

    repaired = memoryd("--data-dir", home, "doctor", "--repair", env=clean_environment())
    assert repaired.returncode == 0, repaired.stdout + repaired.stderr
    assert list(paths.backups.glob("damaged-*.sqlite3"))
    SpawnedDaemon(home)
    with KnowledgeClient(home) as client:
        left = {memory["id"]: memory["text"] for memory in client.get_all()}
        assert len(left) > 200
        assert left.items() <= filled.items()
        text = next(iter(left.values()))
        assert client.search(text, 1)[0]["text"] == text
        id = client.add("life goes on")
        assert client.search("life", 1)[0]["id"] == id
        assert sick(client) == []


def read_all(home: Path) -> None:
    SpawnedDaemon(home)
    with KnowledgeClient(home) as client:
        client.get_all()


def _pages_with(database: Path, needle: bytes) -> list[int]:
    """Offsets of pages of the memories' own table that hold a text."""
    content = database.read_bytes()
    pages = range(4096, len(content), 4096)
    found = [page for page in pages if needle in content[page : page + 4096] and content[page] == 13]
    assert found
    return found


def test_keywords_that_are_damaged_are_made_anew(home: Path, filled: dict[str, str]) -> None:
    """What is derived lies in the same file; `doctor --repair` mends it in the running daemon."""
    connection = sqlite3.connect(DataPaths(home).database)
    connection.execute("DELETE FROM text_terms WHERE row % 2 = 0")
    connection.commit()
    connection.close()
    SpawnedDaemon(home)
    with KnowledgeClient(home) as client:
        assert [finding["check"] for finding in sick(client)] == ["keyword index"]
        assert [
            f for f in client.admin.doctor(repair=True) if f["check"] == "keyword index" and not f["ok"]
        ] == []
        assert client.search("salvage 7", 1)[0]["text"] == "salvage 7"
        assert client.count() == len(filled)


def test_keywords_that_are_missing_are_filled_by_the_start(home: Path, filled: dict[str, str]) -> None:
    with closing(sqlite3.connect(DataPaths(home).database)) as connection:
        connection.execute("DELETE FROM keyword_partitions")
        connection.commit()
    SpawnedDaemon(home)
    with KnowledgeClient(home) as client:
        eventually("the index is filled", lambda: sick(client) == [])
        assert client.search("salvage 7", 1, mode="lexical")[0]["text"] == "salvage 7"
        assert client.count() == len(filled)


# -- damaged vectors


@pytest.fixture
def endpoint() -> Iterator[FakeOpenAI]:
    with fake_openai(16) as fake:
        yield fake


@pytest.fixture
def with_vectors(tmp_path: Path, endpoint: FakeOpenAI) -> Iterator[tuple[Path, dict[str, object]]]:
    """A store whose vectors are in LanceDB and in the snapshot, closed in order."""
    home = tmp_path / "vectors"
    settings: dict[str, object] = {
        "embedder.model": "openai:stars",
        "embedder.base_url": endpoint.url,
        "lance.batch_seconds": 0.05,
    }
    with KnowledgeBase(home, settings=settings) as kb:
        eventually("the model is ready", lambda: kb.status()["embedder"]["is_searchable"])
        kb.add_many([f"memory number {n}" for n in range(100)])
        kb.admin.compact()
    yield home, settings
    end_daemons(home)


def _lance_gone(home: Path) -> None:
    shutil.rmtree(home / "lance")


def _lance_empty(home: Path) -> None:
    for file in _files(home / "lance"):
        file.write_bytes(b"")


def _lance_scrambled(home: Path) -> None:
    for n, file in enumerate(_files(home / "lance")):
        file.write_bytes(random.Random(n).randbytes(max(16, file.stat().st_size)))


def _lance_data_gone(home: Path) -> None:
    for file in _files(home / "lance"):
        if file.parent.name == "data":
            file.unlink()


def _snapshot_scrambled(home: Path) -> None:
    (file,) = _files(home / "hot")
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.write_bytes(content)


def _snapshot_cut(home: Path) -> None:
    (file,) = _files(home / "hot")
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def _everything_derived_gone(home: Path) -> None:
    _lance_gone(home)
    shutil.rmtree(home / "hot")


def _both_scrambled(home: Path) -> None:
    _lance_scrambled(home)
    _snapshot_scrambled(home)


def _files(directory: Path) -> list[Path]:
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    assert files
    return files


@pytest.mark.parametrize(
    "damage",
    [
        _lance_gone,
        _lance_empty,
        _lance_scrambled,
        _lance_data_gone,
        _snapshot_scrambled,
        _snapshot_cut,
        _everything_derived_gone,
        _both_scrambled,
    ],
)
@pytest.mark.parametrize("max_rows", [200_000, 10], ids=["hot", "on disk"])
def test_damaged_vectors_are_made_anew(
    with_vectors: tuple[Path, dict[str, object]], damage: Callable[[Path], None], max_rows: int
) -> None:
    home, settings = with_vectors
    damage(home)
    with KnowledgeBase(home, settings={**settings, "hot.max_rows": max_rows}) as kb:
        eventually("the model is ready", lambda: kb.status()["embedder"]["is_searchable"])
        kb.search("memory number 5", mode="semantic")
        eventually("all are embedded", lambda: kb.status()["pending_vector_count"] == 0)
        for n in range(0, 100, 9):
            hit = kb.search(f"memory number {n}", 1, mode="semantic")[0]
            assert hit["text"] == f"memory number {n}"
            assert hit["score"] > 0.99
        assert sick(kb) == []


# -- an embedder that is down or slow


def _with_endpoint(home: Path, url: str, **more: object) -> KnowledgeBase:
    settings = {"embedder.model": "openai:stars", "embedder.base_url": url, "embedder.timeout_seconds": 2.0}
    return KnowledgeBase(home, settings={**settings, "lance.batch_seconds": 0.05, **more})


def test_an_endpoint_that_is_not_up_yet_is_waited_for(home: Path) -> None:
    with fake_openai(16) as endpoint:
        port = endpoint.server.server_address[1]
    with _with_endpoint(home, f"http://127.0.0.1:{port}/v1") as kb:
        eventually("it is settled", lambda: kb.status()["stage"] == "ready")
        id = kb.add("written without a model")
        hit = kb.search("written", 1, explain=True)[0]
        assert hit["id"] == id
        assert hit["explain"]["mode"] == "lexical"
        assert any(str(port) in note for note in hit["explain"]["notes"])
        with pytest.raises(ModelUnavailableError, match=str(port)):
            kb.search("written", mode="semantic")
        with fake_openai(16, port) as endpoint:
            eventually("it is found", lambda: kb.status()["embedder"]["is_searchable"], 30)
            eventually("what was stored is embedded", lambda: kb.get(id)["indexed"])
            assert kb.search("written without a model", 1, mode="semantic")[0]["id"] == id
            kb.close()  # before the endpoint, which waits for its connections


def test_a_slow_endpoint_keeps_nobody_waiting(home: Path, endpoint: FakeOpenAI) -> None:
    """While the endpoint holds its answers back, writes are acknowledged and words answer."""
    gate = threading.Event()
    inner = endpoint.reply

    def reply(request: dict[str, Any]) -> dict[str, Any]:
        gate.wait(60)
        return inner(request)

    with _with_endpoint(home, endpoint.url, **{"embedder.timeout_seconds": 60.0}) as kb:
        eventually("the model is ready", lambda: kb.status()["embedder"]["is_searchable"])
        endpoint.reply = reply  # type: ignore[method-assign]
        id = kb.add("written while it is slow")
        assert not kb.get(id)["indexed"]
        hit = kb.search("written", 1, explain=True)[0]
        assert hit["id"] == id
        assert hit["explain"]["mode"] == "lexical"
        assert hit["explain"]["missing_vector_count"] == 1
        assert hit["explain"]["notes"]
        assert kb.update_text(id, "changed while it is slow")["changed"]
        gate.set()
        eventually("it is embedded later", lambda: kb.get(id)["indexed"])
        assert kb.search("changed while it is slow", 1, mode="semantic")[0]["id"] == id


def test_an_endpoint_that_fails_degrades_and_recovers(home: Path, endpoint: FakeOpenAI) -> None:
    with _with_endpoint(home, endpoint.url) as kb:
        eventually("the model is ready", lambda: kb.status()["embedder"]["is_searchable"])
        kb.add("written before")
        endpoint.faults = [Fault(401) for _ in range(1000)]
        ids = [kb.add("written meanwhile"), *kb.add_many(["two", "three"])]
        hit = kb.search("meanwhile", 1, explain=True)[0]
        assert hit["id"] == ids[0]
        assert any("401" in note for note in hit["explain"]["notes"])
        with pytest.raises(ModelUnavailableError, match="401"):
            kb.search("meanwhile", mode="semantic")
        endpoint.faults = []
        assert kb.search("written before", 1, mode="semantic")[0]["text"] == "written before"
        eventually("it is embedded later", lambda: kb.status()["pending_vector_count"] == 0, 60)
        assert kb.search("written meanwhile", 1, mode="semantic")[0]["id"] == ids[0]
