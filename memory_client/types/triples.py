"""Triples: relations between entities, and their evidence."""

from __future__ import annotations

from typing import Literal, TypedDict

from memory_client.types.knowledge import DamagedLine

EvidenceKind = Literal["memory", "manual", "turn"]
Language = Literal["zh", "en"]
TripleShape = Literal["memoryd", "companion"]


class TripleEvidence(TypedDict):
    """A source that states a triple."""

    kind: EvidenceKind
    """`manual`: stored by `triples.add`."""
    id: str | None
    """Of the memory or turn."""
    version: int | None
    """Of the memory."""
    is_active: bool
    """Whether it counts; archived and superseded memories do not."""
    words: str | None
    """The clause or sentence that states it, or what the caller wrote; None until an older memory is read
    again, and for callers' triples of older versions."""


class Triple(TypedDict):
    """A relation, shown in the language of its newest active evidence: 主人 喜欢 拉面, user likes ramen."""

    id: str
    subject: str
    predicate: str
    predicate_key: str
    """Language-independent: `likes`. Triples are matched, compared and counted by it."""
    object: str
    negation: bool
    frequency: str | None
    condition: str | None
    degree: str | None
    """How strongly: 非常, really. Not part of the statement: 非常喜欢 and 喜欢 are one triple."""
    language: Language
    created_at: float
    is_live: bool
    """Whether it has active evidence."""
    evidence: list[TripleEvidence]
    """Newest first, at most 20."""


class TriplePage(TypedDict):
    """A page of triples, newest first; `cursor` is None on the last page."""

    items: list[Triple]
    cursor: str | None
    total: int


class RelatedTriple(Triple):
    """A triple reached from an entity."""

    hop: int
    """1 for the entity's own triples."""
    weight: float
    """In (0, 1]; paths through entities with many triples weigh less."""


class TripleQuery(TypedDict):
    """The triples around an entity."""

    entity: str
    """Its name; the user and relatives in the language of the given name."""
    triples: list[RelatedTriple]
    """By hop, then by weight."""
    truncated: bool
    """Whether triples are missing: more than `limit`, or an entity with so many that only the newest were
    followed."""


class TriplePath(TypedDict):
    """The path between two entities."""

    found: bool
    triples: list[Triple]
    """From the first entity to the second; empty if both names are one entity."""
    truncated: bool
    """Whether some triples were not followed, so that there may be a path, or a shorter one."""


class TripleAlias(TypedDict):
    """Another name of an entity."""

    alias: str
    entity: str


class MissingEvidence(TypedDict):
    """A memory or turn that a line names and that does not exist."""

    line: int
    id: str
    """As written in the line."""


class TripleImport(TypedDict):
    """The reply of `triples.import_jsonl`."""

    stored_count: int
    """New triples."""
    known_count: int
    """Triples that already existed; their evidence was added."""
    alias_count: int
    damaged: list[DamagedLine]
    """Skipped lines."""
    missing_evidence: list[MissingEvidence]
    """The first 1,000. A triple without any existing evidence is stored as the caller's statement."""
    missing_evidence_count: int


class TripleStats(TypedDict):
    """Counts of triples, entities, aliases and evidence."""

    triple_count: int
    live_count: int
    """Triples with active evidence."""
    entity_count: int
    alias_count: int
    by_predicate: dict[str, int]
    """Live triples, of the 50 most frequent predicates."""
    by_evidence: dict[str, int]
    """Evidence by kind."""
