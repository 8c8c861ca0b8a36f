"""Versions of a user's knowledge: their ids, and which of them together say what is known now."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from memory_client.types import VersionKind
from memoryd.core.parameter_errors import invalid_value

LATEST = "latest"

_FORM = "%Y%m%d%H%M%S"
_ID = re.compile(r"(\d{14})(?:-(\d{3}))?", re.ASCII)
_LAST_NUMBER = 999


@dataclass(frozen=True, slots=True)
class Version:
    """A version without its points. parents: of a merge the versions it holds, of a rollback its model."""

    id: str
    kind: VersionKind
    parents: tuple[str, ...]
    created_at: float
    point_count: int


def check_version_id(value: Any, parameter: str = "version_id") -> str:
    """The id itself: UTC `YYYYMMDDHHMMSS`, or with `-NNN`. Raises `InvalidParameterError`."""
    match = _ID.fullmatch(value) if isinstance(value, str) else None
    if match is None or _moment(match[1]) is None:
        expected = "YYYYMMDDHHMMSS or YYYYMMDDHHMMSS-NNN, such as 20260103174500"
        raise invalid_value(parameter, value, expected, "is not a version")
    return match[0]


def next_version_id(now: float, latest: str) -> str:
    """The id of a new version, behind the latest there is ('' for none), even when the clock went back."""
    stamp = datetime.fromtimestamp(now, UTC).strftime(_FORM)
    match = _ID.fullmatch(latest)
    if match is None or stamp > match[1]:
        return stamp
    number = int(match[2] or 0) + 1
    if number <= _LAST_NUMBER:
        return f"{match[1]}-{number:03d}"
    moment = _moment(match[1]) or datetime.fromtimestamp(now, UTC)
    return (moment + timedelta(seconds=1)).strftime(_FORM)


def effective_versions(versions: Sequence[Version]) -> list[Version]:
    """The versions that together say what is known now: the newest merge and the increments behind it.

    versions: all, newest first; so is the result, but for the merge, which is last. Behind it is what is
    newer than all it holds: an increment saved while it was made is in nobody's parents. A rollback stands
    for what was effective at its model.
    """
    found: list[Version] = []
    merge: Version | None = None
    for version in versions:
        if merge is not None and version.id <= max(merge.parents):
            break
        if version.kind == "rollback":
            older = _from(versions, version.parents[0])
            former = effective_versions(older) if older else [version]
            if merge is None:
                return [*found, *former]
            behind = [one for one in former if one.kind == "increment" and one.id > max(merge.parents)]
            return [*found, *behind, merge]
        if version.kind == "increment":
            found.append(version)
        elif merge is None:
            merge = version
    return found if merge is None else [*found, merge]


def unmerged_increments(versions: Sequence[Version]) -> list[Version]:
    """The increments that count and are in no merge that does, newest first; versions: all, newest first.

    None when the newest version is a rollback to a lone one: a merge would be the same once more.
    """
    counting = effective_versions(versions)
    if len(counting) == 1 and versions[0].kind == "rollback":
        return []
    return [version for version in counting if version.kind == "increment"]


def is_effective(new: Version, versions: Sequence[Version]) -> bool:
    """Whether a version would be among the effective ones; versions: all there are."""
    found = effective_versions(sorted([*versions, new], key=lambda one: one.id, reverse=True))
    return any(one.id == new.id for one in found)


def _from(versions: Sequence[Version], id: str) -> Sequence[Version]:
    """A version and all older ones; none when it is no longer there."""
    place = next((place for place, version in enumerate(versions) if version.id == id), len(versions))
    return versions[place:]


def _moment(stamp: str) -> datetime | None:
    try:
        return datetime.strptime(stamp, _FORM)
    except ValueError:
        return None
