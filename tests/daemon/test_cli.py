"""The command `memoryd` as people use it: words on standard output, one line for an error, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from memory_client import KnowledgeClient
from memory_client.discovery import read as read_connection
from memory_client.launch import find_daemon
from memory_client.paths import DataPaths
from memory_client.version import VERSION
from memoryd.app.settings import SETTINGS
from memoryd.cli import main
from memoryd.cli.log_lines import follow, tail
from memoryd.cli.status_output import duration, size
from support.daemons import SpawnedDaemon
from support.processes import clean_environment, memoryd, spawned

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(home: Path) -> Run:
    """Runs `memoryd --data-dir HOME ...`; whatever it does, there is no traceback."""

    def command(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        done = memoryd("--data-dir", home, *arguments, env=clean_environment())
        assert "Traceback" not in done.stdout + done.stderr
        return done

    return command


def test_start_status_restart_stop(home: Path, run: Run) -> None:
    started = run("start", "--set", "log.level=debug")
    first = read_connection(DataPaths(home))
    assert first is not None
    assert started.stdout == (
        f"started: memoryd {VERSION} at {first.endpoint}, pid {first.pid}, data in {home}\n"
    )
    again = run("start", "--set", "log.level=info")
    assert again.stdout.startswith("already running")
    assert "memoryd restart --set" in again.stderr

    shown = run("status")
    for word in (VERSION, str(first.pid), first.endpoint, str(home)):
        assert word in shown.stdout
    state = json.loads(run("status", "--json").stdout)
    expected = {"pid", "endpoint", "version", "protocol", "schema", "stage", "embedder", "counts"}
    expected |= {"uptime_seconds", "pending_vector_count", "memory_bytes", "disk_bytes"}
    assert expected <= state.keys()
    assert state["pid"] == first.pid

    restarted = run("restart", "--set", "log.level=warning")
    second = find_daemon(DataPaths(home))
    assert second is not None
    assert second.pid != first.pid
    assert f"stopped: pid {first.pid}\nstarted: " in restarted.stdout

    assert run("stop").stdout == f"stopped: pid {second.pid}\n"
    assert run("stop").stdout == f"no daemon runs for {home}\n"
    assert find_daemon(DataPaths(home)) is None


def test_without_a_daemon_it_says_how_to_start_one(run: Run) -> None:
    for command in (["status"], ["status", "--json"]):
        done = run(*command)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.count("\n") == 1
        assert "memoryd start" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["start", "--set", "log.levle=debug"], 1, "did you mean 'log.level'"),
        (["start", "--set", "log.level=loud"], 1, "one of debug, info, warning, error"),
        (["serve", "--set", "embedder.api_key=x"], 1, "put it into config.toml"),
        (["start", "--set", "log.level"], 2, "not NAME=VALUE"),
        (["strat"], 2, "No such command"),
        (["logs", "-n", "x"], 2, "'x' is not a valid integer"),
        (["logs"], 1, "no daemon has run here yet"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(run: Run, arguments: list[str], code: int, words: str) -> None:
    done = run(*arguments)
    assert done.returncode == code
    assert words in done.stderr
    assert code == 2 or done.stderr.count("\n") == 1


def test_a_defect_is_a_line_too(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(paths: DataPaths) -> None:
        raise ZeroDivisionError(f"in {paths.root}")

    monkeypatch.setattr("memory_client.launch.find_daemon", broken)
    result = CliRunner().invoke(main, ["--data-dir", str(home), "config"])
    assert result.exit_code == 1
    assert result.stderr.startswith(f"memoryd: unexpected ZeroDivisionError: in {home} (")


def test_config_shows_every_setting_and_its_origin(home: Path, run: Run) -> None:
    paths = DataPaths(home)
    paths.make()
    paths.config.write_text("[log]\nlevel = 'debug'\n[embedder]\napi_key = 'tell nobody'\n")
    paths.config.chmod(0o600)
    shown = run("config").stdout
    assert all(setting.name in shown and setting.variable in shown for setting in SETTINGS)
    assert "log.level = 'debug'  (config.toml; MEMORYD_LOG_LEVEL)" in shown
    assert "embedder.model = 'none'  (environment; MEMORYD_EMBEDDER_MODEL)" in shown
    assert "tell nobody" not in shown
    assert find_daemon(paths) is None


def test_config_of_a_running_daemon_and_what_changed_since(home: Path, run: Run) -> None:
    daemon = SpawnedDaemon(home, "search.query_cache_size=7")
    lines = {line["name"]: line for line in json.loads(run("config", "--json").stdout)}
    assert (lines["search.query_cache_size"]["value"], lines["search.query_cache_size"]["source"]) == (
        7,
        "command line",
    )
    assert "memoryd restart" in run("config").stderr
    daemon.stop()


def test_reindex_starts_the_daemon_and_says_what_it_did(home: Path, run: Run) -> None:
    daemon = SpawnedDaemon(home)
    with KnowledgeClient(home) as client:
        client.add_many([f"memory {i}" for i in range(20)])
    daemon.stop()
    done = run("reindex")
    assert done.returncode == 0, done.stderr
    assert "20 texts for keywords" in done.stdout


def test_logs_shows_the_end(daemon: SpawnedDaemon, run: Run) -> None:
    assert daemon.info.endpoint in run("logs").stdout
    assert len(run("logs", "-n", "1").stdout.splitlines()) == 1
    assert run("logs", "-n", "0").stdout == ""


def test_logs_follows_through_rotations(tmp_path: Path) -> None:
    log = tmp_path / "memoryd.log"
    log.write_text("one\ntwo\nthr")
    lines = follow(log, 1)
    assert next(lines) == "two"
    with open(log, "a") as file:
        file.write("ee\n")
    assert next(lines) == "three"
    with open(log, "a") as file:
        file.write("four\n")
    log.rename(tmp_path / "memoryd.log.1")
    log.write_text("five\nsix\n")
    assert [next(lines) for _ in range(3)] == ["four", "five", "six"]
    lines.close()


def test_logs_of_half_a_line_and_of_nothing(tmp_path: Path) -> None:
    log = tmp_path / "memoryd.log"
    log.write_text("memory 一\nhalf")
    assert list(tail(log, 5)) == ["memory 一"]
    assert list(tail(log, 0)) == []


def test_logs_goes_on_until_it_is_interrupted(daemon: SpawnedDaemon) -> None:
    command = [sys.executable, "-m", "memoryd", "--data-dir", str(daemon.home), "logs", "-f", "-n", "1"]
    with spawned(command, stdout=subprocess.PIPE, env=clean_environment()) as reading:
        assert reading.stdout is not None
        assert reading.stdout.readline()
        daemon.stop()
        assert "leaving: asked over RPC" in reading.stdout.readline()
        reading.terminate()


def test_help_needs_no_directory_and_loads_nothing_heavy(home: Path, run: Run) -> None:
    for arguments in (["--help"], ["serve", "--help"], ["--version"]):
        assert run(*arguments).returncode == 0
    assert not home.exists()
    heavy = {"lancedb", "numpy", "sqlite3", "zmq"}
    code = f"import sys, memoryd.cli; print(sorted({heavy} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("seconds", "words"), [(5, "5 s"), (65, "1 min 5 s"), (7_260, "2 h 1 min"), (200_000, "2 d 7 h")]
)
def test_durations(seconds: float, words: str) -> None:
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("count", "words"), [(0, "0 B"), (2048, "2 KB"), (5 * 2**20, "5 MB"), (2**31, "2.0 GB")]
)
def test_sizes(count: int, words: str) -> None:
    assert size(count) == words
