"""Finds texts that repeat a deleted memory: other memories, their former versions, turns, points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from memoryd.core.filters.grammar import EVERYTHING
from memoryd.core.record import Record
from memoryd.core.row_ranges import TEXT_KINDS, TextKind
from memoryd.core.scope import Scope
from memoryd.index.keyword.keyword_index import KeywordIndex, best_of
from memoryd.index.keyword.query import KeywordQuery
from memoryd.language.fold import hash_form
from memoryd.language.near_duplicates import are_near_duplicates
from memoryd.storage.connection import Connection
from memoryd.storage.records import texts, turns, versions
from memoryd.storage.records.texts import visible

MOST = 20
"""Deleted memories for which this looks, a few milliseconds each."""
_NEIGHBOURS = 10
_RAREST = 4
"""Words of a text by which its neighbours are found: who says the same has nearly all of them."""
_READ = 500
"""Characters of a text whose words are looked at."""
_WEIGHED = 1_000
"""Characters up to which two texts are read word by word; a longer one is found when it quotes the other."""


def find_remaining_mentions(
    connection: Connection, lexical: KeywordIndex, scope: Scope, gone: Sequence[Record]
) -> list[str]:
    """Ids, in the scope, of what says the same as memories that are gone; turns they came from among them."""
    every = replace(scope, archived=True)
    found: dict[str, None] = {}
    for record in gone[:MOST]:
        found |= dict.fromkeys(versions.ids_with_text(connection, every, record.text))
        found |= dict.fromkeys(_source(connection, scope, record))
        found |= dict.fromkeys(_alike(connection, lexical, every, record.text))
    return list(found)


def _source(connection: Connection, scope: Scope, record: Record) -> list[str]:
    return [] if record.source_id is None else list(turns.find(connection, scope, [record.source_id]))


def _alike(connection: Connection, lexical: KeywordIndex, scope: Scope, text: str) -> Iterator[str]:
    """Texts near it in words that say the same, or quote it."""
    wanted = hash_form(text)
    for kind in TEXT_KINDS:
        for id, other in texts.texts_by_id(connection, kind, _near(connection, lexical, scope, text, kind)):
            if wanted in hash_form(other) or _agree(text, other):
                yield id


def _near(
    connection: Connection, lexical: KeywordIndex, scope: Scope, text: str, kind: TextKind
) -> list[int]:
    """Rows of the texts with the rarest of its words."""
    read = lexical.read(connection, scope.user_id, text[:_READ], kind)
    if read is None:
        return []
    rarest = KeywordQuery(read.partition, dict(islice(read.frequencies.items(), _RAREST)))
    found = rarest.candidates(connection, visible(kind, scope, EVERYTHING), _NEIGHBOURS)
    return [hit.row for hit in best_of(rarest, found, _NEIGHBOURS)]


def _agree(text: str, other: str) -> bool:
    return max(len(text), len(other)) <= _WEIGHED and are_near_duplicates(text, other)
