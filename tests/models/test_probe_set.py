"""The probe set tells engines of one space from engines of another."""

from __future__ import annotations

import numpy as np

from memoryd.models.e5.onnx_engine import OnnxEmbedder
from memoryd.models.probe import BOUND, QUERIES, TEXTS, agreement


def is_chinese(text: str) -> bool:
    return any("\u4e00" <= char <= "\u9fff" for char in text)


def test_the_set_is_of_both_languages_and_without_repeats() -> None:
    assert (len(TEXTS), len(QUERIES)) == (64, 16)
    assert len({*TEXTS, *QUERIES}) == 80
    assert sum(map(is_chinese, TEXTS)) == 32
    assert sum(map(is_chinese, QUERIES)) == 8


def test_an_engine_agrees_with_itself_and_with_a_rougher_one(bundled: OnnxEmbedder) -> None:
    texts, queries = bundled.embed_passages(TEXTS), bundled.embed_queries(QUERIES)
    assert agreement(texts, queries, queries) == 1.0
    rough = queries + np.random.default_rng(1).normal(scale=0.0005, size=queries.shape).astype(np.float32)
    assert agreement(texts, rough, queries) >= BOUND


def test_another_space_of_as_many_dimensions_does_not_agree(bundled: OnnxEmbedder) -> None:
    texts, queries = bundled.embed_passages(TEXTS), bundled.embed_queries(QUERIES)
    turned = np.roll(queries, 1, axis=1)
    assert agreement(texts, turned, queries) < 0.5
    # Queries embedded as passages are in the wrong place too.
    assert agreement(texts, bundled.embed_passages(QUERIES), queries) < 1.0


def test_other_dimensions_and_broken_vectors_agree_with_nothing() -> None:
    texts = np.eye(64, 16, dtype=np.float32)
    queries = np.eye(16, dtype=np.float32)
    assert agreement(texts, queries[:, :8], queries) == 0.0
    assert agreement(texts, np.full_like(queries, np.nan), queries) == 0.0
