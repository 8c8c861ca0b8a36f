"""Why a search finds nothing: it is asked again without what may have kept it from finding something."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from memoryd.core.filters.grammar import EVERYTHING
from memoryd.retrieval.request import SearchRequest
from memoryd.retrieval.results.hits import FoundRecord
from memoryd.storage.connection import Connection
from memoryd.storage.database import Database
from memoryd.storage.knowledge import grants
from memoryd.storage.records import texts

Find = Callable[[SearchRequest], Sequence[FoundRecord]]


def find_empty_reason(database: Database, request: SearchRequest, find: Find) -> str | None:
    """The reason in words, None for no other than the query. find: what a request finds."""
    with database.read() as connection:  # no longer: the searches have views of their own
        is_stored = _is_stored(connection, request)
    if not is_stored:
        return f"nothing is stored yet for this user{'' if request.scope.agent_id is None else ' and agent'}"
    wider = replace(request, offset=0, limit=1, min_score=None)
    if not request.scope.archived and find(_with_archived(wider)):
        return "only what is archived or superseded is found: include_archived (--archived) shows it"
    narrowed = _narrowed_by(request)
    wider = replace(wider, node=EVERYTHING, span=None, as_of=None)
    if narrowed and find(replace(wider, mode="auto" if request.mode == "temporal" else request.mode)):
        return f"{' and '.join(narrowed)} left nothing; something is found without"
    return None


def _is_stored(connection: Connection, request: SearchRequest) -> bool:
    every = _with_archived(request).scope
    return any(
        grants.get_grants(connection, request.scope.user_id)
        if target == "shared"
        else texts.is_any(connection, target, every)
        for target in request.targets
    )


def _with_archived(request: SearchRequest) -> SearchRequest:
    return replace(request, scope=replace(request.scope, archived=True))


def _narrowed_by(request: SearchRequest) -> list[str]:
    given = {
        "filters or session_id": request.node != EVERYTHING,
        "time_range": request.span is not None,
        "as_of": request.as_of is not None,
    }
    return [name for name, is_given in given.items() if is_given]
