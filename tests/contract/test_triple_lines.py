"""Triples as lines in both shapes: what goes out comes in, and what is not understood is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memory_client.errors import InvalidParameterError, WrongIdError
from memory_client.types import Triple
from support.faces import Face

NOT_HERE = "mem_0000000000000000000z"


def companion(**more: Any) -> dict[str, Any]:
    return {"subject": "user", "predicate": "likes", "object": "coffee", **more}


def essence(face: Face, user: str) -> list[dict[str, Any]]:
    """All triples of a user, without what a store gives them."""
    found: list[Triple] = face.kb.triples.page(user_id=user, agent_id="*", include_archived=True, limit=1000)[
        "items"
    ]
    kept = [{key: value for key, value in one.items() if key not in ("id", "created_at")} for one in found]
    for one in kept:
        one["evidence"] = sorted((piece["kind"], piece["id"] or "") for piece in one["evidence"])
    return sorted(kept, key=repr)


def test_the_companion_shape_is_read_as_it_is_meant(face: Face, user: str) -> None:
    kb = face.kb
    memory = kb.add("nothing that rules read", user_id=user)
    line = companion(
        id=7,
        source_memory_ids=["m-1", memory],
        metadata={"negation": True, "frequency": "every day", "condition": "when it rains"},
    )
    done = kb.triples.import_jsonl([json.dumps(line)], memory_ids={"m-1": memory}, user_id=user)
    assert (done["stored_count"], done["damaged"], done["missing_evidence"]) == (1, [], [])
    (one,) = kb.triples.page(user_id=user)["items"]
    assert one["negation"]
    assert (one["frequency"], one["condition"]) == ("every day", "when it rains")
    assert [(piece["kind"], piece["id"]) for piece in one["evidence"]] == [("memory", memory)]
    kb.delete(memory, user_id=user)
    assert kb.triples.page(user_id=user, include_archived=True)["total"] == 0


def test_evidence_that_is_not_mapped_is_reported(face: Face, user: str) -> None:
    kb = face.kb
    memory, turn = kb.add("x y", user_id=user), kb.conversation.append("s", "user", "hi", user_id=user)["id"]
    silent = kb.conversation.append("s", "user", "psst", remember=False, user_id=user)["id"]
    lines = [
        json.dumps(companion(source_memory_ids=["m-1", 12, NOT_HERE, silent])),
        json.dumps(companion(object="tea", source_memory_ids=["m-2"])),
        json.dumps(companion(object="milk", evidence=[{"kind": "memory", "id": NOT_HERE}])),
    ]
    ids = {"m-1": memory, "12": turn}
    done = kb.triples.import_jsonl(lines, memory_ids=ids, user_id=user, request_id="i")
    assert done["missing_evidence"] == [
        {"line": 1, "id": NOT_HERE},
        {"line": 1, "id": silent},
        {"line": 2, "id": "m-2"},
        {"line": 3, "id": NOT_HERE},
    ]
    assert (done["stored_count"], done["missing_evidence_count"]) == (3, 4)
    assert kb.triples.import_jsonl(lines, memory_ids=ids, user_id=user, request_id="i") == done
    evidence = {
        one["object"]: {(piece["kind"], piece["id"]) for piece in one["evidence"]}
        for one in kb.triples.page(user_id=user)["items"]
    }
    assert evidence == {
        "coffee": {("memory", memory), ("turn", turn)},
        "tea": {("manual", None)},
        "milk": {("manual", None)},
    }


def test_only_the_first_thousand_missing_are_named(face: Face, user: str) -> None:
    lines = [json.dumps(companion(object=f"t{i}", source_memory_ids=["a", "b"])) for i in range(600)]
    done = face.kb.triples.import_jsonl(lines, user_id=user)
    assert (len(done["missing_evidence"]), done["missing_evidence_count"]) == (1000, 1200)
    assert done["missing_evidence"][-1] == {"line": 500, "id": "b"}


@pytest.mark.parametrize(
    ("line", "key", "fix"),
    [
        (companion(metadata={"negaton": True}), "negaton", "did you mean 'negation'"),
        (companion(metadata={}, negation=True), "negation", "move it into metadata"),
        (companion(source_ids=["x"]), "source_ids", "rename or remove it"),
        (companion(metadata={"confidence": 0.5}), "confidence", "known are negation"),
        (companion(id=1, evidence=[]), "evidence", "known are subject"),
        (companion(evidence=[{"kind": "memory", "memory_id": NOT_HERE}]), "memory_id", "known are kind"),
        ({"alias": "a", "entity": "b", "weight": 1}, "weight", "known are alias, entity"),
    ],
)
def test_a_key_that_is_not_understood_refuses_the_whole(
    face: Face, user: str, line: dict[str, Any], key: str, fix: str
) -> None:
    good = json.dumps(companion(object="tea"))
    with pytest.raises(InvalidParameterError, match="line 3: unknown key") as caught:
        face.kb.triples.import_jsonl([good, "", json.dumps(line), good], user_id=user)
    message = str(caught.value)
    assert f"{key!r}" in message
    assert fix in message
    assert caught.value.data["line"] == 3
    assert face.kb.triples.stats(user_id=user)["triple_count"] == 0


@pytest.mark.parametrize(
    "line",
    [
        companion(metadata=["negation"]),
        companion(metadata={"negation": "yes"}),
        companion(metadata={"frequency": 3}),
        companion(predicate="不喜欢", metadata={"negation": True}),
        companion(source_memory_ids="m-1"),
        companion(source_memory_ids=[None]),
        companion(source_memory_ids=["x"] * 1001),
        companion(id=["x"]),
        companion(metadata={"agent_ids": ["*"]}),
        companion(evidence=[{"kind": "rumour"}]),
        companion(evidence=[{"id": NOT_HERE}] * 1001),
    ],
)
def test_a_line_with_impossible_values_is_passed_over_and_named(
    face: Face, user: str, line: dict[str, Any]
) -> None:
    done = face.kb.triples.import_jsonl([json.dumps(line), json.dumps(companion(object="tea"))], user_id=user)
    assert [one["line"] for one in done["damaged"]] == [1]
    assert done["stored_count"] == 1


@pytest.mark.parametrize(
    ("ids", "error"), [({"m": "x"}, InvalidParameterError), ({"m": "tri_" + "0" * 20}, WrongIdError)]
)
def test_ids_are_mapped_to_memories_and_turns_only(
    face: Face, user: str, ids: dict[str, str], error: type[Exception]
) -> None:
    with pytest.raises(error, match=r"memory_ids\['m'\]"):
        face.kb.triples.import_jsonl([json.dumps(companion())], memory_ids=ids, user_id=user)
    assert face.kb.triples.stats(user_id=user)["triple_count"] == 0


def _fill(face: Face, user: str) -> list[str]:
    kb = face.kb
    kb.add_many(
        ["我非常喜欢拉面", "我每周三下班后打羽毛球", "I really like tea", "我妹妹叫小雨"], user_id=user
    )
    gone = kb.add("主人下雨的时候不喜欢出门", user_id=user)
    kb.archive(gone, user_id=user)
    turn = kb.conversation.append("s", "user", "hm", user_id=user)["id"]
    memory = kb.add("hm hm", user_id=user)
    say = kb.triples.add
    say("老王", "不喜欢", "茶", frequency="每天", condition="工作日", evidence=[memory, turn], user_id=user)
    say("老王", "不喜欢", "茶", frequency="每天", condition="工作日", user_id=user)
    say("Anna", "师从", "Bob", degree="a bit", user_id=user, agent_id="cook")
    say("Anna", "师从", "Bob", user_id=user)
    say("我爸妈", "likes", "my kids", user_id=user)
    kb.triples.alias("小王", "我", user_id=user)
    kb.triples.alias("Annie", "Anna", user_id=user)
    return [memory, turn]


@pytest.mark.parametrize("shape", ["memoryd", "companion"])
def test_what_goes_out_comes_in_the_same(face: Face, user: str, shape: Any) -> None:
    kb = face.kb
    _fill(face, user)
    before, other = essence(face, user), f"{user}-2"
    lines = kb.triples.export_jsonl(user, shape=shape)
    done = kb.triples.import_jsonl(lines, user_id=user)
    assert (done["stored_count"], done["missing_evidence_count"], done["damaged"]) == (0, 0, [])
    assert essence(face, user) == before
    # into another store, where what says so was stored under other ids
    old = [one["id"] for one in kb.get_all(user, include_archived=True)]
    old += [one["id"] for one in kb.conversation.page(user_id=user)["items"]]
    new = {id: kb.add(f"stands for {id}", user_id=other) for id in old}
    done = kb.triples.import_jsonl(lines, memory_ids=new, user_id=other)
    assert (done["stored_count"], done["missing_evidence_count"]) == (len(before), 0)
    for one in before:
        one["evidence"] = sorted(("memory", new[id]) if id else (kind, "") for kind, id in one["evidence"])
        one["is_live"] = True
    assert essence(face, other) == sorted(before, key=repr)
    aliases = kb.triples.aliases(user_id=user) if shape == "memoryd" else []
    assert kb.triples.aliases(user_id=other) == aliases


def test_an_agents_own_word_stays_the_agents_in_the_companion_shape(face: Face, user: str) -> None:
    kb = face.kb
    kb.triples.add("Anna", "likes", "tea", user_id=user, agent_id="cook")
    (line,) = kb.triples.export_jsonl(user, shape="companion")
    assert json.loads(line)["metadata"]["agent_ids"] == ["cook"]
    kb.triples.import_jsonl([line], user_id=f"{user}-2")
    assert kb.triples.page(user_id=f"{user}-2")["total"] == 0
    assert kb.triples.page(user_id=f"{user}-2", agent_id="cook")["total"] == 1


def test_the_companion_shape_is_exported_as_it_is_described(face: Face, user: str) -> None:
    kb = face.kb
    memory = kb.add("主人每周三晚上不打羽毛球", user_id=user)
    (line,) = kb.triples.export_jsonl(user, shape="companion")
    (one,) = kb.triples.page(user_id=user)["items"]
    assert json.loads(line) == {
        "id": one["id"],
        "subject": "主人",
        "predicate": "打",
        "object": "羽毛球",
        "source_memory_ids": [memory],
        "metadata": {"negation": True, "frequency": "每周三晚上", "condition": None},
    }
    with pytest.raises(InvalidParameterError, match="shape"):
        kb.triples.export_jsonl(user, shape="csv")  # type: ignore[arg-type]
