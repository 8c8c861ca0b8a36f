"""What the use cases work with, made as the settings say."""

from __future__ import annotations

from collections.abc import Callable

from memory_client.paths import DataPaths
from memoryd.app.embedder import embedder_host, former_host
from memoryd.app.settings import Settings
from memoryd.app.zone import zone_source
from memoryd.core.ids import IdFactory
from memoryd.core.life.active_days import Calendar, DayClock
from memoryd.core.life.boost import BoostRules
from memoryd.core.life.decay_rules import DecayRules, Pace
from memoryd.core.times import ZoneSource
from memoryd.engine.context import Limits, Parts
from memoryd.index.keyword.keyword_index import KeywordIndex
from memoryd.index.vectors.vector_index import VectorIndex
from memoryd.models.host import EmbedderHost
from memoryd.models.reranker import RerankerChoice, RerankerHost
from memoryd.retrieval.semantic_index import SemanticIndex
from memoryd.storage.database import Database


def open_parts(
    paths: DataPaths, settings: Settings, clock: Callable[[], float], host: EmbedderHost | None = None
) -> Parts:
    """What all use cases work with, as the settings say. host: of `embedder_host`, None to make it."""
    host, zone = host or embedder_host(settings, paths), zone_source(settings.search.timezone)
    database = Database(paths.database)
    vectors = VectorIndex(
        database,
        paths,
        max_rows=settings.hot.max_rows,
        batch_rows=settings.lance.batch_rows,
        min_rows=settings.lance.min_rows,
    )
    return Parts(
        paths=paths,
        database=database,
        lexical=KeywordIndex(),
        vectors=vectors,
        meaning=SemanticIndex(host, vectors, lambda model: former_host(settings, paths, model)),
        clock=clock,
        zone=zone,
        calendar=_calendar(settings, zone),
        boost=_boost_rules(settings),
        limits=Limits(
            text_chars=settings.limits.text_chars,
            metadata_bytes=settings.limits.metadata_bytes,
            add_cap=settings.embedder.write_timeout_ms / 1000.0,
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
