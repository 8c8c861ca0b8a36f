"""Handlers of group `decay`."""

from __future__ import annotations

from memory_client.types import DecayPass, UndoPassResult
from memoryd.core.scope import Scope
from memoryd.engine.decay.decay_passes import DecayPasses
from memoryd.engine.deletion.purge import ArchivePurge
from memoryd.storage.requests import RequestKey


class DecayService:
    """Decay passes and the purge."""

    def __init__(self, decay: DecayPasses, purge: ArchivePurge) -> None:
        self._decay = decay
        self.preview = decay.preview
        self.purge = purge.purge

    def run(self, scope: Scope, key: RequestKey | None) -> DecayPass:
        return self._decay.run(scope, key)

    def undo_pass(self, id: str, scope: Scope, key: RequestKey | None) -> UndoPassResult:
        return self._decay.undo_pass(id, scope, key)
