"""What the ranker is trained, calibrated and compared on, and the features of each profile."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from evaluation.candidates import Judged, kept
from evaluation.datasets import ADVERSARIAL, POOLED, Dataset, Question, load
from evaluation.memory_sets import FOREIGN, NOTHING, load_memories
from evaluation.runner import Notice
from memoryd.retrieval.plan import CANDIDATES
from memoryd.retrieval.ranking.ranker import ProfileName

LABELS = Path(__file__).parent / "labels"
QUESTIONS = LABELS / "memorybank_zh_questions.json"
MESSAGES = LABELS / "messages.json"
OURS = "MemoryBank, our questions"
LOCOMO = ("LoCoMo", "LoCoMo facts")
"""Sets under CC BY-NC 4.0; all others are ours or MIT."""
CUES = ("speaker", "date", "date_near", "number", "name", "question", "answers", "role", "length")
PROFILES: Mapping[ProfileName, tuple[str, ...]] = {
    "late": ("late_around", "matched", "words_near", "graph", *CUES),
    "dense": ("dense", "words_near", "graph", *CUES),
    "memory": (
        *("late_around", "matched", "late_centred", "matched_centred", "session", "subject"),
        *("words_near", "date", "date_near", "number", "name", "graph"),
    ),
}
_FOREIGN_SHARE = 3
"""One of so many questions is asked of another store, too."""
_PER_STORE = 30
"""Messages that want nothing of memory, asked of each store of turns."""

Sets = Mapping[str, list[Judged]]


def turn_sets(locomo: Path, memorybank: Path, cache: Path, notice: Notice) -> Sets:
    """The judged candidates among turns, by name: of our own questions the `tuning` split only.

    cache: a directory that keeps them. Raises `DatasetError`.
    """
    english = [with_negatives(load(locomo))]
    chinese = [load(memorybank), with_negatives(load(memorybank, QUESTIONS, "tuning"))]
    cache.mkdir(parents=True, exist_ok=True)
    labels = QUESTIONS.read_bytes() + MESSAGES.read_bytes()
    [first] = kept(cache / "locomo.npz", english, locomo.read_bytes() + labels, CANDIDATES, notice)
    second, third = kept(
        cache / "memorybank.npz", chinese, memorybank.read_bytes() + labels, CANDIDATES, notice
    )
    return {"LoCoMo": first, "MemoryBank": second, OURS: third}


def memory_sets(paths: Sequence[Path], cache: Path, notice: Notice) -> Sets:
    """The judged candidates among memories, by name. Raises `DatasetError`."""
    cache.mkdir(parents=True, exist_ok=True)
    found: dict[str, list[Judged]] = {}
    for path in paths:
        dataset = load_memories(path)
        file = cache / f"{path.stem}.npz"
        [found[dataset.name]] = kept(file, [dataset], path.read_bytes(), CANDIDATES, notice, "memory")
    return found


def with_negatives(dataset: Dataset) -> Dataset:
    """With questions of other stores, and messages that want nothing of memory."""
    return replace(dataset, questions=[*dataset.questions, *_negatives(dataset)])


def _negatives(dataset: Dataset) -> Iterator[Question]:
    draw = random.Random(dataset.name)
    stores = [store for store in dataset.stores if store != POOLED]
    plain = list(json.loads(MESSAGES.read_text(encoding="utf-8"))["messages"])
    plain = [one for one in plain if one["kind"] != "personal"]
    own = [one for one in dataset.questions if one.store != POOLED and one.category != ADVERSARIAL]
    for question in own[::_FOREIGN_SHARE]:
        other = draw.choice([store for store in stores if store != question.store])
        yield replace(question, store=other, category=FOREIGN, any_of=NOTHING, all_of=NOTHING)
    for store in stores:
        for one in draw.sample(plain, _PER_STORE):
            yield Question(store, own[0].suite, one["kind"], one["text"], NOTHING, NOTHING)


def everything(sets: Sets) -> list[Judged]:
    """All of them."""
    return [one for judged in sets.values() for one in judged]


def answered(judged: Sequence[Judged]) -> list[Judged]:
    """Those that something stored answers."""
    return [one for one in judged if one.question.any_of or one.question.all_of]
