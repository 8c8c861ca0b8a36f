"""What a conversation must be before knowledge is made of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from memory_client.types import Role
from memoryd.core.parameter_fault import parameter_fault

_ROLES: tuple[str, ...] = get_args(Role)


def check_messages(messages: Any) -> None:
    """Raise `InvalidParameterError` for what is no list of `ConversationMessage`."""
    if not isinstance(messages, list | tuple) or not messages:
        raise parameter_fault("messages", messages, "a list of messages, not empty")
    for place, message in enumerate(messages):
        if not isinstance(message, Mapping):
            raise parameter_fault(f"messages[{place}]", message, "an object with role and content")
        role, content = message.get("role"), message.get("content")
        if role not in _ROLES:
            raise parameter_fault(f"messages[{place}].role", role, f"one of {', '.join(_ROLES)}")
        if not isinstance(content, str):
            raise parameter_fault(f"messages[{place}].content", content, "a text")
