"""A real HTTP server that speaks OpenAI's embeddings protocol, with faults on demand."""

from __future__ import annotations

import hashlib
import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

DIM = 8


@dataclass
class Fault:
    """One scripted answer. body: sent as it is. seconds: waited before the answer."""

    status: int = 200
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    hang_up: bool = False


@dataclass
class Seen:
    """One request the server got."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is no error of the server."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class FakeOpenAI:
    """faults: taken one a request, in order; when none is left the server answers properly.

    refused: texts it answers 400 to, whatever comes with them.
    """

    def __init__(self, dim: int = DIM, port: int = 0) -> None:
        self.dim = dim
        self.faults: list[Fault] = []
        self.refused: set[str] = set()
        self.seen: list[Seen] = []
        self.server = _Server(("127.0.0.1", port), self._handler())
        self.server.daemon_threads = False
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    def vector(self, text: str, dim: int) -> list[float]:
        """The same for the same text, not of length 1."""
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        return [float(x) for x in np.random.default_rng(seed).normal(size=dim)]

    def reply(self, request: dict[str, Any]) -> dict[str, Any]:
        dim = request.get("dimensions", self.dim)
        data = [
            {"object": "embedding", "index": at, "embedding": self.vector(text, dim)}
            for at, text in enumerate(request["input"])
        ]
        # The protocol orders by `index`, not by place.
        return {
            "object": "list",
            "data": data[::-1],
            "model": request["model"],
            "usage": {"prompt_tokens": 1, "total_tokens": 1},
        }

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, *args: Any) -> None:
                """Nothing on the test's terminal."""

            def do_POST(self) -> None:
                size = int(self.headers["content-length"])
                content = self.rfile.read(size)
                if len(content) < size:  # of a client that was killed
                    self.close_connection = True
                    return
                body = json.loads(content)
                headers = {name.lower(): value for name, value in self.headers.items()}
                fake.seen.append(Seen(self.path, headers, body))
                fault = fake.faults.pop(0) if fake.faults else Fault()
                if not fake.refused.isdisjoint(body["input"]):
                    fault = Fault(400)
                time.sleep(fault.seconds)
                if fault.hang_up:
                    self.close_connection = True
                    return
                self._answer(fault, body)

            def _answer(self, fault: Fault, body: dict[str, Any]) -> None:
                error = {"error": {"message": f"scripted {fault.status}", "type": "scripted"}}
                default = fake.reply(body) if fault.status == 200 else error
                payload = json.dumps(default).encode() if fault.body is None else fault.body
                try:
                    self.send_response(fault.status)
                    self.send_header("content-type", "application/json")
                    self.send_header("content-length", str(len(payload)))
                    for name, value in fault.headers.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(payload)
                except ConnectionError:  # the client gave up first
                    self.close_connection = True

        return Handler


@contextmanager
def fake_openai(dim: int = DIM, port: int = 0) -> Iterator[FakeOpenAI]:
    """The server in a thread, gone afterwards."""
    fake = FakeOpenAI(dim, port)
    thread = threading.Thread(target=fake.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield fake
    finally:
        fake.server.shutdown()
        thread.join()
        fake.server.server_close()
