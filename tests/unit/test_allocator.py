"""When unused memory goes back to the system."""

from __future__ import annotations

from memoryd.app.allocator import Release


def released(*ticks: tuple[float, float]) -> list[tuple[str, float]]:
    """When and how memory is given back, of ticks (last work, now)."""
    found: list[tuple[str, float]] = []
    now = 0.0
    release = Release(0.0, lambda: found.append(("after", now)), lambda: found.append(("during", now)))
    for last_work, now in ticks:
        release.tick(last_work, now)
    return found


def test_memory_is_given_back_once_after_work() -> None:
    assert released((5.0, 5.0), (5.0, 6.0), (5.0, 15.0), (5.0, 16.0), (5.0, 500.0)) == [("after", 15.0)]


def test_memory_is_given_back_during_long_work() -> None:
    ticks = [(float(now), float(now)) for now in range(1, 100)]
    assert released(*ticks) == [("during", 30.0), ("during", 60.0), ("during", 90.0)]


def test_nothing_is_given_back_without_work() -> None:
    assert released((-1.0, 100.0), (-1.0, 200.0)) == []
