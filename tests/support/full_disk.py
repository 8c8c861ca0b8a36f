"""The test of a full disk, run on a small mounted file system. Prints its observations as JSON.

python -m support.full_disk HOME
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from memory_client import KnowledgeClient
from memory_client.errors import DiskFullError, MemorydError
from support.daemons import SpawnedDaemon, end_daemons

LEFT = 300_000


def main(home: Path) -> dict[str, Any]:
    daemon = SpawnedDaemon(home, "daemon.port=0", "embedder.model=none")
    with KnowledgeClient(home) as client:
        stored = {client.add(f"before {n}"): f"before {n}" for n in range(20)}
        ballast = home / "ballast"
        _fill(ballast, LEFT)
        error = _write_until_it_fails(client, stored)
        again = _error_of(lambda: client.add_many(["x" * 10_000] * 40))
        found = client.search("before 7", 1)[0]["text"]
        readable = {memory["id"]: memory["text"] for memory in client.get_all()}
        warned = any("free" in warning for warning in client.status()["warnings"])
        _fill(ballast, 0)  # not a byte is left
        daemon.stop()
        stopped_cleanly = "stopped" in daemon.log.splitlines()[-1]
        ballast.unlink()
        daemon.start()
        after = {client.add(f"after {n}"): f"after {n}" for n in range(20)}
        finally_there = {memory["id"]: memory["text"] for memory in client.get_all()}
        sick = [
            finding for finding in client.admin.doctor() if not finding["ok"] and finding["check"] != "disk"
        ]
    return {
        "error": type(error).__name__,
        "message": str(error),
        "path": error.data.get("path"),
        "again": type(again).__name__,
        "is_disk_full": isinstance(error, DiskFullError),
        "acknowledged": len(stored),
        "found": found,
        "readable_while_full": readable == stored,
        "warned": warned,
        "stopped_cleanly": stopped_cleanly,
        "all_there_after": finally_there == {**stored, **after},
        "sick": sick,
    }


def _fill(ballast: Path, left: int) -> None:
    """Leave so many bytes free."""
    with open(ballast, "ab") as file:
        free = os.statvfs(ballast).f_bavail * os.statvfs(ballast).f_frsize
        try:
            file.write(b"\0" * max(0, free - left))
            file.flush()
        except OSError:
            assert left == 0


def _write_until_it_fails(client: KnowledgeClient, stored: dict[str, str]) -> MemorydError:
    for n in range(10_000):
        text = f"filling {n} {'x' * 2000}"
        try:
            stored[client.add(text)] = text
        except MemorydError as error:
            return error
    raise AssertionError("the disk never got full")


def _error_of(call: Any) -> Exception | None:
    try:
        call()
    except MemorydError as error:
        return error
    return None


if __name__ == "__main__":
    place = Path(sys.argv[1]) / "home"
    try:
        print(json.dumps(main(place)))
    finally:
        end_daemons(place)
