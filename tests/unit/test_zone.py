"""The default time zone: an IANA zone, right on every date, re-read when the machine's changes."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from memory_client.errors import InvalidParameterError
from memoryd.app.zone import MachineZone, zone_source
from memoryd.core.times import parse_zone, utc, zone_name

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="TZ does not set the zone of Windows")

ZONES = Path("/usr/share/zoneinfo")


@pytest.fixture
def tz(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Set TZ by it; the C library is set back at the end."""
    yield monkeypatch
    monkeypatch.undo()
    time.tzset()


class Stopwatch:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def hours(zone: MachineZone, moment: str) -> float:
    offset = datetime.fromisoformat(moment).replace(tzinfo=zone()).utcoffset()
    assert offset is not None
    return offset.total_seconds() / 3600


def test_daylight_saving_holds_on_every_date(tz: pytest.MonkeyPatch) -> None:
    tz.setenv("TZ", "Europe/Berlin")
    zone = MachineZone()
    assert (hours(zone, "2026-01-15T12:00"), hours(zone, "2026-07-15T12:00")) == (1.0, 2.0)
    assert zone_name(zone()) == "Europe/Berlin"


def test_a_changed_zone_is_noticed(tz: pytest.MonkeyPatch) -> None:
    watch = Stopwatch()
    tz.setenv("TZ", "Europe/Berlin")
    zone = MachineZone(watch)
    assert zone_name(zone()) == "Europe/Berlin"
    tz.setenv("TZ", "Asia/Shanghai")
    watch.now += 60
    assert zone_name(zone()) == "Asia/Shanghai"


def test_a_zone_nobody_knows_is_warned_of_once(
    tz: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    watch = Stopwatch()
    tz.setenv("TZ", "FOO-5")
    zone = MachineZone(watch)
    with caplog.at_level(logging.WARNING, "memoryd"):
        assert (hours(zone, "2026-01-15T12:00"), zone_name(zone())) == (5.0, None)
        watch.now += 60
        zone()
    assert [record.message for record in caplog.records if "FOO-5" in record.message] != []
    assert len(caplog.records) == 1


def test_a_zone_read_from_a_file_has_a_name_only_if_it_is_one(tz: pytest.MonkeyPatch, tmp_path: Path) -> None:
    copy = tmp_path / "my zone"
    copy.write_bytes((ZONES / "Asia/Tokyo").read_bytes())
    tz.setenv("TZ", f":{copy}")
    zone = MachineZone()
    assert (hours(zone, "2026-01-15T12:00"), zone_name(zone())) == (9.0, None)


def test_the_setting_comes_first(tz: pytest.MonkeyPatch) -> None:
    tz.setenv("TZ", "Europe/Berlin")
    assert zone_name(zone_source("Asia/Shanghai")()) == "Asia/Shanghai"
    assert zone_name(zone_source("")()) == "Europe/Berlin"
    with pytest.raises(InvalidParameterError, match=r"search\.timezone.*Mars"):
        zone_source("Mars/Olympus")


def test_zones_without_a_name() -> None:
    assert zone_name(utc()) is None
    assert zone_name(parse_zone("UTC", "tz")) == "UTC"
