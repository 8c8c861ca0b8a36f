"""Waking a polling thread: never lost, cheap in a row, also by signals."""

from __future__ import annotations

import select
import signal
import threading
from collections.abc import Iterator

import pytest

from memory_client.wakeup import Wakeup


@pytest.fixture
def wakeup() -> Iterator[Wakeup]:
    made = Wakeup()
    yield made
    made.close()


def is_awake(wakeup: Wakeup, seconds: float = 0) -> bool:
    return bool(select.select([wakeup], [], [], seconds)[0])


def test_waking_and_clearing(wakeup: Wakeup) -> None:
    assert not is_awake(wakeup)
    for _ in range(100_000):  # more than any buffer holds
        wakeup.wake()
    assert is_awake(wakeup)
    wakeup.clear()
    assert not is_awake(wakeup)
    wakeup.clear()
    wakeup.wake()
    assert is_awake(wakeup)


def test_after_close_it_does_nothing(wakeup: Wakeup) -> None:
    wakeup.close()
    wakeup.wake()


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="POSIX signals")
def test_a_signal_wakes_before_any_poll(wakeup: Wakeup) -> None:
    # Python's handler only sets a flag: one that fell just before the poll was seen to wait for ever.
    before = signal.signal(signal.SIGUSR1, lambda *_: None)
    try:
        with wakeup.on_signals():
            signal.raise_signal(signal.SIGUSR1)
            assert is_awake(wakeup)
            wakeup.clear()
        signal.raise_signal(signal.SIGUSR1)
        assert not is_awake(wakeup)
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_outside_the_main_thread_signals_are_left_alone(wakeup: Wakeup) -> None:
    done: list[bool] = []

    def use() -> None:
        with wakeup.on_signals():
            done.append(True)

    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    assert done == [True]


def test_no_item_is_overlooked(wakeup: Wakeup) -> None:
    """Producers append, then wake; the consumer clears, then looks: it must end up with everything."""
    items: list[int] = []

    def produce() -> None:
        for n in range(20_000):
            items.append(n)
            wakeup.wake()

    threads = [threading.Thread(target=produce) for _ in range(4)]
    for thread in threads:
        thread.start()
    seen = 0
    while seen < 80_000:
        assert is_awake(wakeup, 20), f"asleep with {len(items)} of {seen} items seen"
        wakeup.clear()
        seen = len(items)
    for thread in threads:
        thread.join()
