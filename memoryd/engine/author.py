"""The author of a change and the reason, as a call gives them."""

from __future__ import annotations

from dataclasses import dataclass

from memoryd.core.operators import CALLER, check_operator
from memoryd.engine.memories.record_builder import screened_reason
from memoryd.storage.life.conflicts import Decision
from memoryd.storage.records.deletions import Deletion
from memoryd.storage.records.versions import Cause, Operation


@dataclass(frozen=True, slots=True)
class Author:
    """operator: checked; reason: without credentials."""

    operator: str = CALLER
    reason: str | None = None

    @classmethod
    def checked(cls, operator: str, reason: str | None = None) -> Author:
        """The author of a call. Raises `InvalidParameterError`."""
        return cls(check_operator(operator), screened_reason(reason))

    def cause(self, operation: Operation) -> Cause:
        """The cause of a version made by this author."""
        return Cause(operation, self.operator, self.reason)

    def decision(self, at: float) -> Decision:
        """The decision of a conflict by this author."""
        return Decision(at, self.operator, self.reason)

    def deletion(self, at: float) -> Deletion:
        """The record of a deletion by this author."""
        return Deletion(at, self.operator, self.reason)
