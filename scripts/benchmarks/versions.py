"""The history of a memory changed a hundred times, and how its versions differ; through the daemon."""

from __future__ import annotations

import random
from collections.abc import Iterator

from benchmarks.harness import Bench, Figure, median, spread, timed, wait_ready
from benchmarks.texts import of_length
from memory_client import KnowledgeClient
from memoryd.language.text_diff import words

VERSIONS = 100
CHARACTERS = 1000
CHANGED = 0.05
"""Share of the words that a version replaces."""
REPEATS = 99
_LIMIT = 5.0


def run(bench: Bench) -> Iterator[Figure]:
    home = bench.root / "versions"
    bench.provide_models(home)
    with bench.running(home) as client:
        wait_ready(client)
        bench.notice(f"storing {VERSIONS} versions of a text of {CHARACTERS} characters")
        id = _store(client)
        dice = random.Random(1)
        history = [timed(client.history, id) for _ in range(REPEATS)]
        whole = [timed(client.history, id, limit=VERSIONS) for _ in range(REPEATS)]
        pairs = [sorted(dice.sample(range(1, VERSIONS + 1), 2)) for _ in range(REPEATS)]
        near = [timed(client.compare, id, at, at + 1) for at in range(1, VERSIONS)]
        far = [timed(client.compare, id, *pair) for pair in pairs]
        now = client.history(id, limit=VERSIONS // 2)[0]["at"]
        then = [timed(client.get, id, as_of=now) for _ in range(REPEATS)]
    of = f"of {VERSIONS} versions of {CHARACTERS:,} characters"
    yield Figure(f"history, the newest 50 {of}", median(history), "ms", _LIMIT, note=spread(history))
    yield Figure("  all of them", median(whole), "ms", note=spread(whole))
    yield Figure("compare a version with the next", median(near), "ms", _LIMIT, note=spread(near))
    yield Figure("compare any two versions", median(far), "ms", _LIMIT, note=spread(far))
    yield Figure("get as of a time", median(then), "ms", note=spread(then))


def _store(client: KnowledgeClient) -> str:
    first, other = of_length(CHARACTERS, 2)
    dice, pool, text = random.Random(2), words(other), words(first)
    id = client.add(first)
    for _ in range(VERSIONS - 1):
        for at in dice.sample(range(len(text)), int(CHANGED * len(text))):
            text[at] = dice.choice(pool)
        client.update_text(id, "".join(text))
    return id
