"""Whether the keyword index agrees with the texts."""

from __future__ import annotations

import sqlite3

from memoryd.core.row_ranges import TextKind
from memoryd.index.keyword import partitions
from memoryd.index.keyword.partitions import Partition
from memoryd.language.fold import FOLD_VERSION, index_terms
from memoryd.storage.records.texts import EVERY_TEXT

_PLURAL: dict[TextKind, str] = {"memory": "memories", "turn": "turns", "point": "knowledge points"}
_SAMPLED = 3
"""Texts of each partition that are looked up by one of their terms."""


def differences(connection: sqlite3.Connection) -> list[str]:
    """What disagrees, one sentence each."""
    owners = [tuple(row) for row in connection.execute(f"SELECT DISTINCT user_id, kind FROM {EVERY_TEXT}")]
    found: list[str] = []
    without = set()
    for user_id, kind in owners:
        partition = partitions.find(connection, user_id, kind)
        if partition is None:
            without.add(user_id)
        elif partition.state == "serving":
            found += _differences(connection, user_id, partition)
    if without:
        found.insert(0, f"{len(without)} users are not in the keyword index")
    strays = f"SELECT count(*) FROM text_terms WHERE row NOT IN (SELECT row FROM {EVERY_TEXT})"
    (count,) = connection.execute(strays).fetchone()
    return [*found, *([f"{count} texts in the keyword index are not stored"] if count else [])]


def _differences(connection: sqlite3.Connection, user_id: str, partition: Partition) -> list[str]:
    name = _PLURAL[partition.kind]
    texts = f"SELECT {{0}} FROM {EVERY_TEXT} t WHERE user_id = ? AND kind = ?"
    owner = (user_id, partition.kind)
    kept = f"{texts.format('count(*)')} AND EXISTS (SELECT 1 FROM text_terms k WHERE k.row = t.row)"
    (stored,) = connection.execute(texts.format("count(*)"), owner).fetchone()
    (indexed,) = connection.execute(kept, owner).fetchone()
    found = []
    if indexed != stored and partition.is_shared:
        found.append(f"{stored - indexed} {name} are not in the keyword index")
    if partition.documents != stored:
        found.append(f"{partition.documents} {name} counted in the keyword index, {stored} stored")
    if partition.fold_version == FOLD_VERSION:
        sample = connection.execute(f"{texts.format('row, text')} ORDER BY row DESC LIMIT {_SAMPLED}", owner)
        lost = sum(not _is_found(connection, partition, row, text) for row, text in sample.fetchall())
        found += [f"{lost} {name} are not found by their words"] if lost else []
    return found


def _is_found(connection: sqlite3.Connection, partition: Partition, row: int, text: str) -> bool:
    terms = index_terms(text)
    if not terms:
        return True
    quoted = (partition.prefix + terms[0]).replace('"', '""')
    sql = f"SELECT 1 FROM {partition.table} WHERE {partition.table} MATCH ? AND rowid = ?"
    return connection.execute(sql, (f'"{quoted}"', row)).fetchone() is not None
