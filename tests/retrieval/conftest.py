from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.small_store import SmallStore, small_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SmallStore]:
    with small_store(tmp_path) as opened:
        yield opened
