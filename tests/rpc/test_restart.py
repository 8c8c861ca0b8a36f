"""The daemon goes away and comes back under its clients."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from memory_client import discovery
from memory_client.aio import AsyncKnowledgeClient
from memory_client.client import KnowledgeClient
from memory_client.errors import DaemonUnavailableError
from memory_client.paths import DataPaths
from support.rpc_server import PATIENCE, Scripted, ServerProcess, Serving, serving
from support.waiting import eventually


@pytest.fixture
def process(paths: DataPaths) -> Iterator[ServerProcess]:
    server = ServerProcess(paths)
    yield server
    if server.process is not None and server.process.poll() is None:
        server.stop()


@pytest.fixture
def client(paths: DataPaths, process: ServerProcess) -> Iterator[KnowledgeClient]:
    with KnowledgeClient(paths.root, locate=process.locate) as connected:
        yield connected


def adds(paths: DataPaths) -> list[tuple[str, ...]]:
    """The adds that were carried out: `(request_id, text)`."""
    return [tuple(line.split(" ", 1)) for line in (paths.root / "adds.txt").read_text().splitlines()]


@pytest.mark.parametrize("ending", ["kill", "stop"])
def test_calls_go_on_after_a_restart(
    client: KnowledgeClient, process: ServerProcess, paths: DataPaths, ending: str
) -> None:
    assert client.add("one") == "mem_1"
    getattr(process, ending)()
    assert client.add("two") == "mem_1"
    assert process.starts == 2
    assert [text for _, text in adds(paths)] == ["one", "two"]


def test_a_write_whose_answer_was_lost_is_sent_again_with_its_request_id(
    client: KnowledgeClient, process: ServerProcess, paths: DataPaths
) -> None:
    assert client.add("die") == "mem_1"
    assert client.add("die", request_id="mine") == "mem_1"
    first, second, third, fourth = adds(paths)
    assert first == second
    assert first[0] != "mine"
    assert third == fourth == ("mine", "die")
    assert process.starts == 3


def test_a_call_that_always_kills_the_daemon_is_given_up(
    client: KnowledgeClient, process: ServerProcess, paths: DataPaths
) -> None:
    with pytest.raises(DaemonUnavailableError, match=r"lost 6 times during memory\.add.*memoryd logs"):
        client.add("die always")
    assert len(set(adds(paths))) == 1
    assert process.starts == 6
    assert client.add("well") == "mem_1"


def test_the_asynchronous_client_survives_it_too(process: ServerProcess, paths: DataPaths) -> None:
    async def body() -> None:
        async with AsyncKnowledgeClient(paths.root, locate=process.locate) as client:
            assert await client.add("die") == "mem_1"

    asyncio.run(body())
    first, second = adds(paths)
    assert first == second


def test_threads_survive_kills_in_the_middle(
    client: KnowledgeClient, process: ServerProcess, paths: DataPaths
) -> None:
    done = threading.Event()

    def work(thread: int) -> int:
        count = 0
        while not done.is_set():
            assert client.add(f"{thread}-{count}") == "mem_1"
            count += 1
        return count

    with ThreadPoolExecutor(4) as pool:
        workers = [pool.submit(work, thread) for thread in range(4)]
        for starts in range(1, 4):
            eventually("it serves", lambda n=starts: process.starts >= n and discovery.read(paths))
            eventually("calls arrive", lambda: (paths.root / "adds.txt").exists())
            before = len(adds(paths))
            eventually("more calls arrive", lambda n=before: len(adds(paths)) > n)
            process.kill()
        eventually("it is back", lambda: process.starts == 4)
        done.set()
        counts = [worker.result(PATIENCE) for worker in workers]
    carried_out = adds(paths)
    assert {text for _, text in carried_out} == {f"{t}-{n}" for t in range(4) for n in range(counts[t])}
    by_text = {text: id for id, text in carried_out}
    assert all(by_text[text] == id for id, text in carried_out), "a resend changed its request id"


def test_without_autostart_it_waits_for_a_quick_restart(paths: DataPaths) -> None:
    with serving(paths, Scripted()) as first, KnowledgeClient(paths.root, autostart=False) as client:
        assert client.count()
        again: list[Serving] = []
        first.stop()
        timer = threading.Timer(0.3, lambda: again.append(Serving(paths, Scripted())))
        timer.start()
        try:
            assert client.count()
        finally:
            timer.join(PATIENCE)
            again[0].stop()
