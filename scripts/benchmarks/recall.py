"""The whole search over conversations: planning, all sources, late interaction, ranking, explaining."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.conversations import SESSION, conversations
from benchmarks.harness import Bench, Figure, median, timed, wait_ready
from benchmarks.texts import queries
from memory_client import KnowledgeClient
from memoryd.core.passage import Passage, turn_line

ASKED = 80
TOP = 10
TURNS = 400


def run(bench: Bench) -> Iterator[Figure]:
    yield from _search(bench, "10k", 8)
    yield from _search(bench, "100k", 25)
    yield from _ingest(bench)


def _search(bench: Bench, size: str, limit: float) -> Iterator[Figure]:
    fresh = queries(bench.said, ASKED * 2)
    with bench.running(bench.turns_of(size)) as client:
        wait_ready(client)
        for query in fresh[ASKED : ASKED + 10]:
            ask(client, query)
        yield from beyond_embedding(bench, client, fresh[:ASKED], f"search of {size} turns", limit)


def beyond_embedding(
    bench: Bench, client: KnowledgeClient, fresh: Sequence[str], name: str, limit: float | None
) -> Iterator[Figure]:
    """Search, explained, less the embedding of the same query here, in turn."""
    whole, embedding, inside = [], [], []
    for query in dict.fromkeys(fresh):
        whole.append(timed(ask, client, query))
        embedding.append(timed(bench.embedder.embed_queries, [query]))
        inside.append(client.explain(query, TOP, scope=["turn"])["milliseconds"])
    beyond = [total - alone for total, alone in zip(whole, embedding, strict=True)]
    note = f"embedding {median(embedding):.1f} ms, whole {median(whole):.1f} ms"
    yield Figure(f"{name}, beyond embedding", median(beyond), "ms", limit, note=note)
    total = median([one["total"] for one in inside])
    yield Figure("  in the daemon, query cached", total, "ms", note=_shown(inside))


def ask(client: KnowledgeClient, query: str) -> None:
    """A search of conversations, explained."""
    client.search(query, TOP, scope=["turn"], explain=True)


def _shown(inside: Sequence[dict[str, float]]) -> str:
    steps = {step: median([one.get(step, 0.0) for one in inside]) for step in inside[0] if step != "total"}
    return ", ".join(f"{step} {value:.1f}" for step, value in steps.items() if value >= 0.1)


def _ingest(bench: Bench) -> Iterator[Figure]:
    """A conversation stored session by session, against its bare embedding."""
    said = bench.said[:TURNS]

    sessions = list(conversations(said, TURNS))
    passages = [
        Passage(
            turn_line(turn["speaker"], turn["text"]),
            "\n".join(turn_line(t["speaker"], t["text"]) for t in before),
        )
        for turns in sessions
        for at, turn in enumerate(turns)
        for before in [turns[max(0, at - 2) : at]]
    ]
    with bench.running(bench.copy(bench.turns_of("10k"), "ingest")) as client:
        wait_ready(client)
        stored = sum(
            timed(client.conversation.extend, f"new {number}", turns) for number, turns in enumerate(sessions)
        )
    alone = sum(timed(bench.embedder.encode, passages[at : at + SESSION]) for at in range(0, TURNS, SESSION))
    note = f"{TURNS / stored * 1000:.0f} turns a second; the embedder by itself {TURNS / alone * 1000:.0f}"
    yield Figure("conversation stored, share of the embedder's pace", alone / stored, "", note=note)
