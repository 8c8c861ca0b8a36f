"""Starts the process of the daemon: its interpreter, environment and command line."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memory_client.errors import LaunchError
from memory_client.paths import AUTOSTART_VARIABLE, HOME_VARIABLE, PYTHON_VARIABLE, DataPaths, environment

if TYPE_CHECKING:
    from subprocess import Popen

_PYTHON = re.compile(r"(python|pypy)[\d.]*[a-z]?(\.exe)?", re.IGNORECASE)

# fmt: off
_ALLOWED = frozenset({
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP",
    "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "USERNAME", "HOMEDRIVE",
    "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE",
    "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER",
    "HF_HOME", "HF_ENDPOINT", "HF_HUB_CACHE", "HF_HUB_OFFLINE", "SSL_CERT_FILE", "SSL_CERT_DIR",
})
# fmt: on
_ALLOWED_PREFIXES = ("LC_", "XDG_", "MEMORYD_")
_TAIL_LINES = 15
_TAIL_BYTES = 16_384


def interpreter() -> str:
    """The Python for the daemon. Raises `LaunchError` with the fix if there is none."""
    chosen = environment().get(PYTHON_VARIABLE)
    if chosen:
        found = shutil.which(os.path.expanduser(chosen))
        if found is None:
            raise LaunchError(
                f"{PYTHON_VARIABLE} is {chosen!r}, which is no program; set it to a Python that has memoryd"
            )
        return found
    fix = f"set {PYTHON_VARIABLE} to a Python 3.11 or newer that has memoryd (python -m pip install memoryd)"
    if getattr(sys, "frozen", False):
        raise LaunchError(f"this app is frozen and cannot run the daemon with its own interpreter; {fix}")
    if not sys.executable or _PYTHON.fullmatch(Path(sys.executable).name) is None:
        raise LaunchError(
            f"{sys.executable or 'this interpreter'} is not a Python that can be started again; {fix}"
        )
    if importlib.util.find_spec("memoryd") is None:
        raise LaunchError(f"{sys.executable} has no memoryd; {fix}")
    return sys.executable


def child_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables the daemon gets; all others, with the secrets of the app, are left out."""
    allowed = {
        name: value
        for name, value in environ.items()
        if name.upper() in _ALLOWED or name.upper().startswith(_ALLOWED_PREFIXES)
    }
    allowed.pop(HOME_VARIABLE, None)  # the directory is an argument
    return {**allowed, AUTOSTART_VARIABLE: "0"}


def spawn(paths: DataPaths, report: Path, settings: Sequence[str] = ()) -> Popen[bytes]:
    """Start a daemon in a new session. settings: `name=value` for its command line.

    Never a fork: threads, sockets and locks of this process would not survive it.
    Raises `LaunchError`.
    """
    import subprocess

    options = [part for setting in settings for part in ("--set", setting)]
    command = [interpreter(), "-P", "-m", "memoryd", "--data-dir", str(paths.root), "serve", *options]
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
    try:
        with open(_error_file(paths), "wb", opener=_private) as errors:
            return subprocess.Popen(
                [*command, "--report", str(report)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                cwd=paths.root,
                env=child_environment(environment()),
                start_new_session=True,
                creationflags=flags,
            )
    except OSError as error:
        raise LaunchError(
            f"{error.filename or command[0]} cannot be used: {error.strerror or error}"
        ) from error


def reap_later(child: Popen[bytes]) -> None:
    """Leave no zombie when the daemon exits before this process."""
    threading.Thread(target=child.wait, name="memoryd-reaper", daemon=True).start()


def log_size(paths: DataPaths) -> int:
    """The current size of the log, for `log_tail`."""
    return paths.log_file.stat().st_size if paths.log_file.exists() else 0


def log_tail(paths: DataPaths, since: int) -> str:
    """The last lines of the log after `since` and of standard error, for an error message."""
    parts = []
    for file, start in ((paths.log_file, since), (_error_file(paths), 0)):
        lines = _last_lines(file, start)
        if lines:
            parts.append("\n".join([f"-- {file}", *lines]))
    return "\n".join(parts)


def _error_file(paths: DataPaths) -> Path:
    return paths.log / "memoryd.err"


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _last_lines(file: Path, start: int) -> list[str]:
    try:
        with open(file, "rb") as log:
            size = os.fstat(log.fileno()).st_size
            log.seek(max(0, size - _TAIL_BYTES, start if start <= size else 0))  # less: it was rotated
            return log.read().decode(errors="replace").splitlines()[-_TAIL_LINES:]
    except OSError:
        return []
