"""The fast engine's files: built by a process of their own, kept with a checksum, rebuilt when damaged.

A folder `e5-<key>` holds the encoder, the tokenizer and a manifest; the key names everything that they are
made of. It is written under another name and renamed when whole.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from memory_client.errors import LaunchError, ModelUnavailableError
from memory_client.paths import environment
from memory_client.spawn import child_environment, interpreter
from memory_client.version import VERSION
from memoryd.models.e5.package import (
    WEIGHTS_SHA256,
    check_processor,
    check_weights,
    has_vnni,
    package_version,
    weights_file,
)

EVEN, UNEVEN, WEIGHTS, TOKENIZER = "even.onnx", "uneven.onnx", "encoder.bin", "tokenizer.model"
_FILES = (EVEN, UNEVEN, WEIGHTS, TOKENIZER)
_MANIFEST = "manifest.json"
_PREFIX = "e5-"
_BUILDER = "memoryd.models.e5.build"
_BUILD_SECONDS = 600.0
_POLL_SECONDS = 0.05
_NEEDS = ("onnxruntime", "onnx", "sentencepiece")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A folder whose files are whole. overlap: of neighbour lists with the original's on the probe set."""

    folder: Path
    overlap: float


def weight_bits() -> int:
    """Bits of the weights: 8, or 7 where sums of int8 products saturate (x86 without VNNI)."""
    return 8 if has_vnni() else 7


def prepared(models: Path, stop: Callable[[], bool]) -> Prepared:
    """The files in the directory `models`, built first when they are missing, damaged or of other versions.

    Takes seconds when it builds, in a process of low priority. Raises `ModelUnavailableError` with the
    reason when that fails or `stop` says so.
    """
    folder = models / folder_name()
    found = _read(folder)
    if found is None:
        _build(folder, stop)
        found = _read(folder)
        if found is None:
            raise ModelUnavailableError(f"{folder} cannot be read although it was just written")
        _remove_others(models, folder)
    return found


def examine(models: Path) -> tuple[bool, str]:
    """Whether the files are sound, and what to say of them; reads only."""
    try:
        check_processor()
        check_weights(weights_file())
        folder = models / folder_name()
    except ModelUnavailableError as error:
        return True, f"not used: {error}"
    if not folder.exists():
        return True, f"{folder}: not built yet; the next start builds it"
    if _read(folder) is None:
        return False, f"{folder} is damaged; the next start builds it again"
    return True, f"{folder}: sound"


def write_manifest(folder: Path, overlap: float) -> None:
    """Seal a folder whose files are complete."""
    files = {name: _digest(folder / name) for name in _FILES}
    manifest = {"files": files, "overlap": overlap}
    (folder / _MANIFEST).write_text(json.dumps(manifest, indent=2), encoding="utf-8")


def folder_name() -> str:
    """Of the files for this machine: a hash of whatever changes them.

    Raises `ModelUnavailableError` when a package is missing.
    """
    packages = [package_version(name) for name in _NEEDS]
    made_of: list[Any] = [VERSION, WEIGHTS_SHA256, weight_bits(), *packages]
    return _PREFIX + hashlib.sha256(json.dumps(made_of).encode()).hexdigest()[:12]


def _read(folder: Path) -> Prepared | None:
    """None when something is missing or not as the manifest says."""
    try:
        manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        whole = all(_digest(folder / name) == manifest["files"][name] for name in _FILES)
        return Prepared(folder, float(manifest["overlap"])) if whole else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _build(folder: Path, stop: Callable[[], bool]) -> None:
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=f".{_PREFIX}", suffix=".tmp", dir=folder.parent) as parent:
            unfinished = Path(parent) / folder.name
            unfinished.mkdir(mode=0o700)
            _run_builder(unfinished, stop)
            shutil.rmtree(folder, ignore_errors=True)
            unfinished.rename(folder)
    except OSError as error:
        raise ModelUnavailableError(f"{folder} cannot be written: {error.strerror or error}") from error


def _run_builder(folder: Path, stop: Callable[[], bool]) -> None:
    """Building needs a few hundred MB for a few seconds, which must not stay with the daemon."""
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.CREATE_NO_WINDOW | subprocess.BELOW_NORMAL_PRIORITY_CLASS
    try:
        process = subprocess.Popen(
            [interpreter(), "-P", "-m", _BUILDER, str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=child_environment(environment()),
            creationflags=flags,
        )
    except (LaunchError, OSError) as error:
        raise ModelUnavailableError(f"no process can build it: {error}") from error
    with process:
        said = _await(process, stop).decode("utf-8", "replace").strip()
    if process.returncode != 0:
        reason = said.splitlines()[-1] if said else f"exit code {process.returncode}"
        raise ModelUnavailableError(f"building it failed: {reason}")


def _await(process: subprocess.Popen[bytes], stop: Callable[[], bool]) -> bytes:
    """What it said on stderr, once it has ended; read as it comes, or a full pipe would hold it up."""
    end = time.monotonic() + _BUILD_SECONDS
    while True:
        try:
            return process.communicate(timeout=_POLL_SECONDS)[1]
        except subprocess.TimeoutExpired:
            if stop():
                process.kill()
                raise ModelUnavailableError("building it was stopped") from None
            if time.monotonic() > end:
                process.kill()
                raise ModelUnavailableError(f"building it took over {_BUILD_SECONDS:g} s") from None


def _remove_others(models: Path, folder: Path) -> None:
    for other in (*models.glob(f"{_PREFIX}*"), *models.glob(f".{_PREFIX}*.tmp")):
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
