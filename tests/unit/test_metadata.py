from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_client.errors import InvalidParameterError
from memoryd.core.life.decay import grace_days
from memoryd.core.metadata import TAKEN, read_metadata, removed_keys, removed_value
from memoryd.core.record import CATEGORIES, KINDS, SOURCES, default_importance

LIMIT = 65_536
# Design, section 4: "metadata keys taken as fields".
FIELDS = """category kind importance confidence verified source source_id tags exact_keys
event_start event_end valid_from valid_to expires_at
timestamp created_at last_access agent_id session_id""".split()


def refusal(metadata: dict[Any, Any]) -> InvalidParameterError:
    with pytest.raises(InvalidParameterError) as caught:
        read_metadata(metadata, LIMIT)
    assert len(caught.value.message) < 400
    return caught.value


def test_the_keys_taken_are_those_of_the_design() -> None:
    assert set(FIELDS) == TAKEN


def test_fields_are_taken_out_and_the_rest_is_kept() -> None:
    given = {
        "category": "episode",
        "kind": "task",
        "importance": 2,
        "confidence": 0.5,
        "verified": True,
        "source": "import",
        "source_id": "chat 7",
        "tags": ("a", "b", "a"),
        "exact_keys": ["K-1"],
        "event_start": "2026-01-01",
        "event_end": "2026-01-02",
        "valid_from": 1,
        "valid_to": 1,
        "expires_at": 5.5,
        "timestamp": "1970-01-02",
        "last_access": 7,
        "agent_id": "cook",
        "session_id": "s",
        "mood": {"now": ["bad", 1, 2.5, None, True]},
    }
    draft = read_metadata(given, LIMIT)
    assert draft.fields == {
        "category": "episode",
        "kind": "task",
        "importance": 2.0,
        "confidence": 0.5,
        "verified": True,
        "source": "import",
        "source_id": "chat 7",
        "tags": ("a", "b"),
        "exact_keys": ("K-1",),
        "event_start": 1767225600.0,
        "event_end": 1767312000.0,
        "valid_from": 1.0,
        "valid_to": 1.0,
        "expires_at": 5.5,
        "created_at": 86400.0,
        "last_access": 7.0,
        "agent_id": "cook",
        "session_id": "s",
    }
    assert draft.rest == {"mood": {"now": ["bad", 1, 2.5, None, True]}}
    assert draft.warnings == ()


@pytest.mark.parametrize("key", ["user_id", "id", "version", "state"])
def test_keys_that_are_no_metadata_are_errors_that_say_where_to_go(key: str) -> None:
    error = refusal({key: "x"})
    assert error.data["parameter"] == f"metadata.{key}"
    assert "no such key here: " in error.message


@pytest.mark.parametrize("key", FIELDS)
def test_none_for_a_field_means_not_given(key: str) -> None:
    draft = read_metadata({key: None, "own": None}, LIMIT)
    assert (draft.fields, draft.rest) == ({}, {"own": None})


@pytest.mark.parametrize(
    ("key", "word", "taken"),
    [
        ("kind", "WorldModel", "world_model"),
        ("kind", "ExperientialKnowledge", "experience"),
        ("kind", "OtherKnowledge", "other"),
        ("kind", "task_assignment", "task"),
        ("kind", "fact_statement", "fact"),
        ("kind", "user_opinion", "opinion"),
        ("source", "user_input", "user"),
        ("source", "conversation", "background_ai"),
        ("source", "inference", "background_ai"),
    ],
)
def test_words_of_other_vocabularies_are_taken_and_that_is_said(key: str, word: str, taken: str) -> None:
    draft = read_metadata({key: word}, LIMIT)
    assert draft.fields == {key: taken}
    assert draft.warnings == (f"{key} {word!r} taken as {taken!r}",)


@pytest.mark.parametrize(("key", "words"), [("category", CATEGORIES), ("kind", KINDS), ("source", SOURCES)])
def test_own_words_are_taken_silently(key: str, words: tuple[str, ...]) -> None:
    for word in words:
        draft = read_metadata({key: word}, LIMIT)
        assert (draft.fields, draft.warnings) == ({key: word}, ())


@pytest.mark.parametrize(
    ("category", "kind"), [("preference", "preference"), ("WorldModel", "world_model"), ("qa", "qa")]
)
def test_a_category_that_is_a_kind_is_taken_as_the_kind(category: str, kind: str) -> None:
    for metadata in ({"category": category}, {"category": category, "kind": None}):
        draft = read_metadata(metadata, LIMIT)
        assert draft.fields == {"kind": kind}
        assert repr(category) in draft.warnings[0]


@pytest.mark.parametrize(
    ("metadata", "parameter", "word"),
    [
        ({"category": "preference", "kind": "task"}, "category", "one of system"),
        ({"category": "facts"}, "category", "did you mean 'fact'"),
        ({"category": ["fact"]}, "category", "one of"),
        ({"category": ""}, "category", "one of"),
        ({"kind": "Preference"}, "kind", "did you mean 'preference'"),
        ({"source": 3}, "source", "one of user"),
        ({"importance": 5.01}, "importance", "0 to 5"),
        ({"importance": -0.01}, "importance", "0 to 5"),
        ({"importance": "2"}, "importance", "number"),
        ({"importance": True}, "importance", "number"),
        ({"importance": float("nan")}, "importance", "number"),
        ({"importance": 10**400}, "importance", "number"),
        ({"confidence": 1.1}, "confidence", "0 to 1"),
        ({"verified": 1}, "verified", "true or false"),
        ({"tags": "a,b"}, "tags", "list of strings"),
        ({"tags": ["a", 1]}, "tags", "list of strings"),
        ({"tags": ["a", " "]}, "tags", "blank"),
        ({"exact_keys": ["x" * 201]}, "exact_keys", "200 bytes"),
        ({"source_id": 7}, "source_id", "string"),
        ({"session_id": "a\nb"}, "session_id", "control"),
        ({"event_start": "soon"}, "event_start", "ISO 8601"),
        ({"event_start": 2, "event_end": 1}, "event_end", "not before event_start"),
        ({"valid_from": "2026-01-02", "valid_to": "2026-01-01"}, "valid_to", "not before valid_from"),
        ({"timestamp": 1, "created_at": 2}, "created_at", "same field"),
        ({"x": float("nan")}, "x", "finite"),
        ({"x": [1, float("-inf")]}, "x", "finite"),
        ({"x": b"bytes"}, "x", "JSON"),
        ({"x": {"y": {1, 2}}}, "x", "JSON"),
        ({"x": 2**63}, "x", "JSON"),
        ({"x": -(2**63) - 1}, "x", "JSON"),
        ({"x": "a\0b"}, "x", "NUL"),
        ({"x": "\ud800"}, "x", "UTF-8"),
        ({1: 2}, "1", "string keys"),
    ],
)
def test_values_that_do_not_fit_are_refused_by_key_and_expectation(
    metadata: dict[Any, Any], parameter: str, word: str
) -> None:
    error = refusal(metadata)
    assert error.data["parameter"] == f"metadata.{parameter}"
    assert word in error.message


@pytest.mark.parametrize("metadata", [{"x": {2: 3}}, {"": 1}, {"a\nb": 1}, {"x" * 201: 1}])
def test_keys_are_names(metadata: dict[Any, Any]) -> None:
    refusal(metadata)


def test_both_names_of_the_same_time_may_agree() -> None:
    draft = read_metadata({"timestamp": "1970-01-01", "created_at": 0}, LIMIT)
    assert draft.fields == {"created_at": 0.0}


def test_nesting_has_a_bound() -> None:
    nested: Any = 1
    for _ in range(15):
        nested = [nested]
    assert read_metadata({"x": nested}, LIMIT).rest == {"x": nested}
    assert "16 levels" in refusal({"x": [nested]}).message
    endless: list[Any] = []
    endless.append(endless)
    refusal({"x": endless})


@pytest.mark.parametrize("key", ["x", "tags"])
def test_size_has_a_bound(key: str) -> None:
    many = [f"{i:0100}" for i in range(1000)]
    with pytest.raises(InvalidParameterError, match=r"at most 65,536 bytes.*limits\.metadata_bytes"):
        read_metadata({key: many}, LIMIT)
    read_metadata({key: many[:500]}, LIMIT)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=10),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.from_regex(r"[a-z]{1,5}", fullmatch=True), inner, max_size=4)
    ),
    max_leaves=10,
)


@given(st.dictionaries(st.from_regex(r"own_[a-z]{1,5}", fullmatch=True), JSON, max_size=5))
def test_own_keys_of_any_json_are_kept_as_they_are(metadata: dict[str, Any]) -> None:
    draft = read_metadata(metadata, LIMIT)
    assert (draft.fields, draft.rest, draft.warnings) == ({}, metadata, ())


def test_what_an_update_removes() -> None:
    metadata = {"tags": None, "timestamp": None, "mood": None, "kind": "task", "x": 1}
    assert removed_keys(metadata) == ({"tags", "created_at"}, {"mood"})


def test_the_times_of_other_systems_are_ours() -> None:
    draft = read_metadata(
        {"temporal_start": "1970-01-02", "temporal_end": 90_000, "last_accessed_at": 7}, LIMIT
    )
    assert draft.fields == {"event_start": 86_400.0, "event_end": 90_000.0, "last_access": 7.0}
    assert draft.rest == {}
    assert draft.warnings == (
        "temporal_start taken as event_start",
        "temporal_end taken as event_end",
        "last_accessed_at taken as last_access",
    )
    assert read_metadata({"temporal_start": None}, LIMIT).warnings == ()


@pytest.mark.parametrize(
    ("metadata", "parameter"),
    [
        ({"temporal_start": "in spring"}, "temporal_start"),
        ({"temporal_start": 2, "temporal_end": 1}, "event_end"),
        ({"temporal_start": 2, "event_start": 1}, "event_start"),
        ({"exact_keys": {"a": ["b"]}}, "exact_keys.a"),
        ({"exact_keys": {"a": True}}, "exact_keys.a"),
    ],
)
def test_what_does_not_fit_there_is_named_as_it_was_given(metadata: dict[str, Any], parameter: str) -> None:
    assert refusal(metadata).data["parameter"] == f"metadata.{parameter}"


def test_a_category_that_says_nothing_is_the_default() -> None:
    draft = read_metadata({"category": "general", "kind": "task"}, LIMIT)
    assert draft.fields == {"category": "fact", "kind": "task"}
    assert draft.warnings == (
        "category 'general' taken as 'fact': a memory is system, core, fact or episode",
    )


def test_a_position_is_a_whole_number_or_an_own_key() -> None:
    assert read_metadata({"position": 3}, LIMIT).fields == {"position": 3}
    for value in ("left", -1, 1.5, True):
        draft = read_metadata({"position": value}, LIMIT)
        assert (draft.fields, draft.rest) == ({}, {"position": value})
        assert draft.warnings == (f"position {value!r} is not a whole number from 0: stored as your own key",)


def test_named_exact_keys_are_found_by_their_values() -> None:
    draft = read_metadata({"exact_keys": {"order": "A-17", "seat": 12}}, LIMIT)
    assert draft.fields == {"exact_keys": ("A-17", "12")}
    assert draft.rest == {"exact_key_names": {"order": "A-17", "seat": "12"}}
    assert draft.warnings == ("exact_keys: the values are the keys, their names are kept in exact_key_names",)


def test_a_parent_of_the_callers_own_links_nothing_and_is_said_so() -> None:
    draft = read_metadata({"parent_id": "mem_1"}, LIMIT)
    assert (draft.fields, draft.rest) == ({}, {"parent_id": "mem_1"})
    assert draft.warnings == (
        "parent_id is stored as your own key and links nothing; use supersede() for a successor",
    )


def test_what_fields_fall_back_to() -> None:
    assert [removed_value(name) for name in ("tags", "source_id", "kind", "confidence", "expires_at")] == [
        (), None, "fact", 1.0, None,
    ]  # fmt: skip
    for name in ("created_at", "last_access"):
        with pytest.raises(InvalidParameterError, match="cannot be removed"):
            removed_value(name)


def test_numbers_of_the_design() -> None:
    assert [default_importance(category) for category in CATEGORIES] == [3.0, 3.0, 1.0, 1.0]
    assert [grace_days(category) for category in CATEGORIES] == [0.0, 0.0, 5.0, 3.0]
