"""Training of what belongs to one embedding space: language means, and what messages want of memory."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluation.logistic import fit_logistic
from memory_client.deadline import Deadline
from memoryd.core.passage import Passage
from memoryd.engine.context import Parts
from memoryd.language.text_features import Language
from memoryd.models.base import Encoding
from memoryd.retrieval.ranking.trained_space import FILE, LANGUAGES

LABELS = Path(__file__).parent / "labels"
MESSAGE_L2 = 1e-2
_SECONDS = 120.0

Floats = npt.NDArray[np.float32]


def train_space(parts: Parts) -> dict[str, Any]:
    """The arrays of `trained_space.npz`, see `memoryd.retrieval.ranking.trained_space`."""
    parts.meaning.wait(Deadline.after(_SECONDS))
    passages = {one: _passages(parts, _label_texts(one)) for one in LANGUAGES}
    queries = {one: _queries(parts, _label_queries(one)) for one in LANGUAGES}
    messages, kinds = _messages(parts)
    return {
        "fingerprint": np.array(parts.meaning.encode("a", Deadline.after(_SECONDS)).fingerprint),
        "query_tokens": np.stack([_token_mean(queries[one]) for one in LANGUAGES]),
        "passage_tokens": np.stack([_token_mean(passages[one]) for one in LANGUAGES]),
        "passages": np.stack([np.mean([e.vector for e in passages[one]], axis=0) for one in LANGUAGES]),
        "memory_weights": _classifier(messages, kinds == "personal"),
        "small_talk_weights": _classifier(messages, kinds == "small_talk"),
    }


def write_space(arrays: dict[str, Any]) -> None:
    """Write the file that ships."""
    means = ("query_tokens", "passage_tokens", "passages")
    np.savez_compressed(FILE, **{**arrays, **{name: arrays[name].astype(np.float16) for name in means}})


def _classifier(vectors: Floats, is_kind: npt.NDArray[np.bool_]) -> Floats:
    found = fit_logistic(
        vectors.astype(np.float64), is_kind.astype(np.float64), np.ones(len(is_kind)), MESSAGE_L2
    )
    return np.asarray(found, np.float32)


def _messages(parts: Parts) -> tuple[Floats, npt.NDArray[np.str_]]:
    labelled = _labels("messages.json")["messages"]
    vectors = [one.vector for one in _queries(parts, [entry["text"] for entry in labelled])]
    return np.array(vectors), np.array([entry["kind"] for entry in labelled])


def _token_mean(encodings: Sequence[Encoding]) -> Floats:
    held = [one.tokens for one in encodings if one.tokens is not None]
    return np.asarray(np.concatenate(held).mean(axis=0), np.float32)


def _passages(parts: Parts, texts: Sequence[str]) -> list[Encoding]:
    made = parts.meaning.embed_all([Passage(text) for text in texts])
    return [one.encoding for one in made if one is not None]


def _queries(parts: Parts, texts: Sequence[str]) -> list[Encoding]:
    return [parts.meaning.encode(text, Deadline.after(_SECONDS)).encoding for text in texts]


def _label_texts(language: Language) -> list[str]:
    """Sentences as memories are, of the label sets that judge no retrieval."""
    sentences = _labels("triples.json")["sentences"]
    found = [one["text"] for one in sentences if one["lang"] == language and one["split"] == "tuning"]
    for pair in _labels("conflicts.json")["pairs"]:
        if pair["lang"] == language and pair["split"] == "tuning":
            found += [pair["a"], pair["b"]]
    return found


def _label_queries(language: Language) -> list[str]:
    return [one["text"] for one in _labels("messages.json")["messages"] if one["language"] == language]


def _labels(name: str) -> Any:
    return json.loads((LABELS / name).read_text(encoding="utf-8"))
