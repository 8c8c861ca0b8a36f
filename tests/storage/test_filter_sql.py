"""The compiler from filters to SQL against a plain model of what filters mean."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_client.errors import InvalidFilterError
from memoryd.core.filters.grammar import And, Compare, Node, Not, Or, parse_filters
from memoryd.core.filters.matching import matches
from memoryd.core.record import Record
from memoryd.core.scope import Scope
from memoryd.storage.records import memories, texts
from support.small_store import START, USER, SmallStore

MISSING = object()

# Values collide on purpose, and are of every JSON type that looks like another.
SCALARS = st.sampled_from(
    [0, 1, 1.0, -1, 2.5, 0.1, 1e300, True, False, "", "1", "a", "ab", "true", "花生", "%", "_"]
)
VALUES = SCALARS | st.none() | st.lists(SCALARS, max_size=3) | st.fixed_dictionaries({"a": SCALARS})
KEYS = st.sampled_from(["x", "y", "a.b", "$", '"', "数"])
TIMES = st.sampled_from([None, START - 0.1, START, START + 0.25])
RECORDS = st.fixed_dictionaries(
    {},
    optional={
        "category": st.sampled_from(["fact", "core", "episode"]),
        "kind": st.sampled_from(["fact", "task"]),
        "importance": st.sampled_from([0, 1, 2.5, 0.1, 5]),
        "verified": st.booleans(),
        "tags": st.lists(st.sampled_from(["a", "ab", "花生", '"']), max_size=3, unique=True),
        "source_id": st.sampled_from(["a", "ab", "1"]),
        "valid_from": TIMES,
        "expires_at": TIMES,
    },
)
TEXTS = st.sampled_from(["a", "ab", "花生", "A"])
NUMBER = st.sampled_from([0, 1, 2.5, 0.1, 1e300, -1])


def condition(
    operators: str, values: st.SearchStrategy[Any], lists: str = "in nin"
) -> st.SearchStrategy[Any]:
    single = st.tuples(st.sampled_from(operators.split()), values)
    many = st.tuples(st.sampled_from(lists.split()), st.lists(values, max_size=4)) if lists else st.nothing()
    return st.lists(single | many, min_size=1, max_size=2).map(dict)


ORDER = "gt gte lt lte"
TEXT = st.sampled_from(["fact", "core", "a", "ab", "", "花", "1"])
CONDITIONS = st.one_of(
    st.tuples(
        st.sampled_from(["category", "kind", "source_id", "text", "id"]),
        condition(f"eq ne contains {ORDER}", TEXT),
    ),
    st.tuples(st.sampled_from(["source_id", "session_id"]), condition("eq ne", st.none(), "")),
    st.tuples(st.sampled_from(["importance", "version", "position"]), condition(f"eq ne {ORDER}", NUMBER)),
    st.tuples(
        st.sampled_from(["valid_from", "expires_at", "created_at"]),
        condition(f"eq ne {ORDER}", TIMES.filter(bool)),
    ),
    st.tuples(st.just("valid_from"), condition("eq ne", st.none(), "")),
    st.tuples(st.just("verified"), condition("eq ne", st.booleans())),
    st.tuples(st.just("tags"), condition("contains", st.sampled_from(["a", "花生", "", '"']), "")),
    st.tuples(st.just("tags"), condition("eq ne", st.lists(st.sampled_from(["a", "ab"]), max_size=2), "")),
    st.tuples(KEYS.map("metadata.{}".format), condition("eq ne contains", SCALARS)),
    st.tuples(KEYS.map("metadata.{}".format), condition("eq ne", st.none(), "")),
    st.tuples(
        KEYS.map("metadata.{}".format),
        condition(ORDER, SCALARS.filter(lambda v: not isinstance(v, bool)), ""),
    ),
)
FILTERS = st.recursive(
    st.lists(CONDITIONS, max_size=3).map(dict),
    lambda inner: (
        st.builds(lambda part: {"not": part}, inner)
        | st.builds(lambda parts: {"or": parts}, st.lists(inner, min_size=1, max_size=3))
        | st.builds(lambda one, other: {**one, "not": other}, inner, inner)
    ),
    max_leaves=5,
)


def model(node: Node, record: Record) -> bool:
    """What a filter means, read off the design."""
    if isinstance(node, And):
        return all(model(part, record) for part in node.parts)
    if isinstance(node, Or):
        return any(model(part, record) for part in node.parts)
    if isinstance(node, Not):
        return not model(node.part, record)
    if node.operator in ("ne", "nin"):
        return not model(Compare(node.field, "eq" if node.operator == "ne" else "in", node.value), record)
    if node.metadata_key is not None:
        return own_key(node, record.metadata.get(node.metadata_key, MISSING))
    return field(node, getattr(record, node.field))


def field(node: Compare, value: Any) -> bool:
    if node.operator == "eq":
        return bool(value == node.value)
    if node.operator == "in":
        return value in node.value
    if node.operator == "contains":
        return value is not None and node.value in value
    return value is not None and ordered(node.operator, value, node.value)


def own_key(node: Compare, value: Any) -> bool:
    if value is MISSING:
        return False
    if node.operator == "in":
        return any(same(value, wanted) for wanted in node.value)
    if node.operator == "contains":
        if isinstance(value, list):
            return any(same(item, node.value) for item in value)
        return isinstance(value, str) and isinstance(node.value, str) and node.value in value
    if node.operator == "eq":
        return same(value, node.value)
    return kind(value) == kind(node.value) and ordered(node.operator, value, node.value)


def kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else type(value).__name__


def same(one: Any, other: Any) -> bool:
    return kind(one) == kind(other) and bool(one == other)


def ordered(operator: str, one: Any, other: Any) -> bool:
    return bool({"gt": one > other, "gte": one >= other, "lt": one < other, "lte": one <= other}[operator])


@contextmanager
def rolled_back(store: SmallStore) -> Iterator[sqlite3.Connection]:
    """A transaction of which nothing stays: quicker than a file for each example."""
    connection = store.database._writer
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
    finally:
        connection.execute("ROLLBACK")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallStore]:
    store = SmallStore(tmp_path_factory.mktemp("filters"))
    yield store
    store.close()


class Many:
    """Records put into the open transaction of a store."""

    def __init__(self, store: SmallStore, connection: sqlite3.Connection) -> None:
        from memoryd.storage.database import Transaction

        self.store, self.tx = store, Transaction(connection)
        self.records: dict[int, Record] = {}

    def put(self, text: str, metadata: Mapping[str, Any], user_id: str) -> None:
        row = self.store.put(self.tx, text, metadata, user_id=user_id)
        if user_id == USER:
            self.records[row] = memories.by_rows(self.tx.connection, Scope(USER, "*"), [row])[row].record


@settings(max_examples=400)
@given(
    st.lists(st.tuples(TEXTS, RECORDS, st.dictionaries(KEYS, VALUES, max_size=3)), min_size=1, max_size=6),
    st.lists(FILTERS, min_size=1, max_size=4),
)
def test_a_filter_finds_what_the_model_finds_and_nothing_of_others(
    shared: SmallStore, rows: list[Any], filters: list[dict[str, Any]]
) -> None:
    with rolled_back(shared) as connection:
        many = Many(shared, connection)
        for text, fields, own in rows:
            for user in (USER, "other"):
                many.put(text, {**own, **fields}, user)
        for one in filters:
            node = parse_filters(one)
            wanted = {row for row, record in many.records.items() if model(node, record)}
            assert {row for row, record in many.records.items() if matches(node, record)} == wanted, one
            assert set(texts.rows_of(connection, "memory", Scope(USER), node)) == wanted, one
            assert memories.count(connection, Scope(USER), node) == len(wanted)


JSON = [
    0,
    1,
    1.0,
    -1,
    2.5,
    True,
    False,
    "",
    "1",
    "a",
    "ab",
    "b",
    "花生",
    "%",
    None,
    [],
    ["a", 1],
    [True, None],
    {"a": 1},
]
OPERANDS = [value for value in JSON if not isinstance(value, list | dict)]
EVERY: list[tuple[str, str, list[Any]]] = [
    ("metadata.x", "eq ne", OPERANDS),
    ("metadata.x", "contains", OPERANDS),
    ("metadata.x", "gt gte lt lte", OPERANDS),
    ("metadata.x", "in nin", [[one, other] for one in OPERANDS for other in (1, "ab", True)]),
    ("source_id", "eq ne contains gt gte lt lte", ["", "a", "ab", "b", "1", None]),
    ("source_id", "in nin", [[], ["a"], ["a", "b"]]),
    ("importance", "eq ne gt gte lt lte", [0, 1, 1.0, 2.5, 5]),
    ("importance", "in nin", [[], [1], [2.5, 5.0]]),
    ("valid_from", "eq ne gt gte lt lte", [START, START + 0.25, 0, None]),
    ("verified", "eq ne", [True, False]),
    ("verified", "in nin", [[], [True], [True, False]]),
    ("tags", "eq ne", [[], ["a"], ["a", "b"], ["b", "a"]]),
    ("tags", "contains", ["a", "b", "", "ab"]),
]


def every_condition() -> Iterator[dict[str, Any]]:
    for name, operators, values in EVERY:
        for operator in operators.split():
            for value in values:
                one = {name: {operator: value}}
                try:
                    parse_filters(one)
                except InvalidFilterError:
                    continue
                yield from (one, {"not": one})


def test_every_operator_on_every_value_means_what_the_model_says(shared: SmallStore) -> None:
    fields: list[dict[str, Any]] = [
        {},
        {"source_id": "a", "importance": 0, "valid_from": START, "tags": ["a"]},
        {
            "source_id": "ab",
            "importance": 2.5,
            "valid_from": START + 0.25,
            "tags": ["a", "b"],
            "verified": True,
        },
        {"source_id": "b", "importance": 5, "valid_from": 0, "tags": ["b", "ab"]},
    ]
    with rolled_back(shared) as connection:
        many = Many(shared, connection)
        for number, value in enumerate(JSON):
            many.put("t", {**fields[number % 4], "x": value}, USER)
        for one in fields:
            many.put("t", one, USER)
        conditions = list(every_condition())
        assert len(conditions) > 300
        for one in conditions:
            node = parse_filters(one)
            wanted = {row for row, record in many.records.items() if model(node, record)}
            assert set(texts.rows_of(connection, "memory", Scope(USER), node)) == wanted, one


@settings(max_examples=300)
@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(-(2**63), 2**63 - 1))
def test_every_number_equals_itself_and_nothing_near_it(
    shared: SmallStore, number: float, whole: int
) -> None:
    with rolled_back(shared) as connection:
        many = Many(shared, connection)
        many.put("t", {"x": number, "y": [number], "n": whole}, USER)
        for wanted in (
            {"metadata.x": number},
            {"metadata.x": {"in": [number]}},
            {"metadata.x": {"gte": number, "lte": number}},
            {"metadata.y": {"contains": number}},
            {"metadata.n": whole},
            {"metadata.n": {"in": [whole]}},
        ):
            assert memories.count(connection, Scope(USER), parse_filters(wanted)) == 1, wanted
        for other in (
            {"metadata.x": {"gt": number}},
            {"metadata.x": {"lt": number}},
            {"metadata.n": {"ne": whole}},
        ):
            assert memories.count(connection, Scope(USER), parse_filters(other)) == 0, other


@settings(max_examples=200)
@given(st.floats(min_value=-6e10, max_value=2e11))
def test_every_time_is_found_in_a_list_of_times(shared: SmallStore, moment: float) -> None:
    with rolled_back(shared) as connection:
        many = Many(shared, connection)
        many.put("t", {"timestamp": moment}, USER)
        for wanted in ({"created_at": moment}, {"created_at": {"in": [0.5, moment]}}):
            assert memories.count(connection, Scope(USER), parse_filters(wanted)) == 1, wanted


@pytest.mark.parametrize(
    "filters",
    [
        {"or": [{"metadata.x": {"in": [1, "a"]}}] * 500},
        {"metadata.x": {"in": list(range(10_000))}},
        {"importance": {"in": list(range(10_000))}},
        {f"metadata.k{i}": {"contains": "a"} for i in range(500)},
    ],
)
def test_the_largest_filters_are_within_the_limits_of_sqlite(
    shared: SmallStore, filters: dict[str, Any]
) -> None:
    with shared.database.read() as connection:
        assert memories.count(connection, Scope(USER), parse_filters(filters)) == 0


def test_the_deepest_filter_is_within_the_limits_of_sqlite(shared: SmallStore) -> None:
    deepest: dict[str, Any] = {"metadata.x": {"in": ["a"]}}
    for _ in range(7):
        wide = [{"kind": "task"}] * 60
        deepest = {"verified": True, "or": [*wide, {"kind": "task"}, deepest]}
    with shared.database.read() as connection:
        assert memories.count(connection, Scope(USER), parse_filters(deepest)) == 0
