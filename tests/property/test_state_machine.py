"""The whole store against a dict: Hypothesis draws the calls, and closes and reopens it in between."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)

from memory_client.errors import InvalidParameterError, NotFoundError, RequestIdConflict
from memoryd.knowledge_base import KnowledgeBase
from support.store_model import Memory, Model
from support.waiting import eventually

USERS = ("ann", "bob")
WORDS = ("花生", "过敏", "C盘", "biscuit", "running", "五月", "emoji🥜", "x")

users = st.sampled_from(USERS)
agents = st.sampled_from([None, None, "cook"])
readers = st.sampled_from([None, "cook", "*"])
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join) | st.text(
    st.characters(codec="utf-8", exclude_characters="\0"), max_size=40
).map(lambda text: f"{text}.")  # something visible
metadata = st.fixed_dictionaries(
    {},
    optional={
        "category": st.sampled_from(["fact", "core", "episode", "system"]),
        "importance": st.integers(0, 20).map(lambda n: n / 4),
        "mood": st.sampled_from(["good", "bad", None]),
        "n": st.integers(-5, 5) | st.floats(-5, 5),
        "deep": st.fixed_dictionaries({"list": st.lists(st.booleans(), max_size=2)}),
    },
)
FILTERS: list[tuple[dict[str, Any], Callable[[Memory], bool]]] = [
    ({"category": "core"}, lambda m: m.category == "core"),
    ({"category": {"ne": "fact"}}, lambda m: m.category != "fact"),
    ({"importance": {"gte": 2}}, lambda m: m.importance >= 2),
    ({"metadata.mood": "good"}, lambda m: m.metadata.get("mood") == "good"),
    ({"not": {"metadata.mood": "good"}}, lambda m: m.metadata.get("mood") != "good"),
    ({"metadata.n": {"gt": 0}}, lambda m: m.metadata.get("n") is not None and m.metadata["n"] > 0),
    (
        {"or": [{"metadata.n": {"lte": -1}}, {"category": {"in": ["episode"]}}]},
        lambda m: m.metadata.get("n", 0) <= -1 or m.category == "episode",
    ),
]
filters = st.sampled_from(FILTERS)


class Store(RuleBasedStateMachine):
    """In process, without a model."""

    settings: ClassVar[dict[str, object]] = {"embedder.model": "none"}
    memories: Bundle[tuple[str, str]] = Bundle("memories")
    requests: Bundle[Any] = Bundle("requests")

    def __init__(self) -> None:
        super().__init__()
        self.home = Path(tempfile.mkdtemp(prefix="memoryd-machine-"))
        self.kb: Any = None
        self.model = Model()
        self.request = 0
        self.eras: Counter[str] = Counter()

    @initialize()
    def open(self) -> None:
        self.kb = KnowledgeBase(self.home / "home", settings=self.settings)

    def teardown(self) -> None:
        if self.kb is not None:
            self.kb.close()
        shutil.rmtree(self.home)

    # -- writes

    @rule(target=memories, user=users, agent=agents, text=texts, metadata=metadata)
    def add(self, user: str, agent: str | None, text: str, metadata: dict[str, Any]) -> tuple[str, str]:
        id = self.kb.add(text, metadata, user_id=user, agent_id=agent)
        self._enter(user, agent, id, text, metadata)
        return user, id

    @rule(
        target=memories,
        user=users,
        agent=agents,
        items=st.lists(st.tuples(texts, metadata), max_size=6),
    )
    def add_many(self, user: str, agent: str | None, items: list[tuple[str, dict[str, Any]]]) -> Any:
        given = [{"text": text, "metadata": own} for text, own in items]
        ids = self.kb.add_many(given, user_id=user, agent_id=agent)
        for id, (text, own) in zip(ids, items, strict=True):
            self._enter(user, agent, id, text, own)
        return multiple(*((user, id) for id in ids))

    @rule(target=requests, user=users, text=texts, metadata=metadata)
    def add_with_a_request_id(self, user: str, text: str, metadata: dict[str, Any]) -> Any:
        self.request += 1
        name = f"request {self.request}"
        id = self.kb.add(text, metadata, user_id=user, request_id=name)
        self._enter(user, None, id, text, metadata)
        return (
            lambda: self.kb.add(text, metadata, user_id=user, request_id=name),
            lambda: self.kb.add(f"{text}.", metadata, user_id=user, request_id=name),
            (user, self.eras[user]),
            id,
        )

    @rule(request=requests)
    def repeat_a_request(self, request: Any) -> None:
        repeat, differ, (user, era), reply = request
        if era != self.eras[user]:
            return  # with the user, the replies to their requests were forgotten
        assert repeat() == reply
        with pytest.raises(RequestIdConflict):
            differ()

    @rule(memory=memories, text=texts)
    def update_text(self, memory: tuple[str, str], text: str) -> None:
        self._update(memory, lambda **k: self.kb.update_text(memory[1], text, **k), text=text)

    @rule(memory=memories, n=st.integers(-5, 5), mood=st.sampled_from(["good", "bad"]))
    def update_metadata(self, memory: tuple[str, str], n: int, mood: str) -> None:
        known = self._known(memory)
        own = {**(known.metadata if known else {}), "mood": mood, "n": n}
        given = {"mood": mood, "n": n}
        self._update(memory, lambda **k: self.kb.update_metadata(memory[1], given, **k), metadata=own)

    @rule(memory=memories, keys=st.sets(st.sampled_from(["mood", "n", "deep", "never"]), min_size=1))
    def remove_metadata(self, memory: tuple[str, str], keys: set[str]) -> None:
        known = self._known(memory)
        left = {key: value for key, value in known.metadata.items() if key not in keys} if known else {}
        given = dict.fromkeys(keys)
        self._update(memory, lambda **k: self.kb.update_metadata(memory[1], given, **k), metadata=left)

    @rule(memory=memories, delta=st.integers(-20, 20).map(lambda n: n / 4))
    def update_importance(self, memory: tuple[str, str], delta: float) -> None:
        known = self._known(memory)
        after = min(5.0, max(0.0, known.importance + delta)) if known else 0.0
        self._update(memory, lambda **k: self.kb.update_importance(memory[1], delta, **k), importance=after)

    @rule(memory=memories)
    def delete_but_no_system_memory(self, memory: tuple[str, str]) -> None:
        user, id = memory
        known = self._known(memory)
        if known is not None and known.category == "system":
            with pytest.raises(InvalidParameterError):
                self.kb.delete(id, user_id=user, agent_id="*")
        elif known is not None:
            assert self.kb.delete(id, user_id=user, agent_id="*")["ids"] == [id]
            self.model.drop(user, [id])

    @rule(memory=consumes(memories))
    def delete(self, memory: tuple[str, str]) -> None:
        user, id = memory
        if self._known(memory) is None:
            with pytest.raises(NotFoundError):
                self.kb.delete(id, force=True, user_id=user, agent_id="*")
            return
        assert self.kb.delete(id, force=True, user_id=user, agent_id="*")["ids"] == [id]
        self.model.drop(user, [id])

    @rule(user=users, agent=readers, chosen=filters, dry_run=st.booleans(), force=st.booleans())
    def delete_many(
        self,
        user: str,
        agent: str | None,
        chosen: tuple[dict[str, Any], Any],
        dry_run: bool,
        force: bool,
    ) -> None:
        given, fits = chosen
        found = [m for m in self.model.of(user, agent) if fits(m)]
        left = [m.id for m in found if m.category in ("system", "core") and not force]
        wanted = [m.id for m in found if m.id not in left]
        deleted = self.kb.delete_many(
            filters=given, dry_run=dry_run, force=force, user_id=user, agent_id=agent
        )
        assert sorted(deleted["ids"]) == sorted(wanted)
        assert (sorted(deleted["skipped"]), deleted["skipped_count"]) == (sorted(left), len(left))
        if not dry_run:
            self.model.drop(user, wanted)

    @precondition(lambda self: self.eras.total() < 2)
    @rule(user=users)
    def delete_all(self, user: str) -> None:
        """Not too often: it removes physically, which takes its time."""
        self.eras[user] += 1
        receipt = self.kb.delete_all(user)
        assert receipt["counts"]["memories"] == len(self.model.of(user))
        self.model.users.pop(user, None)

    # -- restarts

    @rule()
    def restart(self) -> None:
        self.kb.close()
        self.kb = KnowledgeBase(self.home / "home", settings=self.settings)

    # -- reads

    @rule(user=users, agent=readers, chosen=filters)
    def count_and_page(self, user: str, agent: str | None, chosen: tuple[dict[str, Any], Any]) -> None:
        given, fits = chosen
        wanted = [m.id for m in self.model.of(user, agent) if fits(m)]
        scope = {"user_id": user, "agent_id": agent}
        assert self.kb.count(filters=given, **scope) == len(wanted)
        assert self._pages(given, 3, **scope) == wanted

    @rule(user=users, agent=readers, word=st.sampled_from(WORDS))
    def search_a_word(self, user: str, agent: str | None, word: str) -> None:
        """Whoever holds the word as a word of its own is found, if as one of those that say the same, and
        nobody of another scope."""
        seen = self.model.of(user, agent)
        hits = self.kb.search(word, 1000, mode="lexical", explain=True, user_id=user, agent_id=agent)
        found = {id for hit in hits for id in (hit["id"], *hit["explain"]["duplicates"])}
        assert found <= {memory.id for memory in seen}
        assert found >= {memory.id for memory in seen if word in memory.text.split(" ")}
        scores = [hit["score"] for hit in hits]
        assert scores == sorted(scores, reverse=True)
        assert all(0.0 <= score <= 1.0 for score in scores)

    @rule(memory=memories, reader=readers)
    def get(self, memory: tuple[str, str], reader: str | None) -> None:
        user, id = memory
        known = self._known(memory)
        found = self.kb.get(id, user_id=user, agent_id=reader)
        if known is None or not known.sees(reader):
            assert found is None
        else:
            self._same(found, known)
        for other in USERS:
            if other != user:
                assert self.kb.get(id, user_id=other, agent_id="*") is None

    @rule()
    def doctor(self) -> None:
        assert [
            finding
            for finding in self.kb.admin.doctor()
            if not finding["ok"] and finding["check"] not in ("embedding model", "disk")
        ] == []

    @invariant()
    def everything_is_there_and_nothing_else(self) -> None:
        if self.kb is None:
            return
        for user in USERS:
            found = self.kb.get_all(user, agent_id="*")
            known = self.model.of(user)
            assert [memory["id"] for memory in found] == [memory.id for memory in known]
            for memory, expected in zip(found, known, strict=True):
                self._same(memory, expected)
            stats = self.kb.stats(user_id=user, agent_id="*")
            assert stats["total"] == len(known)
            assert stats["character_count"] == sum(len(memory.text) for memory in known)

    # -- helpers

    def _known(self, memory: tuple[str, str]) -> Memory | None:
        return self.model.users.get(memory[0], {}).get(memory[1])

    def _enter(self, user: str, agent: str | None, id: str, text: str, given: dict[str, Any]) -> None:
        category = given.get("category", "fact")
        self.model.put(
            user,
            Memory(
                id=id,
                agent_id=agent,
                text=text,
                category=category,
                importance=given.get("importance", 3.0 if category in ("core", "system") else 1.0),
                metadata={key: given[key] for key in given if key not in ("category", "importance")},
                created_at=self.kb.get(id, user_id=user, agent_id="*")["created_at"],
            ),
        )

    def _update(self, memory: tuple[str, str], call: Callable[..., Any], **changes: Any) -> None:
        user, id = memory
        scope = {"user_id": user, "agent_id": "*"}
        if self._known(memory) is None:
            with pytest.raises(NotFoundError):
                call(**scope)
            return
        changed = self.model.change(user, id, **changes)
        version = self.model.users[user][id].version
        assert call(**scope) == {"id": id, "version": version, "changed": changed}

    def _pages(self, given: dict[str, Any], limit: int, **scope: Any) -> list[str]:
        ids: list[str] = []
        cursor = None
        while True:
            page = self.kb.page(given, sort_order="asc", cursor=cursor, limit=limit, **scope)
            ids += [memory["id"] for memory in page["items"]]
            cursor = page["cursor"]
            if cursor is None:
                assert page["total"] == len(ids)
                return ids

    def _same(self, found: Any, known: Memory) -> None:
        repeated = {"importance", "timestamp", "last_access", "category", "source", "verified", "confidence"}
        assert found["text"] == known.text
        assert found["agent_id"] == known.agent_id
        assert found["category"] == known.category
        assert found["importance"] == known.importance
        assert found["version"] == known.version
        own = {key: value for key, value in found["metadata"].items() if key not in repeated}
        assert own == known.metadata


class StoreWithModel(Store):
    """The same with the bundled model: what is stored is found by its own text, too."""

    settings: ClassVar[dict[str, object]] = {"lance.batch_seconds": 0.05, "hot.snapshot_seconds": 0.2}

    @initialize()
    def open(self) -> None:
        super().open()
        eventually("the model is ready", lambda: self.kb.status()["stage"] == "ready", 60)

    @rule(user=users, agent=readers)
    def search_by_meaning(self, user: str, agent: str | None) -> None:
        if not self.kb.status()["embedder"]["is_searchable"]:
            return
        known = self.model.of(user, agent)
        hits = self.kb.search("花生 biscuit", 1000, mode="semantic", user_id=user, agent_id=agent)
        assert {hit["id"] for hit in hits} == {memory.id for memory in known}
        assert all(hit["text"] == self.model.users[user][hit["id"]].text for hit in hits)


pytestmark = pytest.mark.timeout(900)  # a failure takes minutes to be made small
TestStore = Store.TestCase
TestStore.settings = settings(
    max_examples=25,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestStoreWithModel = StoreWithModel.TestCase
TestStoreWithModel.settings = settings(
    max_examples=4,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
