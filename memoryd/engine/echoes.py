"""What still says the same when a memory is gone: other memories, their former versions, turns, points."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memoryd.core.duplicates import guards_agree
from memoryd.core.filters import EVERYTHING
from memoryd.core.kinds import TEXT_KINDS
from memoryd.core.normal import normal_form
from memoryd.core.record import Record
from memoryd.core.scope import Scope
from memoryd.index.lexical import LexicalIndex
from memoryd.storage import texts, turns, versions

MOST = 20
"""Memories whose echoes are looked for, of those that go at once; 5 ms each."""
_NEIGHBOURS = 10
_READ = 500
"""Characters of a text by whose words its neighbours are found."""


def still_said(
    connection: sqlite3.Connection, lexical: LexicalIndex, scope: Scope, gone: Sequence[Record]
) -> list[str]:
    """Ids, in the scope, of what says the same as memories that are gone; turns they came from among them."""
    every = replace(scope, archived=True)
    found: dict[str, None] = {}
    for record in gone[:MOST]:
        found |= dict.fromkeys(versions.saying(connection, every, record.text))
        found |= dict.fromkeys(_source(connection, scope, record))
        found |= dict.fromkeys(_alike(connection, lexical, every, record.text))
    return list(found)


def _source(connection: sqlite3.Connection, scope: Scope, record: Record) -> list[str]:
    return [] if record.source_id is None else list(turns.find(connection, scope, [record.source_id]))


def _alike(connection: sqlite3.Connection, lexical: LexicalIndex, scope: Scope, text: str) -> Iterator[str]:
    """Texts near it in words that say the same, or quote it."""
    wanted = normal_form(text)
    for kind in TEXT_KINDS:
        near = lexical.search(connection, scope, text[:_READ], _NEIGHBOURS, EVERYTHING, kind)
        for id, other in texts.told(connection, kind, [hit.row for hit in near]):
            if wanted in normal_form(other) or guards_agree(text, other):
                yield id
