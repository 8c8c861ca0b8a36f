"""Reference vectors of the probe set, which every build of the encoder is measured on.

`probes.npz` is made by `scripts/make_e5_files.py` with the encoder in float32.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from memoryd.models import probe
from memoryd.models.base import Embedder, FloatMatrix

FILE = Path(__file__).with_name("probes.npz")
BOUND = 0.99
"""The least mean cosine with the reference at which a build is used."""


def mean_cosine(embedder: Embedder) -> float:
    """Of an embedder's vectors of the probe set with the reference, from -1 to 1."""
    with np.load(FILE) as stored:
        texts, queries = (stored[name].astype(np.float32) for name in ("texts", "queries"))
    found = (
        _cosines(embedder.embed_passages(probe.TEXTS), texts),
        _cosines(embedder.embed_queries(probe.QUERIES), queries),
    )
    return float(np.mean(np.concatenate(found)))


def save_reference(embedder: Embedder) -> None:
    """Write the vectors of an embedder as the reference."""
    texts, queries = embedder.embed_passages(probe.TEXTS), embedder.embed_queries(probe.QUERIES)
    np.savez_compressed(FILE, texts=texts.astype(np.float16), queries=queries.astype(np.float16))


def _cosines(found: FloatMatrix, reference: FloatMatrix) -> FloatMatrix:
    """Of two sets of vectors of length 1, row by row; a vector that is not finite is like no other."""
    cosines = np.sum(found * reference, axis=1)
    return np.asarray(np.where(np.isfinite(cosines), cosines, -1.0), dtype=np.float32)
