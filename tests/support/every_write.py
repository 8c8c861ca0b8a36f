"""A user who calls every method that stores text, each time with a word that occurs nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from memory_client.api import METHODS

KB = Any
NOTHING_OWN = {
    "memory.mark_used",
    "memory.pin",
    "memory.update_importance",
    "memory.revert",
    "memory.delete_many",
    "memory.delete_all",
    "memory.forget",
    "conversation.delete",
    "decay.run",
    "decay.undo_pass",
    "decay.purge",
    "triples.delete",
    "triples.unalias",
    "knowledge.merge",
    "knowledge.rollback",
    "knowledge.unsubscribe",
    "knowledge.revoke",
}
"""Writes that take no words of the user's; they move, or remove, what others have stored."""


class Life:
    """marks: what each word was given to, by word; ids: of the memories that were stored, by word."""

    def __init__(self, kb: KB, user: str, friend: str) -> None:
        self.kb, self.user, self.friend = kb, user, friend
        self.marks: dict[str, str] = {}
        self.ids: list[str] = []

    def word(self, of: str) -> str:
        """A word that stands nowhere else."""
        digits = f"{len(self.marks):03d}".translate(str.maketrans("0123456789", "bdfghklmnp"))
        mark = f"Quastenflosser{digits}kolibri"
        self.marks[mark] = of
        return mark

    def memory(self, text: str, **metadata: Any) -> str:
        id = str(self.kb.add(text, metadata, user_id=self.user))
        self.ids.append(id)
        return id

    def run(self) -> None:
        """Call every one of them."""
        stores = dict(_stores(self))
        wanted = {wire for wire, spec in METHODS.items() if spec.is_write} - NOTHING_OWN
        assert set(stores) == wanted, "a method that stores something is missing here, or is no longer there"
        for call in stores.values():
            call()
        self.kb.decay.run(user_id=self.user)  # it takes no words, but leaves rows


def _stores(life: Life) -> Iterator[tuple[str, Callable[[], Any]]]:
    kb, user, u = life.kb, life.user, {"user_id": life.user}

    def word(wire: str) -> str:
        return life.word(wire)

    def changed() -> str:
        return life.memory("a memory that is changed later on")

    yield (
        "memory.add",
        lambda: (
            life.memory(
                word("memory.add"), **{word("memory.add"): word("memory.add"), "tags": [word("memory.add")]}
            ),
            kb.add("of an agent", agent_id=word("memory.add"), session_id=word("memory.add"), **u),
            kb.add("named", {"source_id": word("memory.add"), "exact_keys": [word("memory.add")]}, **u),
            kb.add("once", request_id=word("memory.add"), **u),
        ),
    )
    yield (
        "memory.add_many",
        lambda: kb.add_many(
            [word("memory.add_many"), {"text": "x", "metadata": {"y": word("memory.add_many")}}], **u
        ),
    )

    def texts() -> None:
        id = changed()
        for _ in range(3):
            kb.update_text(id, f"now {word('memory.update_text')}", **u)
        kb.revert(id, 2, word("memory.revert"), **u)

    yield "memory.update_text", texts

    def metadata() -> None:
        id = changed()
        kb.update_metadata(id, {"note": word("memory.update_metadata")}, **u)
        kb.update_metadata(id, {"note": None, word("memory.update_metadata"): 1}, **u)

    yield "memory.update_metadata", metadata
    yield (
        "memory.delete",
        lambda: kb.delete(str(kb.add("goes at once", **u)), word("memory.delete"), **u),
    )
    for name in ("boost", "archive"):
        yield f"memory.{name}", lambda name=name: getattr(kb, name)(changed(), word(f"memory.{name}"), **u)

    def restored() -> None:
        id = changed()
        kb.archive(id, **u)
        kb.restore(id, word("memory.restore"), **u)

    yield "memory.restore", restored
    yield (
        "memory.feedback",
        lambda: [
            kb.feedback(changed(), finding, word("memory.feedback"), **u)
            for finding in ("useful", "wrong", "outdated")
        ],
    )

    def decided() -> None:
        id = life.memory("weighty", importance=2.4)
        kb.boost(id, **u)
        (review,) = [one for one in kb.review.page(**u)["items"] if one["memory_id"] == id]
        kb.review.decide(review["id"], "promote", word("review.decide"), **u)

    yield "review.decide", decided
    yield (
        "memory.supersede",
        lambda: life.ids.append(
            kb.supersede(
                changed(),
                word("memory.supersede"),
                {"note": word("memory.supersede")},
                word("memory.supersede"),
                **u,
            )
        ),
    )

    def resolved() -> None:
        color = word("memory.resolve")
        winner, loser = life.memory(f"主人喜欢{color}"), life.memory(f"主人不喜欢{color}")
        kb.conflicts(**u)
        kb.resolve(winner, loser, reason=word("memory.resolve"), **u)

    yield "memory.resolve", resolved
    say = kb.conversation.append
    yield (
        "conversation.append",
        lambda: (
            say(
                word("conversation.append"),
                "user",
                word("conversation.append"),
                speaker=word("conversation.append"),
                metadata={"x": word("conversation.append")},
                **u,
            ),
            say("passing", "user", word("conversation.append"), remember=False, **u),
        ),
    )
    yield (
        "conversation.extend",
        lambda: kb.conversation.extend(
            word("conversation.extend"), [{"role": "user", "content": word("conversation.extend")}], **u
        ),
    )
    yield (
        "conversation.end",
        lambda: (say(word("conversation.end"), "user", "bye", **u), kb.conversation.end("passing", **u)),
    )

    def triple(wire: str) -> str:
        more = {"frequency": word(wire), "condition": word(wire)}
        return str(kb.triples.add(word(wire), word(wire), word(wire), **more, **u))

    yield "triples.add", lambda: (triple("triples.add"), kb.triples.delete(triple("triples.add"), **u))

    def aliased() -> None:
        name = word("triples.alias")
        kb.triples.add(name, "likes", "tea", **u)
        kb.triples.alias(word("triples.alias"), name, **u)

    yield "triples.alias", aliased
    yield (
        "triples.import_jsonl",
        lambda: kb.triples.import_jsonl(
            [line.replace("tea", word("triples.import_jsonl")) for line in kb.triples.export_jsonl(user)], **u
        ),
    )

    def point(wire: str) -> dict[str, Any]:
        return {"content": word(wire), "type": "WorldModel", "score": 50, "metadata": {"x": word(wire)}}

    def saved() -> None:
        kb.knowledge.save_knowledge(user, None, [point("knowledge.save_knowledge")])
        kb.knowledge.save_knowledge(user, None, [point("knowledge.save_knowledge")])
        kb.knowledge.merge(user)

    yield "knowledge.save_knowledge", saved
    shared = word("knowledge.publish")
    yield "knowledge.publish", lambda: kb.knowledge.publish(shared, filters={"type": "WorldModel"}, **u)
    yield "knowledge.subscribe", lambda: kb.knowledge.subscribe(user, shared, user_id=life.friend)
