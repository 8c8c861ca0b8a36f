"""The life of the daemon.

1. Settings, then the log.
2. Own the directory; what dead processes left in `run/` goes now, as nobody else can be alive.
3. Begin to load the model, bind, open the store: keyword search works.
4. Publish the connection file, last and atomically; tell the starter.
5. Serve. Every second: still the owner? idle for long? anything to note as activity?
6. Leave: withdraw the connection file, drain with a cap, close the store, release the directory.

A start by hand goes through `run/start.lock` like any other; a started process finds it held by its starter.
"""

from __future__ import annotations

import faulthandler
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from queue import Empty, SimpleQueue
from types import FrameType
from typing import TYPE_CHECKING, Any

from memory_client import discovery, keys
from memory_client.deadline import Deadline
from memory_client.discovery import ConnectionInfo
from memory_client.errors import InternalError, MemorydError
from memory_client.launch import START_SECONDS, start_lock
from memory_client.owner import unusable
from memory_client.paths import DataPaths
from memory_client.process import ProcessId
from memory_client.protocol import PROTOCOL
from memory_client.report import report_failure, report_serving
from memory_client.types import Metrics
from memory_client.version import VERSION
from memoryd.app.allocator import Release, limit_arenas, release_unused
from memoryd.app.logs import setup_logging
from memoryd.app.settings import Settings, load_settings
from memoryd.server.server import Server
from memoryd.storage.ownership import DirectoryOwner

if TYPE_CHECKING:
    from memoryd.app.build import App
    from memoryd.core.call_context import Call

log = logging.getLogger(__name__)

EXIT_NOT_OWNER = 3
_TICK_SECONDS = 1.0
_START_SWITCH_SECONDS = 0.0005
_EXIT_SECONDS = 20.0
"""A process that is done and does not end by then is ended, with the stacks of its threads in the log."""
_SIGNALS = ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK")


def _keep_to_one_core() -> None:
    """Let NumPy's products run in the calling thread.

    They are small; spread over cores whose time others want they wait for each other, three times as long
    as one core takes.
    """
    from threadpoolctl import threadpool_limits

    threadpool_limits(limits=1, user_api="blas")


@contextmanager
def _short_switch_interval() -> Iterator[None]:
    """Let threads exchange the GIL more often.

    The model is loaded beside the imports in short calls without the GIL. After each it would wait for it as
    long as an interval, which together takes longer than the loading.
    """
    former = sys.getswitchinterval()
    sys.setswitchinterval(_START_SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(former)


def serve(paths: DataPaths, overrides: Mapping[str, Any], *, report: Path | None, foreground: bool) -> None:
    """Run the daemon until it is told to stop. report: where a starter waits for word.

    Raises what hinders the start: `ConfigurationError`, `DataDirectoryError` and its kind, `StorageError`
    and its kind, `InternalError`; it stands in the report as well.
    """
    os.umask(0o077)
    limit_arenas()
    try:
        settings = load_settings(paths, overrides=overrides)
        paths.make()
        setup_logging(paths, settings.log, foreground=foreground)
        Daemon(paths, settings).run(report)
    except MemorydError as error:
        _report_failure(report, error)
        raise
    except Exception as error:
        log.exception("the daemon failed")
        wrapped = _typed(paths, error)
        _report_failure(report, wrapped)
        raise wrapped from error
    if not foreground:
        faulthandler.dump_traceback_later(_EXIT_SECONDS, exit=True)


def _typed(paths: DataPaths, error: Exception) -> MemorydError:
    if isinstance(error, OSError):
        return unusable(paths, error)
    return InternalError(f"{type(error).__name__}: {error}; the details are in {paths.log_file}")


def _report_failure(report: Path | None, error: MemorydError) -> None:
    """Tell the starter; by hand the command line says it."""
    if report is not None:
        log.error("not started: %s", error)
        report_failure(report, error)


class _Gate:
    """The way to the store for a server that is bound before the store is open; it runs only after."""

    app: App

    def dispatch(self, method: str, params: dict[str, Any], call: Call) -> Any:
        return self.app.dispatcher.dispatch(method, params, call)


class Daemon:
    """One process that owns a data directory and serves it."""

    def __init__(self, paths: DataPaths, settings: Settings) -> None:
        self._paths = paths
        self._settings = settings
        self._owner = DirectoryOwner(paths, "daemon")
        # Not an Event: `put` is safe in a signal handler that interrupts `get`.
        self._stops: SimpleQueue[str] = SimpleQueue()
        self._signals = 0

    def request_stop(self, reason: str) -> None:
        """Make `run` leave; from any thread and from a signal handler."""
        self._stops.put(reason)

    def run(self, report: Path | None = None) -> None:
        """From taking the directory to giving it back."""
        self._install_signals()
        with self._start_lock(report):
            self._owner.take()  # 2
            try:
                self._clear_stale()
                app, server, endpoint = self._build()  # 3
            except BaseException:
                self._owner.release()
                raise
            info = self._publish(endpoint, app.schema, report)  # 4
        self._life(app, server, info)

    def _start_lock(self, report: Path | None) -> AbstractContextManager[None]:
        return start_lock(self._paths, Deadline.after(START_SECONDS)) if report is None else nullcontext()

    def _clear_stale(self) -> None:
        for leftover in (self._paths.connection, *self._paths.run.glob(".*.tmp")):
            leftover.unlink(missing_ok=True)
        keys.ensure_keys(self._paths)

    def _build(self) -> tuple[App, Server, str]:
        from memoryd.app.embedder import embedder_host  # what is missing there is reported as a failure

        gate = _Gate()
        with ExitStack() as undo, _short_switch_interval():
            server = self._server(gate)
            undo.callback(server.close)
            endpoint = server.bind()
            log.info("memoryd %s, pid %d, %s, %s", VERSION, os.getpid(), endpoint, self._paths.root)
            host = embedder_host(self._settings, self._paths)
            undo.callback(host.close)
            host.start()  # the model loads while all else is imported

            from memoryd.app.build import App

            _keep_to_one_core()
            gate.app = app = App(self._paths, self._settings, host=host)
            undo.callback(app.close)
            app.open()
            undo.pop_all()
        app.attach(endpoint, lambda: self.request_stop("asked over RPC"), lambda: _figures(server))
        return app, server, endpoint

    def _server(self, dispatcher: _Gate) -> Server:
        own = self._settings.daemon
        return Server(
            dispatcher,
            self._paths,
            port=own.port,
            workers=own.workers,
            queue_limit=own.queue_limit,
            max_message_bytes=own.max_message_mb * 2**20,
        )

    def _publish(self, endpoint: str, schema: int, report: Path | None) -> ConnectionInfo:
        me = ProcessId.current()
        info = ConnectionInfo(
            endpoint=endpoint,
            server_key=keys.server_keypair(self._paths).public.decode(),
            pid=me.pid,
            create_time=me.create_time,
            protocol=PROTOCOL,
            version=VERSION,
            schema=schema,
            settings=self._settings.fingerprint,
        )
        discovery.publish(self._paths, info)
        if report is not None:
            report_serving(report, info)
        return info

    def _life(self, app: App, server: Server, info: ConnectionInfo) -> None:
        loop = threading.Thread(target=server.run, name="memoryd-server")
        loop.start()
        try:
            reason = self._serve(app, server, loop)  # 5
            log.info("leaving: %s", reason)
        finally:
            discovery.withdraw(self._paths, info)  # 6
            drain = self._settings.daemon.drain_seconds
            server.stop(drain)
            loop.join(drain + 5)
            app.close()
            self._owner.release()
        log.info("stopped")

    def _serve(self, app: App, server: Server, loop: threading.Thread) -> str:
        """Watch over the process until there is a reason to leave."""
        last_work = time.monotonic()
        release = Release(last_work, app.release_unused, release_unused)
        while True:
            try:
                return self._stops.get(timeout=_TICK_SECONDS)
            except Empty:
                if not self._owner.still_owner():
                    self._abandon()
            if not loop.is_alive():
                raise InternalError("the server's thread ended; see the log")
            if app.busy or server.in_flight or server.last_activity > last_work:
                last_work = time.monotonic()
                self._owner.mark_active()
            release.tick(last_work, time.monotonic())
            limit = self._settings.daemon.idle_exit_seconds
            if limit and time.monotonic() - last_work >= limit:
                return f"idle for {limit:g} s"

    def _abandon(self) -> None:
        """Leave at once and write nothing: the directory may belong to another process by now.

        What was acknowledged is in the database, all else can be rebuilt from it.
        """
        log.critical("%s is not owned by this process any more; leaving", self._paths.root)
        logging.shutdown()
        os._exit(EXIT_NOT_OWNER)

    def _install_signals(self) -> None:
        for name in _SIGNALS:
            number = getattr(signal, name, None)
            # What the starter had set to be ignored (nohup, background jobs of a shell) stays so.
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, _: FrameType | None) -> None:
        self._signals += 1
        if self._signals > 1:  # somebody is in a hurry; everything acknowledged is durable
            os._exit(128 + number)
        self.request_stop(signal.Signals(number).name)


def _figures(server: Server) -> Metrics:
    return {"methods": server.metrics.snapshot(), "queue": server.load(), "caches": {}}
