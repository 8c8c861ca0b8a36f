"""Threads that embed: one lane for whoever waits for a vector, one for bulk work.

A call into a model cannot be interrupted. Each lane runs as many calls at once as pay, and the lanes run in
parallel: a query waits for earlier queries, never for a bulk job, which delays each batch for a moment while
a caller waits. Long texts are cut into pieces, so that no single call takes long: 2 KB are about 500 tokens,
one window of the usual models.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice

import numpy as np

from memoryd.core.passage import Passage
from memoryd.models.base import Embedder, Encoding, encode
from memoryd.models.texts import model_text, plain_text, size_of, split, weighted_mean
from memoryd.models.urgent import UrgentLane

PIECE_BYTES = 2048
# Batches of 1 KB are as fast as longer ones with the bundled engines, and share out better among the cores.
BYTES_A_TEXT = 16
# Bulk work runs at least this often, however many queries there are.
_LONGEST_YIELD = 0.1


class Lanes:
    """The threads of one embedder."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._urgent = UrgentLane(self._embed, embedder.concurrency)
        self._bulk = ThreadPoolExecutor(embedder.concurrency, "memoryd-embed-bulk")
        self._ahead = embedder.concurrency + 1

    def urgent(self, is_query: bool, passage: Passage) -> Future[Encoding]:
        """The encoding of one text that a caller waits for. Raises `RuntimeError` after `close`."""
        return self._urgent.submit(is_query, passage)

    def bulk(self, work: Sequence[Sequence[Passage]]) -> Iterator[list[Encoding]]:
        """The encodings of small batches, in order; the next ones are computed while one is consumed."""
        rest = iter(work)
        # One more than there are threads, so that none waits for the caller.
        under_way = deque(self._bulk.submit(self._behind, texts) for texts in islice(rest, self._ahead))
        try:
            while under_way:
                yield under_way.popleft().result()
                under_way.extend(self._bulk.submit(self._behind, texts) for texts in islice(rest, 1))
        finally:
            for future in under_way:
                future.cancel()

    def close(self) -> None:
        """Wait for the calls under way, drop the rest, free the embedder."""
        self._urgent.close()
        self._bulk.shutdown(wait=True, cancel_futures=True)
        self.embedder.close()

    def _behind(self, passages: Sequence[Passage]) -> list[Encoding]:
        self._urgent.wait_quiet(_LONGEST_YIELD)
        return self._embed(False, passages)

    def _embed(self, is_query: bool, passages: Sequence[Passage]) -> list[Encoding]:
        return encode(self.embedder, passages, is_query=is_query)


def pieces_of(passage: Passage) -> list[Passage]:
    """The well-formed text, in pieces if it is long, with as much of its context as one piece has room for.

    Raises `InvalidParameterError` for a blank one.
    """
    pieces = split(model_text(passage.text), PIECE_BYTES)
    if len(pieces) > 1:
        return [Passage(piece) for piece in pieces]
    return [Passage(pieces[0], _end_of(passage.before, PIECE_BYTES - size_of(pieces[0]) - len("\n")))]


def _end_of(before: str, size: int) -> str:
    """The last `size` UTF-8 bytes at most, '' for blank ones."""
    data = plain_text(before).encode()
    end = data[max(0, len(data) - max(0, size)) :].decode(errors="ignore")
    return end if end.strip() else ""


def batches(pieces: Sequence[Passage], batch: int) -> list[list[int]]:
    """Indexes of the pieces in batches of at most `batch` texts and 16 bytes for each, long ones first."""
    sizes = [size_of(piece.joined) for piece in pieces]
    out: list[list[int]] = []
    room = 0
    for at in sorted(range(len(pieces)), key=sizes.__getitem__, reverse=True):
        if not out or len(out[-1]) == batch or sizes[at] > room:
            out.append([])
            room = batch * BYTES_A_TEXT
        out[-1].append(at)
        room -= sizes[at]
    return out


def joined(encodings: Sequence[Encoding], pieces: Sequence[Passage], embedder: Embedder) -> Encoding:
    """Join the encodings of a text's pieces: the mean of the vectors weighted by tokens, and all tokens."""
    if len(pieces) == 1:
        return encodings[0]
    weights = [embedder.count_tokens(piece.text) for piece in pieces]
    tokens = [each.tokens for each in encodings if each.tokens is not None]
    return Encoding(
        weighted_mean(np.stack([each.vector for each in encodings]), weights),
        np.concatenate(tokens) if len(tokens) == len(encodings) else None,
        tuple(word for each in encodings for word in each.words),
    )
