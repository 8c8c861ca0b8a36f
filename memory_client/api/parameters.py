"""Types of parameters: the daemon checks what they demand before a handler runs."""

from __future__ import annotations

from typing import Annotated, NamedTuple


class IdOf(NamedTuple):
    """The id of one of these kinds, named by its prefix."""

    prefixes: tuple[str, ...]


class Between(NamedTuple):
    """A number within bounds, or a list or map with so many items."""

    low: float
    high: float


class AppName(NamedTuple):
    """1 to 200 bytes of UTF-8, not blank, without control characters."""


class EntityName(NamedTuple):
    """The name of an entity or predicate, 1 to 200 bytes with at least one letter or digit."""


Name = Annotated[str, AppName()]
Entity = Annotated[str, EntityName()]
MemoryId = Annotated[str, IdOf(("mem",))]
TurnId = Annotated[str, IdOf(("trn",))]
TripleId = Annotated[str, IdOf(("tri",))]
ReviewId = Annotated[str, IdOf(("rev",))]
PassId = Annotated[str, IdOf(("pas",))]
PointId = Annotated[str, IdOf(("knp",))]
EvidenceId = Annotated[str, IdOf(("mem", "trn"))]
ForgettableId = Annotated[str, IdOf(("mem", "trn", "tri"))]
ResultCount = Annotated[int, Between(1, 1000)]
Seed = Annotated[int, Between(0, 2**63 - 1)]
VersionNumber = Annotated[int, Between(1, 2**53)]
MemoryIds = Annotated[list[MemoryId], Between(0, 100_000)]
TurnIds = Annotated[list[TurnId], Between(0, 100_000)]
PointIds = Annotated[list[PointId], Between(0, 100_000)]
ForgettableIds = Annotated[list[ForgettableId], Between(0, 100_000)]
