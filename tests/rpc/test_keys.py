"""Keys: made once, private, and said plainly when they are not as they should be."""

from __future__ import annotations

import os
import stat
import sys

import pytest

from memory_client import keys
from memory_client.errors import AuthenticationError, UnsafeDirectoryError
from memory_client.paths import DataPaths

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX modes")


def test_keys_are_made_once(paths: DataPaths) -> None:
    before = keys.server_keypair(paths), keys.client_keypair(paths)
    keys.ensure_keys(paths)
    assert (keys.server_keypair(paths), keys.client_keypair(paths)) == before
    assert before[0] != before[1]


def test_the_client_key_is_allowed(paths: DataPaths) -> None:
    assert keys.allowed_public_keys(paths) == {keys.client_keypair(paths).public}


@posix
def test_key_files_are_private(paths: DataPaths) -> None:
    files = [path for path in paths.keys.rglob("*") if path.is_file()]
    assert len(files) == 4
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert stat.S_IMODE(keys.allowed_directory(paths).stat().st_mode) == 0o700


def test_a_lost_public_half_is_made_again(paths: DataPaths) -> None:
    keys.server_public_file(paths).unlink()
    keys.client_key_file(paths).unlink()
    keys.ensure_keys(paths)
    assert keys.server_public_file(paths).exists()
    assert keys.allowed_public_keys(paths) == {keys.client_keypair(paths).public}


@posix
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644])
def test_a_key_that_others_may_read_is_refused(paths: DataPaths, mode: int) -> None:
    file = keys.client_key_file(paths)
    os.chmod(file, mode)
    for load in (keys.client_keypair, keys.ensure_keys):
        with pytest.raises(UnsafeDirectoryError, match=f"chmod 600 '{file}'") as caught:
            load(paths)
        assert caught.value.data["path"] == str(file)


@posix
def test_an_allowed_key_that_others_may_write_is_refused(paths: DataPaths) -> None:
    file = keys.allowed_directory(paths) / "client.pub"
    os.chmod(file, 0o620)
    with pytest.raises(UnsafeDirectoryError, match="chmod go-w"):
        keys.allowed_public_keys(paths)


def test_a_missing_key_is_named(paths: DataPaths) -> None:
    file = keys.client_key_file(paths)
    file.unlink()
    with pytest.raises(AuthenticationError, match="memoryd restart") as caught:
        keys.client_keypair(paths)
    assert caught.value.data["path"] == str(file)


@pytest.mark.parametrize(
    "content",
    [b"", b"\0\xff", b"public x\nsecret y\n", b"secret " + b"!" * 40, b"secret " + b"~" * 40, b"{}"],
)
def test_a_damaged_key_is_named(paths: DataPaths, content: bytes) -> None:
    for file, load in (
        (keys.client_key_file(paths), keys.client_keypair),
        (keys.allowed_directory(paths) / "client.pub", keys.allowed_public_keys),
    ):
        file.write_bytes(content)
        with pytest.raises(AuthenticationError, match="is damaged") as caught:
            load(paths)
        assert caught.value.data["path"] == str(file)


def test_halves_of_different_pairs_are_damage(paths: DataPaths) -> None:
    mine, theirs = keys.client_key_file(paths), keys.server_key_file(paths)
    public, _ = mine.read_bytes().splitlines()
    _, secret = theirs.read_bytes().splitlines()
    mine.write_bytes(public + b"\n" + secret + b"\n")
    with pytest.raises(AuthenticationError, match="is damaged"):
        keys.client_keypair(paths)
