"""Command `memoryd search`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from memory_client.types import SearchReport
from memoryd.cli.client_commands import ClientCommand
from memoryd.cli.options import FOR_USER, argument, choice, count, flag, option
from memoryd.cli.search_output import report_lines

_MODES = ("auto", "hybrid", "semantic", "lexical", "exact", "temporal")


def _lines(report: SearchReport, *, explain: bool, **_: Any) -> Iterator[str]:
    return report_lines(report, explain=explain, colours=sys.stdout.isatty())


def _arguments(
    *, scope: str, since: str | None, until: str | None, as_of: str | None, **values: Any
) -> dict[str, Any]:
    """The arguments of `memory.explain`; `--explain` only changes what is shown."""
    values.pop("explain")
    span = [_moment(since), _moment(until)]
    return {
        **values,
        "scope": "all" if scope == "all" else [scope],
        "time_range": None if since is None and until is None else span,
        "as_of": _moment(as_of),
    }


def _moment(text: str | None) -> float | str | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


_SCOPE = "Memories, turns, what others share, or all."
SEARCH = ClientCommand(
    "search",
    "memory.explain",
    "Search the memories as an app would; an empty answer says why.",
    _lines,
    (
        argument("query"),
        *FOR_USER,
        option("--session", "session_id", help="Within one session."),
        choice("--scope", ("memory", "turn", "shared", "all"), default="memory", help=_SCOPE),
        choice("--mode", _MODES, default="auto", help="How to search."),
        count("-n", "n_results", default=5, help="How many hits."),
        option("--since", help="Made at or after, or speaking of: ISO 8601 or epoch seconds."),
        option("--until", help="Made before, or speaking of an earlier time."),
        option("--tz", help="Time zone for words like yesterday, such as Asia/Shanghai."),
        option("--as-of", help="In the words and the state of a time: ISO 8601 or epoch seconds."),
        flag("--archived", "include_archived", help="Also what is no longer active."),
        flag("--explain", help="With the plan, the sources and what each score is the sum of."),
    ),
    json="As one JSON object, with everything.",
    whose=(),
    arguments=_arguments,
)
