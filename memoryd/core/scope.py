"""The memories that a call can access."""

from __future__ import annotations

from dataclasses import dataclass

from memory_client.errors import InvalidParameterError
from memoryd.core.ids import check_name

ALL_AGENTS = "*"


@dataclass(frozen=True, slots=True)
class Scope:
    """A user and an agent. agent_id: None accesses common memories, a name also the agent's own, `*` all.

    archived: whether to include memories that are not active.
    """

    user_id: str
    agent_id: str | None = None
    archived: bool = False

    @classmethod
    def checked(cls, user_id: str, agent_id: str | None, *, archived: bool = False) -> Scope:
        """A scope of checked names. Raises `InvalidParameterError`."""
        check_name(user_id, "user_id")
        if agent_id is not None:
            check_name(agent_id, "agent_id")
        return cls(user_id, agent_id, archived)


def writing_agent(agent_id: str | None) -> str | None:
    """The agent of a new memory. Raises `InvalidParameterError` for `*`."""
    if agent_id == ALL_AGENTS:
        raise InvalidParameterError(
            "agent_id: '*' means all agents when reading; a new memory belongs to one agent or, "
            "with None, to all",
            parameter="agent_id",
            value=ALL_AGENTS,
            expected="a name or None",
        )
    return agent_id
