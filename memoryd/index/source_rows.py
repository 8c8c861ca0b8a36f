"""What SQLite says of all texts, whoever owns them: what the vector side is checked against."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from memoryd.core.passage import Passage
from memoryd.index.vectors.rounding import Rows, int64
from memoryd.storage.records.texts import EVERY_TEXT, passages


@dataclass(frozen=True, slots=True)
class SourceRows:
    """Every indexed text by row, ascending. owners: places in `names`, which holds (user, agent)."""

    rows: Rows
    text_seqs: Rows
    owners: npt.NDArray[np.int32]
    names: Sequence[tuple[str, str | None]]

    def places_of(self, rows: Rows, text_seqs: Rows) -> Rows:
        """Where each (row, text_seq) stands, -1 for one that is not, or no longer, true."""
        if not len(self.rows):
            return np.full(len(rows), -1)
        places = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        same = (self.rows[places] == rows) & (self.text_seqs[places] == text_seqs)
        return np.where(same, places, -1)

    def holds(
        self, rows: Rows, text_seqs: Rows, sees: Callable[[str, str | None], bool]
    ) -> npt.NDArray[np.bool_]:
        """Which rows are of a memory whose user and agent `sees` accepts, with its present text or a newer.

        (The vector store may be ahead of a reader's view by a moment.)
        """
        if not len(self.rows):
            return np.zeros(len(rows), np.bool_)
        places = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        seen = np.array([sees(user, agent) for user, agent in self.names], np.bool_)
        same = (self.rows[places] == rows) & (self.text_seqs[places] <= text_seqs)
        return np.asarray(same & seen[self.owners[places]])

    def by_user(self, places: Rows) -> Iterator[tuple[str, npt.NDArray[np.intp], list[str | None]]]:
        """User, positions in `places` and agents, for each user met."""
        users = [user for user, _ in self.names]
        number = {user: place for place, user in enumerate(dict.fromkeys(users))}
        codes = np.array([number[user] for user in users], np.int32)[self.owners[places]]
        order = np.argsort(codes, kind="stable")
        bounds = np.flatnonzero(np.diff(codes[order])) + 1
        for group in np.split(order, bounds) if len(order) else []:
            owners = self.owners[places[group]].tolist()
            yield users[owners[0]], group, [self.names[owner][1] for owner in owners]


def load(connection: sqlite3.Connection) -> SourceRows:
    """All texts."""
    return _truth(connection, f"SELECT row, text_seq, user_id, agent_id FROM {EVERY_TEXT} ORDER BY row", ())


def some(connection: sqlite3.Connection, rows: Sequence[int]) -> SourceRows:
    """The texts at `rows`."""
    sql = (
        f"SELECT row, text_seq, user_id, agent_id FROM {EVERY_TEXT} "
        "WHERE row IN (SELECT value FROM json_each(?)) ORDER BY row"
    )
    return _truth(connection, sql, (json.dumps([int(row) for row in rows]),))


def count(connection: sqlite3.Connection) -> int:
    """How many texts there are."""
    return int(connection.execute(f"SELECT count(*) FROM {EVERY_TEXT}").fetchone()[0])


def change_number(connection: sqlite3.Connection) -> int:
    """The newest change number given out."""
    return int(connection.execute("SELECT value FROM counters WHERE name = 'seq'").fetchone()[0])


def texts(connection: sqlite3.Connection, after_row: int, limit: int) -> list[tuple[int, Passage, int]]:
    """Row, passage and text_seq of the texts behind `after_row`, by row."""
    sql = f"SELECT row FROM {EVERY_TEXT} WHERE row > ? ORDER BY row LIMIT ?"
    rows = [row for (row,) in connection.execute(sql, (after_row, limit))]
    return [(row, *found) for row, found in sorted(passages(connection, rows).items())]


def rows_of_user(connection: sqlite3.Connection, user_id: str) -> list[int]:
    """Rows of a user's texts in any state."""
    return [
        row for (row,) in connection.execute(f"SELECT row FROM {EVERY_TEXT} WHERE user_id = ?", (user_id,))
    ]


def _truth(connection: sqlite3.Connection, sql: str, params: Sequence[Any]) -> SourceRows:
    cursor = connection.cursor()
    cursor.row_factory = None  # plain tuples: half the time of rows by name
    rows, text_seqs, owners = [], [], []
    names: dict[tuple[str, str | None], int] = {}
    for row, text_seq, user_id, agent_id in cursor.execute(sql, params):
        rows.append(row)
        text_seqs.append(text_seq)
        owners.append(names.setdefault((user_id, agent_id), len(names)))
    return SourceRows(int64(rows), int64(text_seqs), np.array(owners, np.int32), list(names))
