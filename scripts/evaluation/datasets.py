"""Data sets in one shape: stores of items, and questions with the items that answer them.

Two formats are read: LoCoMo (a list of conversations with `qa`) and the MemoryBank companion set (an object
with `users` and `questions`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

POOLED = "pooled"
OWN = "own store"
ADVERSARIAL = "adversarial"
LOCOMO_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: ADVERSARIAL}
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")


class DatasetError(Exception):
    """A file is not one of the two formats; the message names the file and the place."""


@dataclass(frozen=True, slots=True)
class Item:
    """One turn to store. id: of the evidence it is part of. time: when it was said, UTC epoch seconds."""

    id: str
    text: str
    time: float
    session: str
    role: str
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """any_of: one of them suffices. all_of: each counts its share. suite: questions averaged together."""

    store: str
    suite: str
    category: str
    text: str
    any_of: frozenset[str]
    all_of: frozenset[str]


@dataclass(frozen=True, slots=True)
class Dataset:
    """stores: user id -> items in the order they were said. skipped: questions without usable evidence.

    reference_time: ISO 8601, what relative times in the questions are told from, in the zone tz; None where
    the set says nothing: the time of the store's last item then.
    """

    name: str
    stores: dict[str, list[Item]]
    questions: list[Question]
    skipped: int
    tz: str
    reference_time: str | None = None

    def reference(self, store: str) -> float | str:
        """What relative times in a store's questions are told from."""
        return self.reference_time or max(item.time for item in self.stores[store])


def load(path: Path, questions: Path | None = None, split: str | None = None) -> Dataset:
    """Read a data set; `questions` replaces its own, or those of them that are in a `split`.

    Raises `DatasetError`.
    """
    data = _read(path)
    other = None if questions is None else _of_split(_read(questions), split)
    try:
        if isinstance(data, list):
            return _locomo(data, data if other is None else other)
        return _memorybank(data, data if other is None else other)
    except (KeyError, TypeError, ValueError) as error:
        where = path if questions is None else f"{path} with {questions}"
        raise DatasetError(f"{where}: not LoCoMo and not MemoryBank: {error!r}") from error


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DatasetError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise DatasetError(f"{path} is not JSON: {error}") from error


def _of_split(asked: Any, split: str | None) -> Any:
    if split is None or not isinstance(asked, dict):
        return asked
    chosen = [question for question in asked["questions"] if question.get("split") == split]
    return {**asked, "questions": chosen}


def _dataset(
    name: str, stores: dict[str, list[Item]], questions: Iterable[Question], tz: str, at: str | None = None
) -> Dataset:
    everything = list(questions)
    usable = [question for question in everything if question.any_of or question.all_of]
    return Dataset(name, stores, usable, len(everything) - len(usable), tz, at)


# LoCoMo ------------------------------------------------------------------------------------------------


def _locomo(conversations: list[dict[str, Any]], asked: list[dict[str, Any]]) -> Dataset:
    stores = {c["sample_id"]: list(_turns(c["conversation"])) for c in conversations}
    return _dataset("LoCoMo", stores, _locomo_questions(asked, stores), "UTC")


def _turns(conversation: dict[str, Any]) -> Iterator[Item]:
    for session in _sessions(conversation):
        start = locomo_time(conversation[f"{session}_date_time"])
        for position, turn in enumerate(conversation[session]):
            role = "user" if turn["speaker"] == conversation["speaker_a"] else "assistant"
            text = _turn_text(turn)
            yield Item(turn["dia_id"], text, start + position, session, role, turn["speaker"])


def _sessions(conversation: dict[str, Any]) -> list[str]:
    named = [key for key in conversation if re.fullmatch(r"session_\d+", key)]
    return sorted(named, key=lambda key: int(key.removeprefix("session_")))


def _turn_text(turn: dict[str, Any]) -> str:
    caption = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
    return f"{turn['text']}{caption}"


def locomo_time(text: str) -> float:
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC).timestamp()


def _locomo_questions(asked: list[dict[str, Any]], stores: dict[str, list[Item]]) -> Iterator[Question]:
    """From conversations with `qa`, or from plain questions that name their `sample_id`."""
    known = {store: {item.id for item in items} for store, items in stores.items()}
    for entry in asked:
        for question in entry.get("qa", [entry]):
            store = entry["sample_id"]
            evidence = frozenset(evidence_ids(question["evidence"])) & known[store]
            category = LOCOMO_CATEGORIES[question["category"]]
            yield Question(store, "LoCoMo", category, question["question"], frozenset(), evidence)


def evidence_ids(evidence: Iterable[str]) -> Iterator[str]:
    """The turn ids in LoCoMo's evidence strings, which may hold several, with any separator."""
    for text in evidence:
        yield from (f"D{int(session)}:{int(turn)}" for session, turn in _EVIDENCE.findall(text))


# MemoryBank --------------------------------------------------------------------------------------------


def _memorybank(data: dict[str, Any], asked: Any) -> Dataset:
    """Every question counts twice: in its user's own store and with all users' pairs in one."""
    stores = {user["user"]: list(_pairs(user["history"])) for user in data["users"]}
    pooled = [_in_pool(user, item) for user, items in stores.items() for item in items]
    questions = asked["questions"] if isinstance(asked, dict) else asked
    both = [
        *(_own_question(q, stores) for q in questions),
        *(_pooled_question(q, stores) for q in questions),
    ]
    about = asked if isinstance(asked, dict) else {}
    at, tz = about.get("reference_time"), about.get("tz", "UTC")
    return _dataset("MemoryBank", {**stores, POOLED: pooled}, both, tz, at)


def _pairs(history: dict[str, list[dict[str, str]]]) -> Iterator[Item]:
    for date, pairs in sorted(history.items()):
        day = datetime.strptime(date, "%Y-%m-%d").replace(tzinfo=UTC) + timedelta(hours=12)
        for index, pair in enumerate(pairs):
            at = (day + timedelta(minutes=index)).timestamp()
            for second, (role, name) in enumerate((("user", "query"), ("assistant", "response"))):
                if pair[name].strip():
                    yield Item(f"{date}#{index}", pair[name], at + second, date, role)


def _in_pool(user: str, item: Item) -> Item:
    return replace(item, id=_pool_id(user, item.id), session=f"{user} {item.session}")


def _pool_id(user: str, item_id: str) -> str:
    return f"{user} {item_id}"


def _own_question(question: dict[str, Any], stores: dict[str, list[Item]]) -> Question:
    user, known = question["user"], {item.id for item in stores[question["user"]]}
    any_of, all_of = (frozenset(question[name]) & known for name in ("any_of", "all_of"))
    return Question(user, OWN, question["kind"], question["question"], any_of, all_of)


def _pooled_question(question: dict[str, Any], stores: dict[str, list[Item]]) -> Question:
    own = _own_question(question, stores)
    any_of, all_of = (frozenset(_pool_id(own.store, i) for i in ids) for ids in (own.any_of, own.all_of))
    return Question(POOLED, POOLED, own.category, own.text, any_of, all_of)
