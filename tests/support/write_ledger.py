"""Random writes, and what the store must contain once they are acknowledged."""

from __future__ import annotations

import copy
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memory_client import KnowledgeClient
from memory_client.types import Turn, TurnItem

SESSION = "talk"
_SYLLABLES = ("ka", "zo", "mi", "tre", "bul", "ven", "shi", "dor", "pla", "qui")
_CHINESE = "山水风云花鸟鱼虫日月星辰春夏秋冬东西南北"


@dataclass
class Entry:
    """A memory as it must be."""

    text: str
    n: int | None = None
    importance: float = 1.0
    version: int = 1


@dataclass(frozen=True)
class Operation:
    """One write with its request id. ids: the memories or turns it is about; texts: what it stores."""

    kind: str
    request_id: str
    ids: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    number: int = 0


@dataclass
class Ledger:
    """The memories and turns (id -> text) of one user as the acknowledged writes left them.

    doubt: the write without an answer.
    """

    user: str
    random: random.Random
    entries: dict[str, Entry] = field(default_factory=dict)
    turns: dict[str, str] = field(default_factory=dict)
    destroyed: list[str] = field(default_factory=list)
    acknowledged: int = 0
    doubt: Operation | None = None

    def draw(self) -> Operation:
        """The next write."""
        kinds = ["add"] * 4 + ["add_many", "append", "append", "extend"]
        if len(self.turns) > 3:
            kinds.append("delete_turns")
        if len(self.entries) > 3:
            kinds += ["update_text", "update_metadata", "update_importance", "delete", "delete_many"]
        kind = self.random.choice(kinds)
        request_id = f"{self.user}-{self.random.getrandbits(64):x}"
        ids = sorted(self.entries)
        if kind in ("add", "append"):
            return Operation(kind, request_id, texts=(self._text(),))
        if kind == "delete_turns":
            return Operation(kind, request_id, tuple(self.random.sample(sorted(self.turns), 2)))
        if kind in ("add_many", "extend"):
            return Operation(
                kind, request_id, texts=tuple(self._text() for _ in range(self.random.randint(2, 12)))
            )
        if kind == "delete_many":
            return Operation(kind, request_id, tuple(self.random.sample(ids, self.random.randint(1, 3))))
        chosen = (self.random.choice(ids),)
        texts = (self._text(),) if kind == "update_text" else ()
        return Operation(kind, request_id, chosen, texts, self.random.randint(0, 40))

    def carry_out(self, client: KnowledgeClient, operation: Operation) -> None:
        """Send a write and enter it once it is acknowledged."""
        self.doubt = operation
        reply = _send(client, self.user, operation)
        self.doubt = None
        self.acknowledged += 1
        self._enter(operation, _ids_of(reply))

    def _enter(self, operation: Operation, ids: list[str]) -> None:
        if operation.kind in ("add", "add_many"):
            assert len(ids) == len(operation.texts)
            self.entries.update((id, Entry(text)) for id, text in zip(ids, operation.texts, strict=True))
            return
        if operation.kind in ("append", "extend"):
            self.turns.update(zip(ids, operation.texts, strict=True))
            return
        if operation.kind == "delete_turns":
            for id in operation.ids:
                self.turns.pop(id)
            return
        for id in operation.ids:
            self._change(operation, id)

    def _change(self, operation: Operation, id: str) -> None:
        entry = self.entries[id]
        before = copy.copy(entry)
        if operation.kind in ("delete", "delete_many"):
            self.destroyed.append(self.entries.pop(id).text)
        elif operation.kind == "update_text":
            self.destroyed.append(entry.text)
            entry.text = operation.texts[0]
        elif operation.kind == "update_metadata":
            entry.n = operation.number
        else:
            entry.importance = operation.number / 8
        entry.version += before != entry

    def matches(self, stored: dict[str, Entry], turns: dict[str, str]) -> bool:
        """Whether the store holds just what was acknowledged, the write in doubt being in it or not."""
        if (stored, turns) == (self.entries, self.turns):
            return True
        if self.doubt is None:
            return False
        after = copy.deepcopy(self)
        if self.doubt.kind in ("add", "add_many"):
            ids = _new(stored, self.entries)
            same = [stored[id].text for id in ids] == list(self.doubt.texts)
        elif self.doubt.kind in ("append", "extend"):
            ids = _new(turns, self.turns)
            same = [turns[id] for id in ids] == list(self.doubt.texts)
        else:
            ids, same = [], True
        if same:
            after._enter(self.doubt, ids)
        return same and (stored, turns) == (after.entries, after.turns)

    def _text(self) -> str:
        """A text with words of its own, in both scripts."""
        word = "".join(self.random.choices(_SYLLABLES, k=6))
        return f"{word} {''.join(self.random.sample(_CHINESE, 6))} {self.random.getrandbits(40):x}"


def stored_of(client: KnowledgeClient, user: str) -> dict[str, Entry]:
    """What the store shows of a user."""
    return {
        memory["id"]: Entry(
            memory["text"], memory["metadata"].get("n"), memory["importance"], memory["version"]
        )
        for memory in client.get_all(user)
    }


def turns_of(client: KnowledgeClient, user: str) -> dict[str, str]:
    """What the store shows of what a user said."""
    page = client.conversation.page(SESSION, limit=1000, user_id=user)
    found: list[Turn] = page["items"]
    while page["cursor"]:
        page = client.conversation.page(SESSION, cursor=page["cursor"], limit=1000, user_id=user)
        found += page["items"]
    in_order = sorted(found, key=lambda turn: turn["id"])
    assert [turn["position"] for turn in in_order] == sorted({turn["position"] for turn in found})
    return {turn["id"]: turn["text"] for turn in found}


def _new(stored: Mapping[str, object], known: Mapping[str, object]) -> list[str]:
    """Ids in the order in which they were made."""
    return sorted(stored.keys() - known.keys())


def _send(client: KnowledgeClient, user: str, operation: Operation) -> Any:
    own = {"user_id": user, "request_id": operation.request_id}
    turns: list[TurnItem] = [{"role": "assistant", "text": text} for text in operation.texts]
    calls = {
        "add": lambda: client.add(operation.texts[0], **own),
        "add_many": lambda: client.add_many(list(operation.texts), **own),
        "update_text": lambda: client.update_text(operation.ids[0], operation.texts[0], **own),
        "update_metadata": lambda: client.update_metadata(operation.ids[0], {"n": operation.number}, **own),
        "update_importance": lambda: client.update_importance(
            operation.ids[0], value=operation.number / 8, **own
        ),
        "delete": lambda: client.delete(operation.ids[0], **own),
        "delete_many": lambda: client.delete_many(list(operation.ids), **own),
        "append": lambda: client.conversation.append(SESSION, "user", operation.texts[0], **own),
        "extend": lambda: client.conversation.extend(SESSION, turns, **own),
        "delete_turns": lambda: client.conversation.delete(list(operation.ids), **own),
    }
    return calls[operation.kind]()


def _ids_of(reply: Any) -> list[str]:
    if isinstance(reply, dict):
        return [reply["id"]] if "position" in reply else list(reply.get("ids", []))
    return [reply] if isinstance(reply, str) else list(reply)
