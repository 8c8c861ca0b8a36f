"""The year itself: day by day what is told is stored, what is asked is searched, and time does its work."""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from _temporary import wait_for_engine
from memory_client.types import Hit, Memory
from memoryd.knowledge_base import KnowledgeBase
from simulation.person import ABSENCES, KINDS, Person, Told

START = 1_767_225_600.0
"""2026-01-01, in UTC."""
DAY = 86_400.0
HOUR = 3600.0
MONTHS = {0: 0, 1: 30, 3: 91, 6: 182, 12: 365}
"""Months and the days of an age at which is looked for what was told; 0 is what search finds at all."""
SAMPLE = 60
"""Of a kind that are looked for at an age, the first."""
TOP = 5
_ENGINE_SECONDS = 120.0
_LONG = max(ABSENCES, key=lambda days: days[1] - days[0])

SETTINGS: dict[str, Any] = {"search.timezone": "Asia/Shanghai", "decay.pass_hours": 0}


@dataclass
class Age:
    """How many of a kind were looked for at an age, found among the active, and found at all."""

    asked: int = 0
    active: int = 0
    found: int = 0


@dataclass
class Daily:
    """The store at the end of a day."""

    day: int
    there: bool
    active: int
    archived: int
    pending: int
    archives: int
    reviews: int
    bytes: int


@dataclass
class Absence:
    """What two months alone did under a clock: active memories by kind before and after."""

    before: Counter[str] = field(default_factory=Counter)
    after: Counter[str] = field(default_factory=Counter)
    answered: int = 0
    through_archive: int = 0
    asked: int = 0


@dataclass
class Year:
    """What came of it."""

    told: list[Told] = field(default_factory=list)
    ages: dict[tuple[str, int], Age] = field(default_factory=lambda: defaultdict(Age))
    days: list[Daily] = field(default_factory=list)
    absences: dict[str, Absence] = field(default_factory=dict)
    uses: int = 0
    restored: int = 0
    states: dict[str, Counter[str]] = field(default_factory=dict)


class Simulation:
    """A person's year on a data directory."""

    def __init__(self, home: Path, seed: int, notice: Callable[[str], None]) -> None:
        self._home = home
        self._person = Person(seed)
        self._notice = notice
        self._now = START
        self.year = Year()

    def run(self) -> Year:
        """Live through it."""
        self._kb = self._open(self._home, "active")
        try:
            for day, there in enumerate(self._person.days()):
                self._now = START + day * DAY + 8 * HOUR
                if day == _LONG[0]:
                    self._compare_clocks(day)
                if there:
                    self._use(day)
                self._look_back(day)
                self._close_day(day, there)
            self.year.states = self._states(self._kb)
        finally:
            self._kb.close()
        return self.year

    def _open(self, home: Path, clock: str) -> KnowledgeBase:
        kb = KnowledgeBase(home, settings={**SETTINGS, "decay.clock": clock}, clock=lambda: self._now)
        wait_for_engine(kb, _ENGINE_SECONDS)
        return kb

    def _use(self, day: int) -> None:
        """Two hours between what is done, as somebody comes and goes."""
        for line in self._person.says():
            self._kb.conversation.append(f"day {day}", "user", line)
            self._now += 60
        for told in self._person.tells(day):
            told.id = self._kb.add(told.text, dict(KINDS[told.kind]))
            self.year.told.append(told)
            self._now += 60
        for told in self._person.asks(self.year.told, day):
            self._now += 2 * HOUR
            hit = self._find(self._kb, told) or self._find(self._kb, told, archived=True)
            if hit is not None and self._may_use(hit):
                [done] = self._kb.mark_used([told.id])
                self.year.uses += bool(done["applied"])
                self.year.restored += done["restored"]

    def _may_use(self, hit: Hit) -> bool:
        memory = self._kb.get(hit["id"])
        return memory is not None and (memory["state"] == "active" or memory["archived_because"] == "decay")

    def _look_back(self, day: int) -> None:
        """Look for what was told so many months ago, without using it."""
        for months, age in MONTHS.items():
            for told in self.year.told:
                known = self.year.ages[told.kind, months]
                if told.day == day - age and known.asked < SAMPLE:
                    known.asked += 1
                    is_active = self._find(self._kb, told) is not None
                    known.active += is_active
                    known.found += is_active or self._find(self._kb, told, archived=True) is not None

    def _find(self, kb: KnowledgeBase, told: Told, *, archived: bool = False) -> Hit | None:
        hits = kb.search(told.question, TOP, include_archived=archived)
        return next((hit for hit in hits if hit["id"] == told.id), None)

    def _close_day(self, day: int, there: bool) -> None:
        self._now = START + day * DAY + 23 * HOUR
        done = self._kb.decay.run()
        by_state = self._kb.stats()["by_state"]
        self.year.days.append(
            Daily(
                day=day,
                there=there,
                active=by_state.get("active", 0),
                archived=by_state.get("archived", 0),
                pending=self._kb.review.page(limit=1)["total"],
                archives=len(done["archived"]),
                reviews=len(done["reviewed"]),
                bytes=_size(self._home),
            )
        )
        if day % 30 == 0:
            self._notice(f"day {day}: {self.year.days[-1].active} active memories")

    def _compare_clocks(self, day: int) -> None:
        """Live through the long absence on copies, one for each clock, and ask what one would ask first."""
        self._kb.close()
        asked = [told for _ in range(10) for told in self._person.asks(self.year.told, day)]
        for clock in ("active", "wall"):
            twin = self._home.with_name(f"{self._home.name}-{clock}")
            shutil.copytree(self._home, twin, ignore=shutil.ignore_patterns("run", "log"))
            self.year.absences[clock] = self._absent(self._open(twin, clock), day, asked)
            shutil.rmtree(twin)
        self._now = START + day * DAY + 8 * HOUR
        self._kb = self._open(self._home, "active")

    def _absent(self, kb: KnowledgeBase, day: int, asked: list[Told]) -> Absence:
        known = Absence(before=_active(self._states(kb)))
        try:
            for alone in range(day, _LONG[1] + 1):
                self._now = START + alone * DAY + 23 * HOUR
                kb.decay.run()
            known.after = _active(self._states(kb))
            for told in asked:
                known.asked += 1
                is_active = self._find(kb, told) is not None
                known.answered += is_active
                known.through_archive += not is_active and self._find(kb, told, archived=True) is not None
        finally:
            kb.close()
        return known

    def _states(self, kb: KnowledgeBase) -> dict[str, Counter[str]]:
        """Kind -> state -> how many."""
        found: dict[str, Memory] = {memory["id"]: memory for memory in kb.get_all(include_archived=True)}
        states: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
        for told in self.year.told:
            states[told.kind][found[told.id]["state"]] += 1
        return states


def _active(states: dict[str, Counter[str]]) -> Counter[str]:
    return Counter({kind: counts["active"] for kind, counts in states.items()})


def _size(home: Path) -> int:
    """Bytes of what is stored, without the model's files, logs and SQLite's journal."""
    left_out = {"models", "log", "run", "keys", "backups"}
    paths = [
        path
        for path in home.rglob("*")
        if path.relative_to(home).parts[0] not in left_out and not path.name.endswith(("-wal", "-shm"))
    ]
    return sum(_bytes(path) for path in paths)


def _bytes(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except FileNotFoundError:  # the vector store tidies up behind
        return 0
