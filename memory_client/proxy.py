"""A replacement for `KnowledgeBase` that calls the daemon."""

from __future__ import annotations

import os

from memory_client.client import KnowledgeClient
from memory_client.errors import ConfigurationError
from memory_client.paths import DataPaths


class KnowledgeBaseProxy(KnowledgeClient):
    """`KnowledgeClient` with the constructor of `KnowledgeBase`: the daemon of exactly that directory.

    Raises `ConfigurationError` for `settings`: those of the daemon are in its config.toml.
    """

    def __init__(
        self,
        data_dir: str | os.PathLike[str] | None = None,
        *,
        settings: object = None,
    ) -> None:
        if settings is not None:
            raise ConfigurationError(
                f"settings cannot be given to a client, the daemon has its own; write them into "
                f"{DataPaths.at(data_dir).config} and run: memoryd restart",
                setting="settings",
            )
        super().__init__(data_dir)
