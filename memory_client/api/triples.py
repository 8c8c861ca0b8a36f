"""Group `triples`: relations between entities."""

from __future__ import annotations

from typing import Annotated

from memory_client.api.parameters import Between, Entity, EvidenceId, Name, ResultCount, TripleId
from memory_client.api.spec import long_running
from memory_client.types import (
    DeleteResult,
    TripleAlias,
    TripleImport,
    TriplePage,
    TriplePath,
    TripleQuery,
    TripleShape,
    TripleStats,
)


class TriplesAPI:
    """Relations: subject, predicate, object, and the evidence for them.

    A triple is shown in the language of its newest evidence (主人 喜欢 拉面; user likes ramen) and found by
    words of either language. Triples are extracted from memories when they are written (主人喜欢拉面; I live
    in Beijing). A triple is live while a caller, a turn or an active memory states it; others are shown only
    on request. Names are entities: different spellings, titles and quotes are one entity; 主人 用户 我 user I
    me are the entity `user`; `alias` makes two names one entity.
    """

    def add(
        self,
        subject: str,
        predicate: str,
        object: str,
        *,
        negation: bool = False,
        frequency: str | None = None,
        condition: str | None = None,
        degree: str | None = None,
        evidence: Annotated[list[EvidenceId], Between(0, 100)] | None = None,
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> str:
        """Store a triple, or more evidence for an existing one; return its id.

        `evidence`: ids of memories and turns that state it, at most 100; without any it is the caller's own
        statement. Names, predicate, frequency, condition and degree have 1 to 200 bytes. Known predicates are
        normalized (喜欢 is `likes`; 不喜欢 is its negation; 非常喜欢 has degree 非常), others are stored
        unchanged. The triple is shown in the language of the predicate. A deleted triple can be added again.
        Raises `NotFoundError` and `WrongIdError` for unknown evidence; turns with `remember=False` are not
        accepted.
        """

    def page(
        self,
        *,
        subject: Entity | None = None,
        predicate: Entity | None = None,
        object: Entity | None = None,
        entity: Entity | None = None,
        negation: bool | None = None,
        evidence: EvidenceId | None = None,
        include_archived: bool = False,
        cursor: str | None = None,
        limit: ResultCount = 50,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> TriplePage:
        """Triples page by page, newest first, `limit` 1 to 1000.

        `entity`: the subject or the object; `evidence`: the id of a memory or turn that states it.
        `include_archived` adds triples stated only by archived or superseded memories.
        """

    def query(
        self,
        entity: Entity,
        hops: Annotated[int, Between(1, 3)] = 1,
        *,
        predicate: Entity | None = None,
        limit: Annotated[int, Between(1, 500)] = 50,
        include_archived: bool = False,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> TripleQuery:
        """The triples within `hops` (1 to 3) of an entity, at most `limit` (1 to 500).

        `predicate` filters the first hop. A path through an entity with many triples weighs less (1 / log2(1
        + degree)), and each hop half of the one before. Of an entity with very many triples only the newest
        are followed, and `truncated` is true.
        """

    def path(
        self,
        a: Entity,
        b: Entity,
        max_hops: Annotated[int, Between(1, 6)] = 3,
        *,
        include_archived: bool = False,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> TriplePath:
        """A shortest path between two entities of at most `max_hops` (1 to 6) triples."""

    def delete(
        self,
        id: TripleId,
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> DeleteResult:
        """Destroy a triple: only `add` creates it again.

        Memories that state it are kept. Evidence of agents that the call does not see is kept, and with it
        the triple for those agents; their memories may state it again. Raises `NotFoundError`,
        `WrongIdError`.
        """

    def alias(
        self, alias: Entity, entity: Entity, *, user_id: Name = "default", request_id: Name | None = None
    ) -> TripleAlias:
        """Make `alias` another name of `entity`, for all agents; both may be new.

        Raises `InvalidParameterError` for a circle, for the user's own names, and if `alias` is already an
        alias of another entity.
        """

    def unalias(self, alias: Entity, *, user_id: Name = "default", request_id: Name | None = None) -> None:
        """Make an alias an entity of its own again. Raises `NotFoundError`."""

    def aliases(
        self,
        entity: Entity | None = None,
        *,
        limit: Annotated[int, Between(1, 10_000)] = 1000,
        user_id: Name = "default",
    ) -> list[TripleAlias]:
        """The other names of an entity, or all aliases; `limit` 1 to 10,000."""

    @long_running
    def export_jsonl(self, user_id: Name = "default", *, shape: TripleShape = "memoryd") -> list[str]:
        """All triples of a user and all agents, archived ones too, and the aliases: one JSON text per line.

        `shape="companion"`: `{"id", "subject", "predicate", "object", "source_memory_ids", "metadata"}` with
        `negation`, `frequency` and `condition` in `metadata` (and, if any, `degree` and `agent_ids`, the
        agents whose own statement it is); turns are listed among the memories, aliases are left out.
        """

    @long_running
    def import_jsonl(
        self,
        lines: Annotated[list[str], Between(0, 1_000_000)],
        *,
        memory_ids: Annotated[dict[str, EvidenceId], Between(0, 1_000_000)] | None = None,
        user_id: Name = "default",
        request_id: Name | None = None,
    ) -> TripleImport:
        """Import lines of either shape of `export_jsonl`; damaged lines are skipped and listed.

        `memory_ids` maps ids of evidence in the lines to ids of memories and turns here, at most 1,000,000;
        other ids are looked up unchanged. Evidence that does not exist is listed in `missing_evidence`; a
        triple without any other evidence becomes the caller's statement. The `id` of a companion line is not
        kept. A repeated request continues where the first one stopped. Raises `InvalidParameterError` for an
        unknown key in a line, its metadata or its evidence; nothing is imported then.
        """

    def stats(self, *, user_id: Name = "default", agent_id: Name | None = None) -> TripleStats:
        """Counts of triples, entities, aliases, predicates and evidence."""
