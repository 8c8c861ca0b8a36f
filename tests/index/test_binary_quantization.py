from __future__ import annotations

import numpy as np
import pytest

from memoryd.core.scope import Scope
from memoryd.index.vectors import hot
from memoryd.index.vectors.binary_quantization import BinaryQuantization
from memoryd.index.vectors.hot import HotIndex

DIM = 100  # no multiple of 64
QUERIES = 40


def clustered(count: int, seed: int = 0) -> np.ndarray:
    """Vectors as a model makes them: around a common direction, in groups that are near one another."""
    random = np.random.default_rng(seed)
    centers = random.standard_normal((count // 50 + 1, DIM)) + 3
    vectors = centers[random.integers(0, len(centers), count)] + random.standard_normal((count, DIM)) * 0.7
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def asked(vectors: np.ndarray) -> np.ndarray:
    random = np.random.default_rng(9)
    found = vectors[:: len(vectors) // QUERIES][:QUERIES] + random.standard_normal((QUERIES, DIM)) * 0.02
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def test_the_nearest_are_among_a_tenth() -> None:
    vectors = clustered(5000)
    bits = BinaryQuantization(vectors, 6000)
    found = 0
    for query in asked(vectors):
        near = bits.nearest(query, len(vectors), None, 500)
        assert len(near) < 800
        assert (np.diff(near) > 0).all()
        found += len(set(near.tolist()) & set(np.argsort(-(vectors @ query))[:10].tolist()))
    assert found >= 0.95 * 10 * QUERIES


def test_places_that_do_not_count_are_not_given() -> None:
    vectors = clustered(2000)
    bits = BinaryQuantization(vectors, 2000)
    wanted = np.arange(1, 2000, 3)
    near = bits.nearest(vectors[0], 2000, wanted, 100)
    assert set(near.tolist()) <= set(wanted.tolist())
    assert bits.nearest(vectors[0], 2000, wanted, 5000).tolist() == wanted.tolist()
    assert bits.nearest(vectors[0], 300, None, 5000).tolist() == list(range(300))


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> HotIndex:
    """An index whose blocks have bits from 500 rows on, filled in portions, with rows removed."""
    monkeypatch.setattr(hot, "_QUANTIZED_ROWS", 500)
    monkeypatch.setattr(hot, "_LIKELY", 400)
    vectors, index = clustered(3000).astype(np.float16), HotIndex(DIM)
    for start in range(0, 3000, 370):
        rows = np.arange(start, min(start + 370, 3000))
        index.put_many("u", rows + 1, np.ones(len(rows), np.int64), [None] * len(rows), vectors[rows])
    index.remove("u", np.arange(10, 400))
    return index


def test_a_large_block_finds_what_a_scan_finds(large: HotIndex) -> None:
    vectors = clustered(3000)
    kept = np.setdiff1d(np.arange(1, 3001), np.arange(10, 400))
    found = 0
    for query in asked(vectors):
        scores = vectors[kept - 1] @ query
        exact = kept[np.argsort(-scores)[:5]]
        hits = large.search(Scope("u"), query, 5)
        assert [score for _, score in hits] == sorted((score for _, score in hits), reverse=True)
        assert not {row for row, _ in hits} & set(range(10, 400))
        found += len({row for row, _ in hits} & set(exact.tolist()))
    assert found >= 0.95 * 5 * QUERIES


def test_a_replaced_vector_is_found_where_it_is_now(large: HotIndex) -> None:
    vector = np.full((1, DIM), -0.1, np.float16)
    large.put_many("u", np.array([2000]), np.array([2]), [None], vector)
    query = vector[0].astype(np.float32)
    assert large.search(Scope("u"), query / np.linalg.norm(query), 1)[0][0] == 2000


def test_a_narrow_filter_is_scanned_exactly(large: HotIndex) -> None:
    vectors = clustered(3000)
    allowed = np.arange(1000, 1300)
    for query in asked(vectors)[:10]:
        hits = large.search(Scope("u"), query, 3, allowed)
        exact = allowed[np.argsort(-(vectors[allowed - 1] @ query))[:3]]
        assert [row for row, _ in hits] == exact.tolist()
