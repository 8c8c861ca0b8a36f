"""Group `knowledge`: what was learned of a user, as scored points in versions."""

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
    """Knowledge points: contents with a type (WorldModel, ExperientialKnowledge, OtherKnowledge) and a score.

    A version's id is the UTC time it was made, `YYYYMMDDHHMMSS`, with `-NNN` when that was taken; a version
    never changes. It is an increment, a merge (which holds all its parents) or a rollback. What is known now
    is the newest merge with the increments behind it. Points are common to the user's agents.
    Raises `InvalidParameterError` for a value that does not fit, `NotFoundError` for a version that is not
    there, everywhere.
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
        """Store an increment; `version_id` None is now. The same version with the same points is no change.

        An id that lies before a merge or a rollback would never count: `InvalidParameterError`.
        Credentials are replaced by `[secret:kind]` first. Raises `KnowledgeValidationError` for a point that
        is none and for more than `knowledge.max_points`; nothing is stored then.
        """

    @long_running
    def load_knowledge(
        self,
        user_id: Name,
        version_id: str | None = "latest",
        top_k: Annotated[int, Between(1, 10_000)] | None = None,
    ) -> list[KnowledgePoint]:
        """The points of a version as they were saved; `latest` is the newest one, None a sample.

        `top_k`: only so many, those of the best scores; of a sample its size, 5 by default.
        """

    def get_latest_version_id(self, user_id: Name) -> str:
        """The newest version, '' when there is none."""

    def get_recent_versions(self, user_id: Name, count: ResultCount = 5) -> list[str]:
        """The ids of the newest `count` (1 to 1000) versions, newest first."""

    def get_version(self, user_id: Name, version_id: str = "latest") -> KnowledgeVersion | None:
        """What a version is, with the lines of its file that cannot be read; None when there is none yet."""

    def retrieve_relevant_knowledge(
        self, user_id: Name, query: str | None = None, top_k: ResultCount | None = None
    ) -> list[RelevantPoint]:
        """What is known now that has to do with a query, by meaning and words.

        Without a query, or where nothing has to do with it, what scores best; while vectors are pending,
        words find what meaning cannot. Points of a score under 20 are left out. The result can be saved again
        with `save_knowledge`. `top_k` 1 to 1000, 5 by default.
        """

    def retrieve_knowledge_with_sampling(
        self,
        user_id: Name,
        top_k: Annotated[int, Between(1, 10_000)] | None = None,
        *,
        seed: Seed | None = None,
    ) -> list[KnowledgePoint]:
        """Points of the 5 newest versions, drawn without replacement with weights equal to their scores.

        Identical contents count once, as the newest version says them; scores under 20 do not count.
        `top_k` 1 to 10000, 5 by default; `seed` 0 or more, for the same draw every time.
        """

    @long_running
    def merge(self, user_id: Name, *, request_id: Name | None = None) -> KnowledgeMergeResult:
        """Make one version of what is known now, points that say the same as one; nothing where none is new.

        They must agree in polarity, numbers, times and names; the best score stays, metadata is joined.
        Contradictions are queued as conflicts. The schedule does it, too: `knowledge.merge_days`,
        `knowledge.merge_increments`.
        """

    @long_running
    def compare(self, user_id: Name, first: str, second: str) -> KnowledgeComparison:
        """What the second version adds to the first one, lacks of it, and scores or types otherwise."""

    @long_running
    def rollback(self, user_id: Name, version_id: str, *, request_id: Name | None = None) -> KnowledgeVersion:
        """Make a new version that equals an old one; what was known then is what is known now."""

    def publish(
        self,
        name: Name,
        ids: PointIds | None = None,
        filters: Filters | None = None,
        *,
        user_id: Name = "default",
        request_id: Name | None = None,
    ) -> SharedSet:
        """Let others subscribe to points: those of `ids`, or those the filters find now; one of the two.

        Filters know the points' fields `content`, `type`, `score`, `created_at`, `id` and `metadata.<key>`:
        `{"type": "WorldModel", "score": {"gte": 85}}`. The name may be used again: the set holds the new
        points then, for its subscribers, too. Points the user no longer knows are not shown. Raises
        `NotFoundError` for an id that is not known now and for filters that no point fits.
        """

    def subscribe(
        self, owner: Name, name: Name, *, user_id: Name = "default", request_id: Name | None = None
    ) -> SharedSet:
        """Find a user's published set by `search(scope=["shared"])` from now on.

        Raises `NotFoundError` when there is none, or it was revoked for this user.
        """

    def unsubscribe(
        self, owner: Name, name: Name, *, user_id: Name = "default", request_id: Name | None = None
    ) -> None:
        """Give a subscription back. Raises `NotFoundError`."""

    def revoke(
        self,
        name: Name,
        subscriber: Name | None = None,
        *,
        user_id: Name = "default",
        request_id: Name | None = None,
    ) -> int:
        """Take an own set back from one user, for good, or from all, and the set with it.

        They find nothing of it from that moment. Who was barred stays so after its own `delete_all`; an owner
        begins anew after one. Returns from how many it was taken. Raises `NotFoundError`.
        """

    def shared(self, *, user_id: Name = "default") -> list[SharedSet]:
        """The sets a user has published, with their subscribers, then those the user has subscribed to."""
