"""Caches of user texts, which are cleared when a user is deleted."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

_caches: list[functools._lru_cache_wrapper[Any]] = []


def text_cache(limit: int) -> Callable[[Callable[..., T]], functools._lru_cache_wrapper[T]]:
    """`functools.lru_cache` for a function of user texts."""

    def decorate(function: Callable[..., T]) -> functools._lru_cache_wrapper[T]:
        cached = functools.lru_cache(limit)(function)
        _caches.append(cached)
        return cached

    return decorate


def clear_text_caches() -> None:
    """Clear all caches of user texts."""
    for cache in _caches:
        cache.cache_clear()
