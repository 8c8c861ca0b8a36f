"""Which interpreter and environment the daemon gets, and what a start that fails says."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

import psutil
import pytest

from memory_client import KnowledgeClient
from memory_client.deadline import Deadline
from memory_client.discovery import ConnectionInfo
from memory_client.errors import (
    ConfigurationError,
    DataDirectoryError,
    DeadlineExceededError,
    LaunchError,
    VersionError,
)
from memory_client.launch import ensure_daemon, start_lock
from memory_client.paths import DataPaths
from memory_client.protocol import PROTOCOL
from memory_client.spawn import child_environment, interpreter
from support.daemons import SpawnedDaemon, daemons_of
from support.waiting import PATIENCE, eventually

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in interpreter is a script")


def failed_start(home: Path, seconds: float = PATIENCE) -> LaunchError:
    with pytest.raises(LaunchError) as caught:
        ensure_daemon(DataPaths(home), Deadline.after(seconds))
    eventually("its process has ended", lambda: not daemons_of(home))
    return caught.value


def interpreter_that(tmp_path: Path, what: str) -> str:
    script = tmp_path / "interpreter"
    script.write_text(f"#!{sys.executable}\nimport sys, time, os\n{what}\n")
    script.chmod(0o700)
    return str(script)


def test_only_what_is_allowed_passes() -> None:
    given = {
        "PATH": "p",
        "LC_ALL": "C",
        "XDG_DATA_HOME": "x",
        "SystemRoot": "w",
        "MEMORYD_LOG_LEVEL": "debug",
        "HF_HOME": "h",
        "HF_TOKEN": "secret",
        "OPENAI_API_KEY": "secret",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "PYTHONPATH": "x",
        "HTTP_PROXY": "x",
        "MEMORYD_HOME": "elsewhere",
    }
    passed = child_environment(given)
    assert passed == {
        "PATH": "p",
        "LC_ALL": "C",
        "XDG_DATA_HOME": "x",
        "SystemRoot": "w",
        "MEMORYD_LOG_LEVEL": "debug",
        "HF_HOME": "h",
        "MEMORYD_AUTOSTART": "0",
    }


def test_the_daemon_sees_no_secrets_and_marks_settings_of_the_starter(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-nobody")
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("MEMORYD_LOG_LEVEL", "debug")
    daemon = SpawnedDaemon(home)
    environ = psutil.Process(daemon.info.pid).environ()
    assert "OPENAI_API_KEY" not in environ
    assert environ["LANG"] == "C.UTF-8"
    with KnowledgeClient(home) as client:
        assert "log.level" in client.status()["settings_from_environment"]


def test_a_session_and_a_directory_of_its_own(daemon: SpawnedDaemon) -> None:
    process = psutil.Process(daemon.info.pid)
    assert Path(process.cwd()) == daemon.home.resolve()
    if sys.platform != "win32":
        assert os.getsid(process.pid) == process.pid


def test_a_frozen_app_is_told_what_to_set(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert "set MEMORYD_PYTHON to a Python" in str(failed_start(home))
    monkeypatch.setenv("MEMORYD_PYTHON", sys.executable)
    assert ensure_daemon(DataPaths(home), Deadline.after(PATIENCE)).pid == daemons_of(home)[0].pid


@pytest.mark.parametrize("executable", ["/opt/app/blender", "", None])
def test_an_embedding_app_is_told_what_to_set(
    executable: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    with pytest.raises(LaunchError, match="set MEMORYD_PYTHON to a Python"):
        interpreter()


@pytest.mark.parametrize(
    "name", ["python", "python3.11", "python3.13t", "pythonw.exe", "Python.exe", "pypy3"]
)
def test_the_names_of_pythons(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", f"/somewhere/{name}")
    assert interpreter() == sys.executable


def test_an_interpreter_that_is_not_there(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYD_PYTHON", "/nowhere/python")
    assert "MEMORYD_PYTHON is '/nowhere/python'" in str(failed_start(home))


def test_a_wrong_setting_is_named_with_its_file(home: Path) -> None:
    paths = DataPaths(home)
    paths.make()
    paths.log_file.write_text("no longer of interest\n")
    paths.config.write_text("[embedder]\nmodle = 'auto'\n")
    paths.config.chmod(0o600)
    error = failed_start(home)
    for word in (str(paths.config), "embedder.modle", "did you mean 'embedder.model'", "memoryd --data-dir"):
        assert word in str(error)
    assert error.data["cause"] == "configuration"
    assert "no longer of interest" not in str(error)
    assert isinstance(error.__cause__, ConfigurationError)
    paths.config.unlink()
    ensure_daemon(paths, Deadline.after(PATIENCE))


def test_a_damaged_database_is_named_and_left_alone(home: Path) -> None:
    paths = DataPaths(home)
    paths.make()
    paths.database.write_bytes(b"this is no database " * 1000)
    error = failed_start(home)
    assert error.data["cause"] == "database_corrupt"
    assert str(paths.database) in str(error)
    assert "memoryd doctor --repair" in str(error)
    assert paths.database.read_bytes() == b"this is no database " * 1000


@POSIX
def test_the_last_words_of_a_process_that_ended(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYD_PYTHON", interpreter_that(tmp_path, "sys.exit('no module, no luck')"))
    error = failed_start(home)
    assert "ended with code 1" in str(error)
    assert "no module, no luck" in str(error)


@POSIX
def test_a_process_that_kills_itself_is_tried_twice_only(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tally = tmp_path / "tally"
    what = f"open({str(tally)!r}, 'a').write('x'); os.kill(os.getpid(), 9)"
    monkeypatch.setenv("MEMORYD_PYTHON", interpreter_that(tmp_path, what))
    assert "killed while starting, twice" in str(failed_start(home))
    assert tally.read_text() == "xx"


@POSIX
def test_an_interpreter_of_another_release(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it says of itself is checked: the newest client cannot work with it either."""
    info = ConnectionInfo("tcp://127.0.0.1:9", "x" * 40, 1, 1.0, PROTOCOL + 1, "99.0.0", 1, "")
    answer = json.dumps({"serving": asdict(info)})
    report = f"place = sys.argv[-1]; open(place + '~', 'w').write({answer!r}); os.replace(place + '~', place)"
    monkeypatch.setenv("MEMORYD_PYTHON", interpreter_that(tmp_path, report))
    with pytest.raises(VersionError, match=r"interpreter .* has memoryd 99\.0\.0"):
        ensure_daemon(DataPaths(home), Deadline.after(PATIENCE))


@POSIX
def test_a_directory_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataDirectoryError, match=r"Not a directory .*set MEMORYD_HOME"):
        ensure_daemon(DataPaths(tmp_path / "file" / "home"), Deadline.after(PATIENCE))


@POSIX
def test_a_process_that_never_speaks(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYD_PYTHON", interpreter_that(tmp_path, "time.sleep(3)"))
    with pytest.raises(LaunchError, match="did not serve within"):
        ensure_daemon(DataPaths(home), Deadline.after(1))


def test_the_wait_for_another_starter_ends_with_the_deadline(home: Path) -> None:
    paths = DataPaths(home)
    with (
        start_lock(paths, Deadline.after(PATIENCE)),
        pytest.raises(DeadlineExceededError, match="another process that is starting the daemon"),
    ):
        ensure_daemon(paths, Deadline.after(0.2))
