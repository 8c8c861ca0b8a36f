"""The log of the daemon: one rotating private file, and standard error in the foreground."""

from __future__ import annotations

import faulthandler
import logging
import os
import sys
import threading
from copy import copy
from datetime import datetime
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler

from memory_client.paths import DataPaths
from memoryd.app.setting_groups import LogSettings

_OURS = ("memoryd", "memory_client")
_FORMAT = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"

log = logging.getLogger(__name__)


class _PrivateFile(RotatingFileHandler):
    """A rotating file that only its owner may read."""

    def _open(self) -> TextIOWrapper:
        return open(self.baseFilename, "a", encoding="utf-8", opener=_private)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


class _LocalTime(logging.Formatter):
    """ISO 8601 with the offset, so that a log can be read anywhere."""

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: ARG002
        return datetime.fromtimestamp(record.created).astimezone().isoformat(timespec="milliseconds")


class _Terminal(_LocalTime):
    """One line a record; the stacks are in the file."""

    def format(self, record: logging.LogRecord) -> str:
        short = copy(record)
        short.exc_info = short.exc_text = short.stack_info = None
        return super().format(short)


def setup_logging(paths: DataPaths, settings: LogSettings, *, foreground: bool) -> None:
    """Send our records of `settings.level` and up, and other libraries' warnings, to the log.

    Warnings, uncaught errors of threads and fatal signals go there or to standard error as well.
    """
    file = _PrivateFile(
        paths.log_file, maxBytes=settings.max_mb * 2**20, backupCount=settings.backup_count, encoding="utf-8"
    )
    file.setFormatter(_LocalTime(_FORMAT))
    root = logging.getLogger()
    root.addHandler(file)
    if foreground:
        terminal = logging.StreamHandler()
        terminal.setFormatter(_Terminal(_FORMAT))
        root.addHandler(terminal)
    root.setLevel(logging.WARNING)
    for name in _OURS:
        logging.getLogger(name).setLevel(settings.level.upper())
    logging.captureWarnings(True)
    threading.excepthook = _log_thread_error
    if sys.stderr is not None:
        faulthandler.enable()


def _log_thread_error(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is not None and not isinstance(args.exc_value, SystemExit):
        name = "?" if args.thread is None else args.thread.name
        log.critical("uncaught error in thread %s", name, exc_info=args.exc_value)
