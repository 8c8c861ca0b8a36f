"""Triples: a walk around a hub among very many, and the end of a memory that told many."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from benchmarks.harness import Bench, Figure, median, spread, timed
from memory_client.paths import DataPaths
from memoryd.core.ids import IdFactory
from memoryd.knowledge_base import KnowledgeBase
from memoryd.language.triples import Statement
from memoryd.storage.database import Database, Transaction
from memoryd.storage.triples import rows
from memoryd.storage.triples.rows import MANUAL, Evidence

TRIPLES = 200_000
IN_HUB = 0.6
PEOPLE = 20_000
CHUNK = 5_000
ASKED = 60
TOLD = 100
REPEATS = 9
SETTINGS = {"embedder.model": "none"}
USER = "default"


def run(bench: Bench) -> Iterator[Figure]:
    home = bench.root / "triples"
    bench.notice(f"storing {TRIPLES:,} triples, {IN_HUB:.0%} of them of one hub")
    with KnowledgeBase(home, settings=SETTINGS) as store:
        store.add("made before it is filled")
    _fill(home / DataPaths.at(home).database.name)
    with KnowledgeBase(home, settings=SETTINGS) as store:
        people = [f"person {number}" for number in random.Random(2).sample(range(PEOPLE), ASKED)]
        near = [timed(store.triples.query, name, 2) for name in people]
        hub = [timed(store.triples.query, "user", 2) for _ in range(ASKED)]
        found = store.triples.query("user", 2)
        assert found["truncated"]
        yield Figure("two-hop query over 200k triples, from the hub", median(hub), "ms", 10, note=spread(hub))
        yield Figure("  from one of 20,000 others", median(near), "ms", 10, note=spread(near))
        paths = [timed(store.triples.path, *pair, 4) for pair in itertools.pairwise(people)]
        yield Figure("  a path of at most 4 hops", median(paths), "ms", note=spread(paths))
        yield from _cascade(store)


def _fill(path: object) -> None:
    database, ids, rng = Database(path), IdFactory(), random.Random(1)  # type: ignore[arg-type]

    def store(tx: Transaction, first: int) -> None:
        for number in range(first, first + CHUNK):
            new_id = ids.new("tri", float(number))
            rows.store(tx, USER, _statement(rng, number), new_id, _BY_HAND, float(number), by_hand=True)

    for first in range(0, TRIPLES, CHUNK):
        database.write(lambda tx, first=first: store(tx, first))  # type: ignore[misc]
    database.close()


_BY_HAND = (Evidence(MANUAL, None),)


def _statement(rng: random.Random, number: int) -> Statement:
    """Of the hub, or of two people, one of whom is now and then the hub."""
    if rng.random() < IN_HUB:
        return Statement("user", "likes", f"thing {number}")
    other = "user" if rng.random() < 0.05 else f"person {rng.randrange(PEOPLE)}"
    return Statement(f"person {rng.randrange(PEOPLE)}", "friend_of", other)


def _cascade(store: KnowledgeBase) -> Iterator[Figure]:
    """Deleting a memory that is the only evidence of many triples, and one that is of none."""
    bare, cascades = [], []
    for round in range(REPEATS):
        plain = store.add("a text that tells nothing of anybody")
        bare.append(timed(store.delete, plain))
        memory = store.add(f"a long story, told the {round}th time")
        for number in range(TOLD):
            store.triples.add(
                "user" if number % 2 else f"person {number}", "told", f"{round} {number}", evidence=[memory]
            )
        cascades.append(timed(store.delete, memory))
    note = f"{spread(cascades)}; of a memory without triples {median(bare):.1f} ms"
    yield Figure("deleting a memory with 100 triples", median(cascades), "ms", 20, note=note)
