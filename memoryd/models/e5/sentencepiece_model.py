"""Writes SentencePiece model files without protobuf.

A file is one message `ModelProto` of sentencepiece_model.proto: 1 `pieces`, 2 `trainer_spec`,
3 `normalizer_spec`. In protobuf's encoding a field is its number and kind in one varint and then its value: a
varint, four bytes, or bytes after their length (https://protobuf.dev/programming-guides/encoding/).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

_UNIGRAM = 1
_UNKNOWN_PIECE = 2
_ABSENT = -1
_VARINT, _BYTES, _FOUR_BYTES = 0, 2, 5


def encode(pieces: Iterable[tuple[bytes, float]], *, unknown: int) -> bytes:
    """A unigram model that takes text unchanged but for a space before it.

    pieces: each in UTF-8 with its score; its place is its id. unknown: the id of the unknown piece; all
    others are ordinary ones.
    """
    fields = [_field(1, piece) for piece in _pieces(pieces, unknown)]
    trainer = {3: _UNIGRAM, 40: unknown, 41: _ABSENT, 42: _ABSENT, 43: _ABSENT}
    normalizer = {3: 1, 4: 0, 5: 1}  # dummy prefix, remove extra spaces, escape spaces
    fields.append(_field(2, _numbers(trainer)))
    fields.append(_field(3, _field(1, b"identity") + _numbers(normalizer)))
    return b"".join(fields)


def _pieces(pieces: Iterable[tuple[bytes, float]], unknown: int) -> Iterator[bytes]:
    score_of = struct.Struct("<Bf").pack
    score_key = 2 << 3 | _FOUR_BYTES
    for at, (piece, score) in enumerate(pieces):
        kind = _numbers({3: _UNKNOWN_PIECE}) if at == unknown else b""
        yield _field(1, piece) + score_of(score_key, score) + kind


def _numbers(fields: dict[int, int]) -> bytes:
    return b"".join(_varint(number << 3 | _VARINT) + _varint(value) for number, value in fields.items())


def _field(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | _BYTES) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; a negative one as 64 bits."""
    if 0 <= value < 0x80:
        return _SMALL[value]
    value &= 2**64 - 1
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


_SMALL = [bytes([value]) for value in range(0x80)]
