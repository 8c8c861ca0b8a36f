"""The connection file: atomic, private, removed by its own only, and a pid is not an identity."""

from __future__ import annotations

import dataclasses
import json
import stat
import subprocess
import sys

import pytest

from memory_client import discovery, keys
from memory_client.discovery import ConnectionInfo
from memory_client.paths import DataPaths
from support.rpc_server import info_of


@pytest.fixture
def info(paths: DataPaths) -> ConnectionInfo:
    return info_of(paths, "tcp://127.0.0.1:1")


def test_what_is_published_is_read(paths: DataPaths, info: ConnectionInfo) -> None:
    assert discovery.read(paths) is None
    discovery.publish(paths, info)
    assert discovery.read(paths) == info
    assert discovery.damage(paths) is None
    if sys.platform != "win32":
        assert stat.S_IMODE(paths.connection.stat().st_mode) == 0o600
    assert [file.name for file in paths.run.iterdir()] == [paths.connection.name]


def test_no_secret_is_published(paths: DataPaths, info: ConnectionInfo) -> None:
    discovery.publish(paths, info)
    content = paths.connection.read_bytes()
    assert keys.server_keypair(paths).secret not in content
    assert keys.client_keypair(paths).secret not in content


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "{}", "null", '"x"', "\0\0\0", "[" * 10_000, '{"endpoint": 1}']
)
def test_a_damaged_file_is_told_from_a_missing_one(paths: DataPaths, content: str) -> None:
    assert discovery.damage(paths) is None
    paths.connection.write_text(content)
    assert discovery.read(paths) is None
    assert str(paths.connection) in (discovery.damage(paths) or "")


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(ConnectionInfo)])
def test_a_field_of_the_wrong_type_is_damage(paths: DataPaths, info: ConnectionInfo, field: str) -> None:
    paths.connection.write_text(json.dumps({**dataclasses.asdict(info), field: [True]}))
    assert discovery.read(paths) is None
    assert field in (discovery.damage(paths) or "")


def test_unknown_fields_of_a_newer_daemon_are_passed_over(paths: DataPaths, info: ConnectionInfo) -> None:
    paths.connection.write_text(json.dumps({**dataclasses.asdict(info), "more": 1}))
    assert discovery.read(paths) == info


def test_only_its_own_is_withdrawn(paths: DataPaths, info: ConnectionInfo) -> None:
    other = dataclasses.replace(info, pid=info.pid + 1)
    discovery.publish(paths, other)
    assert not discovery.withdraw(paths, info)
    assert discovery.read(paths) == other
    assert discovery.withdraw(paths, other)
    assert not paths.connection.exists()
    assert not discovery.withdraw(paths, other)


def test_alive_means_pid_and_create_time(info: ConnectionInfo) -> None:
    assert discovery.is_alive(info)
    assert not discovery.is_alive(dataclasses.replace(info, create_time=info.create_time - 60))
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
        assert not discovery.is_alive(dataclasses.replace(info, pid=ended.pid))


@pytest.mark.skipif(sys.platform == "win32", reason="no zombies there")
def test_a_zombie_is_not_alive(info: ConnectionInfo) -> None:
    import psutil

    from support.waiting import eventually

    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        process = psutil.Process(child.pid)
        theirs = dataclasses.replace(info, pid=child.pid, create_time=process.create_time())
        assert discovery.is_alive(theirs)
        child.kill()
        eventually("it is a zombie", lambda: process.status() == psutil.STATUS_ZOMBIE)
        assert not discovery.is_alive(theirs)
