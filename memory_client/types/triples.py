"""Triples: who is what to what, and what says so."""

from __future__ import annotations

from typing import Literal, TypedDict

from memory_client.types.knowledge import DamagedLine

EvidenceKind = Literal["memory", "manual", "turn"]
Language = Literal["zh", "en"]
TripleShape = Literal["memoryd", "companion"]


class TripleEvidence(TypedDict):
    """What a triple rests on."""

    kind: EvidenceKind
    """`manual`: the word of a caller of `triples.add`."""
    id: str | None
    """Of the memory or turn."""
    version: int | None
    """Of the memory."""
    is_active: bool
    """Whether it counts; an archived or superseded memory does not."""
    words: str | None
    """The clause or sentence that says so, or what the caller wrote; None until an old memory is read again,
    and for what callers said before words were kept."""


class Triple(TypedDict):
    """A statement in the language of its newest evidence that counts: 主人 喜欢 拉面, user likes ramen."""

    id: str
    subject: str
    predicate: str
    predicate_key: str
    """The same in every language: `likes`. By it triples are matched, compared and counted."""
    object: str
    negation: bool
    frequency: str | None
    condition: str | None
    degree: str | None
    """How strongly: 非常, really. No part of what is stated: 非常喜欢 and 喜欢 are one triple."""
    language: Language
    created_at: float
    is_live: bool
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
    """The name it goes by, the user and relatives in the language of the name that was asked."""
    triples: list[RelatedTriple]
    """By hop, then heaviest first."""
    truncated: bool
    """Whether something was left out: more than `limit`, or a hub of which the newest were followed."""


class TriplePath(TypedDict):
    """How two entities hang together."""

    found: bool
    triples: list[Triple]
    """From the one to the other; empty for one entity under two names."""
    truncated: bool
    """Whether something was left out, so that there may be a way though none was found, or a shorter one."""


class TripleAlias(TypedDict):
    """Another name of an entity."""

    alias: str
    entity: str


class MissingEvidence(TypedDict):
    """A memory or turn that a line names and that is not there."""

    line: int
    id: str
    """As the line has it."""


class TripleImport(TypedDict):
    """What an import did."""

    stored_count: int
    """Triples that were new."""
    known_count: int
    """Triples that were there before; their evidence was added."""
    alias_count: int
    damaged: list[DamagedLine]
    """Passed over."""
    missing_evidence: list[MissingEvidence]
    """The first 1,000. A triple of which all evidence is missing is stored as the caller's word."""
    missing_evidence_count: int


class TripleStats(TypedDict):
    """How many there are."""

    triple_count: int
    live_count: int
    entity_count: int
    alias_count: int
    by_predicate: dict[str, int]
    """Of live triples, the 50 most frequent."""
    by_evidence: dict[str, int]
    """Evidence by kind."""
