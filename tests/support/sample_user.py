"""A user with data of every kind, and calls of every method for that user."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from memory_client.api.spec import MethodSpec
from memory_client.errors import MemorydError

KB = Any
Call = dict[str, Any]

UNKNOWN = {
    kind: f"{kind}_0000000000000000000z" for kind in ("mem", "trn", "tri", "rev", "pas", "knp")
}  # fmt: skip
QUERIES = ("花生 过敏", "running biscuit C盘", "what did me say yesterday about “花生”?")
FILTERS: list[dict[str, Any]] = [
    {},
    {"category": "core"},
    {"not": {"category": "core"}},
    {"metadata.mood": {"ne": "bad"}},
    {"or": [{"importance": {"gte": 2}}, {"text": {"contains": "花生"}}]},
    {"id": {"ne": UNKNOWN["mem"]}},
]
SESSION, SET = "s", "what I know"
POINTS = [
    {"content": "主人对花生过敏", "type": "WorldModel", "score": 80},
    {"content": "running helps", "type": "ExperientialKnowledge", "score": 40},
]
_OF_GROUP = {"conversation": "trn", "triples": "tri", "review": "rev", "decay": "pas"}


@dataclass(slots=True)
class Life:
    """What a user has. ids: by their prefix; archived: one of the memories; versions: of the knowledge."""

    user: str
    ids: dict[str, list[str]]
    archived: str
    versions: list[str]

    def of(self, spec: MethodSpec) -> str:
        """The prefix of the ids a method takes."""
        return _OF_GROUP.get(spec.group, "mem")


def method(kb: KB, spec: MethodSpec) -> Any:
    return getattr(kb if spec.group == "memory" else getattr(kb, spec.group), spec.name)


def said(stored: Any) -> list[dict[str, Any]]:
    """Turns with the words of items."""
    return [{"role": "user", "content": one["text"], "speaker": "me"} for one in stored]


def lived(kb: KB, user: str, own: Any, agents: Any) -> Life:
    """Give a user a life: memories that change, are used, put away, asked about and contradicted; turns;
    triples; knowledge that is shared."""
    memories = kb.add_many(own, user_id=user, session_id=SESSION)
    kb.add_many(agents, user_id=user, agent_id="cook")
    turns = kb.conversation.extend(SESSION, said(own), user_id=user)["ids"]
    turns += kb.conversation.extend(SESSION, said(agents), user_id=user, agent_id="cook")["ids"]
    likes, hates, away, source = kb.add_many(
        [
            "主人喜欢花生",
            "主人讨厌花生",
            "小明是主人的同事",
            {"text": "running", "metadata": {"category": "episode"}},
        ],
        user_id=user,
    )
    kb.update_text(likes, "主人非常喜欢花生", user_id=user)
    kb.supersede(source, "running away", user_id=user)
    kb.boost(likes, "it was asked for", user_id=user)
    kb.archive(away, "enough", user_id=user)
    kb.feedback(hates, "wrong", "花生 is liked", user_id=user)
    past = kb.decay.run(user_id=user)["id"]
    triple = kb.triples.add("小明", "likes", "花生", user_id=user, evidence=[likes])
    kb.triples.alias("阿明", "小明", user_id=user)
    reviews = [one["id"] for one in kb.review.page(user_id=user)["items"]]
    versions = [kb.knowledge.save_knowledge(user, None, POINTS[:end])["version_id"] for end in (1, 2)]
    kb.knowledge.publish(SET, filters={"type": "WorldModel"}, user_id=user)
    ids = {
        "mem": [likes, hates, away, *memories],
        "trn": turns,
        "tri": [triple],
        "rev": reviews,
        "pas": [past],
    }
    return Life(user, ids, away, versions)


def reads(spec: MethodSpec, life: Life) -> list[Call]:
    """Calls of a reading method that between them use each of its parameters."""
    prefix = life.of(spec)
    ids = [*life.ids[prefix][:3], UNKNOWN[prefix]]
    values: dict[str, list[Any]] = {
        "query": list(QUERIES),
        "n_results": [1, 50],
        "mode": ["auto", "hybrid", "semantic", "lexical", "exact"],
        "scope": ["all", ["turn"], ["memory", "turn"], ["shared"]],
        "intent": ["skill"],
        "weights": [{"lexical": 2.0}, {"semantic": 0.0}, {"graph": 3.0}],
        "time_range": [[None, 4e9], ["2020-01-01", None]],
        "reference_time": [1_700_000_000.0],
        "tz": ["Asia/Shanghai"],
        "filters": FILTERS if spec.group == "memory" else [{}],
        "agent_id": [None, "cook", "*"],
        "session_id": [SESSION],
        "offset": [2],
        "min_score": [0.2],
        "sort_by": ["relevance", "created_at", "last_access", "importance", "confidence"],
        "order": ["created_at", "last_access", "importance", "confidence"],
        "sort_order": ["asc", "desc"],
        "explain": [True],
        "include_archived": [True],
        "as_of": ["2031-01-01"],
        "id": ids,
        "ids": [ids],
        "limit": [1, 3],
        "cursor": [None],
        "before": [2],
        "a": ["小明"] if spec.group == "triples" else [1],
        "b": ["user"] if spec.group == "triples" else [2],
        "memory_id": ids,
        "window": ["all"],
        "decided": [True],
        "state": ["pending", "decided"],
        "kind": ["feedback"],
        "subject": ["user", "小明"],
        "predicate": ["likes"],
        "object": ["花生"],
        "entity": ["花生", "user", "阿明"],
        "negation": [False, True],
        "evidence": ids,
        "hops": [1, 3],
        "max_hops": [2],
        "version_id": ["latest", life.versions[0]],
        "top_k": [1, 3],
        "count": [1, 5],
        "seed": [7],
        "shape": ["memoryd", "companion"],
        "first": [life.versions[0]],
        "second": [life.versions[1]],
    }
    if spec.group == "triples":
        values["evidence"] = [*life.ids["mem"][:3], UNKNOWN["mem"]]
    mine = [name for name in spec.parameters if name not in ("user_id", "request_id")]
    unknown = [name for name in mine if name not in values]
    assert not unknown, f"{spec.wire}: say here what to pass for {unknown}"
    basis = {name: values[name][0] for name in spec.required if name != "user_id"}
    if "seed" in mine:  # without one every answer is another
        basis["seed"] = 7
    calls = [{**basis, name: value} for name in mine for value in values[name]] or [basis]
    if {"query", "mode"} <= set(mine):
        every = itertools.product(QUERIES, ("auto", "semantic", "lexical", "exact"), FILTERS)
        calls += [
            {"query": query, "mode": mode, "filters": chosen, "n_results": 50, "scope": (None, "all")[at % 2]}
            for at, (query, mode, chosen) in enumerate(every)
        ]
    return calls


def write(spec: MethodSpec, life: Life) -> Call:
    """A call of a writing method that does something to what a user has."""
    values: dict[str, Any] = {
        "text": "changed",
        "metadata": {"mood": "changed"},
        "items": ["new"],
        "value": 4.0,
        "force": True,
        "session_id": SESSION,
        "role": "user",
        "turns": [{"role": "user", "text": "changed"}],
        "finding": "outdated",
        "reason": "changed",
        "pinned": True,
        "to": 1,
        "winner": life.ids["mem"][0],
        "loser": life.ids["mem"][1],
        "verdict": "keep",
        "older_than_days": 0.0,
        "subject": "user",
        "predicate": "likes",
        "object": "running",
        "alias": "阿明",
        "entity": "小明",
        "lines": ['{"subject": "user", "predicate": "likes", "object": "花生"}'],
        "version_id": life.versions[0],
        "points": POINTS,
        "name": SET,
        "owner": life.user,
        "filters": {"text": {"contains": "花生"}},
        "ids": life.ids[life.of(spec)][:1],
        "id": life.ids[life.of(spec)][0],
    } | _FOR.get(spec.wire, {})
    if spec.wire == "memory.restore":
        values["id"] = life.archived
    if spec.wire == "memory.forget":
        values |= {"dry_run": False}
    return {name: value for name, value in values.items() if name in spec.parameters and value is not None}


_FOR: dict[str, Call] = {
    "memory.delete_many": {"ids": None},
    "memory.add": {"session_id": None},
    "memory.add_many": {"session_id": None},
    "conversation.delete": {"ids": None},
    "triples.alias": {"alias": "明明"},
    "knowledge.save_knowledge": {"version_id": "20300101000000"},
    "knowledge.publish": {"name": "more", "ids": None, "filters": {"content": {"contains": "花生"}}},
}


def outcome(kb: KB, spec: MethodSpec, call: Call, user: str) -> Any:
    """What a method does: its reply, or its error."""
    try:
        return timeless(method(kb, spec)(**call, user_id=user))
    except MemorydError as error:
        return type(error), str(error), error.data


def timeless(reply: Any) -> Any:
    """A reply without the milliseconds it took."""
    if isinstance(reply, Iterator):
        reply = list(reply)
    if isinstance(reply, dict):
        return {key: timeless(value) for key, value in reply.items() if key != "milliseconds"}
    return [timeless(one) for one in reply] if isinstance(reply, list | tuple) else reply
