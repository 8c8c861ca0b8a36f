"""What the use cases work with, made as the settings say."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from memory_client.deadline import Deadline
from memory_client.errors import ConfigurationError, DeadlineExceededError, ModelUnavailableError
from memory_client.paths import DataPaths
from memoryd.app.settings import Settings
from memoryd.app.zone import zone_source
from memoryd.core.boost import BoostRules
from memoryd.core.days import Calendar, DayClock
from memoryd.core.decay_rules import DecayRules, Pace
from memoryd.core.ids import IdFactory
from memoryd.core.times import ZoneSource
from memoryd.engine.meaning import Meaning
from memoryd.engine.parts import Limits, Parts
from memoryd.index.lexical import LexicalIndex
from memoryd.index.vector_index import VectorIndex
from memoryd.models.host import EmbedderHost
from memoryd.models.reranker import RerankerChoice, RerankerHost
from memoryd.models.select import EmbedderChoice
from memoryd.storage.database import Database

log = logging.getLogger(__name__)

_FORMER_SECONDS = 60.0


def open_parts(paths: DataPaths, settings: Settings, clock: Callable[[], float]) -> Parts:
    """What all use cases work with, as the settings say."""
    database = Database(paths.database)
    vectors = VectorIndex(
        database,
        paths,
        max_rows=settings.hot.max_rows,
        batch_rows=settings.lance.batch_rows,
        min_rows=settings.lance.min_rows,
    )
    choice, zone = _choice(settings, paths), zone_source(settings.search.timezone)
    host = EmbedderHost(choice, query_cache_size=settings.search.query_cache)
    return Parts(
        paths=paths,
        database=database,
        lexical=LexicalIndex(),
        vectors=vectors,
        meaning=Meaning(host, vectors, lambda model: _former_host(choice, model)),
        clock=clock,
        zone=zone,
        calendar=_calendar(settings, zone),
        boost=_boost_rules(settings),
        limits=Limits(
            text_chars=settings.limits.text_chars,
            metadata_bytes=settings.limits.metadata_bytes,
            add_cap=settings.embedder.add_cap_ms / 1000.0,
            versions=settings.versions.limit,
        ),
        ids=IdFactory(),
        reranker=RerankerHost(_reranker(settings)),
    )


def _reranker(settings: Settings) -> RerankerChoice:
    own = settings.reranker
    return RerankerChoice(own.model, own.device, own.allow_downloads)


def _calendar(settings: Settings, zone: ZoneSource) -> Calendar:
    clock: DayClock = "wall" if settings.decay.clock == "wall" else "active"
    return Calendar(zone, clock, rules=_decay_rules(settings))


def _decay_rules(settings: Settings) -> DecayRules:
    own, review = settings.decay, settings.review
    return DecayRules(
        fact=Pace(own.fact_days, own.fact_factor),
        episode=Pace(own.episode_days, own.episode_factor),
        review_below=own.fact_review_below,
        archive_below=own.fact_archive_below,
        episode_days=own.episode_archive_days,
        lasting=own.lasting_importance,
        restored=own.restored_importance,
        promote_from=review.promote_from,
        longest_grace=review.longest_grace_days,
    )


def _boost_rules(settings: Settings) -> BoostRules:
    own = settings.boost
    return BoostRules(own.step, own.window_hours * 3600.0, own.day_limit)


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
        timeout=own.timeout,
        batch=own.batch,
    )


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


def _former_host(choice: EmbedderChoice, model: str) -> EmbedderHost | None:
    """The model an index was made with, to serve it until the new one is complete; None if it won't load."""
    host = EmbedderHost(replace(choice, model=model))
    host.start()
    try:
        host.wait(Deadline.after(_FORMER_SECONDS))
    except (ModelUnavailableError, DeadlineExceededError) as error:
        log.warning("the former model does not load, keywords only until the new index is done: %s", error)
        host.close()
        return None
    return host
