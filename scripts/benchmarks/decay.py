"""What a pass of decay would do, over very many memories, and how long one takes."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.harness import HUNDRED_THOUSAND, Bench, Figure, median, spread, timed
from memory_client.types import MemoryItem
from memoryd.knowledge_base import KnowledgeBase

START = 1_780_000_000.0
DAY = 86_400.0
DAYS = 100
REPEATS = 9
PASSES = 5
SETTINGS = {"embedder.model": "none", "decay.pass_hours": 0}
_KINDS = (
    {"source": "user"},
    {"source": "background_ai"},
    {"source": "background_ai", "importance": 2.0},
    {"category": "episode"},
)


def run(bench: Bench) -> Iterator[Figure]:
    now = START
    bench.notice(f"storing {HUNDRED_THOUSAND} memories over {DAYS} days")
    with KnowledgeBase(bench.root / "faded", settings=SETTINGS, clock=lambda: now) as store:
        a_day = HUNDRED_THOUSAND // DAYS
        for day in range(DAYS):
            now = START + day * DAY
            store.conversation.append("daily", "user", "hello", remember=False)
            store.add_many(_items(bench.many_texts[day * a_day : (day + 1) * a_day]))
        found = store.decay.preview()["counts"]
        times = [timed(store.decay.preview) for _ in range(REPEATS)]
        by_pass = [timed(store.decay.run) for _ in range(PASSES)]
    due = found["decay"] + found["review"] + found["remaining"]
    note = f"{due:,} of {found['active']:,} are due; {spread(times)}"
    yield Figure("decay preview over 100k memories", median(times), "ms", 1000, note=note)
    yield Figure("decay pass that archives up to 1,000", median(by_pass), "ms", 1000, note=spread(by_pass))


def _items(texts: list[str]) -> list[str | MemoryItem]:
    return [
        {"text": text, "metadata": dict(_KINDS[number % len(_KINDS)])} for number, text in enumerate(texts)
    ]
