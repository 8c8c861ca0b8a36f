"""The hot index on disk: one file that brings it up without the vector store.

Layout: a line of JSON padded to 256 bytes, then rows (int64), text_seqs (int64) and vectors (float16), all
little-endian. It is read, not mapped: the vectors are converted on the way in anyway, and a mapped file
cannot be replaced on Windows. Whatever it says is checked against SQLite; a file that is damaged, of another
space or of another history is ignored.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from memory_client.errors import DiskFullError, StorageError
from memoryd.index.source_rows import SourceRows
from memoryd.index.spaces.spaces import Space
from memoryd.index.vectors.hot import HotIndex
from memoryd.index.vectors.rounding import HALF, HalfMatrix, Rows

log = logging.getLogger(__name__)

_FORMAT = 1
_HEADER_BYTES = 256
_INT = np.dtype("<i8")
_WRITTEN_AT_ONCE = 8192


@dataclass(frozen=True, slots=True)
class _Header:
    """seq: the newest change number among the vectors; checksum: CRC-32 of all that follows."""

    format: int
    space: int
    fingerprint: str
    dim: int
    count: int
    seq: int
    checksum: int

    def encoded(self) -> bytes:
        # the fingerprint may be long: only its checksum is kept, the space's id stands beside it
        return json.dumps(asdict(self)).encode().ljust(_HEADER_BYTES - 1) + b"\n"


class _Unusable(Exception):
    """Why a snapshot is not taken."""


def _mark(fingerprint: str) -> str:
    return f"{zlib.crc32(fingerprint.encode()):08x}"


def save(path: Path, hot: HotIndex, space: Space) -> int:
    """Write the hot index to `path`, whole or not at all; return the number of vectors.

    Raises `DiskFullError`, `StorageError`.
    """
    temporary = path.with_name(f".{path.name}.tmp")
    flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(temporary, flags, 0o600), "w+b") as file:
            count = _write(file, hot, space)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        full = error.errno == errno.ENOSPC
        raise (DiskFullError if full else StorageError)(
            f"snapshot {path} was not written: {error}; the one before is kept", path=str(path)
        ) from error
    return count


def restore(path: Path, hot: HotIndex, space: Space, truth: SourceRows, newest_seq: int) -> int:
    """Fill an empty hot index from `path`, leaving out what is no longer true; return the vectors taken.

    newest_seq: SQLite's; a snapshot with newer changes is of another history.
    """
    try:
        rows, text_seqs, vectors = _read(path, space, newest_seq)
    except FileNotFoundError:
        return 0
    except (_Unusable, OSError) as reason:
        log.warning("snapshot %s is ignored: %s", path, reason)
        return 0
    places = truth.places_of(rows, text_seqs)
    kept = np.flatnonzero(places >= 0)
    for user_id, group, agents in truth.by_user(places[kept]):
        chosen = kept[group]
        hot.put_many(user_id, rows[chosen], text_seqs[chosen], agents, vectors[chosen])
    return len(kept)


def _write(file: BinaryIO, hot: HotIndex, space: Space) -> int:
    blocks = list(hot.export())
    checksum = 0
    file.seek(_HEADER_BYTES)
    for piece in _pieces(blocks):
        checksum = zlib.crc32(piece, checksum)
        file.write(piece)
    count = sum(len(rows) for _, rows, _, _ in blocks)
    seq = max((int(text_seqs.max()) for _, _, text_seqs, _ in blocks if len(text_seqs)), default=0)
    header = _Header(_FORMAT, space.id, _mark(space.fingerprint), space.dim, count, seq, checksum)
    file.seek(0)
    file.write(header.encoded())
    return count


def _pieces(blocks: list[tuple[str, Rows, Rows, np.ndarray]]) -> Iterator[bytes]:
    for _, rows, _, _ in blocks:
        yield rows.astype(_INT).tobytes()
    for _, _, text_seqs, _ in blocks:
        yield text_seqs.astype(_INT).tobytes()
    for _, _, _, vectors in blocks:
        for start in range(0, len(vectors), _WRITTEN_AT_ONCE):
            yield vectors[start : start + _WRITTEN_AT_ONCE].astype(HALF).tobytes()


def _read(path: Path, space: Space, newest_seq: int) -> tuple[Rows, Rows, HalfMatrix]:
    with path.open("rb") as file:
        header = _parsed(file.read(_HEADER_BYTES))
        body = file.read()
    _check(header, space, newest_seq)
    numbers = 2 * header.count * _INT.itemsize
    if len(body) != numbers + header.count * header.dim * HALF.itemsize:
        raise _Unusable(f"{len(body)} bytes do not hold {header.count} vectors")
    if zlib.crc32(body) != header.checksum:
        raise _Unusable("the checksum does not fit")
    rows = np.frombuffer(body, _INT, header.count)
    text_seqs = np.frombuffer(body, _INT, header.count, offset=rows.nbytes)
    vectors = np.frombuffer(body, HALF, offset=numbers).reshape(header.count, header.dim)
    return rows, text_seqs, vectors


def _parsed(line: bytes) -> _Header:
    try:
        return _Header(**json.loads(line))
    except (ValueError, TypeError) as error:
        raise _Unusable(f"no header of format {_FORMAT} ({error})") from error


def _check(header: _Header, space: Space, newest_seq: int) -> None:
    found = (header.format, header.space, header.fingerprint, header.dim)
    expected = (_FORMAT, space.id, _mark(space.fingerprint), space.dim)
    if found != expected:
        raise _Unusable(f"it is of format, space, fingerprint, dimensions {found}, not {expected}")
    if header.seq > newest_seq:
        raise _Unusable(f"it knows change {header.seq}, the database only {newest_seq}")
