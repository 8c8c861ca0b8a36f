"""Bad input: each parameter is checked by its declared type, and the error names it, on both faces alike."""

from __future__ import annotations

import inspect
import typing
from typing import Any

import pytest

from memory_client.api import METHODS
from memory_client.api.spec import MethodSpec
from memory_client.errors import (
    InvalidParameterError,
    InvalidRequestError,
    MemorydError,
    UnknownParameterError,
)
from support.faces import Face

KB = Any
UNKNOWN = "mem_0000000000000000000z"
SOUND: dict[str, Any] = {
    "text": "x",
    "items": ["x"],
    "id": UNKNOWN,
    "ids": [UNKNOWN],
    "query": "x",
    "metadata": {},
    "user_id": "nobody",
    "session_id": "s",
    "role": "user",
    "turns": [{"role": "user", "text": "x"}],
    "finding": "wrong",
    "to": 1,
    "winner": UNKNOWN,
    "loser": UNKNOWN,
    "verdict": "keep",
    "subject": "x",
    "predicate": "x",
    "object": "x",
    "entity": "x",
    "alias": "x",
    "a": "x",
    "b": "x",
    "lines": ["x"],
    "version_id": "20260103174500",
    "first": "latest",
    "second": "latest",
    "points": [{"content": "x", "type": "WorldModel", "score": 1}],
    "name": "x",
    "owner": "x",
}
WRONG: dict[Any, list[Any]] = {
    str: [None, 1, ["x"], {"x": 1}, b"x"],
    bool: ["yes", None, 2],
    int: ["5", 1.5, None, True, [5]],
    float: ["5", [5], True],
    dict: [["x"], "x", 5],
    list: ["x", {"x": 1}, 5],
}


@pytest.fixture
def kb(wordy: Face) -> KB:
    return wordy.kb


def _callable(kb: KB, spec: MethodSpec) -> Any:
    return getattr(kb if spec.group == "memory" else getattr(kb, spec.group), spec.name)


def _kinds(hint: Any) -> set[Any]:
    """The plain types a declared type takes."""
    origin = typing.get_origin(hint)
    if origin is typing.Literal:
        return {str}
    if origin in (list, dict):
        return {origin}
    if origin is None:
        return {hint}
    return set().union(*(_kinds(part) for part in typing.get_args(hint)))


def _wrong(hint: Any) -> list[Any]:
    kinds = _kinds(hint)
    takes_none = type(None) in kinds
    known = [kind for kind in WRONG if kind in kinds]
    return [
        value
        for value in WRONG[known[0]]
        if not (value is None and takes_none)
        and type(value) not in kinds
        and not (float in kinds and type(value) is int)
    ]


CASES = [
    pytest.param(spec, name, id=f"{wire}-{name}")
    for wire, spec in METHODS.items()
    if wire not in ("admin.shutdown", "admin.reindex", "admin.compact")
    for name in spec.parameters
]


@pytest.mark.parametrize(("spec", "name"), CASES)
def test_every_parameter_is_checked_by_its_declared_type(kb: KB, spec: MethodSpec, name: str) -> None:
    hint = typing.get_type_hints(spec.function)[name]
    sound = {key: SOUND[key] for key in spec.required | ({"user_id"} & set(spec.parameters))}
    wrong = _wrong(hint)
    assert wrong
    for value in wrong:
        with pytest.raises(InvalidParameterError) as caught:
            _callable(kb, spec)(**{**sound, name: value})
        assert caught.value.data["parameter"].split("[")[0].split(".")[0] == name, value
        assert name in str(caught.value)


@pytest.mark.parametrize("spec", METHODS.values(), ids=METHODS)
def test_unknown_and_missing_parameters_are_named(kb: KB, spec: MethodSpec) -> None:
    sound = {key: SOUND[key] for key in spec.required}
    with pytest.raises(UnknownParameterError, match="nonsense"):
        _callable(kb, spec)(**sound, nonsense=1)
    with pytest.raises(TypeError):
        _callable(kb, spec)(*range(20))
    for name in spec.required:
        with pytest.raises(UnknownParameterError, match=name):
            _callable(kb, spec)(**{key: value for key, value in sound.items() if key != name})


def test_a_near_miss_is_suggested(kb: KB) -> None:
    with pytest.raises(UnknownParameterError, match="user_id"):
        kb.add("x", userid="x")


def test_signatures_can_be_inspected_on_both_faces(kb: KB) -> None:
    for spec in METHODS.values():
        assert inspect.signature(_callable(kb, spec)).parameters.keys() == spec.parameters.keys()
        assert _callable(kb, spec).__doc__


@pytest.mark.parametrize(
    ("metadata", "parameter"),
    [
        ({"category": "facts"}, "metadata.category"),
        ({"kind": "thing"}, "metadata.kind"),
        ({"source": "me"}, "metadata.source"),
        ({"importance": 5.1}, "metadata.importance"),
        ({"importance": True}, "metadata.importance"),
        ({"importance": float("nan")}, "metadata.importance"),
        ({"confidence": -0.1}, "metadata.confidence"),
        ({"confidence": "high"}, "metadata.confidence"),
        ({"verified": 1}, "metadata.verified"),
        ({"tags": "x"}, "metadata.tags"),
        ({"tags": ["x", 1]}, "metadata.tags"),
        ({"tags": [""]}, "metadata.tags"),
        ({"exact_keys": {"a": []}}, "metadata.exact_keys.a"),
        ({"created_at": "soon"}, "metadata.created_at"),
        ({"timestamp": float("inf")}, "metadata.created_at"),
        ({"timestamp": 1, "created_at": 2}, "metadata.created_at"),
        ({"event_start": 2, "event_end": 1}, "metadata.event_end"),
        ({"valid_from": "2026-02-01", "valid_to": "2026-01-01"}, "metadata.valid_to"),
        ({"user_id": "x"}, "metadata.user_id"),
        ({"id": "x"}, "metadata.id"),
        ({"version": 2}, "metadata.version"),
        ({"state": "active"}, "metadata.state"),
        ({"x": float("nan")}, "metadata.x"),
        ({"x": 2**63}, "metadata.x"),
        ({"x": "\ud800"}, "metadata.x"),
        ({"": 1}, "metadata key"),
        ({"a\0b": 1}, "metadata key"),
        ({"x": "y" * 70_000}, "metadata"),
    ],
)
def test_bad_metadata_is_named(kb: KB, user: str, metadata: dict[str, Any], parameter: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        kb.add("x", metadata, user_id=user)
    assert caught.value.data["parameter"] == parameter
    with pytest.raises(InvalidParameterError) as caught:
        kb.add_many(["y", {"text": "x", "metadata": metadata}], user_id=user)
    assert "items[1]" in str(caught.value)
    assert kb.count(user_id=user) == 0


def test_metadata_nested_too_deep_is_refused(kb: KB, user: str) -> None:
    deep: Any = 1
    for _ in range(40):
        deep = {"x": deep}
    with pytest.raises(InvalidParameterError, match="levels"):
        kb.add("x", deep, user_id=user)


@pytest.mark.parametrize("value", [object(), {1, 2}, 1j], ids=["object", "set", "complex"])
def test_values_that_are_no_json_are_refused(kb: KB, user: str, value: Any) -> None:
    with pytest.raises(InvalidRequestError):
        kb.add("x", {"x": value}, user_id=user)
    assert kb.count(user_id=user) == 0


@pytest.mark.parametrize(
    "item",
    [1, None, {"text": 5}, {"metadata": {}}, {"text": "x", "meta": {}}, {"text": "x", "metadata": []}, ["x"]],
)
def test_bad_items_are_named(kb: KB, user: str, item: Any) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        kb.add_many(["fine", item], user_id=user)
    assert caught.value.data["parameter"].startswith("items")
    assert kb.count(user_id=user) == 0


@pytest.mark.parametrize("name", ["", "  ", "x" * 201, "a\nb", "a\0b", "\ud800", "长" * 67])
@pytest.mark.parametrize("parameter", ["user_id", "agent_id", "session_id"])
def test_names_are_names(kb: KB, name: str, parameter: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        kb.add("x", **{parameter: name})
    assert caught.value.data["parameter"] == parameter


@pytest.mark.parametrize(
    "name", ["主人", "a b", "A/B\\C:*?", "..", "CON", "'; DROP TABLE memories; --", "é" * 100]
)
def test_odd_names_are_fine(kb: KB, user: str, name: str) -> None:
    owner = f"{user}{name}"[:80]
    id = kb.add("odd one", user_id=owner, agent_id=name, session_id=name)
    assert kb.get(id, user_id=owner, agent_id=name)["session_id"] == name
    found = kb.search("odd", user_id=owner, agent_id=name, session_id=name)
    assert [hit["id"] for hit in found] == [id]
    assert kb.delete_all(owner)["counts"]["memories"] == 1


def test_errors_are_of_one_tree_and_may_be_caught_as_pythons_own(kb: KB) -> None:
    with pytest.raises(ValueError, match="text"):
        kb.add("")
    with pytest.raises(LookupError):
        kb.delete(UNKNOWN)
    with pytest.raises(TypeError):
        kb.add("x", colour="red")
    assert issubclass(InvalidParameterError, MemorydError)
