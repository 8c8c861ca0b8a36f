"""One durable write, with a model and without."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.harness import Bench, Figure, median, timed, wait_ready
from benchmarks.texts import of_length
from memory_client.paths import DataPaths, write_private

COUNT = 100


def run(bench: Bench) -> Iterator[Figure]:
    texts = of_length(60, COUNT, seed=9)
    with bench.running(bench.copy(bench.ten_thousand, "add-with")) as client:
        wait_ready(client)
        client.add("warm up")
        beyond, embedding = [], []
        for text in texts:
            total = timed(client.add, text)
            alone = timed(bench.embedder.embed_passages, [text])
            beyond.append(total - alone)
            embedding.append(alone)
        note = f"embedding {median(embedding):.1f} ms"
        yield Figure("durable add beyond embedding, 10k memories", median(beyond), "ms", 4, note=note)
    home = bench.copy(bench.ten_thousand, "add-without")
    write_private(DataPaths.at(home).config, b'[embedder]\nmodel = "none"\n')
    with bench.running(home) as client:
        client.add("warm up")
        plain = [timed(client.add, text) for text in texts]
        yield Figure("durable add without a model, 10k memories", median(plain), "ms", 5)
