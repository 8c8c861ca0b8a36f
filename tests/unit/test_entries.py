from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from memory_client.errors import InvalidParameterError
from memory_client.types import Memory
from memoryd.core.record import Record, changed_fields, public_metadata, to_memory
from memoryd.engine.context import Limits
from memoryd.engine.memories.record_builder import new_record, with_metadata
from support.small_store import START, USER, record

KEY = "sk-" + "a1B2" * 10  # looks like a key, is none


def make(metadata: Mapping[str, Any] | None = None, **keywords: Any) -> Record:
    given: dict[str, Any] = {"agent_id": None, "session_id": None, **keywords}
    return new_record("t", metadata, id="mem_x", user_id=USER, now=START, limits=Limits(), **given)


def test_defaults_of_a_new_memory() -> None:
    one = make()
    assert one == Record(
        id="mem_x",
        user_id=USER,
        text="t",
        created_at=START,
        updated_at=START,
        last_access=START,
        decay_from=START,
        grace=5.0,
        root_id="mem_x",
    )
    assert (one.category, one.kind, one.source, one.confidence, one.verified) == (
        "fact",
        "fact",
        "user",
        1,
        False,
    )
    assert (one.importance, one.version, one.state, one.access_count) == (1.0, 1, "active", 0)


@pytest.mark.parametrize(
    ("category", "importance", "grace"), [("core", 3.0, 0.0), ("system", 3.0, 0.0), ("episode", 1.0, 3.0)]
)
def test_the_category_sets_importance_and_grace(category: str, importance: float, grace: float) -> None:
    one = make({"category": category})
    assert (one.importance, one.grace) == (importance, grace)
    assert make({"category": category, "importance": 0}).importance == 0.0


def test_a_past_memory_decays_from_now() -> None:
    one = make({"timestamp": 1000})
    assert (one.created_at, one.last_access, one.updated_at, one.decay_from) == (1000, 1000, START, START)
    assert make({"timestamp": 1000, "last_access": 2000}).last_access == 2000


@pytest.mark.parametrize("name", ["agent_id", "session_id"])
def test_owners_come_by_keyword_or_metadata_but_do_not_differ(name: str) -> None:
    assert getattr(make({name: "a"}), name) == "a"
    assert getattr(make(**{name: "a"}), name) == "a"
    assert getattr(make({name: "a"}, **{name: "a"}), name) == "a"
    with pytest.raises(InvalidParameterError, match=f"'b' differs from the keyword {name}='a'") as caught:
        make({name: "b"}, **{name: "a"})
    assert caught.value.data["parameter"] == f"metadata.{name}"


@pytest.mark.parametrize("given", [{"metadata": {"agent_id": "*"}}, {"agent_id": "*"}])
def test_a_memory_belongs_to_one_agent(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameterError, match="all agents when reading"):
        make(**given)


def test_credentials_leave_every_text_on_the_way_in() -> None:
    one = new_record(
        f"my key is {KEY}",
        {"note": {"deep": [f"密钥{KEY}。"]}, "tags": [KEY], "exact_keys": [f"k {KEY}"], "source_id": KEY},
        id="mem_x",
        user_id=USER,
        agent_id=None,
        session_id=None,
        now=START,
        limits=Limits(),
    )
    assert KEY not in repr(one)
    assert one.text == "my key is [secret:api_key]"
    assert one.metadata == {"note": {"deep": ["密钥[secret:api_key]。"]}}
    assert (one.tags, one.source_id) == (("[secret:api_key]",), "[secret:api_key]")
    assert one.redactions == {"secrets": {"api_key": 5}}


@pytest.mark.parametrize("metadata", [{KEY: 1}, {"a": {KEY: 1}}, {"a": [{"b": {KEY: 1}}]}])
def test_a_credential_as_a_key_is_refused_without_repeating_it(metadata: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameterError, match="a key holds a credential") as caught:
        make(metadata)
    assert KEY not in repr((caught.value.message, caught.value.data))


def test_an_update_merges_and_removes() -> None:
    one = make({"a": 1, "b": 2, "kind": "task", "tags": ["x"]})
    new = with_metadata(one, {"b": None, "c": 3, "kind": None, "category": "core"}, Limits())
    assert new.metadata == {"a": 1, "c": 3}
    assert (new.kind, new.category, new.tags, new.importance) == ("fact", "core", ("x",), 1.0)
    assert changed_fields(one, new) == ["category", "kind", "metadata"]


def test_what_get_returns_may_be_given_back() -> None:
    one = make({"a": 1, "importance": 2.5, "session_id": "s"}, agent_id="cook")
    assert with_metadata(one, public_metadata(one), Limits()) == one
    assert with_metadata(one, {"agent_id": "cook", "session_id": "s"}, Limits()) == one


@pytest.mark.parametrize(
    "metadata", [{"importance": 3}, {"agent_id": "b"}, {"session_id": "b"}, {"importance": None}]
)
def test_what_an_update_of_the_metadata_cannot_change_is_said(metadata: dict[str, Any]) -> None:
    one = make({"importance": 2.5, "session_id": "s"}, agent_id="cook")
    with pytest.raises(InvalidParameterError) as caught:
        with_metadata(one, metadata, Limits())
    assert caught.value.data["parameter"] == f"metadata.{next(iter(metadata))}"


def test_periods_stay_in_order_over_updates() -> None:
    one = make({"valid_from": 100})
    with pytest.raises(InvalidParameterError, match=r"valid_to: 50\.0 is before valid_from"):
        with_metadata(one, {"valid_to": 50}, Limits())


def test_the_size_of_the_metadata_is_bounded_over_updates() -> None:
    one = make({"a": "x" * 60_000})
    with pytest.raises(InvalidParameterError, match="at most 65,536 bytes"):
        with_metadata(one, {"b": "x" * 10_000}, Limits())
    assert with_metadata(one, {"a": None, "b": "x" * 60_000}, Limits()).metadata.keys() == {"b"}


def test_the_dict_of_the_interface_has_every_field_and_no_other() -> None:
    memory = to_memory(record("t", {"a": 1, "category": "core"}), indexed=True, effective=3.0)
    assert set(memory) == set(Memory.__annotations__)
    assert memory["metadata"] == {
        "a": 1,
        "importance": 3.0,
        "timestamp": START,
        "last_access": START,
        "category": "core",
        "source": "user",
        "verified": False,
    }
