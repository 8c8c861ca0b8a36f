"""Starts the daemon in the background when the client is imported, unless a rule says not to."""

from __future__ import annotations

import logging
import sys
import threading

from memory_client.paths import AUTOSTART_VARIABLE, DataPaths, environment

log = logging.getLogger(__name__)

OWN_SCRIPT = "__memoryd_script__"
"""A global that scripts of memoryd set to True in `__main__` before they import the client."""
_OFF = frozenset({"0", "false", "no", "off"})
_TEST_VARIABLES = frozenset({"PYTEST_VERSION", "PYTEST_CURRENT_TEST"})


def start_in_background() -> None:
    """Start the daemon from a thread, if the rules allow it. Does not wait, raises and prints nothing."""
    if reason_not_to() is None:
        threading.Thread(target=_start, name="memoryd-autostart", daemon=True).start()


def reason_not_to() -> str | None:
    """Why importing the client starts nothing here; None if it does."""
    environ = environment()
    if environ.get(AUTOSTART_VARIABLE, "").strip().lower() in _OFF:
        return f"{AUTOSTART_VARIABLE} is off"
    if "memoryd" in sys.modules:
        return "memoryd is loaded: this is the daemon, its command line or an in-process owner"
    if "pytest" in sys.modules or _TEST_VARIABLES & environ.keys():
        return "tests are running"
    if _in_multiprocessing_child():
        return "this is a child of multiprocessing"
    if getattr(sys.modules.get("__main__"), OWN_SCRIPT, False):
        return "this is a script of memoryd"
    return None


def _in_multiprocessing_child() -> bool:
    """True for fork, spawn and forkserver, also while a spawned child still imports its main module."""
    if any(arg == "--multiprocessing-fork" or "multiprocessing.forkserver" in arg for arg in sys.orig_argv):
        return True
    process = sys.modules.get("multiprocessing.process")
    return process is not None and process.parent_process() is not None


def _start() -> None:
    from memory_client.deadline import Deadline
    from memory_client.launch import START_SECONDS, ensure_daemon

    try:
        ensure_daemon(DataPaths.default(), Deadline.after(START_SECONDS))
    except Exception as error:  # the first call meets it again and raises it
        log.debug("the daemon was not started in the background: %s", error)
