"""Fixtures of the RPC tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_client.paths import DataPaths
from support.rpc_server import data_paths


@pytest.fixture
def paths(tmp_path: Path) -> DataPaths:
    """A data directory with keys, without a daemon."""
    return data_paths(tmp_path / "home")
