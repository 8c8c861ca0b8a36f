"""Extracts triples from a memory's text, in the transaction that writes it."""

from __future__ import annotations

from collections.abc import Iterable

from memoryd.core.ids import IdFactory
from memoryd.core.record import Record
from memoryd.language.triples import extract_statements
from memoryd.storage.database import Transaction
from memoryd.storage.triples import evidence, rows
from memoryd.storage.triples.rows import Evidence


def add_evidence(tx: Transaction, record: Record, row: int, ids: IdFactory) -> None:
    """Take in what a new memory, or the new text of one, says. Only in what the user said are 我 and I the
    user; what has a tombstone stays buried. Half a millisecond for a sentence."""
    said = Evidence(row, record.agent_id, record.version)
    for statement in extract_statements(record.text, by_user=record.source == "user"):
        new_id = ids.new("tri", record.updated_at)
        rows.store(tx, record.user_id, statement, new_id, [said], record.updated_at, by_hand=False)


def replace_evidence(tx: Transaction, record: Record, row: int, ids: IdFactory) -> None:
    """The same after a change of the text; the evidence of the former version is withdrawn."""
    add_evidence(tx, record, row, ids)
    evidence.withdraw(tx, record.user_id, [row], but_version=record.version)


def withdraw_evidence(tx: Transaction, user_id: str, rows_gone: Iterable[int]) -> None:
    """Withdraw the evidence of deleted memories or turns, and triples that rested on it alone."""
    evidence.withdraw(tx, user_id, rows_gone)
