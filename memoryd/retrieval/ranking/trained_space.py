"""What is trained for one embedding space, read from `trained_space.npz`, made by `scripts/train_ranker.py`.

An embedding holds its language besides its meaning: in multilingual-e5-small the mean vectors of Chinese and
English texts are .44 apart, more than most texts of one language. With the mean of each language taken off,
texts of both languages are compared by meaning (Libovický et al. 2020, "On the Language Neutrality of
Pre-trained Multilingual Representations").
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from memoryd.language.text_features import Language
from memoryd.models.base import FloatMatrix, FloatVector
from memoryd.models.texts import unit

FILE = Path(__file__).with_name("trained_space.npz")
LANGUAGES: tuple[Language, ...] = ("zh", "en")
"""The order of rows in every array below."""
_SMALL_TALK_LOG_ODDS = 1.4
"""Of 350 messages of other authors that want something of memory none is above it, of small talk .77."""


@dataclass(frozen=True, slots=True)
class TrainedSpace:
    """Of one space. fingerprint: its name; query_tokens, passage_tokens: mean token vectors of each language,
    (2, token dim); passages: mean vectors of each language, (2, dim); memory_weights, small_talk_weights: of
    a query's vector, (dim + 1,), the last one constant: logistic regressions of whether a message wants
    anything of memory, and of whether it is small talk.
    """

    fingerprint: str
    query_tokens: FloatMatrix
    passage_tokens: FloatMatrix
    passages: FloatMatrix
    memory_weights: FloatVector
    small_talk_weights: FloatVector

    def centred_query(self, tokens: FloatMatrix, language: Language) -> FloatMatrix:
        """A query's tokens without what they owe to its language, L2-normalised, (tokens, token dim)."""
        return unit(tokens - self.query_tokens[LANGUAGES.index(language)])

    def centring(self, query: FloatMatrix, languages: Sequence[Language]) -> FloatMatrix:
        """What centred query tokens owe to the language of each text: (texts, tokens), to be subtracted."""
        offsets = self.passage_tokens @ query.T
        return np.asarray(offsets[[LANGUAGES.index(one) for one in languages]], np.float32)

    def translated(self, vector: FloatVector, language: Language) -> FloatVector:
        """A query's vector moved to where texts of the other language lie, L2-normalised."""
        own = LANGUAGES.index(language)
        return np.asarray(unit((vector + self.passages[1 - own] - self.passages[own])[None])[0], np.float32)

    def wants_memory(self, vector: FloatVector) -> float:
        """Log-odds that a message of this vector wants something of memory."""
        return float(self.memory_weights[:-1] @ vector + self.memory_weights[-1])

    def is_small_talk(self, vector: FloatVector) -> bool:
        """Whether a message of this vector is small talk with a probability of at least .8."""
        weights = self.small_talk_weights
        return float(weights[:-1] @ vector + weights[-1]) > _SMALL_TALK_LOG_ODDS


def trained_space(fingerprint: str) -> TrainedSpace | None:
    """What is trained for a space; None for any other than the one that ships."""
    stored = _stored()
    return stored if stored.fingerprint == fingerprint else None


@functools.cache
def _stored() -> TrainedSpace:
    with np.load(FILE) as found:
        arrays = {name: found[name].astype(np.float32) for name in found.files if name != "fingerprint"}
        return TrainedSpace(str(found["fingerprint"]), **arrays)
