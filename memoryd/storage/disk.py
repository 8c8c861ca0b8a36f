"""Sizes of files on disk."""

from __future__ import annotations

import os
from pathlib import Path


def bytes_of(path: Path) -> int:
    """Bytes of a file or of everything below a directory; files may vanish while we look."""
    try:
        if not path.is_dir():
            return path.stat().st_size
        return sum(bytes_of(Path(entry.path)) for entry in os.scandir(path))
    except FileNotFoundError:
        return 0
