"""Caches of functions: those that hold texts of users are emptied when a user is deleted."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import memoryd
from memoryd.language import text_cache
from memoryd.language.conflicts.clauses import read_clauses
from memoryd.language.fold import query_terms

NO_TEXT = {
    "memoryd.core.life.active_days._begin",
    "memoryd.language.fold.simplified_table",
    "memoryd.language.times.holidays._lunar",
    "memoryd.language.times.holidays._solar_term",
    "memoryd.language.triples.extractor._grammar",
    "memoryd.language.redact._patterns",
    "memoryd.models.e5.reduction._projection",
    "memoryd.retrieval.ranking.ranker.profiles",
    "memoryd.retrieval.ranking.ranker.load_ranker",
    "memoryd.retrieval.ranking.trained_space._stored",
    "memoryd.service.validation.declared_parameters",
    "memoryd.storage.records.versions._decoder",
}
"""Cached functions of numbers, types or nothing at all."""


def modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(memoryd.__path__, "memoryd."):
        if not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


def cached_functions() -> dict[str, Any]:
    """Every `functools` cache of the package, by the name of its function."""
    return {
        f"{value.__module__}.{value.__qualname__}": value
        for module in modules()
        for value in vars(module).values()
        if isinstance(value, functools._lru_cache_wrapper) and value.__module__.startswith("memoryd.")
    }


def test_every_cache_holds_no_text_or_can_be_emptied() -> None:
    found = cached_functions()  # first: the caches are known once their modules are imported
    kept = {id(cache) for cache in text_cache._caches}
    apart = {name for name, cache in found.items() if id(cache) not in kept}
    assert apart == NO_TEXT, "use text_cache for a function of texts"


def test_all_of_them_are_emptied() -> None:
    query_terms("where did she put the keys")
    read_clauses("Her keys are in the kitchen")
    assert any(cache.cache_info().currsize for cache in text_cache._caches)
    text_cache.clear_text_caches()
    assert [cache.cache_info().currsize for cache in text_cache._caches] == [0] * len(text_cache._caches)
