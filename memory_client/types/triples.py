"""Triples: who is what to what, and what says so."""

from __future__ import annotations

from typing import Literal, TypedDict

from memory_client.types.knowledge import DamagedLine

EvidenceKind = Literal["memory", "manual", "turn"]


class TripleEvidence(TypedDict):
    """What a triple rests on."""

    kind: EvidenceKind
    """`manual`: the word of a caller of `triples.add`."""
    id: str | None
    """Of the memory or turn."""
    version: int | None
    """Of the memory."""
    active: bool
    """Whether it counts; an archived or superseded memory does not."""


class Triple(TypedDict):
    """A statement."""

    id: str
    subject: str
    predicate: str
    object: str
    negation: bool
    frequency: str | None
    condition: str | None
    created_at: float
    live: bool
    """Whether anything that counts says so."""
    evidence: list[TripleEvidence]
    """Newest first, at most 20."""


class TriplePage(TypedDict):
    """A page of triples, newest first; `cursor` is None on the last one."""

    items: list[Triple]
    cursor: str | None
    total: int


class RelatedTriple(Triple):
    """A triple that was reached from an entity."""

    hop: int
    """1 for the entity's own."""
    weight: float
    """In (0, 1]: what leads through an entity of many triples counts less."""


class TripleQuery(TypedDict):
    """What is around an entity."""

    entity: str
    """The name it goes by."""
    triples: list[RelatedTriple]
    """By hop, then heaviest first."""
    cut: bool
    """Whether something was left out: more than `limit`, or a hub of which the newest were followed."""


class TriplePath(TypedDict):
    """How two entities hang together."""

    found: bool
    triples: list[Triple]
    """From the one to the other; empty for one entity under two names."""
    cut: bool
    """Whether something was left out, so that there may be a way though none was found, or a shorter one."""


class TripleAlias(TypedDict):
    """Another name of an entity."""

    alias: str
    entity: str


class TripleImport(TypedDict):
    """What an import did."""

    stored: int
    """Triples that were new."""
    known: int
    """Triples that were there before; their evidence was added."""
    aliases: int
    damaged: list[DamagedLine]
    """Passed over."""


class TripleStats(TypedDict):
    """How many there are."""

    triples: int
    live: int
    entities: int
    aliases: int
    predicates: dict[str, int]
    """Of live triples, the 50 most frequent."""
    evidence: dict[str, int]
    """By kind."""
