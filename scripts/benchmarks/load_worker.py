"""One process of the load: its threads store, change, read and search, and keep what was acknowledged."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.texts import queries, texts
from memory_client import KnowledgeClient
from memory_client.errors import MemorydError

AT_ONCE = 10
"""Memories of one `add_many`."""
SHARES = {"add": 25, "add_many": 7, "search": 30, "update": 10, "boost": 10, "get": 18}
"""Percent of the operations."""
CALL_SECONDS = 60.0


@dataclass
class Outcome:
    """What threads did. acknowledged: the text of each memory by its id."""

    operations: Counter[str] = field(default_factory=Counter)
    acknowledged: dict[str, str] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    def take(self, other: Outcome) -> None:
        """Add what others did."""
        self.operations.update(other.operations)
        self.acknowledged.update(other.acknowledged)
        self.errors += other.errors


def work(home: Path, seed: int, threads: int, operations: int, seconds: float) -> Outcome:
    """Run threads over one client until each has done its operations or the time is over."""
    end = time.monotonic() + seconds
    with KnowledgeClient(home, timeout=CALL_SECONDS) as client, ThreadPoolExecutor(threads) as pool:
        users = [_User(client, seed * threads + number, operations) for number in range(threads)]
        outcome = Outcome()
        for done in pool.map(lambda user: user.run(operations, end), users):
            outcome.take(done)
    return outcome


class _User:
    """One thread. It changes only its own memories, so it knows their texts."""

    def __init__(self, client: KnowledgeClient, seed: int, operations: int) -> None:
        self._client = client
        self._random = random.Random(seed)
        stored = texts(2 * operations + AT_ONCE, seed=seed + 1)
        self._texts = iter(stored)
        self._queries = iter(queries(stored, operations, seed=seed))
        self._ids: list[str] = []
        self._outcome = Outcome()

    def run(self, operations: int, end: float) -> Outcome:
        """Do so many operations, or fewer when the time is over."""
        names = self._random.choices(list(SHARES), list(SHARES.values()), k=operations)
        for name in names:
            if time.monotonic() >= end:
                break
            self._try(name)
        return self._outcome

    def _try(self, name: str) -> None:
        act: Callable[[], None] = getattr(self, f"_{name}")
        try:
            act() if self._ids or name == "add_many" else self._add()
            self._outcome.operations[name] += 1
        except MemorydError as error:
            self._outcome.errors.append(f"{name}: {type(error).__name__}: {error}")

    def _add(self) -> None:
        text = next(self._texts)
        self._note([self._client.add(text)], [text])

    def _add_many(self) -> None:
        items = [next(self._texts) for _ in range(AT_ONCE)]
        self._note(self._client.add_many(list(items)), items)

    def _search(self) -> None:
        self._client.search(next(self._queries), 10)

    def _update(self) -> None:
        id, text = self._any(), next(self._texts)
        self._client.update_text(id, text)
        self._outcome.acknowledged[id] = text

    def _boost(self) -> None:
        self._client.boost(self._any())

    def _get(self) -> None:
        id = self._any()
        found = self._client.get(id)
        if found is None or found["text"] != self._outcome.acknowledged[id]:
            self._outcome.errors.append(f"get: {id} is not what was acknowledged")

    def _any(self) -> str:
        return self._random.choice(self._ids)

    def _note(self, ids: Sequence[str], stored: Sequence[str]) -> None:
        self._ids += ids
        self._outcome.acknowledged.update(zip(ids, stored, strict=True))
