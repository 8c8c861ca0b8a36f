"""Versions of a user's knowledge points: ids, and the versions that are in effect."""

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
    """A version without its points. parents: the merged versions of a merge, the target of a rollback."""

    id: str
    kind: VersionKind
    parents: tuple[str, ...]
    created_at: float
    point_count: int


def check_version_id(value: Any, parameter: str = "version_id") -> str:
    """The id: UTC `YYYYMMDDHHMMSS`, or with `-NNN`. Raises `InvalidParameterError`."""
    match = _ID.fullmatch(value) if isinstance(value, str) else None
    if match is None or _moment(match[1]) is None:
        expected = "YYYYMMDDHHMMSS or YYYYMMDDHHMMSS-NNN, such as 20260103174500"
        raise invalid_value(parameter, value, expected, "is not a version")
    return match[0]


def next_version_id(now: float, latest: str) -> str:
    """The id of a new version, greater than the latest id ('' for none) even if the clock went back."""
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
    """The versions in effect: the newest merge and the increments after it.

    versions: all, newest first; so is the result, with the merge last. Increments after a merge are those
    newer than all its parents, including those saved during the merge. A rollback brings the versions in
    effect at its target back.
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
    """The increments in effect that are not merged, newest first. versions: all, newest first.

    Empty if the newest version is a rollback to a single version, which a merge would only repeat.
    """
    counting = effective_versions(versions)
    if len(counting) == 1 and versions[0].kind == "rollback":
        return []
    return [version for version in counting if version.kind == "increment"]


def is_effective(new: Version, versions: Sequence[Version]) -> bool:
    """Whether a new version would be in effect. versions: all others."""
    found = effective_versions(sorted([*versions, new], key=lambda one: one.id, reverse=True))
    return any(one.id == new.id for one in found)


def _from(versions: Sequence[Version], id: str) -> Sequence[Version]:
    """A version and all older ones; empty if it does not exist."""
    place = next((place for place, version in enumerate(versions) if version.id == id), len(versions))
    return versions[place:]


def _moment(stamp: str) -> datetime | None:
    try:
        return datetime.strptime(stamp, _FORM)
    except ValueError:
        return None
