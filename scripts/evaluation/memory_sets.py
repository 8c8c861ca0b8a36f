"""Labelled sets of memories as data sets: stores of short memories, messages that they answer or do not.

Two formats are read: LoCoMo's extracted facts (a list of conversations with `facts` and `questions`) and the
companion sets of `labels/` (an object with `people`). Questions of one person asked of another person's store
are added as messages that nothing answers.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from evaluation.datasets import Dataset, Item, Question, locomo_time

FOREIGN = "foreign"
ACROSS = "across languages"
NOTHING: frozenset[str] = frozenset()


def load_memories(path: Path) -> Dataset:
    """Read a set; a message that nothing answers has no evidence."""
    data = json.loads(path.read_text(encoding="utf-8"))
    return _facts(data) if isinstance(data, list) else _companion(path.stem, data)


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


def _item(id: str, text: str, time: float) -> Item:
    return Item(id, text, time, "", "user")


def _seconds(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp()
