"""Semantic search and the cost of the wire."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.harness import Bench, Figure, median, timed, wait_ready
from benchmarks.texts import queries
from memory_client.api import MemoryAPI
from memory_client.types import Mode
from memoryd.knowledge_base import KnowledgeBase
from memoryd.models.base import FloatMatrix, FloatVector

PAIRS = 80
REPEATS = 400
TOP = 5
PAGES = ((100, 0), (1000, 0), (1000, 1500))
PAGE_QUERIES = 5
MODES: tuple[Mode, ...] = ("semantic", "lexical")


def run(bench: Bench) -> Iterator[Figure]:
    yield from _overhead(bench)
    yield from _ten_thousand(bench)
    yield from _hundred_thousand(bench)


def _overhead(bench: Bench) -> Iterator[Figure]:
    """The same call over the wire and in process, in turn, on two copies of one directory, query cached."""
    twin, query = bench.copy(bench.ten_thousand, "twin"), bench.short_texts[5]
    with bench.running(bench.ten_thousand) as client, KnowledgeBase(twin) as inside:
        for mode in MODES:
            inside.search(query, TOP, mode=mode)
            wait_ready(client)
            over, within = in_turn([client, inside], query, mode)
            note = f"{median(over):.2f} ms over the wire, {median(within):.2f} ms in process"
            cost = median(over) - median(within)
            yield Figure(f"RPC overhead of search, {mode}", cost, "ms", 0.6, note=note)


def _ten_thousand(bench: Bench) -> Iterator[Figure]:
    fresh = queries(bench.short_texts, PAIRS * 2)[:PAIRS]
    with bench.running(bench.ten_thousand) as client:
        wait_ready(client)
        beyond, embedding, _ = _beyond_embedding(bench, client, fresh, None)
        note = f"embedding {embedding:.1f} ms"
        yield Figure("semantic search at 10k beyond embedding", beyond, "ms", 3, note=note)
        cached = [timed(client.search, fresh[0], TOP, mode="semantic") for _ in range(REPEATS)]
        yield Figure("semantic search at 10k, cached query", median(cached), "ms", 3)
        yield from _deep_pages(client, fresh)


def _deep_pages(client: MemoryAPI, fresh: Sequence[str]) -> Iterator[Figure]:
    """Long and deep pages, each of queries of its own: no answer comes from the cache."""
    for at, (limit, offset) in enumerate(PAGES):
        chosen = fresh[at * PAGE_QUERIES : (at + 1) * PAGE_QUERIES]
        times = [timed(client.search, query, limit, offset=offset, mode="hybrid") for query in chosen]
        yield Figure(f"hybrid search at 10k, {limit} results from {offset}", median(times), "ms")


def _hundred_thousand(bench: Bench) -> Iterator[Figure]:
    fresh = queries(bench.many_texts, PAIRS * 2)[:PAIRS]
    with bench.running(bench.hundred_thousand) as client:
        wait_ready(client)
        beyond, embedding, scan = _beyond_embedding(bench, client, fresh, _block(bench.embedder.dim))
        note = f"embedding {embedding:.1f} ms, bare numpy scan {scan:.1f} ms"
        yield Figure("semantic search at 100k beyond embedding", beyond, "ms", 15, note=note)
        yield Figure("  ratio to a bare numpy scan", beyond / scan, "")


def _beyond_embedding(
    bench: Bench, client: MemoryAPI, fresh: Sequence[str], block: FloatMatrix | None
) -> tuple[float, float, float]:
    """Medians of search less the embedding of the same query here, of the embedding, of the scan."""
    beyond, embedding, scans = [], [], [0.0]
    for query in dict.fromkeys(fresh):
        total = timed(client.search, query, TOP, mode="semantic")
        alone = timed(bench.embedder.embed_queries, [query])
        beyond.append(total - alone)
        embedding.append(alone)
        if block is not None:
            vector = bench.embedder.embed_queries([query])[0]
            scans.append(timed(scan, block, vector))
    return median(beyond), median(embedding), median(scans[1:] or scans)


def _block(dim: int) -> FloatMatrix:
    vectors = np.random.default_rng(0).standard_normal((100_000, dim), dtype=np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def scan(block: FloatMatrix, vector: FloatVector) -> list[int]:
    """The least an exact search can do: all products, the best few, in order."""
    scores = block @ vector
    best = np.argpartition(scores, -TOP)[-TOP:]
    return [int(row) for row in best[np.argsort(-scores[best])]]


def in_turn(faces: Sequence[MemoryAPI], query: str, mode: Mode) -> list[list[float]]:
    """Milliseconds of a search by each face, one after the other in every round: noise meets all alike."""
    times: list[list[float]] = [[] for _ in faces]
    for _ in range(REPEATS):
        for face, own in zip(faces, times, strict=True):
            own.append(timed(face.search, query, TOP, mode=mode))
    return times
