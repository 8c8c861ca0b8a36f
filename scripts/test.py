"""Set up the environment and run every check and test.

python scripts/test.py [--full] [arguments for pytest ...]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

import _environment

CHECKS: dict[str, list[str]] = {
    "ruff check": ["-m", "ruff", "check", "."],
    "ruff format": ["-m", "ruff", "format", "--check", "."],
    "mypy": ["-m", "mypy"],
    "client stubs": ["scripts/generate_stubs.py", "--check"],
    "docs": ["scripts/generate_docs.py", "--check"],
}


def main() -> int:
    _environment.require_python()
    options, pytest_arguments = _parser().parse_known_args()
    started = time.monotonic()
    _say("environment ...")
    python = _environment.prepare(["dev"])
    _say(f"environment ready in {time.monotonic() - started:.1f} s")
    failed = [name for name, command in CHECKS.items() if not _run(python, name, command)]
    selection = [] if options.full else ["-m", "not long"]
    workers = ["-n", str(_worker_count()), "--dist", "loadgroup", "--no-loadscope-reorder"]
    command = ["-m", "pytest", *workers, "--durations", "25", *selection, *pytest_arguments]
    # pytest last, whatever the checks said: its summary ends the output
    if not _run(python, "pytest", command):
        failed.append("pytest")
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Set up the environment and run every check and test.")
    parser.add_argument("--full", action="store_true", help="the long tests too")
    parser.epilog = "every other argument goes to pytest"
    return parser


def _worker_count() -> int:
    """The cores this process may use, at most 8: each worker starts daemons of its own."""
    affinity = getattr(os, "sched_getaffinity", None)  # Linux
    return min(8, len(affinity(0)) if affinity else os.cpu_count() or 1)


def _run(python: Path, name: str, command: list[str]) -> bool:
    _say(f"{name} ...")
    started = time.monotonic()
    passed = subprocess.run([str(python), *command], cwd=_environment.ROOT).returncode == 0
    if name != "pytest":
        _say(f"{name} {'passed' if passed else 'FAILED'} in {time.monotonic() - started:.1f} s")
    return passed


def _say(text: str) -> None:
    print(f"== {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
