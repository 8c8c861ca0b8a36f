"""Versions of ten thousand knowledge points: drawn from, saved, searched, merged."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.harness import Bench, Figure, median, spread, timed
from benchmarks.texts import texts
from memory_client.paths import DataPaths, write_private
from memory_client.types import KnowledgeItem

POINTS = 10_000
VERSIONS = 5
NEW = 4_000
"""Of each version's points; the others were in the one before."""
REPEATS = 30
USER = "ann"


def run(bench: Bench) -> Iterator[Figure]:
    home = bench.root / "knowledge"
    home.mkdir(mode=0o700)
    write_private(DataPaths.at(home).config, b'[embedder]\nmodel = "none"\n')
    contents = texts(POINTS + NEW * (VERSIONS - 1), seed=5)
    with bench.running(home) as client:
        knowledge = client.knowledge
        bench.notice(f"saving {VERSIONS} versions of {POINTS} points")
        saved = [
            timed(knowledge.save_knowledge, USER, None, _points(contents[at * NEW : at * NEW + POINTS], at))
            for at in range(VERSIONS)
        ]
        drawn = [
            timed(knowledge.retrieve_knowledge_with_sampling, USER, seed=seed) for seed in range(REPEATS)
        ]
        size = f"{VERSIONS} versions of {POINTS // 1000}k points"
        yield Figure(f"sampling from {size}", median(drawn), "ms", 20, note=spread(drawn))
        yield Figure("saving a version of 10k points", median(saved), "ms", note=spread(saved))
        loaded = [timed(knowledge.load_knowledge, USER) for _ in range(5)]
        yield Figure("loading a version of 10k points", median(loaded), "ms", note=spread(loaded))
        found = [
            timed(knowledge.retrieve_relevant_knowledge, USER, contents[at][:20]) for at in range(REPEATS)
        ]
        yield Figure("relevant points by words, 26k known", median(found), "ms", note=spread(found))
        merging = timed(knowledge.merge, USER)
        yield Figure(f"merging {size}", merging / 1000, "s", note="behind everything else")


def _points(contents: list[str], version: int) -> list[KnowledgeItem]:
    """Scores of all sizes, other ones in each version."""
    return [
        {"content": content, "type": "WorldModel", "score": (number * 7 + version) % 101}
        for number, content in enumerate(contents)
    ]
