"""Group `knowledge`: what was learned about a user, as scored points in versions."""

from __future__ import annotations

from typing import Annotated

from memory_client.api.parameters import Between, Name, PointIds, ResultCount, Seed
from memory_client.api.spec import long_running
from memory_client.types import (
    Filters,
    KnowledgeComparison,
    KnowledgeItem,
    KnowledgeMergeResult,
    KnowledgePoint,
    KnowledgeVersion,
    RelevantPoint,
    SharedSet,
)


class KnowledgeAPI:
    """Knowledge points: texts with a type (WorldModel, ExperientialKnowledge, OtherKnowledge) and a score.

    A version id is the UTC time of its creation, `YYYYMMDDHHMMSS`, with `-NNN` if that is taken; a version
    never changes. It is an increment, a merge (which contains all its parents) or a rollback. The current
    knowledge is the newest merge or rollback plus the increments after it. All agents of the user share the
    points. Every method raises `InvalidParameterError` for an invalid value and `NotFoundError` for an
    unknown version.
    """

    @long_running
    def save_knowledge(
        self,
        user_id: Name,
        version_id: str | None,
        points: list[KnowledgeItem],
        *,
        request_id: Name | None = None,
    ) -> KnowledgeVersion:
        """Store an increment; `version_id` None means now.

        Saving the same version and points again changes nothing. An id older than a merge or rollback is an
        `InvalidParameterError`, because it would have no effect. Credentials are replaced by `[secret:kind]`
        before anything is stored. Raises `KnowledgeValidationError` for an invalid point and for more than
        `knowledge.max_points` points; nothing is stored then.
        """

    @long_running
    def load_knowledge(
        self,
        user_id: Name,
        version_id: str | None = "latest",
        top_k: Annotated[int, Between(1, 10_000)] | None = None,
    ) -> list[KnowledgePoint]:
        """The points of a version as they were saved; `latest` is the newest version, None a sample.

        `top_k`: only the points with the highest scores; for a sample its size, 5 by default.
        """

    def get_latest_version_id(self, user_id: Name) -> str:
        """The id of the newest version, '' if there is none."""

    def get_recent_versions(self, user_id: Name, count: ResultCount = 5) -> list[str]:
        """The ids of the newest `count` (1 to 1000) versions, newest first."""

    def get_version(self, user_id: Name, version_id: str = "latest") -> KnowledgeVersion | None:
        """A version without its points, with the unreadable lines of its file; None if there is none yet."""

    def retrieve_relevant_knowledge(
        self, user_id: Name, query: str | None = None, top_k: ResultCount | None = None
    ) -> list[RelevantPoint]:
        """The current knowledge relevant to a query, by meaning and words.

        Without a query, or if nothing is relevant, the points with the highest scores. Points that are not
        embedded yet are found by words only. Points with a score below 20 are excluded. The result can be
        saved again with `save_knowledge`. `top_k` 1 to 1000, 5 by default.
        """

    def retrieve_knowledge_with_sampling(
        self,
        user_id: Name,
        top_k: Annotated[int, Between(1, 10_000)] | None = None,
        *,
        seed: Seed | None = None,
    ) -> list[KnowledgePoint]:
        """Points of the 5 newest versions, sampled without replacement, weighted by score.

        Points with equal content count once, with the score of the newest version; scores below 20 are
        excluded. `top_k` 1 to 10000, 5 by default; the same `seed` (0 or more) returns the same sample.
        """

    @long_running
    def merge(self, user_id: Name, *, request_id: Name | None = None) -> KnowledgeMergeResult:
        """Merge the current knowledge into one version; no new version if there is nothing to merge.

        Points that say the same become one point: they must agree in negation, numbers, times and names. The
        highest score is kept, and metadata is combined. Contradictions are recorded as conflicts. It also
        runs on a schedule: `knowledge.merge_days`, `knowledge.merge_increments`.
        """

    @long_running
    def compare(self, user_id: Name, first: str, second: str) -> KnowledgeComparison:
        """Points that the second version adds, lacks, or scores or classifies differently from the first."""

    @long_running
    def rollback(self, user_id: Name, version_id: str, *, request_id: Name | None = None) -> KnowledgeVersion:
        """Make a new version that equals an old one; it becomes the current knowledge."""

    def publish(
        self,
        name: Name,
        ids: PointIds | None = None,
        filters: Filters | None = None,
        *,
        user_id: Name = "default",
        request_id: Name | None = None,
    ) -> SharedSet:
        """Publish a set of points, to which other users can subscribe.

        Give `ids`, or `filters` that match the points now. Filters use the points' fields `content`, `type`,
        `score`, `created_at`, `id` and `metadata.<key>`: `{"type": "WorldModel", "score": {"gte": 85}}`.
        Publishing an existing name replaces its points, also for its subscribers. Points no longer in the
        current knowledge are not shown. Raises `NotFoundError` for an id that is not in the current knowledge
        and for filters without a match.
        """

    def subscribe(
        self, owner: Name, name: Name, *, user_id: Name = "default", request_id: Name | None = None
    ) -> SharedSet:
        """Find a user's published set by `search(scope=["shared"])` from now on.

        Raises `NotFoundError` if there is none, or if it was revoked for this user.
        """

    def unsubscribe(
        self, owner: Name, name: Name, *, user_id: Name = "default", request_id: Name | None = None
    ) -> None:
        """End a subscription. Raises `NotFoundError`."""

    def revoke(
        self,
        name: Name,
        subscriber: Name | None = None,
        *,
        user_id: Name = "default",
        request_id: Name | None = None,
    ) -> int:
        """Withdraw the user's own set from one subscriber, permanently, or from all, which deletes the set.

        They no longer find it from that moment. A withdrawn subscriber stays excluded after its own
        `delete_all`; a `delete_all` of the owner ends that. Returns the number of subscriptions ended. Raises
        `NotFoundError`.
        """

    def shared(self, *, user_id: Name = "default") -> list[SharedSet]:
        """The sets that the user published, with their subscribers, then those the user subscribed to."""
