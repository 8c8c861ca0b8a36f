"""Records as table rows: lists and maps are stored as JSON, truth values as 0 or 1."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Sequence
from typing import Any, Generic, TypeVar

from memoryd.storage.records.filters import encode_list

R = TypeVar("R")


class RecordColumns(Generic[R]):
    """The columns that hold the fields of a record. record: makes one from its fields."""

    def __init__(
        self,
        record: Callable[..., R],
        names: Sequence[str],
        *,
        lists: Collection[str],
        maps: Collection[str],
        flags: Collection[str],
    ) -> None:
        self._record = record
        self._names = names
        self._lists, self._maps, self._flags = lists, maps, flags
        self.selected = ", ".join(f"m.{name}" for name in names)

    def values(self, record: R) -> dict[str, Any]:
        """What to store, by column."""
        return {name: self._encode(name, getattr(record, name)) for name in self._names}

    def record(self, row: sqlite3.Row) -> R:
        """The record of a row."""
        values = {name: row[name] for name in self._names}
        for name in self._lists:
            values[name] = tuple(json.loads(values[name]))
        for name in self._maps:
            values[name] = json.loads(values[name])
        for name in self._flags:
            values[name] = bool(values[name])
        return self._record(**values)

    def _encode(self, name: str, value: Any) -> Any:
        if name in self._lists:
            return encode_list(value)
        if name in self._maps:
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return value
