"""The texts a query is ranked over, candidates and the turns beside them, as columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from memoryd.index.vectors.rounding import Rows
from memoryd.storage.records.candidates import Place

Column = npt.NDArray[np.float64]
Table = npt.NDArray[np.float32]
Steps = npt.NDArray[np.intp]

V = TypeVar("V", bound=np.generic)

_NOWHERE = -1


@dataclass(frozen=True, slots=True)
class Frame:
    """n texts by row. rows: (n,) ascending; before, behind: (n,) places in the frame of the turns beside a
    text, -1 for none there; sessions: (n,), 0 for none; places: where each stands."""

    rows: Rows
    before: Steps
    behind: Steps
    sessions: Rows
    places: list[Place]

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, values: Mapping[int, float], missing: float) -> Column:
        """Values given by row, (n,)."""
        return np.array([values.get(row, missing) for row in self.rows.tolist()])

    def spread(self, rows: Rows, values: npt.NDArray[V], missing: object) -> npt.NDArray[V]:
        """Values that some of the texts have, by row, as (n, ...) with `missing` for the others."""
        found = np.empty((len(self), *values.shape[1:]), values.dtype)
        found[:] = missing
        places = np.searchsorted(self.rows, rows)
        inside = np.minimum(places, len(self) - 1)
        same = self.rows[inside] == rows
        found[inside[same]] = values[same]
        return found

    def max_over_neighbours(self, table: Table, steps: int) -> Table:
        """The maximum over each text and those within so many turns of it, (n, columns)."""
        padded = np.concatenate([table, np.full((1, table.shape[1]), -np.inf, table.dtype)])
        found = table.copy()
        for direction in (self.before, self.behind):
            onward = np.append(direction, _NOWHERE)
            at = direction
            for _ in range(steps):
                np.maximum(found, padded[at], out=found)
                at = onward[at]
        return found

    def neighbours(self, column: npt.NDArray[V], nothing: object) -> tuple[npt.NDArray[V], npt.NDArray[V]]:
        """A column's values of the turns before and behind each text."""
        padded = np.concatenate([column, np.full((1, *column.shape[1:]), nothing, column.dtype)])
        return padded[self.before], padded[self.behind]


def frame_of(places: Mapping[int, Place]) -> Frame:
    """The frame of some texts."""
    rows = sorted(places)
    at = {row: place for place, row in enumerate(rows)}
    ordered = [places[row] for row in rows]
    return Frame(
        np.array(rows, np.int64),
        np.array(
            [_NOWHERE if one.before is None else at.get(one.before, _NOWHERE) for one in ordered], np.intp
        ),
        np.array(
            [_NOWHERE if one.behind is None else at.get(one.behind, _NOWHERE) for one in ordered], np.intp
        ),
        np.array([one.session for one in ordered], np.int64),
        ordered,
    )
