"""The life of a daemon has nothing to do with its model: most tests here do without."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYD_EMBEDDER_MODEL", "none")
