"""Whether two statements about one user exclude each other, by rules."""

from memoryd.core.conflicts.find import between
from memoryd.core.conflicts.found import FoundConflict

__all__ = ["FoundConflict", "between"]
