"""Group `triples`."""

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
    """Who is what to what: subject, predicate, object, and what says so.

    A triple is shown in the language of its newest evidence (主人 喜欢 拉面; user likes ramen) and found by
    words of either.

    Memories are read for what they tell (主人喜欢拉面; I live in Beijing) as they are written. A triple is
    live while a caller, a turn or an active memory says so; nothing else is shown unless archived ones are
    asked for. Names are entities: spellings, titles and quotes are no difference, 主人 用户 我 user I me are
    the one entity `user`, and `alias` makes two names one.
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
        """Store a triple, or further evidence of one there is; return its id.

        `evidence`: ids of memories and turns that say so, at most 100; without any it is the caller's own
        word. Names, predicate, frequency, condition and degree have 1 to 200 bytes. Predicates of the
        vocabulary are normalised (喜欢 is `likes`; 不喜欢 the same negated; 非常喜欢 with the degree 非常),
        others are kept. The triple is shown in the language of the predicate. What was deleted may be said
        again. Raises `NotFoundError` and `WrongIdError` for evidence that is not there; turns that are not
        to be remembered are none.
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

        `entity`: at either end; `evidence`: the id of a memory or turn that says so.
        `include_archived` adds what only archived or superseded memories say.
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
        """What is within `hops` (1 to 3) of an entity; `predicate` narrows the first hop, `limit` 1 to 500.

        What leads through an entity of many triples weighs less (1 / log2(1 + degree)), each hop half. Of
        an entity of very many the newest are followed, and `truncated` is true.
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
        """A shortest way from one entity to another over at most `max_hops` (1 to 6) triples."""

    def delete(
        self,
        id: TripleId,
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> DeleteResult:
        """Destroy a triple: no memory makes it again, only `add` does. Memories that say so stay.

        Evidence of agents the call does not see stays, and the triple for them; their memories may say it
        again. Raises `NotFoundError`, `WrongIdError`.
        """

    def alias(
        self, alias: Entity, entity: Entity, *, user_id: Name = "default", request_id: Name | None = None
    ) -> TripleAlias:
        """Make `alias` another name of `entity`, for all agents; each may be new.

        Raises `InvalidParameterError` where it would go in a circle, for the user's own name, and for what
        is an alias of something else.
        """

    def unalias(self, alias: Entity, *, user_id: Name = "default", request_id: Name | None = None) -> None:
        """Make an alias a thing of its own again, as it was before. Raises `NotFoundError`."""

    def aliases(
        self,
        entity: Entity | None = None,
        *,
        limit: Annotated[int, Between(1, 10_000)] = 1000,
        user_id: Name = "default",
    ) -> list[TripleAlias]:
        """The other names of an entity, or all there are; `limit` 1 to 10,000."""

    @long_running
    def export_jsonl(self, user_id: Name = "default", *, shape: TripleShape = "memoryd") -> list[str]:
        """All triples of a user and all agents, archived ones too, and the aliases: one JSON text a line.

        `shape="companion"`: `{"id", "subject", "predicate", "object", "source_memory_ids", "metadata"}` with
        `negation`, `frequency` and `condition` in `metadata` (and `degree` and `agent_ids`, the agents whose
        own word it is, where there are any); turns stand among the memories, aliases are left out.
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
        """Take in lines of either shape of `export_jsonl`; damaged ones are passed over and named.

        `memory_ids` maps the ids of evidence in the lines to ids of memories and turns here, at most
        1,000,000; what is not mapped is looked for as it is. Evidence that is not there is reported in
        `missing_evidence`; a triple left without any is the caller's word. The `id` of a companion line is
        not kept. A repeated request goes on where the first one stopped. Raises `InvalidParameterError` for a
        key that is not understood, in a line, its metadata or its evidence: nothing is imported then.
        """

    def stats(self, *, user_id: Name = "default", agent_id: Name | None = None) -> TripleStats:
        """Counts of triples, entities, aliases, predicates and evidence."""
