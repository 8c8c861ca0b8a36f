"""The in-process KnowledgeBase: the same methods over the same services, without a daemon."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any, Self

from memory_client.api import (
    AdminAPI,
    ConflictsAPI,
    ConversationAPI,
    DecayAPI,
    ForgetAPI,
    KnowledgeAPI,
    LifeAPI,
    MemoryAPI,
    MethodSpec,
    ReviewAPI,
    TriplesAPI,
    VersionsAPI,
    bind,
)
from memory_client.deadline import Deadline
from memory_client.paths import DataPaths
from memory_client.progress import current_callback
from memoryd.app.build import App
from memoryd.app.settings import load_settings
from memoryd.core.call_context import Call, calling, silent
from memoryd.storage.ownership import DirectoryOwner

CALL_SECONDS = 30.0
"""Deadline of an ordinary call, as in the client; only waiting for the model takes that long."""


class _Group:
    def __init__(self, invoke: Callable[[MethodSpec, dict[str, Any]], Any]) -> None:
        self._invoke = invoke


@bind("conversation")
class _Conversation(_Group, ConversationAPI):
    pass


@bind("decay")
class _Decay(_Group, DecayAPI):
    pass


@bind("review")
class _Review(_Group, ReviewAPI):
    pass


@bind("triples")
class _Triples(_Group, TriplesAPI):
    pass


@bind("knowledge")
class _Knowledge(_Group, KnowledgeAPI):
    pass


@bind("admin")
class _Admin(_Group, AdminAPI):
    pass


@bind("memory")
class KnowledgeBase(MemoryAPI, ForgetAPI, LifeAPI, VersionsAPI, ConflictsAPI):
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
        self.conversation: ConversationAPI = _Conversation(self._invoke)
        self.decay: DecayAPI = _Decay(self._invoke)
        self.review: ReviewAPI = _Review(self._invoke)
        self.triples: TriplesAPI = _Triples(self._invoke)
        self.knowledge: KnowledgeAPI = _Knowledge(self._invoke)
        self.admin: AdminAPI = _Admin(self._invoke)

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
        call = Call(deadline, current_callback() or silent)
        with calling(call):
            result = self._app.dispatcher.carry_out(spec, params, call)
            return list(result) if isinstance(result, Iterator) else result
