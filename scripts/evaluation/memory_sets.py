"""Labelled sets of memories as data sets: stores of short memories, messages that they answer or do not.

Three formats are read: LoCoMo's extracted facts (a list of conversations with `facts` and `questions`), the
companion sets of `labels/` (an object with `people`), and the `tuning` half of `labels/relations.json` (an
object with `users`). In the first two, questions of one person asked of another person's store are added as
messages that nothing answers.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evaluation.datasets import Dataset, Item, Question, locomo_time

FOREIGN = "foreign"
ACROSS = "across languages"
_DAY = 86_400.0
_ASKED = 1_780_000_000.0
NOTHING: frozenset[str] = frozenset()


def load_memories(path: Path) -> Dataset:
    """Read a set; a message that nothing answers has no evidence."""
    data = json.loads(path.read_text(encoding="utf-8"))
    if isinstance(data, list):
        return _facts(data)
    return _companion(path.stem, data) if "people" in data else _relations(path.stem, data)


def _companion(name: str, data: dict[str, Any]) -> Dataset:
    stores = {
        person["id"]: [
            _item(one["id"], one["text"], _seconds(one["created_at"])) for one in person["memories"]
        ]
        for person in data["people"]
    }
    messages = [one for person in data["people"] for one in _of_person(name, person, list(stores))]
    return Dataset(name, stores, messages, 0, data["tz"], data["reference_time"])


def _of_person(name: str, person: dict[str, Any], stores: Sequence[str]) -> Iterator[Question]:
    own = person["id"]
    for one in person["messages"]:
        kind = ACROSS if one["across"] else one["kind"]
        yield Question(own, name, kind, one["text"], frozenset(one["memories"]), NOTHING)
        for other in stores:
            if other != own:
                yield Question(other, name, FOREIGN, one["text"], NOTHING, NOTHING)
    for one in person["nothing"]:
        yield Question(own, name, one["kind"], one["text"], NOTHING, NOTHING)


def _facts(data: list[dict[str, Any]]) -> Dataset:
    stores = {
        one["sample_id"]: [_item(f["id"], f["text"], locomo_time(f["date"])) for f in one["facts"]]
        for one in data
    }
    messages = [one for conversation in data for one in _of_conversation(conversation, list(stores))]
    return Dataset("LoCoMo facts", stores, messages, 0, "UTC")


def _of_conversation(conversation: dict[str, Any], stores: Sequence[str]) -> Iterator[Question]:
    """Its questions, and each asked once of another conversation, drawn with a fixed seed."""
    own = conversation["sample_id"]
    draw = random.Random(own)
    others = [store for store in stores if store != own]
    for one in conversation["questions"]:
        text = one["question"]
        yield Question(own, "LoCoMo facts", one["category"], text, frozenset(one["facts"]), NOTHING)
        yield Question(draw.choice(others), "LoCoMo facts", FOREIGN, text, NOTHING, NOTHING)


def _relations(name: str, data: dict[str, Any]) -> Dataset:
    """Memories without a time of their own are a day apart, the last one a day before the questions."""
    stores = {
        user["user"]: [
            _item(one["id"], one["text"], _ASKED - _DAY * place)
            for place, one in enumerate(reversed(user["memories"]), 1)
        ]
        for user in data["users"]
    }
    messages = [
        Question(user["user"], name, one["kind"], one["question"], NOTHING, frozenset(one["evidence"]))
        for user in data["users"]
        for one in user["questions"]
        if one["split"] == "tuning"
    ]
    return Dataset(name, stores, messages, 0, "UTC", datetime.fromtimestamp(_ASKED, UTC).isoformat())


def _item(id: str, text: str, time: float) -> Item:
    return Item(id, text, time, "", "user")


def _seconds(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp()
