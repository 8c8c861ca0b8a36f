"""The embedding model that the settings ask for."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

from memory_client.deadline import Deadline
from memory_client.errors import ConfigurationError, DeadlineExceededError, ModelUnavailableError
from memory_client.paths import DataPaths
from memoryd.app.settings import Settings
from memoryd.models.host import EmbedderHost
from memoryd.models.select import EmbedderChoice

log = logging.getLogger(__name__)

_FORMER_SECONDS = 60.0


def embedder_host(settings: Settings, paths: DataPaths) -> EmbedderHost:
    """The host of the model, not started. Raises `ConfigurationError` for a relative `models_dir`."""
    return EmbedderHost(_choice(settings, paths), query_cache_size=settings.search.query_cache_size)


def models_directory(settings: Settings, paths: DataPaths) -> Path:
    """Where the bundled model builds its files. Raises `ConfigurationError` for a relative path."""
    named = settings.embedder.models_dir
    if not named:
        return paths.models
    directory = Path(named).expanduser()
    if not directory.is_absolute():
        raise ConfigurationError(
            f"embedder.models_dir is {named!r}, expected an absolute path, or nothing for models/ in the "
            "data directory",
            setting="embedder.models_dir",
        )
    return directory


def former_host(settings: Settings, paths: DataPaths, model: str) -> EmbedderHost | None:
    """The model an index was made with, to serve it until the new one is complete; None if it won't load."""
    host = EmbedderHost(replace(_choice(settings, paths), model=model))
    host.start()
    try:
        host.wait(Deadline.after(_FORMER_SECONDS))
    except (ModelUnavailableError, DeadlineExceededError) as error:
        log.warning("the former model does not load, keywords only until the new index is done: %s", error)
        host.close()
        return None
    return host


def _choice(settings: Settings, paths: DataPaths) -> EmbedderChoice:
    own = settings.embedder
    return EmbedderChoice(
        model=own.model,
        models=models_directory(settings, paths),
        device=own.device,
        base_url=own.base_url,
        api_key=own.api_key,
        query_prefix=own.query_prefix,
        passage_prefix=own.passage_prefix,
        dimensions=own.dimensions,
        allow_downloads=own.allow_downloads,
        timeout=own.timeout_seconds,
        batch=own.batch_size,
    )
