"""Hashes from which a text cannot be guessed: keyed by the directory's own salt."""

from __future__ import annotations

import hashlib
import sqlite3


def salted_hash(connection: sqlite3.Connection, content: bytes) -> bytes:
    """The hash of some bytes, 16 bytes."""
    salt = connection.execute("SELECT value FROM properties WHERE name = 'salt'").fetchone()[0]
    return hashlib.blake2b(content, key=bytes(salt), digest_size=16).digest()
