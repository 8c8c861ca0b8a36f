"""Knowledge points: what was learned of a user, in versions, and the sets of it that users share."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from memory_client.types.vocabulary import Metadata

KnowledgeType = Literal["WorldModel", "ExperientialKnowledge", "OtherKnowledge"]
VersionKind = Literal["increment", "merge", "rollback"]


class KnowledgeItem(TypedDict):
    """A knowledge point as it is given; `user_id` may only be that of the call."""

    content: str
    type: str
    score: int
    user_id: NotRequired[str | None]
    metadata: NotRequired[Metadata | None]


class KnowledgePoint(TypedDict):
    """A piece of knowledge; `score` says how much it is worth, 0 to 100."""

    content: str
    type: KnowledgeType
    score: int
    user_id: str
    metadata: Metadata


class RelevantPoint(KnowledgePoint):
    """A knowledge point that was found."""

    id: str
    version_id: str
    """The newest version that says it."""
    relevance: float
    """To the query, comparable only inside one reply; the score's share of 100 when the best scores are
    returned."""


class DamagedLine(TypedDict):
    """A stored line that was skipped, and why."""

    line: int
    reason: str


class KnowledgeVersion(TypedDict):
    """A version of a user's knowledge: what was added, what was merged, or what was gone back to."""

    version_id: str
    kind: VersionKind
    parents: list[str]
    """Of a merge the versions it holds, of a rollback the one it equals."""
    created_at: float
    point_count: int
    damaged: list[DamagedLine]


class KnowledgeMergeResult(TypedDict):
    """The receipt of `merge`; `version_id` is None when there was nothing to merge."""

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
    """A point that both versions have, with what differs."""

    content: str
    score: list[int]
    """In the first version and in the second."""
    type: list[KnowledgeType]


class KnowledgeComparison(TypedDict):
    """What differs between two versions, points told apart by their content."""

    versions: list[KnowledgeVersion]
    added: list[KnowledgePoint]
    removed: list[KnowledgePoint]
    changed: list[KnowledgeChange]
    unchanged_count: int


class SharedSet(TypedDict):
    """A set of points that a user has published, or that another has granted."""

    owner: str
    name: str
    point_count: int
    created_at: float
    """When it was published, or subscribed to."""
    subscribers: list[str]
    """Of an own set; of a granted one always empty."""
