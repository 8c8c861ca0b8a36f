"""Knowledge points: what was learned about a user, in versions, and sets that users share."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from memory_client.types.vocabulary import Metadata

KnowledgeType = Literal["WorldModel", "ExperientialKnowledge", "OtherKnowledge"]
VersionKind = Literal["increment", "merge", "rollback"]


class KnowledgeItem(TypedDict):
    """A knowledge point to store; `user_id` must be that of the call."""

    content: str
    type: str
    score: int
    user_id: NotRequired[str | None]
    metadata: NotRequired[Metadata | None]


class KnowledgePoint(TypedDict):
    """A knowledge point; `score` is its value, 0 to 100."""

    content: str
    type: KnowledgeType
    score: int
    user_id: str
    metadata: Metadata


class RelevantPoint(KnowledgePoint):
    """A knowledge point found by a query."""

    id: str
    version_id: str
    """The newest version that contains it."""
    relevance: float
    """To the query, comparable only within one reply. Without a query: the score divided by 100."""


class DamagedLine(TypedDict):
    """A line that was skipped, and why."""

    line: int
    reason: str


class KnowledgeVersion(TypedDict):
    """A version of a user's knowledge: an increment, a merge or a rollback."""

    version_id: str
    kind: VersionKind
    parents: list[str]
    """Of a merge: the versions it contains; of a rollback: the version it restores."""
    created_at: float
    point_count: int
    damaged: list[DamagedLine]


class KnowledgeMergeResult(TypedDict):
    """The reply of `merge`; `version_id` is None if there was nothing to merge."""

    version_id: str | None
    parents: list[str]
    point_count: int
    """Points of the new version."""
    merged_count: int
    """Points merged into another one."""
    omitted_count: int
    """Points with the lowest scores, left out because there are more than `knowledge.max_points`."""
    conflict_count: int
    """New conflicts."""


class KnowledgeChange(TypedDict):
    """A point in both versions whose score or type differs."""

    content: str
    score: list[int]
    """In the first and in the second version."""
    type: list[KnowledgeType]


class KnowledgeComparison(TypedDict):
    """The difference between two versions; points are matched by content."""

    versions: list[KnowledgeVersion]
    added: list[KnowledgePoint]
    removed: list[KnowledgePoint]
    changed: list[KnowledgeChange]
    unchanged_count: int


class SharedSet(TypedDict):
    """A set of points that the user published or subscribed to."""

    owner: str
    name: str
    point_count: int
    created_at: float
    """When it was published, or subscribed to."""
    subscribers: list[str]
    """Of the user's own set; always empty for a subscribed set."""
