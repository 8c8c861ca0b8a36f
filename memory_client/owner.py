"""The owner of a data directory, written to `run/owner.json` by the process that holds `run/owner.lock`.

The lock decides; the record names its holder. Its modification time is the owner's last activity, so that
a client of any version can tell an idle daemon from a busy one.
"""

from __future__ import annotations

import json
import os
import shlex
import time
from dataclasses import dataclass
from typing import Literal

from memory_client.errors import DataDirectoryError, DataDirectoryInUse
from memory_client.paths import HOME_VARIABLE, DataPaths, write_private
from memory_client.process import ProcessId

Role = Literal["daemon", "in-process"]


@dataclass(frozen=True, slots=True)
class OwnerRecord:
    """The process that owns a directory, and its role."""

    process: ProcessId
    role: Role

    def __str__(self) -> str:
        what = "the memoryd daemon" if self.role == "daemon" else "an in-process KnowledgeBase"
        return f"{what} of process {self.process.pid}"


def read_owner(paths: DataPaths) -> OwnerRecord | None:
    """The recorded owner, dead or alive; None if there is none or the file is damaged."""
    try:
        record = json.loads(paths.owner.read_bytes())
        role: Role = "in-process" if record["role"] == "in-process" else "daemon"
        return OwnerRecord(ProcessId(int(record["pid"]), float(record["create_time"])), role)
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


def living_owner(paths: DataPaths) -> OwnerRecord | None:
    """The recorded owner, if its process runs."""
    owner = read_owner(paths)
    return owner if owner is not None and owner.process.is_alive else None


def write_owner(paths: DataPaths, owner: OwnerRecord) -> None:
    """Record the owner; only the holder of the lock may call it."""
    record = {"pid": owner.process.pid, "create_time": owner.process.create_time, "role": owner.role}
    write_private(paths.owner, json.dumps(record).encode())


def idle_seconds(paths: DataPaths) -> float:
    """Seconds since the owner last worked on a request or a job; 0 when unknown."""
    try:
        return max(0.0, time.time() - os.stat(paths.owner).st_mtime)
    except OSError:
        return 0.0


def in_use(paths: DataPaths, owner: OwnerRecord | None) -> DataDirectoryInUse:
    """The error of a directory with another owner; None if the owner is not recorded."""
    root = str(paths.root)
    if owner is None:
        who, fix = "another process", "find it with: memoryd doctor"
    elif owner.role == "daemon":
        who, fix = str(owner), f"stop it with: memoryd --data-dir {shlex.quote(root)} stop"
    else:
        who, fix = str(owner), "close it there first"
    return DataDirectoryInUse(
        f"{root} is in use by {who}; {fix}", pid=None if owner is None else owner.process.pid, path=root
    )


def unusable(paths: DataPaths, error: OSError) -> DataDirectoryError:
    """The error of a directory that is read-only, full or not ours."""
    root = str(paths.root)
    return DataDirectoryError(
        f"{root} cannot be used: {error.strerror or error} ({error.filename or root}); fix that, or set "
        f"{HOME_VARIABLE} to a directory you may write",
        path=root,
    )
