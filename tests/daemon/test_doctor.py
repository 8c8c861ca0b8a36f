"""`memoryd doctor`, with the daemon and without, and what `--repair` mends."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from memory_client import KnowledgeClient
from memory_client.launch import find_daemon
from memory_client.paths import DataPaths
from memory_client.types import CheckResult
from memoryd.storage.ownership import DirectoryOwner
from support.daemons import SpawnedDaemon, write_json
from support.processes import clean_environment, memoryd
from support.waiting import eventually


def doctor(home: Path, *options: str) -> tuple[int, list[CheckResult]]:
    done = memoryd("--data-dir", home, "doctor", "--json", *options, env=clean_environment())
    assert "Traceback" not in done.stderr
    return done.returncode, json.loads(done.stdout)


def wrong(findings: list[CheckResult]) -> dict[str, str]:
    return {finding["check"]: finding["detail"] for finding in findings if not finding["ok"]}


def test_a_directory_that_is_not_there_is_not_made(home: Path) -> None:
    code, findings = doctor(home)
    assert (code, wrong(findings)) == (0, {})
    assert not home.exists()


def test_a_sound_store_with_and_without_its_daemon(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMORYD_EMBEDDER_MODEL")  # keywords only would be a finding
    daemon = SpawnedDaemon(home)
    with KnowledgeClient(daemon.home) as client:
        client.add("something")
        eventually("the model is loaded", lambda: client.status()["stage"] == "ready")
    code, findings = doctor(daemon.home)
    assert (code, wrong(findings)) == (0, {})
    assert any(f["check"] == "owner" and str(daemon.info.pid) in f["detail"] for f in findings)
    daemon.stop()
    code, findings = doctor(daemon.home)
    assert (code, wrong(findings)) == (0, {})
    assert {"modes", "config", "owner", "keys", "database"} <= {finding["check"] for finding in findings}
    assert find_daemon(daemon.paths) is None


def test_the_words_for_people(home: Path) -> None:
    DataPaths(home).make()
    DataPaths(home).config.write_text("[log]\nlevle = 1\n")
    DataPaths(home).config.chmod(0o600)
    done = memoryd("--data-dir", home, "doctor", env=clean_environment())
    assert done.returncode == 1
    assert "BAD  config" in done.stdout
    assert "did you mean 'log.level'" in done.stdout
    assert "     fix: " in done.stdout


def test_a_directory_in_use_by_an_app(home: Path) -> None:
    owner = DirectoryOwner(DataPaths(home), "in-process")
    owner.take()
    code, findings = doctor(home, "--repair")
    assert code == 1
    assert "in-process KnowledgeBase" in wrong(findings)["owner"]
    owner.release()


@pytest.mark.skipif(sys.platform == "win32", reason="access lists decide there")
def test_modes_are_found_and_mended(daemon: SpawnedDaemon) -> None:
    daemon.stop()
    secret = daemon.paths.keys / "client.key"
    secret.chmod(0o644)
    daemon.paths.run.chmod(0o777)
    code, findings = doctor(daemon.home)
    assert code == 1
    bad = [finding["detail"] for finding in findings if not finding["ok"]]
    assert any(f"others may read the key {secret}" in line for line in bad)
    assert any(f"others may write {daemon.paths.run}" in line for line in bad)
    code, findings = doctor(daemon.home, "--repair")
    assert (code, wrong(findings)) == (0, {})
    daemon.start()


def test_a_damaged_key_is_named(daemon: SpawnedDaemon) -> None:
    daemon.stop()
    (daemon.paths.keys / "server.key").write_text("public x\nsecret y\n")
    code, findings = doctor(daemon.home)
    assert code == 1
    assert "server.key" in wrong(findings)["keys"]


def test_leftovers_of_a_killed_daemon(home: Path) -> None:
    daemon = SpawnedDaemon(home)
    daemon.kill()
    write_json(daemon.paths.run / ".connection.json.1.tmp", {})
    code, findings = doctor(home)
    assert (code, wrong(findings)) == (0, {})
    assert any(finding["check"] == "leftovers" for finding in findings)
    doctor(home, "--repair")
    assert {path.name for path in daemon.paths.run.iterdir()} <= {"owner.lock", "start.lock"}


def test_a_damaged_database_is_salvaged(home: Path) -> None:
    daemon = SpawnedDaemon(home)
    with KnowledgeClient(home) as client:
        ids = client.add_many([f"memory number {i}" for i in range(2000)])
    daemon.stop()
    damage(daemon.paths.database)
    code, findings = doctor(home)
    assert code == 1
    assert str(daemon.paths.database) in wrong(findings)["database"] or "database" in wrong(findings)
    code, findings = doctor(home, "--repair")
    assert (code, wrong(findings)) == (0, {})
    assert list(daemon.paths.backups.glob("damaged-*.sqlite3"))
    daemon.start()
    with KnowledgeClient(home) as client:
        readable = [memory for memory in client.get_many(ids[:1000]) if memory is not None]
        assert readable
        assert readable[0]["text"].startswith("memory number")


def damage(database: Path) -> None:
    """Overwrite a few pages in the middle of the file."""
    middle = database.stat().st_size // 2
    with open(database, "r+b") as file:
        file.seek(middle - middle % 4096)
        file.write(b"\xde\xad\xbe\xef" * 4096)
