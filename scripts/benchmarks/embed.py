"""The bundled model's engine, tokenisation included."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait

import psutil

from benchmarks.harness import Bench, Figure, median, spread, timed, wait_ready
from memory_client import KnowledgeClient
from memoryd.core.passage import Passage
from memoryd.models.base import Embedder, Loading, TokenEmbedder, encode
from memoryd.models.e5 import cache, reference
from memoryd.models.e5.onnx_engine import OnnxEmbedder
from memoryd.models.lanes import Lanes, batches, pieces_of

QUERY = "What pets do I have?"
TEXT = (
    "The quick brown fox jumps over the lazy dog and then some more words are said here about a dog named "
    "Rex, who likes long walks by the river, old shoes, and his dinner at six in the evening sharp."
)
BUILDS = 3
REPEATS = 40
BULK = 300
BULK_ROUNDS = 3
BATCH = 64
CROWD = 64
IDLE_SECONDS = 20.0
MB = 2**20


def run(bench: Bench) -> Iterator[Figure]:
    yield from _loading(bench)
    yield from _single(bench.embedder)
    turns = _turns(bench)
    rates = [throughput(bench.embedder, turns) for _ in range(BULK_ROUNDS)]
    yield Figure("bulk", median(rates), "texts/s", note=f"{len(turns)} turns")
    yield from _queries_among(bench.embedder, turns)
    yield from _daemon(bench)


def _loading(bench: Bench) -> Iterator[Figure]:
    built = [
        timed(cache.prepared, bench.root / f"built-{number}", Loading()) / 1000 for number in range(BUILDS)
    ]
    yield Figure("building the engine's files", median(built), "s", 2.0, note=spread(built))
    loads = [_load_time(bench) for _ in range(3)]
    yield Figure("loading the engine", median(loads), "ms")
    cosine = cache.prepared(bench.models, Loading()).cosine
    yield Figure("mean cosine with float32", cosine, "", reference.BOUND, True, bench.embedder.engine)


def _load_time(bench: Bench) -> float:
    started = time.perf_counter()
    bench.open_engine().close()
    return (time.perf_counter() - started) * 1000


def _single(engine: OnnxEmbedder) -> Iterator[Figure]:
    """One text at a time."""
    for name, text in (("short query", QUERY), (f"text of {engine.count_tokens(TEXT)} tokens", TEXT)):
        engine.embed_queries([text])
        times = [timed(engine.embed_queries, [text]) for _ in range(REPEATS)]
        yield Figure(f"one {name}", median(times), "ms", note=spread(times))


def throughput(engine: Embedder, texts: Sequence[str]) -> float:
    """Texts a second, in the daemon's batches and threads and with nothing else to do."""
    lanes = Lanes(_Borrowed(engine))
    try:
        started = time.perf_counter()
        for _ in lanes.bulk(_work(texts)):
            pass
        return len(texts) / (time.perf_counter() - started)
    finally:
        lanes.close()


def _work(texts: Sequence[str]) -> list[list[Passage]]:
    pieces = [piece for text in texts for piece in pieces_of(Passage(text))]
    return [[pieces[at] for at in batch] for batch in batches(pieces, BATCH)]


def _queries_among(engine: Embedder, turns: Sequence[str]) -> Iterator[Figure]:
    """Queries while a bulk job runs, and many at once."""
    lanes = Lanes(_Borrowed(engine))
    try:
        alone = [_query_time(lanes) for _ in range(REPEATS)]
        work = _work(turns)
        small = median([timed(encode, engine, batch) for batch in work[:20]])
        job = threading.Thread(target=lambda: [None for _ in lanes.bulk(work)])
        job.start()
        among = []
        while job.is_alive():
            among.append(_query_time(lanes))
            time.sleep(0.01)
        note = (
            f"median; worst of {len(among)} {max(among):.1f}, alone {median(alone):.1f}, a batch {small:.1f}"
        )
        yield Figure("a query while a bulk job runs", median(among), "ms", median(alone) + small, note=note)
        together = timed(_crowd, lanes) / CROWD
        note = f"{CROWD} at once; one after the other {median(alone):.2f}"
        yield Figure("a query among many in flight", together, "ms", note=note)
    finally:
        lanes.close()


def _query_time(lanes: Lanes) -> float:
    return timed(lambda: lanes.urgent(True, Passage(QUERY)).result())


def _crowd(lanes: Lanes) -> None:
    with ThreadPoolExecutor(CROWD) as pool:
        wait([pool.submit(lambda: lanes.urgent(True, Passage(QUERY)).result()) for _ in range(CROWD)])


def _daemon(bench: Bench) -> Iterator[Figure]:
    with bench.running(bench.copy(bench.ten_thousand, "embedding")) as client:
        yield Figure("resident, 10k memories", _resident(client), "MB")
        yield Figure(
            "an idle daemon", _idle_percent(client), "%", 0.5, note=f"of one core over {IDLE_SECONDS:g} s"
        )


def _resident(client: KnowledgeClient) -> float:
    wait_ready(client)
    for word in ("主人在图书馆", "a walk by the river", QUERY, TEXT):
        client.search(word, mode="hybrid")
    client.add_many([TEXT] * BATCH)
    return client.status()["memory_bytes"]["resident"] / MB


def _idle_percent(client: KnowledgeClient) -> float:
    process = psutil.Process(client.status()["pid"])
    time.sleep(IDLE_SECONDS / 4)  # what the last calls left to do
    before = process.cpu_times()
    time.sleep(IDLE_SECONDS)
    after = process.cpu_times()
    return (after.user + after.system - before.user - before.system) / IDLE_SECONDS * 100


def _turns(bench: Bench) -> list[str]:
    """Turns of the conversations given, else synthetic texts."""
    if bench.turns is None:
        return list(bench.short_texts[:BULK])
    return random.Random(5).sample(bench.said, min(BULK, len(bench.said)))


class _Borrowed:
    """An embedder that lanes do not close."""

    def __init__(self, engine: Embedder) -> None:
        self.fingerprint, self.engine, self.model = engine.fingerprint, engine.engine, engine.model
        self.dim, self.concurrency = engine.dim, engine.concurrency
        self.embed_queries, self.embed_passages = engine.embed_queries, engine.embed_passages
        self.count_tokens = engine.count_tokens
        if isinstance(engine, TokenEmbedder):
            self.embed_tokens, self.encode = engine.embed_tokens, engine.encode

    def close(self) -> None:
        """Left to the owner."""
