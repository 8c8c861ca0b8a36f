"""The lock for life and its record."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memory_client.errors import DataDirectoryError, DataDirectoryInUse
from memory_client.owner import living_owner, read_owner
from memory_client.paths import DataPaths
from memory_client.process import ProcessId
from memoryd.storage.ownership import DirectoryOwner
from support.daemons import write_json
from support.processes import clean_environment, python_process

HOLD = """
import sys, time
from pathlib import Path
from memory_client.paths import DataPaths
from memoryd.storage.ownership import DirectoryOwner
owner = DirectoryOwner(DataPaths(Path(sys.argv[1])), "in-process")
owner.take()
print("taken", flush=True)
time.sleep(60)
"""


@pytest.fixture
def paths(tmp_path: Path) -> DataPaths:
    return DataPaths(tmp_path / "home")


def test_the_owner_is_on_record_until_it_lets_go(paths: DataPaths) -> None:
    owner = DirectoryOwner(paths, "in-process")
    owner.take()
    assert owner.still_owner()
    record = living_owner(paths)
    assert record is not None
    assert (record.process.pid, record.role) == (os.getpid(), "in-process")
    owner.release()
    assert not owner.still_owner()
    assert read_owner(paths) is None


def test_one_process_cannot_own_a_directory_twice(paths: DataPaths) -> None:
    first = DirectoryOwner(paths, "in-process")
    first.take()
    with pytest.raises(DataDirectoryInUse, match="close it there first") as caught:
        DirectoryOwner(paths, "in-process").take()
    assert caught.value.data == {"pid": os.getpid(), "path": str(paths.root)}
    assert first.still_owner()
    first.release()


def test_the_lock_of_a_killed_process_is_free_at_once(paths: DataPaths) -> None:
    with python_process(HOLD, clean_environment(), str(paths.root)) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "taken\n"
        with pytest.raises(DataDirectoryInUse) as caught:
            DirectoryOwner(paths, "daemon").take()
        assert caught.value.data["pid"] == process.pid
        process.kill()
        process.wait()
        assert read_owner(paths) is not None
        assert living_owner(paths) is None
        owner = DirectoryOwner(paths, "daemon")
        owner.take()
        assert owner.still_owner()
        owner.release()


def test_only_ones_own_record_is_removed(paths: DataPaths) -> None:
    owner = DirectoryOwner(paths, "daemon")
    owner.take()
    write_json(paths.owner, {"pid": 1, "create_time": 1.0, "role": "daemon"})
    assert not owner.still_owner()
    owner.release()
    assert paths.owner.exists()


def test_a_damaged_record_is_no_record(paths: DataPaths) -> None:
    paths.make()
    for content in (b"", b"[]", b"{}", b'{"pid": "x", "create_time": 1}', b"\xff"):
        paths.owner.write_bytes(content)
        assert read_owner(paths) is None


def test_a_pid_alone_is_not_a_process() -> None:
    me = ProcessId.current()
    assert me.is_alive
    other = ProcessId(me.pid, me.create_time - 60)
    assert not other.is_alive
    assert other.end(1)  # nothing was there to end
    assert me.is_alive


def test_a_file_where_the_directory_should_be(tmp_path: Path) -> None:
    place = tmp_path / "home"
    place.write_text("not a directory")
    with pytest.raises(DataDirectoryError, match="cannot be used"):
        DirectoryOwner(DataPaths(place), "daemon").take()
