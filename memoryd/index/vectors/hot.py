"""The hot index: every vector in memory, one growable block a user and kind of text, scanned exactly;
a large one by its binary quantization first.

Writers take turns; searches take no lock. A block publishes its bookkeeping as one immutable `_View`: new
vectors are written behind the end of every view there is, and what changes places in use (a removal, a new
vector of a memory) copies the one small array that says so. The matrix itself is copied only when it grows
or is cleared of the dead.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from memoryd.core.row_ranges import TEXT_KINDS, TextKind, kind_of, rows_of_kind
from memoryd.core.scope import ALL_AGENTS, Scope
from memoryd.index.source_rows import SourceRows
from memoryd.index.vectors.binary_quantization import BinaryQuantization
from memoryd.index.vectors.rounding import FloatMatrix, FloatVector, HalfMatrix, Rows
from memoryd.index.vectors.scan import Hits, best, cosines

Agents = npt.NDArray[np.int32]
Block = tuple[str, TextKind]

_DEAD = -1
_COMMON = 0  # rows without an agent
_FIRST_CAPACITY = 16
_GROWTH = 1.5
_QUANTIZED_ROWS = 10_000  # rows from which a block has bits; an exact scan of fewer takes 1.5 ms
_LIKELY, _LIKELY_SHARE = 4_000, 40  # rows that are scored exactly, at least, and for each one wanted
_MAX_DEAD_SHARE = 4  # cleared when more than a quarter is dead


@dataclass(frozen=True, slots=True)
class _View:
    """The first `count` places of a block; places behind belong to later views."""

    vectors: FloatMatrix
    rows: Rows
    text_seqs: Rows
    agents: Agents
    count: int = 0
    dead: int = 0
    highest: int = 0
    is_ordered: bool = True  # rows ascend: what came was always new
    codes: Mapping[str, int] = field(default_factory=dict)
    bits: BinaryQuantization | None = None  # of a block that is large

    def live(self) -> Rows:
        """Places in use, in order."""
        return np.flatnonzero(self.agents[: self.count] != _DEAD)

    def places_of(self, rows: Rows) -> Rows:
        """Places in use that hold one of `rows`."""
        if not len(rows) or rows.min() > self.highest:
            return np.empty(0, np.int64)
        held = self.rows[: self.count]
        if self.is_ordered:
            places = np.minimum(np.searchsorted(held, rows), self.count - 1)
            places = np.unique(places[held[places] == rows])
            return np.asarray(places[self.agents[places] != _DEAD])
        same = held == rows[0] if len(rows) == 1 else np.isin(held, rows)
        return np.flatnonzero(same & (self.agents[: self.count] != _DEAD))

    def wanted(self, agent_id: str | None, allowed: Rows | None, hidden: Rows | None) -> Rows | None:
        """Places a search may look at, None for all."""
        every = agent_id == ALL_AGENTS or not self.codes
        if allowed is None and hidden is None and not self.dead and every:
            return None
        agents = self.agents[: self.count]
        if agent_id == ALL_AGENTS:
            mask = agents != _DEAD
        else:
            mask = agents == _COMMON
            if agent_id is not None and agent_id in self.codes:
                mask |= agents == self.codes[agent_id]
        if allowed is not None:
            mask &= np.isin(self.rows[: self.count], allowed)
        if hidden is not None:
            mask &= np.isin(self.rows[: self.count], hidden, invert=True)
        return np.flatnonzero(mask)


def _empty(capacity: int, dim: int) -> _View:
    return _View(
        np.empty((capacity, dim), np.float32),
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int32),
    )


def _moved(view: _View, capacity: int) -> _View:
    """The living of a view in new arrays."""
    live, fresh = view.live(), _empty(capacity, view.vectors.shape[1])
    count = len(live)
    np.take(view.vectors, live, axis=0, out=fresh.vectors[:count])
    for name in ("rows", "text_seqs", "agents"):
        getattr(fresh, name)[:count] = getattr(view, name)[live]
    ordered = bool((np.diff(fresh.rows[:count]) > 0).all())
    return replace(
        fresh,
        count=count,
        highest=view.highest,
        is_ordered=ordered,
        codes=view.codes,
        bits=_quantize(fresh.vectors, count),
    )


def _quantize(vectors: FloatMatrix, count: int) -> BinaryQuantization | None:
    """The bits of a block's first vectors, when they are many."""
    return BinaryQuantization(vectors[:count], len(vectors)) if count >= _QUANTIZED_ROWS else None


def _buried(view: _View, places: Rows) -> _View:
    """The view with some places dead."""
    if not len(places):
        return view
    agents = view.agents.copy()
    agents[places] = _DEAD
    return replace(view, agents=agents, dead=view.dead + len(places))


class HotIndex:
    """Vectors of one space by user. Safe to use from many threads."""

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self.revision = 0  # grows with every change
        self._blocks: dict[Block, _View] = {}
        self._length = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return self._length

    @property
    def nbytes(self) -> int:
        """Bytes held, room to grow included."""
        return sum(
            view.vectors.nbytes
            + view.rows.nbytes
            + view.text_seqs.nbytes
            + view.agents.nbytes
            + (view.bits.nbytes if view.bits else 0)
            for view in list(self._blocks.values())
        )

    def search(
        self,
        scope: Scope,
        query: FloatVector,
        k: int,
        allowed: Rows | None = None,
        kind: TextKind = "memory",
        hidden: Rows | None = None,
    ) -> Hits:
        """The k nearest texts of a kind in a scope as (row, cosine), best first, equal ones by row.

        allowed: the rows that count, None for all; hidden: rows that don't; who does not pass is not scored.
        """
        view = self._blocks.get((scope.user_id, kind))
        if view is None or k < 1:
            return []
        wanted = view.wanted(scope.agent_id, allowed, hidden)
        if wanted is not None and not len(wanted):
            return []
        likely = max(_LIKELY, _LIKELY_SHARE * k)
        if view.bits is not None and (wanted is None or len(wanted) > likely):
            wanted = view.bits.nearest(query, view.count, wanted, likely)
        return best(view.vectors[: view.count], view.rows[: view.count], wanted, query, k)

    def cosines(self, user_id: str, query: FloatVector, rows: Rows, kind: TextKind) -> dict[int, float]:
        """The cosines of a query with some of a user's texts, by row; those without a vector are left out."""
        view = self._blocks.get((user_id, kind))
        if view is None:
            return {}
        places = view.places_of(rows)
        found = cosines(view.vectors, places, query)
        return dict(zip(view.rows[places].tolist(), found.tolist(), strict=True))

    def put_many(
        self,
        user_id: str,
        rows: Rows,
        text_seqs: Rows,
        agent_ids: Sequence[str | None],
        vectors: HalfMatrix,
    ) -> None:
        """Take vectors (n, dim) of a user's texts; a row there is replaced, unless by an older text."""
        with self._lock:
            for kind, places in _by_kind(rows):
                agents = [agent_ids[place] for place in places.tolist()]
                self._put((user_id, kind), rows[places], text_seqs[places], agents, vectors[places])

    def _put(
        self, block: Block, rows: Rows, text_seqs: Rows, agent_ids: Sequence[str | None], vectors: HalfMatrix
    ) -> None:
        view = self._blocks.get(block) or _empty(_FIRST_CAPACITY, self.dim)
        places = view.places_of(rows)
        if len(places):
            newer = _not_older(view, places, rows, text_seqs)
            rows, text_seqs, vectors = rows[newer], text_seqs[newer], vectors[newer]
            agent_ids = [agent_ids[place] for place in np.flatnonzero(newer).tolist()]
            view = _buried(view, view.places_of(rows))
        if len(rows):
            self._publish(block, _appended(view, rows, text_seqs, agent_ids, vectors))

    def remove(self, user_id: str, rows: Rows) -> None:
        """Drop texts of a user; unknown rows are fine."""
        with self._lock:
            for kind, places in _by_kind(rows):
                view = self._blocks.get((user_id, kind))
                if view is None:
                    continue
                buried = _buried(view, view.places_of(rows[places]))
                if buried is not view:
                    self._publish((user_id, kind), buried)

    def drop_user(self, user_id: str) -> None:
        """Drop all of a user."""
        with self._lock:
            for kind in TEXT_KINDS:
                if (user_id, kind) in self._blocks:
                    self._publish((user_id, kind), _empty(0, self.dim))

    def retain(self, truth: SourceRows) -> int:
        """Drop every vector that is not of a memory's present text; return how many."""
        before = len(self)
        for user_id, rows, text_seqs, _ in self.export():
            self.remove(user_id, rows[truth.places_of(rows, text_seqs) < 0])
        return before - len(self)

    def keys(self) -> tuple[Rows, Rows]:
        """Rows and text_seqs of all vectors, in no order."""
        parts = [(rows, text_seqs) for _, rows, text_seqs, _ in self.export()]
        return _joined([rows for rows, _ in parts]), _joined([seqs for _, seqs in parts])

    def vectors_of(self, user_id: str, rows: Rows) -> dict[tuple[int, int], FloatVector]:
        """Vectors of a user's texts by (row, text_seq)."""
        found: dict[tuple[int, int], FloatVector] = {}
        for kind, own in _by_kind(rows):
            view = self._blocks.get((user_id, kind))
            if view is None:
                continue
            for place in view.places_of(rows[own]).tolist():
                found[int(view.rows[place]), int(view.text_seqs[place])] = view.vectors[place]
        return found

    def export(self) -> Iterator[tuple[str, Rows, Rows, FloatMatrix]]:
        """User, rows, text_seqs and vectors of each block, as of one instant each."""
        for (user_id, _), view in list(self._blocks.items()):
            live = view.live() if view.dead else slice(view.count)
            yield user_id, view.rows[live], view.text_seqs[live], view.vectors[live]

    def _publish(self, block: Block, view: _View) -> None:
        before = self._blocks.get(block)
        living = view.count - view.dead
        self._length += living - (before.count - before.dead if before else 0)
        self.revision += 1
        if not living:
            self._blocks.pop(block, None)
            return
        if view.dead * _MAX_DEAD_SHARE > max(view.count, _FIRST_CAPACITY):
            view = _moved(view, max(_FIRST_CAPACITY, living))
        self._blocks[block] = view


def _by_kind(rows: Rows) -> Iterator[tuple[TextKind, Rows]]:
    """The kinds among some rows, each with the places of its own; usually there is one."""
    if not len(rows):
        return
    kinds = {kind_of(int(rows.min())), kind_of(int(rows.max()))}
    if len(kinds) == 1:
        yield kinds.pop(), np.arange(len(rows))
        return
    for kind in TEXT_KINDS:
        first, end = rows_of_kind(kind)
        places = np.flatnonzero((rows >= first) & (rows < end))
        if len(places):
            yield kind, places


def _not_older(view: _View, places: Rows, rows: Rows, text_seqs: Rows) -> npt.NDArray[np.bool_]:
    held = dict(zip(view.rows[places].tolist(), view.text_seqs[places].tolist(), strict=True))
    pairs = zip(rows.tolist(), text_seqs.tolist(), strict=True)
    return np.array([held.get(row, 0) <= text_seq for row, text_seq in pairs], np.bool_)


def _appended(
    view: _View, rows: Rows, text_seqs: Rows, agent_ids: Sequence[str | None], vectors: HalfMatrix
) -> _View:
    end = view.count + len(rows)
    if end > len(view.rows):
        view = _moved(view, max(end - view.dead, int(len(view.rows) * _GROWTH)))
        end = view.count + len(rows)
    codes = _codes(view.codes, agent_ids)
    new = slice(view.count, end)
    view.vectors[new] = vectors
    view.rows[new] = rows
    view.text_seqs[new] = text_seqs
    view.agents[new] = [_COMMON if agent is None else codes[agent] for agent in agent_ids]
    if view.bits is not None:
        view.bits.put(view.count, view.vectors[new])
    bits = view.bits or _quantize(view.vectors, end)
    ordered = view.is_ordered and int(rows[0]) > view.highest and bool((np.diff(rows) > 0).all())
    return replace(
        view,
        count=end,
        highest=max(view.highest, int(rows.max())),
        is_ordered=ordered,
        codes=codes,
        bits=bits,
    )


def _codes(codes: Mapping[str, int], agent_ids: Sequence[str | None]) -> Mapping[str, int]:
    new = {agent for agent in agent_ids if agent is not None and agent not in codes}
    if not new:
        return codes
    return {**codes, **{agent: len(codes) + 1 + place for place, agent in enumerate(sorted(new))}}


def _joined(parts: list[Rows]) -> Rows:
    return np.concatenate(parts) if parts else np.empty(0, np.int64)
