"""The name of a user's folder: another one for every user, on every file system."""

from __future__ import annotations

import hashlib

_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789_-")
_LONGEST = 120
_KEPT = 40


def folder_of(user_id: str) -> str:
    """`user_` and the id in lower-case ASCII, every other byte as `%XX`.

    Capitals are encoded, so that names differ where case does not count; so are dots and spaces, which
    Windows drops at the end; the prefix keeps device names such as CON apart. An id whose name would grow
    over 120 characters (a file name may have 255, a path on Windows 260) ends in `=` and its hash instead.
    """
    encoded = "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in user_id.encode())
    if len(encoded) > _LONGEST:
        digest = hashlib.blake2b(user_id.encode(), digest_size=20).hexdigest()
        encoded = f"{encoded[:_KEPT]}={digest}"
    return f"user_{encoded}"


def plain_folder_of(user_id: str) -> str | None:
    """`user_` and the id itself, as other programs name the folder; None when that is the user's own name
    already, or could be the encoded name of another user."""
    plain = f"user_{user_id}"
    return None if plain == folder_of(user_id) or "%" in user_id or "=" in user_id else plain
