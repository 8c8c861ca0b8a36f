"""Whatever the clock of the machine says, however it jumps: nothing is lost, nothing fades unlived.

A pass made ahead of the time, by either clock, is taken back (tests/contract/test_decay.py).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_client.types import Memory
from memoryd.knowledge_base import KnowledgeBase

START = 1_780_000_000.0
DAY = 86_400.0
FACT_DAYS, EPISODE_DAYS = 15, 7
"""Active days after which a guessed fact of importance 1.0, and an episode, may be archived."""
KINDS: dict[str, dict[str, Any]] = {
    "guess": {"source": "background_ai"},
    "episode": {"category": "episode"},
    "stated": {},
    "core": {"category": "core", "source": "background_ai"},
    "verified": {"source": "background_ai", "verified": True},
}
_numbers = itertools.count()


class Life:
    """A store and a user whose clock jumps; lived: how often somebody was there so far."""

    def __init__(self, kb: KnowledgeBase, *, is_wall: bool) -> None:
        self.kb, self.now, self.is_wall = kb, START, is_wall
        self.restart()

    def restart(self) -> None:
        self.user, self.now, self.true = f"user-{next(_numbers)}", START, START
        self.lived, self.born = 0, dict[str, tuple[str, int]]()

    def pass_time(self, days: float) -> None:
        self.now += days * DAY
        self.true += days * DAY

    def live(self, days: int) -> None:
        for _ in range(days):
            self.pass_time(1)
            self.kb.conversation.append("daily", "user", "hi", user_id=self.user, remember=False)
            self.lived += 1

    def add(self, kind: str) -> None:
        id = self.kb.add(f"{kind} {len(self.born)}", KINDS[kind], user_id=self.user)
        self.lived += 1
        self.born[id] = kind, self.lived

    def memories(self) -> dict[str, Memory]:
        found = self.kb.get_many(list(self.born), user_id=self.user)
        return {memory["id"]: memory for memory in found if memory is not None}

    def check(self) -> None:
        memories = self.memories()
        assert memories.keys() == self.born.keys()
        for memory in memories.values():
            assert 0 <= memory["effective_importance"] <= memory["importance"]
            if self.born[memory["id"]][0] in ("stated", "core", "verified"):
                assert memory["state"] == "active"


@pytest.fixture(scope="module", params=["active", "wall"])
def life(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Life]:
    home: Path = tmp_path_factory.mktemp("clocks") / "home"
    chosen = {"embedder.model": "none", "search.timezone": "Asia/Shanghai", "decay.clock": request.param}
    told: list[Life] = []
    with KnowledgeBase(home, settings=chosen, clock=lambda: told[0].now if told else START) as kb:
        told.append(Life(kb, is_wall=request.param == "wall"))
        yield told[0]


@pytest.fixture(autouse=True)
def _no_leaked_threads() -> None:
    """The store of the module starts threads as it needs them."""


jumps = st.sampled_from([-60, -20, -1, 1, 20, 60]).map(lambda years: ("jump", years * 365.25))
steps = st.one_of(
    jumps,
    st.just(("right", 0)),
    st.integers(1, 4).map(lambda days: ("live", days)),
    st.sampled_from(sorted(KINDS)).map(lambda kind: ("add", kind)),
    st.just(("run", 0)),
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(steps, max_size=25))
def test_nothing_is_lost_and_nothing_fades_unlived(life: Life, taken: list[tuple[str, Any]]) -> None:
    life.restart()
    for step, value in taken:
        if step == "jump":
            life.now += value * DAY
        elif step == "right":
            life.now = life.true
        elif step == "run":
            life.kb.decay.run(user_id=life.user)
        else:
            getattr(life, step)(value)
        life.check()
    life.now = life.true
    life.live(life.lived + 2)  # more days of the right clock than of any other
    spent = life.lived
    life.kb.decay.run(user_id=life.user)
    life.check()
    assert not life.kb.decay.preview(user_id=life.user)["clock_behind"]
    for id, memory in life.memories().items():
        kind, born = life.born[id]
        if memory["state"] == "archived":
            if not life.is_wall:  # to the wall clock a year between two wrong times is a year
                assert spent - born >= (EPISODE_DAYS if kind == "episode" else FACT_DAYS)
            assert life.kb.restore(id, user_id=life.user)["changed"]
