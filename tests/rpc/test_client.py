"""The blocking client: threads, deadlines, busy, progress, views, forks, and a clean end."""

from __future__ import annotations

import copy
import gc
import json
import os
import pickle
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgpack
import pytest

from memory_client import client as client_module
from memory_client import discovery
from memory_client.client import KnowledgeClient, get_knowledge_client
from memory_client.errors import (
    BusyError,
    ConfigurationError,
    DaemonUnavailableError,
    DeadlineExceededError,
    InvalidParameterError,
    MemorydError,
    UnknownParameterError,
    registry,
)
from memory_client.paths import DataPaths
from memory_client.progress import on_progress
from memory_client.proxy import KnowledgeBaseProxy
from memory_client.types import Hits
from memoryd.core.call_context import Call
from memoryd.server.request_handler import LIST_IN_CHUNKS
from support.rpc_server import PATIENCE, Blocker, Scripted, Serving, info_of, serving
from support.waiting import eventually


@pytest.fixture
def dispatcher() -> Scripted:
    return Scripted()


@pytest.fixture
def running(paths: DataPaths, dispatcher: Scripted) -> Iterator[Serving]:
    with serving(paths, dispatcher, workers=4, queue_limit=100) as serving_now:
        yield serving_now


@pytest.fixture
def client(running: Serving) -> Iterator[KnowledgeClient]:
    with KnowledgeClient(running.paths.root, autostart=False) as connected:
        yield connected


# -- arguments --------------------------------------------------------------------------------------


def test_arguments_go_by_name_and_defaults_stay_home(client: KnowledgeClient, dispatcher: Scripted) -> None:
    client.explain("花生", 3, user_id="u", filters={"category": "fact"})
    client.admin.metrics()
    assert dispatcher.seen == [
        (
            "memory.explain",
            {"query": "花生", "n_results": 3, "user_id": "u", "filters": {"category": "fact"}},
        ),
        ("admin.metrics", {}),
    ]


@pytest.mark.parametrize(
    "call",
    [
        lambda c: c.search("x", n_result=5),
        lambda c: c.search(),
        lambda c: c.search("x", 5, "u"),
        lambda c: c.search("x", query="y"),
    ],
)
def test_wrong_arguments_are_errors_before_anything_is_sent(
    client: KnowledgeClient, dispatcher: Scripted, call: Any
) -> None:
    with pytest.raises(UnknownParameterError):
        call(client)
    assert dispatcher.seen == []


@pytest.mark.parametrize("value", [{1, 2}, object(), 2**70, "\ud800"])
def test_values_that_cannot_be_sent(client: KnowledgeClient, dispatcher: Scripted, value: Any) -> None:
    with pytest.raises(InvalidParameterError, match="cannot be sent") as caught:
        client.add("x", {"a": [value]})
    assert caught.value.data["parameter"] == "metadata.a[0]"
    assert dispatcher.seen == []


def test_a_write_has_a_request_id_and_the_callers_wins(client: KnowledgeClient, dispatcher: Scripted) -> None:
    client.add("a")
    client.add("a")
    client.add("a", request_id=None)
    client.add("a", request_id="mine")
    client.count()
    ids = [params.get("request_id") for _, params in dispatcher.seen]
    assert ids[3:] == ["mine", None]
    assert len({*ids[:3]}) == 3
    assert all(isinstance(id, str) and len(id) == 32 for id in ids[:3])


@pytest.mark.parametrize("cls", registry().values(), ids=lambda cls: cls.__name__)
def test_every_error_comes_back_as_itself(
    client: KnowledgeClient, dispatcher: Scripted, cls: type[MemorydError]
) -> None:
    def get(_: Call, **__: Any) -> None:
        raise cls("what happened: 花生", path="/x", n=3, list=[1, None])

    dispatcher.handlers["memory.get"] = get
    with pytest.raises(cls) as caught:
        client.get("mem_1")
    assert type(caught.value) is cls
    assert str(caught.value) == "what happened: 花生"
    assert caught.value.data == {"path": "/x", "n": 3, "list": [1, None]}


# -- time and load ----------------------------------------------------------------------------------


def test_the_deadline_names_the_step(client: KnowledgeClient, dispatcher: Scripted) -> None:
    block = dispatcher.handlers["memory.count"] = Blocker()
    with pytest.raises(DeadlineExceededError, match=r"waiting for the reply to memory\.count \(0\.1 s"):
        client.with_timeout(0.1).count()
    block.release()
    assert client.count() == "done"


def test_the_daemons_own_timeout_arrives_first(client: KnowledgeClient, dispatcher: Scripted) -> None:
    def search(call: Call, **_: Any) -> None:
        while True:
            call.deadline.check("waiting for the model")
            time.sleep(0.005)

    dispatcher.handlers["memory.search"] = search
    with pytest.raises(DeadlineExceededError, match="waiting for the model"):
        client.with_timeout(1).search("x", mode="semantic")


def test_long_calls_have_no_limit_unless_a_view_sets_one(
    client: KnowledgeClient, dispatcher: Scripted
) -> None:
    for method in ("memory.get_all", "memory.count"):
        dispatcher.handlers[method] = lambda call: [call.deadline.seconds]
    assert client.get_all() == [None]
    assert 29 < client.count()[0] <= 30  # type: ignore[index]
    assert client.with_timeout(None).count() == [None]
    assert 1.7 < client.with_timeout(2).get_all()[0] <= 2  # type: ignore[operator]


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), True, "1", 1j])
def test_a_timeout_that_is_none(tmp_path: Path, timeout: Any) -> None:
    with pytest.raises(InvalidParameterError, match="over 0 seconds"):
        KnowledgeClient(tmp_path, timeout=timeout)


def test_a_view_shares_the_connection_and_does_not_close_it(client: KnowledgeClient) -> None:
    with client.with_timeout(5) as view:
        assert view.count()
        assert view.admin.metrics()
        assert view._link is client._link
    assert client.count()


def test_sixteen_threads_at_once(client: KnowledgeClient) -> None:
    def work(thread: int) -> list[Any]:
        return [client.get(f"mem_{thread}_{n}") for n in range(100)]

    with ThreadPoolExecutor(16) as pool:
        for thread, answers in enumerate(pool.map(work, range(16))):
            assert [answer["params"]["id"] for answer in answers] == [f"mem_{thread}_{n}" for n in range(100)]


def test_a_slow_call_holds_up_no_other_thread(client: KnowledgeClient, dispatcher: Scripted) -> None:
    block = dispatcher.handlers["memory.stats"] = Blocker()
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(client.stats)
        block.wait_begun()
        for _ in range(100):
            client.count()
        assert not slow.done()
        block.release()
        assert slow.result(PATIENCE) == "done"


def test_busy_is_tried_again_and_then_said(paths: DataPaths) -> None:
    block = Blocker()
    with (
        serving(paths, Scripted(memory__count=block), workers=1, queue_limit=1) as running,
        KnowledgeClient(paths.root, autostart=False) as client,
        ThreadPoolExecutor(3) as pool,
    ):
        first = pool.submit(client.count)
        block.wait_begun()
        second = pool.submit(client.count)
        eventually("one waits", lambda: running.server.queue_depth == 1)
        with pytest.raises(BusyError):
            client.count()
        assert running.server.load()["refused"] == 4
        third = pool.submit(client.count)
        eventually("it was refused", lambda: running.server.load()["refused"] >= 5)
        block.release()
        assert [future.result(PATIENCE) for future in (first, second, third)] == ["done"] * 3


def test_lists_are_put_together_from_chunks(client: KnowledgeClient, dispatcher: Scripted) -> None:
    items = [{"id": f"mem_{n}", "text": "x" * 200} for n in range(20_000)]
    dispatcher.handlers["memory.get_all"] = lambda _: iter(items)
    assert client.get_all() == items


@pytest.mark.parametrize("count", [0, 3, LIST_IN_CHUNKS + 1])
def test_hits_arrive_with_their_attributes(client: KnowledgeClient, dispatcher: Scripted, count: int) -> None:
    sent = [{"id": f"mem_{n}", "text": "x" * 5_000} for n in range(count)]
    said = {"degraded": True, "reason": "the model is missing", "answerable": False}
    dispatcher.handlers["memory.search"] = lambda _, **__: Hits(sent, **said)
    hits = client.search("which")
    assert type(hits) is Hits
    assert hits == sent
    assert {name: getattr(hits, name) for name in said} == said


def test_hits_are_a_list_of_plain_data(client: KnowledgeClient, dispatcher: Scripted) -> None:
    sent = [{"id": "mem_1"}, {"id": "mem_2"}]
    dispatcher.handlers["memory.search"] = lambda _, **__: Hits(sent)
    hits = client.search("which")
    assert (hits.degraded, hits.reason, hits.answerable) == (False, None, None)
    assert (len(hits), hits[0], hits[1:], list(hits)) == (2, sent[0], sent[1:], sent)
    assert json.loads(json.dumps(hits)) == msgpack.unpackb(msgpack.packb(hits)) == sent
    for copied in (copy.copy(hits), copy.deepcopy(hits), pickle.loads(pickle.dumps(hits))):
        assert (type(copied), copied, vars(copied)) == (Hits, hits, vars(hits))


# -- progress ---------------------------------------------------------------------------------------


def reporting(call: Call, **_: Any) -> list[str]:
    for done in range(4):
        call.report(done, 4, f"step {done}")
    return ["mem_1"]


def test_progress_comes_in_order_in_the_calling_thread(client: KnowledgeClient, dispatcher: Scripted) -> None:
    dispatcher.handlers["memory.add_many"] = reporting
    seen: list[Any] = []
    with on_progress(lambda done, total, what: seen.append((threading.get_ident(), done, total, what))):
        assert client.add_many(["a"]) == ["mem_1"]
    assert seen == [(threading.get_ident(), n, 4, f"step {n}") for n in range(4)]
    assert client.add_many(["a"]) == ["mem_1"]
    assert len(seen) == 4


def test_a_progress_callback_may_call_the_client(client: KnowledgeClient, dispatcher: Scripted) -> None:
    dispatcher.handlers["memory.add_many"] = reporting
    answers: list[Any] = []
    with on_progress(lambda *_: answers.append(client.ping())):
        client.add_many(["a"])
    assert len(answers) == 4


def test_an_error_in_a_progress_callback_is_the_callers(
    client: KnowledgeClient, dispatcher: Scripted
) -> None:
    dispatcher.handlers["memory.add_many"] = reporting

    def fail(*_: Any) -> None:
        raise KeyError("mine")

    with on_progress(fail), pytest.raises(KeyError, match="mine"):
        client.add_many(["a"])
    assert client.count()


# -- finding the daemon -----------------------------------------------------------------------------


def test_without_a_daemon_it_says_how_to_start_one(paths: DataPaths) -> None:
    with (
        KnowledgeClient(paths.root, autostart=False) as client,
        pytest.raises(DaemonUnavailableError, match="memoryd start"),
    ):
        client.count()


def test_a_damaged_connection_file_is_named(paths: DataPaths) -> None:
    paths.connection.write_text("{")
    with (
        KnowledgeClient(paths.root, autostart=False) as client,
        pytest.raises(DaemonUnavailableError, match=r"connection\.json is damaged"),
    ):
        client.count()


def test_a_port_nobody_listens_at_is_given_up(paths: DataPaths) -> None:
    with serving(paths, Scripted()) as running:
        endpoint = running.info.endpoint
    discovery.publish(paths, info_of(paths, endpoint))
    with (
        KnowledgeClient(paths.root, autostart=False) as client,
        pytest.raises(DaemonUnavailableError, match=r"6 times during memory\.count.*nothing listens"),
    ):
        client.count()


def test_threads_that_wait_for_the_start_have_their_own_deadlines(paths: DataPaths) -> None:
    go = threading.Event()

    def locate(*_: Any) -> Any:
        assert go.wait(PATIENCE)
        raise DaemonUnavailableError("no")

    with KnowledgeClient(paths.root, locate=locate) as client, ThreadPoolExecutor(1) as pool:
        first = pool.submit(client.count)
        eventually("the first is looking", client._link._lock.locked)
        with pytest.raises(DeadlineExceededError, match="waiting for the daemon to start"):
            client.with_timeout(0.05).count()
        go.set()
        with pytest.raises(DaemonUnavailableError, match="no"):
            first.result(PATIENCE)


def test_shutdown_is_sent_once_and_starts_nothing(paths: DataPaths) -> None:
    def locate(*_: Any) -> Any:
        raise AssertionError("it must not start a daemon")

    with KnowledgeClient(paths.root, locate=locate) as client:
        with pytest.raises(DaemonUnavailableError, match="no daemon runs"):
            client.admin.shutdown()
        running = Serving(paths, (dispatcher := Scripted()))
        dispatcher.handlers["admin.shutdown"] = lambda _: running.server.stop()
        assert client.admin.shutdown() is None
        running.stop()
        with pytest.raises(DaemonUnavailableError, match="no daemon runs"):
            client.admin.shutdown()
        assert [method for method, _ in dispatcher.seen] == ["admin.shutdown"]


# -- the end ----------------------------------------------------------------------------------------


def test_after_close_calls_are_errors(running: Serving) -> None:
    client = KnowledgeClient(running.paths.root, autostart=False)
    assert client.count()
    client.close()
    client.close()
    with pytest.raises(DaemonUnavailableError, match="closed"):
        client.count()


def test_closing_fails_the_calls_in_hand(running: Serving, dispatcher: Scripted) -> None:
    block = dispatcher.handlers["memory.count"] = Blocker()
    client = KnowledgeClient(running.paths.root, autostart=False)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(client.count)
        block.wait_begun()
        client.close()
        with pytest.raises(DaemonUnavailableError, match="closed"):
            waiting.result(PATIENCE)
        block.release()


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
def test_closing_and_forgetting_leave_nothing_behind(running: Serving) -> None:
    def use(close: bool) -> None:
        client = KnowledgeClient(running.paths.root, autostart=False)
        client.count()
        if close:
            client.close()

    use(True)
    threads, files = threading.active_count(), open_files()
    for close in (True, False) * 3:
        use(close)
        gc.collect()
    assert threading.active_count() == threads
    eventually("the server has seen them go", lambda: open_files() <= files)


def test_an_unused_client_costs_nothing(tmp_path: Path) -> None:
    threads = threading.active_count()
    KnowledgeClient(tmp_path / "nowhere")
    assert threading.active_count() == threads
    assert not (tmp_path / "nowhere").exists()


def test_a_process_that_never_closes_ends_quietly(running: Serving) -> None:
    code = (
        "import sys; from memory_client.client import KnowledgeClient\n"
        "client = KnowledgeClient(sys.argv[1], autostart=False); client.count(); print('ok')"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-X", "dev", "-c", code, str(running.paths.root)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={**os.environ, "MEMORYD_AUTOSTART": "0"},
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "ok\n", "")


FORK = """
import os, sys, threading
from memory_client.client import KnowledgeClient

client = KnowledgeClient(sys.argv[1], autostart=False)
assert client.count()["method"] == "memory.count"
stop = threading.Event()
def busy():
    while not stop.is_set():
        client.count()
threads = [threading.Thread(target=busy) for _ in range(3)]
for thread in threads: thread.start()
for n in range(5):
    child = os.fork()
    if child == 0:
        assert client.get(f"child {n}")["params"] == {"id": f"child {n}"}
        if n % 2:
            client.close()
            os._exit(0)
        sys.exit(0)
    _, status = os.waitpid(child, 0)
    assert status == 0, status
    assert client.get("parent")["params"] == {"id": "parent"}
stop.set()
for thread in threads: thread.join()
client.close()
assert threading.active_count() == 1
print("ok")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork there")
def test_a_fork_gets_a_connection_of_its_own(running: Serving) -> None:
    done = subprocess.run(
        # forking with threads is what is tested here; later Pythons warn of it
        [
            sys.executable,
            "-W",
            "error",
            "-W",
            "ignore::DeprecationWarning",
            "-c",
            FORK,
            str(running.paths.root),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "MEMORYD_AUTOSTART": "0"},
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "ok\n", "")


def test_the_process_has_one_client(monkeypatch: pytest.MonkeyPatch, running: Serving) -> None:
    monkeypatch.setenv("MEMORYD_HOME", str(running.paths.root))
    monkeypatch.setattr(client_module, "_client", None)
    with ThreadPoolExecutor(8) as pool:
        clients = {id(client) for client in pool.map(lambda _: get_knowledge_client(), range(50))}
    assert len(clients) == 1
    with get_knowledge_client() as first:
        assert first.count()
    second = get_knowledge_client()
    assert second is not first
    assert second.count()
    second.close()


def test_the_proxy_takes_a_directory_but_no_settings(running: Serving) -> None:
    with KnowledgeBaseProxy(running.paths.root) as proxy:
        assert isinstance(proxy, KnowledgeClient)
        assert proxy.count()
    with pytest.raises(ConfigurationError, match=r"config\.toml"):
        KnowledgeBaseProxy(running.paths.root, settings={"daemon.port": 1})


def test_no_warning_on_the_way(client: KnowledgeClient) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        client.count()
        client.close()
        gc.collect()
