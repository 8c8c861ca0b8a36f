"""Whether two statements about one user exclude each other, by rules."""

from memoryd.core.conflicts.find import Judge, Said, between
from memoryd.core.conflicts.found import FoundConflict
from memoryd.core.conflicts.stated import SINGLE, TURNED

__all__ = ["SINGLE", "TURNED", "FoundConflict", "Judge", "Said", "between"]
