"""The declared methods as objects: those of `memory` on the object itself, the others on its groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memory_client.api import (
    AdminAPI,
    ConflictsAPI,
    ConversationAPI,
    DecayAPI,
    ForgetAPI,
    KnowledgeAPI,
    LifeAPI,
    MemoryAPI,
    MethodSpec,
    ReviewAPI,
    TriplesAPI,
    VersionsAPI,
    bind,
)


class MethodGroup:
    """The methods of a group. They call `invoke(spec, arguments)` of the object the group belongs to."""

    def __init__(self, invoke: Callable[[MethodSpec, dict[str, Any]], Any]) -> None:
        self._invoke = invoke


@bind("conversation")
class ConversationGroup(MethodGroup, ConversationAPI):
    """Group `conversation`."""


@bind("decay")
class DecayGroup(MethodGroup, DecayAPI):
    """Group `decay`."""


@bind("review")
class ReviewGroup(MethodGroup, ReviewAPI):
    """Group `review`."""


@bind("triples")
class TriplesGroup(MethodGroup, TriplesAPI):
    """Group `triples`."""


@bind("knowledge")
class KnowledgeGroup(MethodGroup, KnowledgeAPI):
    """Group `knowledge`."""


@bind("admin")
class AdminGroup(MethodGroup, AdminAPI):
    """Group `admin`."""


@bind("memory")
class Methods(MemoryAPI, ForgetAPI, LifeAPI, VersionsAPI, ConflictsAPI):
    """All declared methods; a subclass has `_invoke` and calls `open_groups`."""

    conversation: ConversationGroup
    decay: DecayGroup
    review: ReviewGroup
    triples: TriplesGroup
    knowledge: KnowledgeGroup
    admin: AdminGroup


GROUP_CLASSES: dict[str, type[MethodGroup]] = {
    "conversation": ConversationGroup,
    "decay": DecayGroup,
    "review": ReviewGroup,
    "triples": TriplesGroup,
    "knowledge": KnowledgeGroup,
    "admin": AdminGroup,
}


def open_groups(owner: Any) -> None:
    """Set the groups of an object; their calls are its own."""
    for name, group in GROUP_CLASSES.items():
        setattr(owner, name, group(owner._invoke))
