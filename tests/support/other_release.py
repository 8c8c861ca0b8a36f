"""A daemon of another release: it owns a data directory and answers only ping and shutdown.

python -m support.other_release DATA_DIR PROTOCOL VERSION [busy]
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from memory_client import discovery, keys
from memory_client.paths import DataPaths
from memory_client.process import ProcessId
from memoryd.server.server import Server
from memoryd.storage.ownership import DirectoryOwner


class Dispatcher:
    def __init__(self, stop: threading.Event, protocol: int, version: str) -> None:
        self._stop = stop
        self._pong = {"pid": os.getpid(), "stage": "ready", "version": version, "protocol": protocol}

    def dispatch(self, method: str, _params: dict[str, Any], _call: object) -> Any:
        if method == "admin.shutdown":
            self._stop.set()
        return self._pong if method == "memory.ping" else None


def main(root: str, protocol: str, version: str, mood: str = "idle") -> None:
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    paths = DataPaths(Path(root))
    owner = DirectoryOwner(paths, "daemon")
    owner.take()
    keys.ensure_keys(paths)
    server = Server(Dispatcher(stop, int(protocol), version), paths, port=0)
    endpoint, me = server.bind(), ProcessId.current()
    thread = threading.Thread(target=server.run)
    thread.start()
    public = keys.server_keypair(paths).public.decode()
    info = discovery.ConnectionInfo(
        endpoint, public, me.pid, me.create_time, int(protocol), version, schema=1, settings=""
    )
    long_ago = time.time() - 3600
    os.utime(paths.owner, (long_ago, long_ago))
    discovery.publish(paths, info)
    while not stop.wait(0.1):
        if mood == "busy":
            owner.mark_active()
    discovery.withdraw(paths, info)
    server.stop(1)
    thread.join()
    owner.release()


if __name__ == "__main__":
    main(*sys.argv[1:])
