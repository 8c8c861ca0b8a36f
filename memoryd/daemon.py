"""The life of the daemon.

1. Settings, then the log.
2. Take the owner lock; remove what dead processes left in `run/`.
3. Start loading the model, bind, open the store: keyword search works.
4. Publish the connection file, last and atomically; report to the starter.
5. Serve. Every second check: still the owner? idle for too long? activity to record?
6. Stop: withdraw the connection file, drain with a cap, close the store, release the directory.

A start by hand takes `run/start.lock` like any other; for a spawned process its starter holds it.
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
"""A process that does not exit by then is killed, with the stacks of its threads in the log."""
_SIGNALS = ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK")


def _keep_to_one_core() -> None:
    """Run NumPy's products in the calling thread.

    They are small: spread over busy cores, they take three times as long as on one.
    """
    from threadpoolctl import threadpool_limits

    threadpool_limits(limits=1, user_api="blas")


@contextmanager
def _short_switch_interval() -> Iterator[None]:
    """Let threads exchange the GIL more often.

    The model is loaded in a thread, in short calls without the GIL, while modules are imported. After each
    call it waits for the GIL for up to one interval, which adds up to more than the loading itself.
    """
    former = sys.getswitchinterval()
    sys.setswitchinterval(_START_SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(former)


def serve(paths: DataPaths, overrides: Mapping[str, Any], *, report: Path | None, foreground: bool) -> None:
    """Run the daemon until it is asked to stop. report: the file in which a starter waits for the outcome.

    Raises the reason of a failed start, which the report contains too: `ConfigurationError`,
    `DataDirectoryError`, `StorageError` or a subclass, `InternalError`.
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
    """Report to the starter, if any; by hand, the command line prints the error."""
    if report is not None:
        log.error("not started: %s", error)
        report_failure(report, error)


class _Gate:
    """The dispatcher of a server that is bound before the store is open, and run after."""

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
        """Make `run` return. Safe from any thread and from a signal handler."""
        self._stops.put(reason)

    def run(self, report: Path | None = None) -> None:
        """Take the directory, serve, and release it."""
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
        from memoryd.app.embedder import embedder_host  # an import that fails here is reported to the starter

        gate = _Gate()
        with ExitStack() as undo, _short_switch_interval():
            server = self._server(gate)
            undo.callback(server.close)
            endpoint = server.bind()
            log.info("memoryd %s, pid %d, %s, %s", VERSION, os.getpid(), endpoint, self._paths.root)
            host = embedder_host(self._settings, self._paths)
            undo.callback(host.close)
            host.start()  # the model loads while the rest is imported

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
        """Wait until there is a reason to stop; return it."""
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
        """Exit at once and write nothing: the directory may belong to another process by now.

        Acknowledged writes are in the database, and everything else is derived from it.
        """
        log.critical("%s is not owned by this process any more; leaving", self._paths.root)
        logging.shutdown()
        os._exit(EXIT_NOT_OWNER)

    def _install_signals(self) -> None:
        for name in _SIGNALS:
            number = getattr(signal, name, None)
            # Signals that the starter ignores (nohup, background jobs of a shell) stay ignored.
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, _: FrameType | None) -> None:
        self._signals += 1
        if self._signals > 1:  # a second signal: exit at once; acknowledged writes are durable
            os._exit(128 + number)
        self.request_stop(signal.Signals(number).name)


def _figures(server: Server) -> Metrics:
    return {"methods": server.metrics.snapshot(), "queue": server.load(), "caches": {}}
