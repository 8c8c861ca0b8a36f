"""The asynchronous client without its methods: it runs the steps of a call in an event loop."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from memory_client.calls import Block, ClientBase, Steps, Wait
from memory_client.errors import MemorydError
from memory_client.progress import ProgressCallback, current_callback

if TYPE_CHECKING:
    from memory_client.api.spec import MethodSpec
    from memory_client.connection import ProgressSink
    from memory_client.deadline import Deadline


class AsyncCore(ClientBase):
    """As `KnowledgeClient`, awaited. Cancelling a call stops waiting; the daemon may still run it.

    May be used from several event loops. Progress callbacks run in the caller's loop.
    """

    async def close(self) -> None:
        """Free the connection; pending calls fail. May be called again."""
        if self._owns_link:
            await asyncio.to_thread(self._link.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    async def _invoke(self, spec: MethodSpec, params: dict[str, Any]) -> Any:
        callback = current_callback()
        sink = None if callback is None else _relay(callback)
        steps, deadline = self._steps(spec, params, sink)
        return await _take(steps, deadline)


def _relay(callback: ProgressCallback) -> ProgressSink:
    """A sink that carries progress from the I/O thread to the caller's loop."""
    loop = asyncio.get_running_loop()

    def report(event: dict[str, Any]) -> None:
        callback(event["done"], event["total"], event["what"])

    def sink(event: dict[str, Any]) -> None:
        with suppress(RuntimeError):  # the loop was closed
            loop.call_soon_threadsafe(report, event)

    return sink


async def _take(steps: Steps, deadline: Deadline) -> Any:
    try:
        step = next(steps)
        while True:
            try:
                value = await (
                    asyncio.to_thread(step.function) if isinstance(step, Block) else _result(step, deadline)
                )
            except Exception as error:
                step = steps.throw(error)
            else:
                step = steps.send(value)
    except StopIteration as end:
        return end.value


async def _result(wait: Wait, deadline: Deadline) -> Any:
    try:
        async with asyncio.timeout(deadline.left()):
            return await asyncio.wrap_future(wait.future)
    except MemorydError:
        raise  # DeadlineExceededError is a TimeoutError too
    except TimeoutError:
        raise deadline.error(wait.step) from None
