"""The asynchronous twin: the same core, awaited."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from memory_client.aio import AsyncKnowledgeClient
from memory_client.errors import (
    AuthenticationError,
    BusyError,
    DaemonUnavailableError,
    DeadlineExceededError,
    NotFoundError,
    UnknownParameterError,
)
from memory_client.paths import DataPaths
from memory_client.progress import on_progress
from memory_client.types import Hits
from memoryd.core.call_context import Call
from memoryd.server.request_handler import LIST_IN_CHUNKS
from support.rpc_server import PATIENCE, Blocker, Scripted, Serving, serving
from support.waiting import eventually


@pytest.fixture
def dispatcher() -> Scripted:
    return Scripted()


@pytest.fixture
def running(paths: DataPaths, dispatcher: Scripted) -> Iterator[Serving]:
    with serving(paths, dispatcher, workers=4, queue_limit=64) as serving_now:
        yield serving_now


def with_client(running: Serving, body: Callable[[AsyncKnowledgeClient], Awaitable[None]]) -> None:
    """Run `body` with a client in a fresh loop, debug mode on."""

    async def run() -> None:
        async with AsyncKnowledgeClient(running.paths.root, autostart=False) as client:
            await asyncio.wait_for(body(client), PATIENCE)

    asyncio.run(run(), debug=True)


def test_calls_are_awaited(running: Serving, dispatcher: Scripted) -> None:
    async def body(client: AsyncKnowledgeClient) -> None:
        await client.explain("花生", 3, user_id="u")
        await client.admin.metrics()
        await client.add("a")

    with_client(running, body)
    assert dispatcher.seen[:2] == [
        ("memory.explain", {"query": "花生", "n_results": 3, "user_id": "u"}),
        ("admin.metrics", {}),
    ]
    assert len(dispatcher.seen[2][1]["request_id"]) == 32


def test_a_hundred_at_once(running: Serving) -> None:
    async def body(client: AsyncKnowledgeClient) -> None:
        answers: list[Any] = await asyncio.gather(*(client.get(f"mem_{n}") for n in range(60)))
        assert [answer["params"]["id"] for answer in answers] == [f"mem_{n}" for n in range(60)]

    with_client(running, body)


def test_errors_come_back_as_themselves(running: Serving, dispatcher: Scripted) -> None:
    def get(_: Call, **__: Any) -> None:
        raise NotFoundError("none", id="mem_1")

    dispatcher.handlers["memory.get"] = get

    async def body(client: AsyncKnowledgeClient) -> None:
        with pytest.raises(NotFoundError, match="none"):
            await client.get("mem_1")
        with pytest.raises(UnknownParameterError):
            client.get("mem_1", nonsense=1)  # type: ignore[call-arg]

    with_client(running, body)


def test_a_slow_call_holds_up_nothing(running: Serving, dispatcher: Scripted) -> None:
    block = dispatcher.handlers["memory.stats"] = Blocker()

    async def body(client: AsyncKnowledgeClient) -> None:
        slow = asyncio.create_task(client.stats())
        await asyncio.to_thread(block.wait_begun)
        for _ in range(20):
            await client.count()
        assert not slow.done()
        block.release()
        assert await slow == "done"  # type: ignore[comparison-overlap]

    with_client(running, body)


def test_cancelling_stops_the_waiting(running: Serving, dispatcher: Scripted) -> None:
    block = dispatcher.handlers["memory.stats"] = Blocker()

    async def body(client: AsyncKnowledgeClient) -> None:
        task = asyncio.create_task(client.stats())
        await asyncio.to_thread(block.wait_begun)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        live = client._link.live
        assert live is not None
        assert live._calls == {}
        block.release()
        assert await client.count()

    with_client(running, body)


def test_the_deadline_names_the_step(running: Serving, dispatcher: Scripted) -> None:
    block = dispatcher.handlers["memory.count"] = Blocker()

    async def body(client: AsyncKnowledgeClient) -> None:
        with pytest.raises(DeadlineExceededError, match=r"waiting for the reply to memory\.count"):
            await client.with_timeout(0.1).count()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(client.count(), 0.05)
        block.release()

    with_client(running, body)


def test_progress_comes_into_the_loop(running: Serving, dispatcher: Scripted) -> None:
    def add_many(call: Call, **_: Any) -> list[str]:
        for done in range(3):
            call.report(done, 3, f"step {done}")
        return ["mem_1"]

    dispatcher.handlers["memory.add_many"] = add_many
    seen: list[Any] = []

    async def body(client: AsyncKnowledgeClient) -> None:
        with on_progress(lambda done, total, what: seen.append((threading.get_ident(), done, total, what))):
            assert await client.add_many(["a"]) == ["mem_1"]

    with_client(running, body)
    assert seen == [(threading.get_ident(), n, 3, f"step {n}") for n in range(3)]


def test_lists_are_put_together_from_chunks(running: Serving, dispatcher: Scripted) -> None:
    dispatcher.handlers["memory.get_all"] = lambda _: iter(range(50_000))

    async def body(client: AsyncKnowledgeClient) -> None:
        assert await client.get_all() == list(range(50_000))  # type: ignore[comparison-overlap]

    with_client(running, body)


@pytest.mark.parametrize("count", [0, 3, LIST_IN_CHUNKS + 1])
def test_hits_arrive_with_their_attributes(running: Serving, dispatcher: Scripted, count: int) -> None:
    sent = [{"id": f"mem_{n}"} for n in range(count)]
    dispatcher.handlers["memory.search"] = lambda _, **__: Hits(sent, degraded=True, reason="why")

    async def body(client: AsyncKnowledgeClient) -> None:
        hits = await client.search("which")
        assert (type(hits), list(hits)) == (Hits, sent)
        assert (hits.degraded, hits.reason, hits.answerable) == (True, "why", None)

    with_client(running, body)


def test_busy_is_tried_again_without_blocking_the_loop(paths: DataPaths) -> None:
    block = Blocker()

    async def body(client: AsyncKnowledgeClient) -> None:
        first = asyncio.create_task(client.count())
        await asyncio.to_thread(block.wait_begun)
        second = asyncio.create_task(client.count())
        while running.server.queue_depth < 1:
            await asyncio.sleep(0.005)
        with pytest.raises(BusyError):
            await client.count()
        block.release()
        assert [await first, await second] == ["done", "done"]  # type: ignore[comparison-overlap]

    with serving(paths, Scripted(memory__count=block), workers=1, queue_limit=1) as running:
        with_client(running, body)


def test_a_client_serves_several_loops(running: Serving) -> None:
    client = AsyncKnowledgeClient(running.paths.root, autostart=False)

    async def use() -> Any:
        return await client.count()

    for _ in range(3):
        assert asyncio.run(use())
    asyncio.run(client.close())
    with pytest.raises(DaemonUnavailableError, match="closed"):
        asyncio.run(use())


def test_a_refused_key_is_said(running: Serving) -> None:
    from memory_client import keys

    keys.client_key_file(running.paths).write_bytes(b"")

    async def body(client: AsyncKnowledgeClient) -> None:
        with pytest.raises(AuthenticationError):
            await client.count()

    with_client(running, body)


def test_nothing_is_left_behind(running: Serving) -> None:
    async def body(client: AsyncKnowledgeClient) -> None:
        await client.count()

    with_client(running, body)
    before = threading.active_count()
    with_client(running, body)
    gc.collect()
    eventually("its threads have ended", lambda: threading.active_count() == before)
