"""A faster engine takes over from the one that serves, or the reason why it does not is told."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest
from support import eventually
from test_embedder_host import SOON, ScriptedEmbedder

from memory_client.deadline import Deadline
from memory_client.errors import ModelUnavailableError
from memoryd.models.base import Embedder
from memoryd.models.host import EmbedderHost
from memoryd.models.select import EmbedderChoice, open_faster

Faster = Callable[[EmbedderChoice, Embedder, Callable[[], bool]], Embedder | None]


class FastEmbedder(ScriptedEmbedder):
    engine = "fast"


@pytest.fixture
def slow() -> ScriptedEmbedder:
    return ScriptedEmbedder()


@pytest.fixture
def hosted(slow: ScriptedEmbedder) -> Iterator[Callable[..., EmbedderHost]]:
    """Makes hosts of the slow engine, not started; closes them in the end."""
    made: list[EmbedderHost] = []

    def make(faster: Faster) -> EmbedderHost:
        made.append(EmbedderHost(EmbedderChoice(), opener=lambda _: slow, faster=faster))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_the_slow_engine_serves_until_the_fast_one_is_ready(
    hosted: Callable[..., EmbedderHost], slow: ScriptedEmbedder
) -> None:
    fast, gate = FastEmbedder(), threading.Event()

    def faster(_: EmbedderChoice, current: Embedder, __: Callable[[], bool]) -> Embedder:
        assert current is slow
        assert gate.wait(SOON)
        return fast

    host = hosted(faster)
    host.start()
    host.wait(Deadline.after(SOON))
    host.encode_query("before", Deadline.after(SOON))
    assert slow.calls == [["before"]]
    eventually("the reason is told", lambda: "made ready" in (host.status()["fallback"] or ""))
    gate.set()
    eventually("the fast engine serves", lambda: host.status()["engine"] == "fast")
    assert host.status()["fallback"] is None
    host.encode_query("after", Deadline.after(SOON))
    host.embed_passages(["stored"])
    assert fast.calls == [["after"], ["stored"]]
    assert not slow.closed


def test_a_bulk_job_under_way_goes_on_with_the_fast_engine(
    hosted: Callable[..., EmbedderHost], slow: ScriptedEmbedder
) -> None:
    fast, gate = FastEmbedder(), threading.Event()

    def faster(*_: object) -> Embedder:
        assert gate.wait(SOON)
        return fast

    host = hosted(faster)
    host.start()
    host.wait(Deadline.after(SOON))
    slow.held.clear()
    done: list[int] = []
    texts = ["x" * 2000] * 12
    job = threading.Thread(target=lambda: done.append(len(host.embed_passages(texts))))
    job.start()
    assert slow.entered.wait(SOON)
    gate.set()
    eventually("the fast engine serves", lambda: host.status()["engine"] == "fast")
    slow.held.set()
    job.join(SOON)
    assert done == [12]
    assert slow.calls
    assert fast.calls
    assert sum(map(len, slow.calls + fast.calls)) == 12


def test_a_refused_engine_is_not_used_and_the_reason_stands_in_the_status(
    hosted: Callable[..., EmbedderHost],
) -> None:
    refused = FastEmbedder()
    host = hosted(lambda *_: refused)
    host.approve = lambda faster, _: f"{faster.engine} disagrees"
    host.start()
    eventually("the reason is told", lambda: host.status()["fallback"] == "fast disagrees")
    assert host.status()["engine"] == "scripted"
    assert refused.closed


@pytest.mark.parametrize(
    "error", [ModelUnavailableError("no room on the disk"), OSError("broken"), ValueError("odd")]
)
def test_a_failure_leaves_the_slow_engine_serving(
    hosted: Callable[..., EmbedderHost], error: Exception
) -> None:
    def faster(*_: object) -> Embedder:
        raise error

    host = hosted(faster)
    host.start()
    eventually("the reason is told", lambda: str(error) in (host.status()["fallback"] or ""))
    assert (host.state, host.status()["engine"]) == ("ready", "scripted")
    assert host.encode_query("x", Deadline.after(SOON)).vector.shape == (4,)


def test_closing_ends_a_change_over_under_way(hosted: Callable[..., EmbedderHost]) -> None:
    begun, fast = threading.Event(), FastEmbedder()

    def faster(_: EmbedderChoice, __: Embedder, stop: Callable[[], bool]) -> Embedder:
        begun.set()
        eventually("it is told to stop", stop)
        return fast

    host = hosted(faster)
    host.start()
    assert begun.wait(SOON)
    host.close()
    assert fast.closed


def test_a_host_closed_while_loading_tries_nothing_faster(slow: ScriptedEmbedder) -> None:
    gate, begun, tried = threading.Event(), threading.Event(), []

    def opener(_: EmbedderChoice) -> Embedder:
        begun.set()
        assert gate.wait(SOON)
        return slow

    host = EmbedderHost(EmbedderChoice(), opener=opener, faster=lambda *_: tried.append(1))
    host.start()
    assert begun.wait(SOON)
    closing = threading.Thread(target=host.close)
    closing.start()
    eventually("it is closing", host._closing.is_set)
    gate.set()
    closing.join(SOON)
    assert tried == []
    assert slow.closed


def test_nothing_faster_is_tried_for_other_engines(slow: ScriptedEmbedder) -> None:
    assert open_faster(EmbedderChoice(), slow, lambda: False) is None
