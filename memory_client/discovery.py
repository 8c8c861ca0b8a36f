"""The connection file: the endpoint and the process of the running daemon of a data directory.

The daemon writes it last, atomically, and removes it first. It holds no secret.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING

from memory_client.paths import write_private
from memory_client.process import ProcessId

if TYPE_CHECKING:
    from memory_client.paths import DataPaths


@dataclass(frozen=True, slots=True)
class ConnectionInfo:
    """What a daemon publishes about itself.

    server_key: public, Z85. create_time: of the process, epoch seconds; with the pid it names one process.
    settings: fingerprint of its settings.
    """

    endpoint: str
    server_key: str
    pid: int
    create_time: float
    protocol: int
    version: str
    schema: int
    settings: str


def publish(paths: DataPaths, info: ConnectionInfo) -> None:
    """Let clients find the daemon; the last step of its start."""
    write_private(paths.connection, json.dumps(asdict(info), indent=1).encode())


def read(paths: DataPaths) -> ConnectionInfo | None:
    """The published info, None if there is no file or a damaged one (see `damage`)."""
    info = _load(paths)
    return info if isinstance(info, ConnectionInfo) else None


def damage(paths: DataPaths) -> str | None:
    """What is wrong with the connection file, None if it is valid or missing."""
    info = _load(paths)
    return info if isinstance(info, str) else None


def withdraw(paths: DataPaths, info: ConnectionInfo) -> bool:
    """Remove the connection file if it still holds `info`; whether it did.

    Call it while holding the owner lock, so that nobody else publishes meanwhile.
    """
    if read(paths) != info:
        return False
    paths.connection.unlink(missing_ok=True)
    return True


def is_alive(info: ConnectionInfo) -> bool:
    """Whether the process that published still runs, by pid and create time."""
    return ProcessId(info.pid, info.create_time).is_alive


def _load(paths: DataPaths) -> ConnectionInfo | str | None:
    try:
        content = paths.connection.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"{paths.connection} cannot be read: {error.strerror}"
    try:
        return _parse(json.loads(content))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        return f"{paths.connection} is damaged: {error}"


def _parse(values: dict[str, object]) -> ConnectionInfo:
    types = {"str": str, "int": int, "float": (int, float)}
    for field in fields(ConnectionInfo):
        value = values[field.name]
        if isinstance(value, bool) or not isinstance(value, types[str(field.type)]):  # type: ignore[arg-type]
            raise TypeError(f"{field.name} is {value!r}")
    return ConnectionInfo(**{field.name: values[field.name] for field in fields(ConnectionInfo)})  # type: ignore[arg-type]
