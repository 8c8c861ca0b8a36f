"""Which space comes next: the first one serves at once, another is built beside it."""

from __future__ import annotations

from memoryd.index import source_rows
from memoryd.index.spaces import spaces
from memoryd.index.spaces.building import Building
from memoryd.index.spaces.spaces import Maker, Probes, Space
from memoryd.index.vectors.state import Serving, State
from memoryd.index.vectors.upkeep import ensure_store
from memoryd.storage.database import Transaction


def begin(state: State, maker: Maker, probes: Probes, *, anew: bool) -> Building | None:
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
            state.building = Building(state, begun)
        return state.building


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
    state.building = None
    state.store.drop(space.id)
