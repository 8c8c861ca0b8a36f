"""Metadata as other systems write it: mapped where it has a meaning here, and said so where it has none."""

from __future__ import annotations

from typing import Any

import pytest

from memory_client.errors import InvalidParameterError

KB = Any
FOREIGN = {
    "category": "general",
    "temporal_start": "2026-01-03T00:00:00Z",
    "temporal_end": "2026-01-04T00:00:00Z",
    "position": 7,
    "last_accessed_at": "2026-01-05T00:00:00Z",
    "exact_keys": {"flight": "CA1831"},
    "parent_id": "node-12",
}


def test_every_key_is_mapped_or_named(kb: KB, user: str) -> None:
    id = kb.add("出差去北京", FOREIGN, user_id=user)
    memory = kb.get(id, user_id=user)
    assert (memory["category"], memory["kind"], memory["position"]) == ("fact", "fact", 7)
    assert (memory["event_start"], memory["event_end"]) == (1767398400.0, 1767484800.0)
    assert (memory["last_access"], memory["exact_keys"]) == (1767571200.0, ["CA1831"])
    assert memory["parent_id"] is None
    assert memory["metadata"]["parent_id"] == "node-12"
    assert memory["metadata"]["exact_key_names"] == {"flight": "CA1831"}
    said = " | ".join(memory["warnings"])
    for word in ("general", "temporal_start", "temporal_end", "last_accessed_at", "exact_keys", "parent_id"):
        assert word in said
    assert len(memory["warnings"]) == 6
    assert [hit["id"] for hit in kb.search("CA1831", mode="exact", user_id=user)] == [id]
    for filters in (
        {"position": 7},
        {"temporal_start": {"gte": "2026-01-02"}},
        {"exact_keys": {"contains": "CA1831"}},
    ):
        assert kb.count(filters=filters, user_id=user) == 1, filters


def test_many_are_mapped_alike(kb: KB, user: str) -> None:
    [id] = kb.add_many([{"text": "出差去北京", "metadata": FOREIGN}], user_id=user)
    assert len(kb.get(id, user_id=user)["warnings"]) == 6


def test_an_update_maps_and_removes_them(kb: KB, user: str) -> None:
    id = kb.add("出差去北京", {**FOREIGN, "position": "left"}, user_id=user)
    kb.update_metadata(id, {"temporal_end": "2026-01-06", "position": 2}, user_id=user)
    memory = kb.get(id, user_id=user)
    assert (memory["event_end"], memory["position"]) == (1767657600.0, 2)
    assert "position" not in memory["metadata"]
    assert memory["warnings"] == ["temporal_end taken as event_end"]
    gone = {"temporal_start": None, "temporal_end": None, "position": None, "exact_keys": None}
    kb.update_metadata(id, gone, user_id=user)
    memory = kb.get(id, user_id=user)
    assert [memory[name] for name in ("event_start", "event_end", "position")] == [None, None, None]
    assert memory["exact_keys"] == []
    assert "exact_key_names" not in memory["metadata"]


def test_other_exact_keys_take_the_names_away(kb: KB, user: str) -> None:
    id = kb.add("出差去北京", FOREIGN, user_id=user)
    kb.update_metadata(id, {"exact_keys": ["CA1832"]}, user_id=user)
    memory = kb.get(id, user_id=user)
    assert memory["exact_keys"] == ["CA1832"]
    assert "exact_key_names" not in memory["metadata"]


def test_a_time_that_is_none_is_an_error(kb: KB, user: str) -> None:
    with pytest.raises(InvalidParameterError, match=r"metadata\.temporal_start"):
        kb.add("x", {"temporal_start": "in spring"}, user_id=user)


def test_a_filter_over_the_old_name_as_an_own_key_names_the_field(kb: KB, user: str) -> None:
    with pytest.raises(InvalidParameterError, match="event_start"):
        kb.count(filters={"metadata.temporal_start": 1}, user_id=user)
