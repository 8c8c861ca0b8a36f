"""The change from one space to another: the first one serves at once, any other is built first.

Until the one transaction of `finish` the old space serves, after it the new one does. What a crash in between
leaves is removed when the store opens.
"""

from __future__ import annotations

from memoryd.index import source_rows
from memoryd.index.source_rows import SourceRows
from memoryd.index.spaces import spaces
from memoryd.index.spaces.building import SpaceBuild
from memoryd.index.spaces.spaces import Maker, Probes, Space
from memoryd.index.vectors import reconcile
from memoryd.index.vectors.hot import HotIndex
from memoryd.index.vectors.state import Serving, State, take
from memoryd.index.vectors.upkeep import ensure_store, open_build
from memoryd.storage.database import Transaction


def begin(state: State, maker: Maker, probes: Probes, *, anew: bool) -> SpaceBuild | None:
    """Make the first space, or resume or begin one beside the serving one; None when it serves."""
    with state.lance:
        if state.serving is None:
            state.database.write(lambda tx: _found(state, tx, maker, probes))
            return None
        is_serving = state.serving.space.fingerprint == maker.fingerprint and not anew
        begun = _begun(state)
        if begun is not None and (is_serving or not _continues(maker, begun)):
            _give_up(state, begun)
            begun = None
        if is_serving:
            return None
        ensure_store(state)
        if begun is None:
            begun = state.database.write(lambda tx: spaces.add(tx, spaces.BUILDING, maker, probes))
            state.building = open_build(state, begun)
        return state.building


def finish(state: State, building: SpaceBuild) -> None:
    """Let a built space serve; texts changed since they were embedded are queued for it.

    Raises `SpaceMismatchError` when another space was begun meanwhile, `StorageError`.
    """
    with state.lance:
        building.check_wanted()
        old, keys, hot = state.serving, building.table.keys(), _load_hot(state, building)

        def serve(known: SourceRows) -> None:
            if hot is not None:
                hot.retain(known)
            state.serving = Serving(building.space, hot, building.table)

        def switch(tx: Transaction) -> None:
            spaces.promote(tx, building.space)
            known = reconcile.requeue_for(tx, keys)
            tx.on_commit(state.queue_changed)
            tx.on_commit(lambda: serve(known))

        state.database.write(switch)
        _end(state)
        state.snapshot_path.unlink(missing_ok=True)
        if old is not None:
            with state.store.gate.closed():
                state.store.drop(old.space.id)


def _load_hot(state: State, building: SpaceBuild) -> HotIndex | None:
    with state.database.read() as connection:
        known = source_rows.load(connection)
    hot = state.new_hot(building.space, len(known.rows))
    if hot is not None:
        for batch in building.table.scan():
            take(hot, known, batch)
    return hot


def _end(state: State) -> None:
    if state.building is not None:
        state.building.is_over = True
    state.building = None


def _continues(maker: Maker, begun: Space) -> bool:
    return (begun.fingerprint, begun.engine) == (maker.fingerprint, maker.engine)


def _found(state: State, tx: Transaction, maker: Maker, probes: Probes) -> None:
    space = spaces.add(tx, spaces.SERVING, maker, probes)
    hot = state.new_hot(space, source_rows.count(tx.connection))

    def serve() -> None:
        state.serving = Serving(space, hot)

    tx.on_commit(serve)


def _begun(state: State) -> Space | None:
    with state.database.read() as connection:
        return spaces.find(connection, spaces.BUILDING)


def _give_up(state: State, space: Space) -> None:
    state.database.write(lambda tx: spaces.remove(tx, space))
    _end(state)
    state.store.drop(space.id)
