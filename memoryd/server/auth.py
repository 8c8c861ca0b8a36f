"""The ZAP handler: accepts clients by their key. No message of a peer is unpacked before that."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from zmq.utils import z85

from memory_client import keys
from memory_client.errors import MemorydError

if TYPE_CHECKING:
    from memory_client.paths import DataPaths

log = logging.getLogger(__name__)

DOMAIN = b"memoryd"
_VERSION = b"1.0"
_CREDENTIALS = 6


class Authenticator:
    """Answers ZAP requests from the public keys in `keys/allowed`.

    The directory is read at every handshake (they are rare, and it holds a few small files), so an added or
    removed key takes effect at once, for new connections.
    """

    def __init__(self, paths: DataPaths) -> None:
        self._paths = paths

    def answer(self, request: list[bytes]) -> list[bytes]:
        """The reply frames to a request `[version, id, domain, address, identity, mechanism, key]`."""
        sequence = request[1] if len(request) > 1 else b""
        code, text = self._verdict(request)
        return [_VERSION, sequence, code, text, b"", b""]

    def _verdict(self, request: list[bytes]) -> tuple[bytes, bytes]:
        if len(request) != _CREDENTIALS + 1 or request[0] != _VERSION or request[5] != b"CURVE":
            log.warning("refused a connection without CURVE keys")
            return b"400", b"CURVE keys are required"
        public = z85.encode(request[_CREDENTIALS])
        try:
            allowed = keys.allowed_public_keys(self._paths)
        except (MemorydError, OSError) as error:
            log.error("refused a connection, as the allowed keys cannot be read: %s", error)
            return b"500", b"the allowed keys cannot be read"
        if public not in allowed:
            log.warning("refused the unknown client key %s", public.decode())
            return b"400", b"unknown key"
        return b"200", b"OK"
