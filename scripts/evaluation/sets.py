"""What the ranker is trained and compared on, and the features it weighs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from evaluation.candidates import Judged, kept
from evaluation.datasets import load
from evaluation.runner import Notice
from memoryd.retrieval.plan import CANDIDATES

LABELS = Path(__file__).parent / "labels" / "memorybank_zh_questions.json"
OURS = "MemoryBank, our questions"
CUES = ("speaker", "date", "date_near", "number", "name", "question", "answers", "role", "length")
PROFILES: Mapping[str, tuple[str, ...]] = {
    "late": ("late_around", "matched", "words_near", *CUES),
    "dense": ("dense", "words_near", *CUES),
}

Sets = Mapping[str, list[Judged]]


def training_sets(locomo: Path, memorybank: Path, cache: Path, notice: Notice) -> Sets:
    """The judged candidates of what is trained on, by name: of our own questions the `tuning` split only.

    cache: a directory that keeps them. Raises `DatasetError`.
    """
    english = [load(locomo)]
    chinese = [load(memorybank), load(memorybank, LABELS, "tuning")]
    cache.mkdir(parents=True, exist_ok=True)
    data = memorybank.read_bytes() + LABELS.read_bytes()
    [first] = kept(cache / "locomo.npz", english, locomo.read_bytes(), CANDIDATES, notice)
    second, third = kept(cache / "memorybank.npz", chinese, data, CANDIDATES, notice)
    return {"LoCoMo": first, "MemoryBank": second, OURS: third}


def everything(sets: Sets) -> list[Judged]:
    """All of them."""
    return [one for judged in sets.values() for one in judged]
