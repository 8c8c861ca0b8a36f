"""The in-process KnowledgeBase: the same methods over the same services, without a daemon."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any, Self

from memory_client.api import MethodSpec
from memory_client.deadline import Deadline
from memory_client.groups import Methods, open_groups
from memory_client.paths import DataPaths
from memory_client.progress import current_callback
from memoryd.app.build import App
from memoryd.app.settings import load_settings
from memoryd.core.call_context import Call, ignore_progress, set_call
from memoryd.storage.ownership import DirectoryOwner

CALL_SECONDS = 30.0
"""Deadline of an ordinary call, as in the client; only waiting for the model takes that long."""


class KnowledgeBase(Methods):
    """A store opened in this process, the only owner of its data directory until `close`.

    data_dir: None for `MEMORYD_HOME` or the platform's place. settings: `{"group.name": value}`, above
    config.toml and the environment. Raises `DataDirectoryInUse` when a daemon or another process owns it,
    `ConfigurationError`, `StorageError` or a subclass.

    clock: returns epoch seconds; for simulations and tests.
    """

    def __init__(
        self,
        data_dir: str | os.PathLike[str] | None = None,
        *,
        settings: Mapping[str, Any] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        paths = DataPaths.at(data_dir)
        self._owner = DirectoryOwner(paths, "in-process")
        self._owner.take()
        with ExitStack() as undo:
            undo.callback(self._owner.release)
            self._app = App(paths, load_settings(paths, overrides=dict(settings or {})), clock)
            undo.callback(self._app.close)
            self._app.open()
            undo.pop_all()
        open_groups(self)

    def close(self) -> None:
        """Close the store and release the directory. May be called twice."""
        self._app.close()
        self._owner.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _invoke(self, spec: MethodSpec, params: dict[str, Any]) -> Any:
        deadline = Deadline.after(None if spec.is_long else CALL_SECONDS)
        call = Call(deadline, current_callback() or ignore_progress)
        with set_call(call):
            result = self._app.dispatcher.call_method(spec, params, call)
            return list(result) if isinstance(result, Iterator) else result
