"""A model of a store for property tests: one dict per user."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class Memory:
    """What the model knows of a memory. order: its place in time."""

    id: str
    agent_id: str | None
    text: str
    category: str
    importance: float
    metadata: dict[str, Any]
    created_at: float
    version: int = 1

    def sees(self, agent_id: str | None) -> bool:
        """Whether a call for `agent_id` sees it."""
        return agent_id == "*" or self.agent_id is None or self.agent_id == agent_id


@dataclass
class Model:
    """Users by name, each with memories by id."""

    users: dict[str, dict[str, Memory]] = field(default_factory=dict)

    def of(self, user: str, agent: str | None = "*") -> list[Memory]:
        """What a scope sees, oldest first."""
        seen = [memory for memory in self.users.get(user, {}).values() if memory.sees(agent)]
        return sorted(seen, key=lambda memory: (memory.created_at, memory.id))

    def put(self, user: str, memory: Memory) -> None:
        self.users.setdefault(user, {})[memory.id] = memory

    def change(self, user: str, id: str, **changes: Any) -> bool:
        """Change a memory; whether anything differs. A difference makes a version."""
        old = self.users[user][id]
        new = replace(old, **changes)
        if new == old:
            return False
        self.users[user][id] = replace(new, version=old.version + 1)
        return True

    def drop(self, user: str, ids: list[str]) -> None:
        for id in ids:
            del self.users[user][id]
