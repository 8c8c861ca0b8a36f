"""The CURVE keys of a data directory: the identity of the daemon, and the clients it accepts.

keys/server.key(.pub)    the daemon's identity
keys/client.key          the key of the clients on this machine
keys/allowed/*.pub       public keys of the clients the daemon accepts

A file holds lines `public <Z85>` and, in `.key` files, `secret <Z85>`.
"""

from __future__ import annotations

import stat
import sys
from typing import TYPE_CHECKING, NamedTuple

from memory_client.errors import AuthenticationError, UnsafeDirectoryError
from memory_client.paths import check_private, write_private

if TYPE_CHECKING:
    from pathlib import Path

    from memory_client.paths import DataPaths

_Z85_LENGTH = 40


class KeyPair(NamedTuple):
    """A CURVE key pair, both halves in Z85."""

    public: bytes
    secret: bytes


def server_key_file(paths: DataPaths) -> Path:
    """The daemon's key pair."""
    return paths.keys / "server.key"


def server_public_file(paths: DataPaths) -> Path:
    """The daemon's public key."""
    return paths.keys / "server.key.pub"


def client_key_file(paths: DataPaths) -> Path:
    """The key pair of this machine's clients."""
    return paths.keys / "client.key"


def allowed_directory(paths: DataPaths) -> Path:
    """The public keys of accepted clients."""
    return paths.keys / "allowed"


def ensure_keys(paths: DataPaths) -> None:
    """Make missing keys; call it under the start lock.

    Raises `UnsafeDirectoryError` for keys that others may read or write, `AuthenticationError` for damaged
    ones.
    """
    allowed = allowed_directory(paths)
    for directory in (paths.keys, allowed):
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        check_private(directory)
    _ensure_pair(server_key_file(paths), server_public_file(paths))
    _ensure_pair(client_key_file(paths), allowed / "client.pub")


def server_keypair(paths: DataPaths) -> KeyPair:
    """The daemon's keys. Raises as `ensure_keys`, and `AuthenticationError` when missing."""
    return _load_pair(server_key_file(paths))


def client_keypair(paths: DataPaths) -> KeyPair:
    """The client's keys. Raises as `ensure_keys`, and `AuthenticationError` when missing."""
    return _load_pair(client_key_file(paths))


def allowed_public_keys(paths: DataPaths) -> frozenset[bytes]:
    """The keys in `keys/allowed`. Raises `UnsafeDirectoryError`, `AuthenticationError`."""
    allowed = allowed_directory(paths)
    if not allowed.is_dir():
        return frozenset()
    check_private(allowed)
    return frozenset(_load_public(file) for file in sorted(allowed.glob("*.pub")))


def _ensure_pair(key_file: Path, public_file: Path) -> None:
    if key_file.exists():
        pair = _load_pair(key_file)
    else:
        import zmq

        pair = KeyPair(*zmq.curve_keypair())
        write_private(key_file, b"public %s\nsecret %s\n" % pair)
    if not public_file.exists() or _load_public(public_file) != pair.public:
        write_private(public_file, b"public %s\n" % pair.public)


def _load_pair(file: Path) -> KeyPair:
    _check_secret(file)
    fields = _fields(file)
    public, secret = fields.get(b"public", b""), fields.get(b"secret", b"")
    if _derived(secret) != public:
        raise _damaged(file)
    return KeyPair(public, secret)


def _load_public(file: Path) -> bytes:
    check_private(file)
    public = _fields(file).get(b"public", b"")
    if not _is_z85(public):
        raise _damaged(file)
    return public


def _fields(file: Path) -> dict[bytes, bytes]:
    try:
        lines = file.read_bytes().splitlines()
    except OSError as error:
        raise _missing(file, error) from error
    return {name: value.strip() for name, _, value in (line.partition(b" ") for line in lines)}


def _derived(secret: bytes) -> bytes | None:
    if not _is_z85(secret):
        return None
    import zmq

    public: bytes = zmq.curve_public(secret)
    return public


def _is_z85(key: bytes) -> bool:
    from zmq.utils import z85

    return len(key) == _Z85_LENGTH and all(c in z85.Z85MAP for c in key) and len(z85.decode(key)) == 32


def _check_secret(file: Path) -> None:
    """Raise if other users may read a secret key (POSIX)."""
    try:
        check_private(file)
        mode = file.stat().st_mode
    except OSError as error:
        raise _missing(file, error) from error
    if sys.platform != "win32" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UnsafeDirectoryError(
            f"others may read the key {file} (mode {stat.S_IMODE(mode):04o}); run: chmod 600 '{file}'",
            path=str(file),
        )


def _missing(file: Path, error: OSError) -> AuthenticationError:
    return AuthenticationError(
        f"cannot read the key {file}: {error.strerror}; run: memoryd restart (it makes missing keys)",
        path=str(file),
    )


def _damaged(file: Path) -> AuthenticationError:
    return AuthenticationError(
        f"the key {file} is damaged; remove it and run: memoryd restart (it makes a new one)", path=str(file)
    )
