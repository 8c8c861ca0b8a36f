"""A real server with a small real dispatcher, in a thread or in a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import zmq

from memory_client import discovery, keys
from memory_client.api import find
from memory_client.deadline import Deadline
from memory_client.discovery import ConnectionInfo
from memory_client.keys import KeyPair
from memory_client.paths import DataPaths
from memory_client.process import ProcessId
from memory_client.protocol import PROTOCOL
from memoryd.core.call_context import Call
from memoryd.server import Server
from support.processes import helper_environment, start_process

PATIENCE = 20.0
Handler = Callable[..., Any]


class Scripted:
    """A dispatcher whose methods are given by the test: `wire name -> f(call, **params)`; others echo."""

    def __init__(self, **handlers: Handler) -> None:
        self.handlers = {name.replace("__", "."): handler for name, handler in handlers.items()}
        self.seen: list[tuple[str, dict[str, Any]]] = []

    def dispatch(self, method: str, params: dict[str, Any], call: Call) -> Any:
        find(method).check_names(params)
        self.seen.append((method, params))
        handler = self.handlers.get(method)
        return {"method": method, "params": params} if handler is None else handler(call, **params)


class Blocker:
    """A handler that waits until the test lets it go. begun: counts the calls inside."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self._go = threading.Event()

    def __call__(self, _: Call, **__: Any) -> str:
        self.begun.release()
        assert self._go.wait(PATIENCE)
        return "done"

    def wait_begun(self, calls: int = 1) -> None:
        for _ in range(calls):
            assert self.begun.acquire(timeout=PATIENCE)

    def release(self) -> None:
        self._go.set()


def data_paths(root: Path) -> DataPaths:
    """A data directory with keys."""
    paths = DataPaths(root)
    paths.make()
    keys.ensure_keys(paths)
    return paths


def info_of(paths: DataPaths, endpoint: str, **other: Any) -> ConnectionInfo:
    """What a daemon in this process would publish."""
    me = ProcessId.current()
    values = {
        "endpoint": endpoint,
        "server_key": keys.server_keypair(paths).public.decode(),
        "pid": me.pid,
        "create_time": me.create_time,
        "protocol": PROTOCOL,
        "version": "0",
        "schema": 1,
        "settings": "",
    }
    return ConnectionInfo(**{**values, **other})


class Serving:
    """A server in a thread."""

    def __init__(self, paths: DataPaths, dispatcher: Any, **options: Any) -> None:
        self.paths = paths
        self.server = Server(dispatcher, paths, **{"port": 0, **options})
        self.info = info_of(paths, self.server.bind())
        discovery.publish(paths, self.info)
        self._thread = threading.Thread(target=self.server.run, name="test-server")
        self._thread.start()

    def stop(self, drain_seconds: float = 5.0) -> None:
        discovery.withdraw(self.paths, self.info)
        self.server.stop(drain_seconds)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()


@contextmanager
def serving(paths: DataPaths, dispatcher: Any, **options: Any) -> Iterator[Serving]:
    running = Serving(paths, dispatcher, **options)
    try:
        yield running
    finally:
        running.stop()


class ServerProcess:
    """The same in a fresh interpreter, with the dispatcher of `main`; `locate` starts it when it is gone."""

    def __init__(self, paths: DataPaths) -> None:
        self.paths = paths
        self.process: subprocess.Popen[str] | None = None
        self.starts = 0
        self._lock = threading.Lock()

    def locate(self, paths: DataPaths, deadline: Deadline) -> ConnectionInfo:
        with self._lock:
            while True:
                if self.process is None or self.process.poll() is not None:
                    self.start()
                if (info := discovery.read(paths)) is not None and discovery.is_alive(info):
                    return info
                deadline.check("starting the test server")
                time.sleep(0.005)

    def start(self) -> None:
        self.starts += 1
        self.process = start_process(
            [sys.executable, "-m", "support.rpc_server", str(self.paths.root)], env=helper_environment()
        )

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait(PATIENCE)

    def stop(self) -> int:
        """End it as an operating system would; its exit code."""
        assert self.process is not None
        self.process.terminate()
        return self.process.wait(PATIENCE)


class RawPeer:
    """A bare DEALER, to send what no client would. pair: None for the NULL mechanism."""

    def __init__(self, info: ConnectionInfo, pair: KeyPair | None, server_key: str | None = None) -> None:
        self._context = zmq.Context()
        self.socket = self._context.socket(zmq.DEALER)
        self.socket.linger = 0
        if pair is not None:
            self.socket.curve_serverkey = (server_key or info.server_key).encode()
            self.socket.curve_publickey, self.socket.curve_secretkey = pair
        self.socket.connect(info.endpoint)

    def receive(self, seconds: float = PATIENCE) -> bytes | None:
        return self.socket.recv() if self.socket.poll(int(seconds * 1000)) else None

    def __enter__(self) -> RawPeer:
        return self

    def __exit__(self, *exception: object) -> None:
        self._context.destroy(linger=0)


def main(root: str) -> None:
    """Serve until SIGTERM. Adds are written to `adds.txt`: one line `request_id text` each, when carried out;
    one with the text "die" kills the process before the answer, once.
    """
    paths = data_paths(Path(root))
    record = paths.root / "adds.txt"

    def add(_: Call, text: str, request_id: str, **__: Any) -> str:
        first = f"{request_id} " not in (record.read_text() if record.exists() else "")
        with record.open("a") as file:
            file.write(f"{request_id} {text}\n")
        if (text == "die" and first) or text == "die always":
            signal.raise_signal(signal.SIGKILL)
        return "mem_1"

    server = Server(Scripted(memory__add=add, memory__ping=lambda _: {"pid": 1}), paths, port=0)
    info = info_of(paths, server.bind())
    signal.signal(signal.SIGTERM, lambda *_: server.stop())
    discovery.publish(paths, info)
    server.run()
    discovery.withdraw(paths, info)


if __name__ == "__main__":
    main(sys.argv[1])
