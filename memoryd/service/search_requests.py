"""From the parameters of `search` to a checked request with its defaults filled in."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import Any, Literal, get_args

from memory_client.api import find
from memory_client.deadline import Deadline
from memory_client.errors import InvalidParameterError
from memory_client.types import SearchScope
from memoryd.core.filters.grammar import EVERYTHING, And, Compare, Node, parse_filters
from memoryd.core.parameter_errors import invalid_value
from memoryd.core.scope import Scope
from memoryd.core.text import clean_text
from memoryd.core.times import ZoneSource, parse_time, parse_zone
from memoryd.retrieval.ranking import ranker, standing
from memoryd.retrieval.request import SearchRequest, TimeSpan
from memoryd.service.parameters import check_range

_MAX_QUERY_CHARS = 100_000
_MAX_WEIGHT = 100.0
_ENDS = 2
_GROUPS = (*ranker.RELEVANCE, *standing.GROUPS)
_SCOPES: tuple[SearchScope, ...] = get_args(SearchScope)


@dataclass(frozen=True, slots=True)
class SearchRequests:
    """Builds search requests. zone: of calls without `tz`; clock: epoch seconds; weights: defaults that are
    not 1."""

    zone: ZoneSource
    clock: Callable[[], float]
    weights: Mapping[str, float] = field(default_factory=dict)

    def request(
        self, query: str, n_results: int, visible: Scope, deadline: Deadline, options: Mapping[str, Any]
    ) -> SearchRequest:
        """The request of a call of `search`. Raises `InvalidParameterError`, `InvalidFilterError`.

        visible: whose memories; options: the other parameters of `search`.
        """
        if isinstance(options["min_score"], int | float):
            check_range("min_score", options["min_score"], 0, 1)
        zone = self.zone() if options["tz"] is None else parse_zone(options["tz"], "tz")
        return SearchRequest(
            query=clean_text(query, _MAX_QUERY_CHARS, "query")[0],
            scope=visible,
            deadline=deadline,
            reference=self._reference(options["reference_time"], zone),
            targets=_targets(options["scope"]),
            limit=n_results,
            offset=options["offset"],
            mode=options["mode"],
            node=_within_session(parse_filters(options["filters"]), options["session_id"]),
            min_score=options["min_score"],
            sort_by=options["sort_by"],
            sort_order=options["sort_order"],
            intent=options["intent"],
            weights=_weights({**self.weights, **(options["weights"] or {})}),
            span=_span(options["time_range"], zone),
            as_of=None if options["as_of"] is None else parse_time(options["as_of"], "as_of"),
        )

    def plain(
        self, query: str, n_results: int, visible: Scope, deadline: Deadline, **options: Any
    ) -> SearchRequest:
        """The request of a call with these options and the declared defaults of the others."""
        return self.request(query, n_results, visible, deadline, find("memory.search").defaults | options)

    def _reference(self, moment: float | str | None, zone: tzinfo) -> datetime:
        seconds = self.clock() if moment is None else parse_time(moment, "reference_time", zone)
        return datetime.fromtimestamp(seconds, UTC).astimezone(zone)


def _targets(scope: Sequence[SearchScope] | Literal["all"] | None) -> tuple[SearchScope, ...]:
    if scope is None:
        return ("memory",)
    if scope == "all":
        return _SCOPES
    if not scope:
        expected = f"some of {', '.join(_SCOPES)}, or 'all'"
        raise InvalidParameterError(
            f"scope: names nothing to search; expected {expected}",
            parameter="scope",
            value="[]",
            expected=expected,
        )
    return tuple(target for target in _SCOPES if target in scope)


def _weights(given: Mapping[str, float]) -> dict[str, float]:
    for name, weight in given.items():
        if name not in _GROUPS:
            raise invalid_value(f"weights.{name}", name, f"names among {', '.join(_GROUPS)}")
        if not math.isfinite(weight) or not 0 <= weight <= _MAX_WEIGHT:
            raise invalid_value(f"weights.{name}", weight, f"a number from 0 to {_MAX_WEIGHT:g}")
    if not any(given.get(name, 1.0) for name in ranker.RELEVANCE):
        raise invalid_value("weights", given, f"at least one of {', '.join(ranker.RELEVANCE)} over 0")
    return dict(given)


def _span(given: Sequence[float | str | None] | None, zone: tzinfo) -> TimeSpan | None:
    if given is None:
        return None
    if len(given) != _ENDS:
        raise invalid_value("time_range", given, "[start, end], either of them None where it is open")
    start, end = (
        None if moment is None else parse_time(moment, f"time_range[{at}]", zone)
        for at, moment in enumerate(given)
    )
    if start is not None and end is not None and end < start:
        raise invalid_value("time_range", given, "a start that is not after the end")
    return None if start is None and end is None else TimeSpan(start, end)


def _within_session(node: Node, session_id: str | None) -> Node:
    if session_id is None:
        return node
    session = Compare("session_id", "eq", session_id)
    return And((session,)) if node == EVERYTHING else And((session, node))
