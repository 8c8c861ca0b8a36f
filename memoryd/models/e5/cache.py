"""The engine's files: built by a process of their own, kept with a checksum, rebuilt when damaged.

A folder `e5-<key>` holds the encoder, the tokenizer and a manifest; the key is a hash of everything that they
are made of. It is written under another name and renamed when complete. Several stores may share a directory:
a lock keeps them from building at the same time.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from filelock import FileLock, Timeout

from memory_client.errors import LaunchError, ModelUnavailableError
from memory_client.paths import environment
from memory_client.spawn import child_environment, interpreter
from memory_client.version import VERSION
from memoryd.models.base import Loading
from memoryd.models.e5.package import (
    WEIGHTS_SHA256,
    check_weights,
    has_vnni,
    package_version,
    sha256_of,
    weights_file,
)

EVEN, UNEVEN, WEIGHTS, TOKENIZER = "even.onnx", "uneven.onnx", "encoder.bin", "tokenizer.model"
_FILES = (EVEN, UNEVEN, WEIGHTS, TOKENIZER)
_MANIFEST = "manifest.json"
_PREFIX = "e5-"
_LOCK = ".lock"
_BUILDER = "memoryd.models.e5.build"
_BUILD_SECONDS = 120.0
_POLL_SECONDS = 0.05
_NEEDS = ("onnxruntime", "sentencepiece")
MADE_OF = ("calibration.npz", "even.onnx", "uneven.onnx")
_PACKAGE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Prepared:
    """A folder whose files are sound. cosine: mean with the reference vectors, when it was built."""

    folder: Path
    cosine: float


def weight_bits() -> int:
    """Bits of the weights: 8, or 7 where sums of int8 products saturate (x86 without VNNI)."""
    return 8 if has_vnni() else 7


def prepared(models: Path, loading: Loading) -> Prepared:
    """The files in the directory `models`, built first when they are missing, damaged or of other versions.

    Takes a second or two when it builds, in a process of its own. Raises `ModelUnavailableError` with the
    reason when that fails or `loading.stop` says so.
    """
    folder = models / folder_name()
    return _read(folder) or _build(folder, loading)


def check(models: Path) -> tuple[bool, str]:
    """Whether the files are sound, and what to say of them; reads only."""
    try:
        check_weights(weights_file())
        folder = models / folder_name()
    except ModelUnavailableError as error:
        return False, str(error)
    if not folder.exists():
        return True, f"{folder}: not built yet; the next start builds it"
    if _read(folder) is None:
        return False, f"{folder} is damaged; the next start builds it again"
    return True, f"{folder}: sound"


def write_manifest(folder: Path, cosine: float) -> None:
    """Mark a folder as complete."""
    files = {name: sha256_of(folder / name) for name in _FILES}
    manifest = {"files": files, "cosine": cosine}
    (folder / _MANIFEST).write_text(json.dumps(manifest, indent=2), encoding="utf-8")


def folder_name() -> str:
    """Of the files for this machine: a hash of whatever changes them.

    Raises `ModelUnavailableError` when a package is missing.
    """
    packages = [package_version(name) for name in _NEEDS]
    files = [sha256_of(_PACKAGE / name) for name in MADE_OF]
    made_of: list[Any] = [VERSION, WEIGHTS_SHA256, weight_bits(), *packages, *files]
    return _PREFIX + hashlib.sha256(json.dumps(made_of).encode()).hexdigest()[:12]


def _read(folder: Path) -> Prepared | None:
    """None when something is missing or not as the manifest says."""
    try:
        manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        whole = all(sha256_of(folder / name) == manifest["files"][name] for name in _FILES)
        return Prepared(folder, float(manifest["cosine"])) if whole else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _build(folder: Path, loading: Loading) -> Prepared:
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _locked(folder.parent / _LOCK, loading.stop):
            found = _read(folder)  # perhaps another process has built it meanwhile
            if found is None:
                _build_alone(folder, loading)
                found = _read(folder)
    except OSError as error:
        raise ModelUnavailableError(f"{folder} cannot be written: {error.strerror or error}") from error
    if found is None:
        raise ModelUnavailableError(f"{folder} cannot be read although it was just written")
    return found


@contextmanager
def _locked(path: Path, stop: Callable[[], bool]) -> Iterator[None]:
    """Hold a lock that other processes want as well."""
    lock = FileLock(path, mode=0o600)
    while not lock.is_locked:
        with suppress(Timeout):
            lock.acquire(timeout=_POLL_SECONDS)
        _check_stop(stop)
    try:
        yield
    finally:
        lock.release()


def _build_alone(folder: Path, loading: Loading) -> None:
    """The lock is held."""
    with TemporaryDirectory(prefix=f".{_PREFIX}", suffix=".tmp", dir=folder.parent) as parent:
        unfinished = Path(parent) / folder.name
        unfinished.mkdir(mode=0o700)
        _run_builder(unfinished, loading)
        shutil.rmtree(folder, ignore_errors=True)
        unfinished.rename(folder)
    _remove_others(folder)


def _run_builder(folder: Path, loading: Loading) -> None:
    """Building needs a few hundred MB for a moment, which must not stay with the daemon."""
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.CREATE_NO_WINDOW
    try:
        process = subprocess.Popen(
            [interpreter(), "-P", "-m", _BUILDER, str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=child_environment(environment()),
            creationflags=flags,
            encoding="utf-8",
            errors="replace",
        )
    except (LaunchError, OSError) as error:
        raise ModelUnavailableError(f"no process can build it: {error}") from error
    with process:
        errors = _await(process, loading)
    if process.returncode != 0:
        reason = errors[-1].strip() if errors else f"exit code {process.returncode}"
        raise ModelUnavailableError(f"building it failed: {reason}")


def _await(process: subprocess.Popen[str], loading: Loading) -> list[str]:
    """Report its progress until it ends; return what it wrote to stderr, line by line."""
    errors: list[str] = []
    readers = (_reader(process.stdout, _reporter(loading)), _reader(process.stderr, errors.append))
    end = time.monotonic() + _BUILD_SECONDS
    try:
        while process.poll() is None:
            _check_stop(loading.stop)
            if time.monotonic() > end:
                raise ModelUnavailableError(f"building it took over {_BUILD_SECONDS:g} s")
            with suppress(subprocess.TimeoutExpired):
                process.wait(_POLL_SECONDS)
    finally:
        process.kill()  # of no effect once it has ended
        for reader in readers:
            reader.join()
    return errors


def _reader(pipe: IO[str] | None, take: Callable[[str], None]) -> threading.Thread:
    """A thread that takes the lines of a pipe as they come: a full pipe would hold the process up."""

    def read() -> None:
        for line in pipe or ():
            take(line)

    reader = threading.Thread(target=read, name="memoryd-build", daemon=True)
    reader.start()
    return reader


def _reporter(loading: Loading) -> Callable[[str], None]:
    """What to do with a line `<done> <steps>` of the builder."""

    def report(line: str) -> None:
        done, _, steps = line.strip().partition(" ")
        loading.report(f"building the model's files, step {done} of {steps}")

    return report


def _check_stop(stop: Callable[[], bool]) -> None:
    if stop():
        raise ModelUnavailableError("building it was stopped")


def _remove_others(folder: Path) -> None:
    """What builds that were killed and other versions left beside a folder. The lock is held."""
    models = folder.parent
    for other in (*models.glob(f"{_PREFIX}*"), *models.glob(f".{_PREFIX}*.tmp")):
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
