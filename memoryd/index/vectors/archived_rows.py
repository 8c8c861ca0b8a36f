"""Which memories are shelved: archived or superseded, still indexed, and left out of ordinary searches."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Mapping

import numpy as np

from memoryd.core.scope import Scope
from memoryd.index.vectors.rounding import Rows, int64


class ArchivedRows:
    """Rows of shelved memories by user, as sorted arrays that are replaced and never changed. Thread-safe."""

    def __init__(self) -> None:
        self._rows: dict[str, Rows] = {}
        self._lock = threading.Lock()

    def load(self, connection: sqlite3.Connection) -> None:
        """Take what SQLite says in place of what is known."""
        found: dict[str, list[int]] = {}
        for row, user_id in connection.execute("SELECT row, user_id FROM memories WHERE state != 'active'"):
            found.setdefault(user_id, []).append(row)
        with self._lock:
            self._rows = {user_id: np.sort(int64(rows)) for user_id, rows in found.items()}

    def hidden(self, scope: Scope) -> Rows | None:
        """The rows a search in the scope leaves out, ascending; None for none."""
        return None if scope.archived else self._rows.get(scope.user_id)

    def update(self, user_id: str, changes: Mapping[int, bool]) -> None:
        """Shelve the rows that map to True, take the others off; each call copies the user's rows once."""
        put = int64([row for row, shelved in changes.items() if shelved])
        taken = int64([row for row, shelved in changes.items() if not shelved])
        with self._lock:
            held = self._rows.get(user_id, int64([]))
            left = np.setdiff1d(_merged(held, put) if len(put) else held, taken, assume_unique=True)
            if len(left):
                self._rows[user_id] = left
            else:
                self._rows.pop(user_id, None)

    def drop_user(self, user_id: str) -> None:
        """Forget a user's rows."""
        with self._lock:
            self._rows.pop(user_id, None)


def _merged(held: Rows, put: Rows) -> Rows:
    """Both, ascending, each row once. held: ascending, each row once; too long to be sorted again."""
    new = np.unique(put)
    new = new[~np.isin(new, held, assume_unique=True)]
    return np.asarray(np.insert(held, np.searchsorted(held, new), new))
