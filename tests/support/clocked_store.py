"""A store in this process whose clock is set by the test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memory_client.types import Memory
from memoryd.knowledge_base import KnowledgeBase

START = 1_780_000_000.0  # 2026-05-28, 20:26 UTC
DAY = 86_400.0
HOUR = 3600.0


class Clocked:
    """now: epoch seconds."""

    def __init__(self) -> None:
        self.now = START
        self.kb: KnowledgeBase

    def __call__(self) -> float:
        return self.now

    def sleep(self, days: float = 0.0, hours: float = 0.0) -> None:
        self.now += days * DAY + hours * HOUR

    def live(self, days: int, user_id: str = "default") -> None:
        """Days on each of which the user says something."""
        for _ in range(days):
            self.sleep(1)
            self.kb.conversation.append("daily", "user", "hello", user_id=user_id, remember=False)

    def get(self, id: str, user_id: str = "default") -> Memory:
        memory = self.kb.get(id, user_id=user_id, agent_id="*")
        assert memory is not None
        return memory

    def effective(self, id: str) -> float:
        return round(self.get(id)["effective_importance"], 6)

    def state(self, id: str) -> tuple[str, str | None]:
        memory = self.get(id)
        return memory["state"], memory["archived_because"]


@contextmanager
def clocked(home: Path, **settings: object) -> Iterator[Clocked]:
    """Without a model, in UTC, and without passes but those that are asked for."""
    clock = Clocked()
    chosen = {
        "embedder.model": "none",
        "search.timezone": "UTC",
        "decay.pass_hours": 0,
        **{name.replace("__", "."): value for name, value in settings.items()},
    }
    with KnowledgeBase(home, settings=chosen, clock=clock) as kb:
        clock.kb = kb
        yield clock
