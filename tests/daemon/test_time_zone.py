"""Turns and queries are read in one time zone: the call's, else the setting's, else the machine's."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory_client import KnowledgeClient
from support.daemons import SpawnedDaemon
from support.waiting import eventually

NOON = datetime(2026, 7, 15, 12, tzinfo=UTC).timestamp()
EMPTY = ("embedder.model=none", "daemon.port=0")


def local(text: str, hours: float) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() - hours * 3600


def said(kb: KnowledgeClient, text: str, at: float | str, **options: str) -> dict[str, object]:
    id = kb.conversation.append("s", "user", text, at=at, **options)["id"]
    turn = kb.conversation.get(id)
    assert turn is not None
    return dict(turn)


def test_turns_and_queries_are_read_in_the_zone_of_the_setting(home: Path) -> None:
    SpawnedDaemon(home, *EMPTY, "search.timezone=Asia/Shanghai")
    with KnowledgeClient(home) as kb:
        turn = said(kb, "我昨天去爬山了", "2026-07-15T09:30:00")
        assert (turn["created_at"], turn["tz"]) == (local("2026-07-15T09:30", 8), "Asia/Shanghai")
        assert turn["event_start"] == local("2026-07-14", 8)
        items = [{"role": "user", "text": "昨天", "at": "2026-07-15T09:30:00"}]
        kb.conversation.extend("s", items)
        kb.conversation.extend("s", items, tz="America/New_York")
        window = kb.conversation.window("s")
        assert [one["event_start"] for one in window[1:]] == [local("2026-07-14", 8), local("2026-07-14", -4)]
        assert [one["tz"] for one in window[1:]] == ["Asia/Shanghai", "America/New_York"]
        report = kb.explain("7月14日去了哪", scope=["turn"], reference_time="2026-07-15T09:30:00")
        assert report["plan"]["times"]["start"] == local("2026-07-14", 8)
        day = ["2026-07-14", "2026-07-15"]
        assert kb.explain("爬山", time_range=day)["plan"]["time_range"] == [local(one, 8) for one in day]


@pytest.mark.skipif(sys.platform == "win32", reason="TZ does not set the zone of Windows")
def test_a_running_daemon_notices_another_zone(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TZ may name a file, which takes the place of /etc/localtime here."""
    file = home.parent / "localtime"
    file.symlink_to("/usr/share/zoneinfo/Europe/Berlin")
    monkeypatch.setenv("TZ", f":{file}")
    SpawnedDaemon(home, *EMPTY)
    with KnowledgeClient(home) as kb:
        summer, winter = (said(kb, "hi", f"2026-{month}-15T12:00:00") for month in ("07", "01"))
        assert summer["created_at"] == local("2026-07-15T12:00", 2)
        assert winter["created_at"] == local("2026-01-15T12:00", 1)
        times = kb.explain("on January 14th", reference_time=NOON)["plan"]["times"]
        assert times["start"] == local("2026-01-14", 1)
        file.unlink()
        file.symlink_to("/usr/share/zoneinfo/Asia/Tokyo")
        tokyo = local("2026-07-15T12:00", 9)
        eventually("the new zone", lambda: said(kb, "hi", "2026-07-15T12:00:00")["created_at"] == tokyo)
        times = kb.explain("on January 14th", reference_time=NOON)["plan"]["times"]
        assert times["start"] == local("2026-01-14", 9)
