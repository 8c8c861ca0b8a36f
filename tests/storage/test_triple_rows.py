"""Triples in the store: liveness against a model, aliases, walks over hubs, and what goes with what."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest

from memoryd.core.scope import Scope
from memoryd.language.triples import Statement
from memoryd.storage.database import Transaction
from memoryd.storage.records import memories, tombstones
from memoryd.storage.triples import census, entities, evidence, rows, walk
from memoryd.storage.triples.rows import MANUAL, Evidence, StoredTriple, TripleCriteria
from memoryd.storage.triples.walk import Bounds
from support.small_store import SmallStore

USER = "u"
COMMON = Scope(USER)


@dataclass
class Keeper:
    """Triples of one user in a small store."""

    store: SmallStore
    now: float = 0.0
    ids: dict[str, str] = field(default_factory=dict)

    def say(
        self, statement: Statement, *said: Evidence, user_id: str = USER, by_hand: bool = True
    ) -> str | None:
        """Store a statement; by default it is a caller's word."""
        self.now += 1
        new_id = self.store.ids.new("tri", self.now)

        def change(tx: Transaction) -> str | None:
            told = said or (Evidence(MANUAL, None),)
            return rows.store(tx, user_id, statement, new_id, told, self.now, by_hand=by_hand)

        return self.store.database.write(change)

    def withdraw(self, *gone: int) -> None:
        self.store.database.write(lambda tx: evidence.withdraw(tx, USER, gone))

    def bury(self, id: str, scope: Scope = COMMON) -> None:
        def change(tx: Transaction) -> None:
            stored = rows.find(tx.connection, scope, id)
            assert stored is not None
            evidence.bury(tx, scope, stored, self.now)

        self.store.database.write(change)

    def page(
        self, scope: Scope = COMMON, wanted: TripleCriteria | None = None, limit: int = 1000
    ) -> list[StoredTriple]:
        with self.store.database.read() as connection:
            return rows.page(connection, scope, wanted or TripleCriteria(), None, limit)

    def told(self, scope: Scope = COMMON) -> set[str]:
        return {
            " ".join((s.subject, s.predicate, s.object)) for s in (one.statement for one in self.page(scope))
        }

    def names(self) -> dict[str, int]:
        with self.store.database.read() as connection:
            found = connection.execute("SELECT name, degree FROM entities WHERE user_id = ?", (USER,))
            return dict(found.fetchall())

    def root(self, name: str) -> int:
        with self.store.database.read() as connection:
            return entities.find(connection, USER, [name.casefold()])[name.casefold()].root

    def alias(self, alias: str, entity: str | None) -> None:
        def change(tx: Transaction) -> None:
            number = entities.ensure(tx, USER, alias)
            entities.point(tx, USER, number, None if entity is None else entities.ensure(tx, USER, entity))

        self.store.database.write(change)

    def around(self, name: str, hops: int = 1, **options: object) -> walk.Walk:
        with self.store.database.read() as connection:
            return walk.walk(connection, COMMON, [self.root(name)], hops, **options)  # type: ignore[arg-type]


@pytest.fixture
def keeper(store: SmallStore) -> Keeper:
    return Keeper(store)


def memory(store: SmallStore, state: str = "active", agent_id: str | None = None) -> int:
    """The row of a memory of the user, as bare as can be."""
    from support.small_store import record

    row = store.database.write(
        lambda tx: memories.insert(tx, record("x", user_id=USER, agent_id=agent_id, ids=store.ids))
    )
    set_state(store, row, state)
    return row


def set_state(store: SmallStore, row: int, state: str) -> None:
    store.database.write(lambda tx: tx.execute("UPDATE memories SET state = ? WHERE row = ?", (state, row)))


LIKES = Statement("user", "likes", "拉面")


def test_the_same_statement_is_one_triple_with_more_evidence(keeper: Keeper) -> None:
    first = keeper.say(LIKES)
    again = keeper.say(Statement("主人", "likes", "《拉面》"), Evidence(memory(keeper.store), None, 1))
    other = keeper.say(Statement("user", "likes", "拉面", negation=True))
    assert first == again != other
    assert keeper.names() == {"user": 2, "拉面": 2}


def test_a_triple_is_live_while_an_active_memory_says_so(keeper: Keeper) -> None:
    first, second = memory(keeper.store), memory(keeper.store)
    keeper.say(LIKES, Evidence(first, None, 1), Evidence(second, None, 1))
    set_state(keeper.store, first, "archived")
    assert keeper.told() == {"user likes 拉面"}
    set_state(keeper.store, second, "superseded")
    assert keeper.told() == set()
    assert keeper.told(Scope(USER, archived=True)) == {"user likes 拉面"}
    set_state(keeper.store, first, "active")
    assert keeper.told() == {"user likes 拉面"}


def test_the_last_evidence_takes_the_triple_and_its_entities_with_it(keeper: Keeper) -> None:
    first, second = memory(keeper.store), memory(keeper.store)
    keeper.say(LIKES, Evidence(first, None, 1), Evidence(second, None, 1))
    keeper.say(Statement("user", "likes", "茶"))
    keeper.withdraw(first)
    assert keeper.told() == {"user likes 拉面", "user likes 茶"}
    keeper.withdraw(second)
    assert keeper.told() == {"user likes 茶"}
    assert keeper.names() == {"user": 1, "茶": 1}


def test_a_new_version_of_a_memory_keeps_what_it_still_says(keeper: Keeper) -> None:
    row = memory(keeper.store)
    kept = keeper.say(LIKES, Evidence(row, None, 1))
    keeper.say(Statement("user", "likes", "茶"), Evidence(row, None, 1))
    assert keeper.say(LIKES, Evidence(row, None, 2)) == kept
    keeper.store.database.write(lambda tx: evidence.withdraw(tx, USER, [row], but_version=2))
    assert [one.id for one in keeper.page()] == [kept]


def test_a_deleted_triple_comes_back_only_by_hand(keeper: Keeper) -> None:
    row = memory(keeper.store)
    id = keeper.say(LIKES, Evidence(row, None, 1))
    assert id is not None
    keeper.bury(id)
    assert keeper.names() == {}
    assert keeper.say(Statement("主人", "likes", " 拉面"), Evidence(row, None, 2), by_hand=False) is None
    assert keeper.told() == set()
    assert keeper.say(LIKES) is not None
    assert keeper.say(LIKES, Evidence(row, None, 2), by_hand=False) is not None


def test_evidence_of_an_agent_is_seen_by_it_alone(keeper: Keeper) -> None:
    keeper.say(LIKES, Evidence(MANUAL, "a"))
    keeper.say(Statement("user", "likes", "茶"))
    assert keeper.told() == {"user likes 茶"}
    assert (
        keeper.told(Scope(USER, "a")) == keeper.told(Scope(USER, "*")) == {"user likes 茶", "user likes 拉面"}
    )
    assert keeper.told(Scope(USER, "b")) == {"user likes 茶"}
    keeper.say(LIKES, Evidence(MANUAL, None))
    with keeper.store.database.read() as connection:
        found = rows.page(connection, COMMON, TripleCriteria(), None, 10)
        told = evidence.of(connection, COMMON, [one.number for one in found], 10)
        assert {len(one) for one in told.values()} == {1}
        assert census.of_scope(connection, COMMON)["by_evidence"]["manual"] == 2
    keeper.bury(next(one.id for one in found if one.statement.object == "拉面"))
    assert keeper.told(Scope(USER, "a")) == {"user likes 茶", "user likes 拉面"}
    assert keeper.told() == {"user likes 茶"}


def test_another_user_has_entities_and_triples_of_its_own(keeper: Keeper) -> None:
    mine = keeper.say(LIKES)
    assert keeper.say(LIKES, user_id="v") != mine
    with keeper.store.database.read() as connection:
        assert rows.find(connection, Scope("v"), mine or "") is None
        assert len(rows.page(connection, Scope("v"), TripleCriteria(), None, 10)) == 1
    keeper.store.database.write(lambda tx: evidence.forget_user(tx, USER))
    assert keeper.names() == {}
    with keeper.store.database.read() as connection:
        assert len(rows.page(connection, Scope("v"), TripleCriteria(), None, 10)) == 1
        assert connection.execute("SELECT count(*) FROM entities").fetchone()[0] == 2
        assert connection.execute("SELECT count(*) FROM evidence").fetchone()[0] == 1


def test_liveness_against_a_model(keeper: Keeper) -> None:
    """Random evidence over random memories: what is shown is what a plain model says is live."""
    rng = random.Random(7)
    states = {memory(keeper.store): "active" for _ in range(6)}
    things = [f"t{i}" for i in range(5)]
    said: dict[str, set[int]] = {}
    for _ in range(300):
        thing, row = rng.choice(things), rng.choice(list(states))
        act = rng.randrange(5)
        if act == 0:
            keeper.say(Statement("user", "likes", thing), Evidence(row, None, 1))
            said.setdefault(thing, set()).add(row)
        elif act == 1:
            keeper.say(Statement("user", "likes", thing))
            said.setdefault(thing, set()).add(MANUAL)
        elif act == 2:
            states[row] = rng.choice(["active", "archived", "superseded"])
            set_state(keeper.store, row, states[row])
        elif act == 3:
            keeper.withdraw(row)
            said = {name: rest for name, of in said.items() if (rest := of - {row})}
        elif thing in said:
            with keeper.store.database.read() as connection:
                found = rows.page(connection, Scope(USER, archived=True), TripleCriteria(), None, 10)
            keeper_id = next(one for one in found if one.statement.object == thing)
            keeper.store.database.write(
                lambda tx, one=keeper_id: evidence.bury(tx, COMMON, one, 0.0)  # type: ignore[misc]
            )
            del said[thing]
        live = {
            f"user likes {name}"
            for name, of in said.items()
            if any(row == MANUAL or states[row] == "active" for row in of)
        }
        assert keeper.told() == live
        assert keeper.told(Scope(USER, archived=True)) == {f"user likes {name}" for name in said}
        degrees = dict.fromkeys(said, 1) | ({"user": len(said)} if said else {})
        assert keeper.names() == degrees


def test_all_names_of_an_entity_are_asked_as_one_and_taken_apart_again(keeper: Keeper) -> None:
    keeper.say(Statement("小明", "likes", "茶"))
    keeper.say(Statement("明明", "likes", "咖啡"))
    keeper.say(Statement("明哥", "lives_in", "苏州"))
    keeper.alias("明明", "小明")
    keeper.alias("明哥", "明明")
    for name in ("小明", "明明", "明哥"):
        assert {one.stored.statement.object for one in keeper.around(name).reached} == {"茶", "咖啡", "苏州"}
    keeper.alias("明明", None)  # 明哥 goes with it
    assert {one.stored.statement.object for one in keeper.around("明哥").reached} == {"咖啡", "苏州"}
    assert {one.stored.statement.object for one in keeper.around("小明").reached} == {"茶"}
    keeper.alias("明哥", None)
    assert {one.stored.statement.object for one in keeper.around("明哥").reached} == {"苏州"}


def test_an_entity_with_aliases_stays_when_its_triples_go(keeper: Keeper) -> None:
    row = memory(keeper.store)
    keeper.say(Statement("小明", "likes", "茶"), Evidence(row, None, 1))
    keeper.alias("明明", "小明")
    keeper.withdraw(row)
    assert keeper.names() == {"小明": 0, "明明": 0}
    with keeper.store.database.read() as connection:
        assert entities.aliases(connection, USER, None, 10) == [("明明", "小明")]


def test_a_walk_weighs_hubs_down_and_says_when_it_was_cut(keeper: Keeper) -> None:
    keeper.say(Statement("小明", "colleague_of", "user"))
    keeper.say(Statement("小明", "likes", "茶"))
    for i in range(60):
        keeper.say(Statement("user", "owns", f"thing {i}"))
    walked = keeper.around("小明", 2)
    hops = {one.stored.statement.object: (one.hop, one.weight) for one in walked.reached}
    assert walked.cut
    assert hops["茶"][0] == 1
    assert "thing 59" in hops
    assert "thing 0" not in hops  # the newest of a hub
    assert hops["thing 59"][0] == 2
    assert hops["thing 59"][1] < hops["茶"][1] / 4
    whole = keeper.around("小明", 1)
    assert not whole.cut
    assert len(whole.reached) == 2
    closed = keeper.around("小明", 2, closed=keeper.root("user"))
    assert len(closed.reached) == 2
    small = keeper.around("user", 1, bounds=Bounds(fan_out=5, budget=5))
    assert (len(small.reached), small.cut) == (5, True)
    only = keeper.around("user", 1, predicate="colleague_of")
    assert [one.stored.statement.subject for one in only.reached] == ["小明"]


@pytest.mark.parametrize(
    ("by", "silenced"),
    [(None, {None}), ("bot", {None, "bot"}), ("*", {None, "bot", "maid"})],
)
def test_a_deleted_triple_is_silenced_for_whom_it_was_seen(
    keeper: Keeper, by: str | None, silenced: set[str | None]
) -> None:
    agents = (None, "bot", "maid")
    evidence_of = {agent: Evidence(memory(keeper.store, agent_id=agent), agent, 1) for agent in agents}
    scope = Scope(USER, by)
    keeper.bury(keeper.say(LIKES, *evidence_of.values()) or "", scope)
    for agent in agents:
        stored = keeper.say(LIKES, evidence_of[agent], by_hand=False)
        assert (stored is None) == (agent in silenced)
        assert bool(keeper.told(scope)) == (by == "*" and agent not in silenced)
    keeper.say(LIKES, Evidence(MANUAL, "bot"))
    assert keeper.say(LIKES, evidence_of["bot"], by_hand=False), "said again by hand"


def test_what_is_put_away_or_of_others_hides_nothing(keeper: Keeper) -> None:
    gone = memory(keeper.store, "archived")
    keeper.say(Statement("Anna", "likes", "tea"))
    for i in range(600):
        keeper.say(Statement("Anna", "likes", f"dish {i}"), Evidence(gone, None, 1))
        keeper.say(Statement("Anna", "owns", f"thing {i}"), Evidence(MANUAL, "bot"))
    walked = keeper.around("anna", bounds=Bounds(fan_out=5, budget=5))
    assert [one.stored.statement.object for one in walked.reached] == ["tea"]
    assert not walked.cut
    assert [one.weight for one in walked.reached] == [1.0], "as if there were only this one"
    likes = keeper.around("anna", predicate="likes", bounds=Bounds(fan_out=1, budget=1))
    assert [one.stored.statement.object for one in likes.reached] == ["tea"]


def test_a_walk_that_stops_looking_says_so(keeper: Keeper, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = memory(keeper.store, "archived")
    keeper.say(Statement("Anna", "likes", "tea"))
    for i in range(20):
        keeper.say(Statement("Anna", "likes", f"dish {i}"), Evidence(gone, None, 1))
    for looked_at, found, cut in ((21, ["tea"], False), (20, [], True)):
        monkeypatch.setattr(walk, "LOOKED_AT", looked_at)
        walked = keeper.around("anna")
        assert ([one.stored.statement.object for one in walked.reached], walked.cut) == (found, cut)


def test_a_shortest_way_between_entities(keeper: Keeper) -> None:
    for first, second in (("a", "b"), ("b", "c"), ("c", "d"), ("a", "x"), ("x", "d")):
        keeper.say(Statement(first, "knows", second))
    bounds = Bounds(100, 1000)

    def way(first: str, last: str, hops: int) -> list[str] | None:
        with keeper.store.database.read() as connection:
            found, cut = walk.path(connection, COMMON, keeper.root(first), keeper.root(last), hops, bounds)
        assert not cut
        if found is None:
            return None
        return [f"{one.statement.subject}{one.statement.object}" for one in found]

    assert way("a", "d", 3) == ["ax", "xd"]
    assert way("d", "a", 3) == ["xd", "ax"]
    assert way("a", "b", 1) == ["ab"]
    assert way("a", "a", 1) == []
    assert way("a", "d", 1) is None
    keeper.say(Statement("lonely", "is_a", "island"))
    assert way("a", "lonely", 6) is None


def test_tombstones_hold_no_text(keeper: Keeper) -> None:
    id = keeper.say(Statement("user", "likes", "a very secret thing"))
    keeper.bury(id or "")
    with keeper.store.database.read() as connection:
        kept = connection.execute("SELECT kind, hash FROM tombstones").fetchall()
        assert [(row["kind"], len(row["hash"])) for row in kept] == [("triple", 16)]
        assert tombstones.is_buried(connection, USER, "triple", kept[0]["hash"])
    keeper.store.database.write(lambda tx: tombstones.forget_user(tx, USER))
    with keeper.store.database.read() as connection:
        assert not tombstones.is_buried(connection, USER, "triple", kept[0]["hash"])
