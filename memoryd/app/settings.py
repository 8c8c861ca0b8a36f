"""The one table of settings, and where each value came from.

Precedence, lowest first: the default, `config.toml`, the environment, the command line (or values given in
code). A setting `group.name` has the environment variable `MEMORYD_GROUP_NAME`. Nothing else switches
anything on: an `OPENAI_API_KEY` in the environment is not read.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from memory_client.errors import ConfigurationError, InvalidParameterError
from memory_client.paths import DataPaths
from memory_client.types import SettingValue
from memoryd.app.life_settings import BoostSettings, ConflictSettings, DecaySettings, ReviewSettings
from memoryd.app.setting import Setting, Value, values_of
from memoryd.app.setting import setting_field as _setting
from memoryd.app.setting_sources import MASK, Sources
from memoryd.core.times import parse_zone

Origin = Literal["default", "config.toml", "environment", "command line"]

_EMBEDDERS = ("auto", "bundled", "none")
_EMBEDDER_FAMILIES = ("onnx:", "sentence-transformers:", "openai:")


@dataclass(frozen=True, slots=True)
class DaemonSettings:
    port: int = _setting(
        19876, "Port on 127.0.0.1; any free one when it is taken, or with 0.", low=0, high=65535
    )
    workers: int = _setting(16, "Requests carried out at the same time.", low=1, high=256)
    queue_limit: int = _setting(
        256, "Requests that may wait; beyond it the answer is `busy`.", low=1, high=100_000
    )
    max_message_mb: int = _setting(64, "Largest message taken or sent, in MB.", low=1, high=1024)
    idle_exit: float = _setting(0.0, "Leave after so many seconds without work; 0 never.", low=0)
    drain_seconds: float = _setting(
        10.0, "How long a stop waits for the work in hand, in seconds.", low=0, high=600
    )


@dataclass(frozen=True, slots=True)
class LogSettings:
    level: str = _setting(
        "info",
        "Least level written to the log; texts of memories appear only at debug.",
        choices=("debug", "info", "warning", "error"),
    )
    max_mb: int = _setting(5, "Size at which the log file is rotated, in MB.", low=1, high=1024)
    backups: int = _setting(3, "Rotated log files kept.", low=0, high=100)


@dataclass(frozen=True, slots=True)
class EmbedderSettings:
    model: str = _setting(
        "auto",
        "The embedding model; `auto` is the bundled one where it is installed, else its published files "
        "(`onnx:`) or sentence-transformers, else none (keyword search).",
        choices=_EMBEDDERS,
        families=_EMBEDDER_FAMILIES,
    )
    models_dir: str = _setting(
        "",
        "Directory where the bundled model builds its files, which several stores may share; empty: models/ "
        "in the data directory.",
    )
    device: str = _setting("cpu", "Device of a sentence-transformers model: cpu, cuda, cuda:1, mps.")
    base_url: str = _setting("", "Endpoint of an openai: model, such as http://127.0.0.1:1234/v1.")
    api_key: str = _setting("", "Key for that endpoint; keep it in config.toml.", secret=True)
    query_prefix: str = _setting("", "Put before every query, when the model wants it.")
    passage_prefix: str = _setting("", "Put before every stored text, when the model wants it.")
    dimensions: int = _setting(
        0, "Dimensions asked of an openai: model; 0 its own number.", low=0, high=16384
    )
    allow_downloads: bool = _setting(False, "Whether a model may be fetched from the model hub.")
    timeout: float = _setting(30.0, "Time for one request to a remote endpoint, in seconds.", low=0.1)
    add_cap_ms: int = _setting(
        500,
        "How long a write waits for its vector, in milliseconds; later it is added behind.",
        low=0,
        high=60_000,
    )
    batch: int = _setting(64, "Texts embedded at a time.", low=1, high=4096)


@dataclass(frozen=True, slots=True)
class RerankerSettings:
    model: str = _setting(
        "",
        "A sentence-transformers CrossEncoder, by name or path, that puts the best hits in order; "
        "empty for none.",
    )
    device: str = _setting("cpu", "Its device: cpu, cuda, cuda:1, mps.")
    allow_downloads: bool = _setting(False, "Whether it may be fetched from the model hub.")
    candidates: int = _setting(20, "How many of the best hits it reorders.", low=1, high=1000)
    deadline_ms: int = _setting(
        1000,
        "How long a search waits for it, in milliseconds; later the hits stay as they are.",
        low=1,
        high=60_000,
    )


@dataclass(frozen=True, slots=True)
class HotSettings:
    max_rows: int = _setting(
        200_000, "Vectors kept in memory; beyond it LanceDB searches as well. 0 keeps none.", low=0
    )
    snapshot_seconds: float = _setting(
        300.0, "Seconds between snapshots of the vectors in memory; 0 only at the end.", low=0
    )


@dataclass(frozen=True, slots=True)
class LanceSettings:
    min_rows: int = _setting(
        25_000,
        "Vectors kept in the database before LanceDB is loaded, which takes 100 MB of memory; 0 loads it at "
        "once.",
        low=0,
        high=100_000,
    )
    batch_rows: int = _setting(256, "Vectors that go to LanceDB in one batch.", low=1, high=100_000)
    batch_seconds: float = _setting(2.0, "Longest wait of a vector for its batch, in seconds.", low=0)


@dataclass(frozen=True, slots=True)
class MaintenanceSettings:
    compact_hours: float = _setting(6.0, "Hours between compactions of the vector store; 0 never.", low=0)
    removal_minutes: float = _setting(
        60.0, "Longest time until deleted data is physically gone, in minutes.", low=1, high=60
    )


@dataclass(frozen=True, slots=True)
class ConversationSettings:
    idle_minutes: float = _setting(
        30.0, "Minutes without a new turn after which a session is closed; 0 never.", low=0
    )


@dataclass(frozen=True, slots=True)
class KnowledgeSettings:
    storage: str = _setting(
        "sqlite",
        "Where versions of knowledge points are kept: in the database, or as files below knowledge/.",
        choices=("sqlite", "files"),
    )
    max_points: int = _setting(10_000, "Points a version may hold.", low=1, high=1_000_000)
    merge_days: float = _setting(
        7.0, "Age of the oldest increment, in days, at which increments are merged; 0 never.", low=0
    )
    merge_increments: int = _setting(
        20, "Increments beyond which they are merged at once; 0 never.", low=0, high=100_000
    )
    default_top_k: int = _setting(5, "Points returned where a call does not say how many.", low=1, high=1000)
    min_score_threshold: int = _setting(
        20, "Score below which a point is neither found nor drawn.", low=0, high=100
    )
    recent_versions_count: int = _setting(5, "Newest versions that samples are drawn from.", low=1, high=1000)


@dataclass(frozen=True, slots=True)
class SearchSettings:
    query_cache: int = _setting(1000, "Vectors of recent queries kept; 0 none.", low=0, high=1_000_000)
    result_cache_mb: int = _setting(16, "Answers of searches kept, in MB; 0 none.", low=0, high=4_096)
    result_seconds: float = _setting(300.0, "Longest time an answer is kept.", low=0.0, high=86_400.0)
    model_wait_ms: int = _setting(
        5_000,
        "How long a search in mode auto or hybrid waits, in all, for a model that is loading, for at most 64 "
        "missing vectors and for the query's own, in milliseconds; later it answers by keywords.",
        low=0,
        high=600_000,
    )
    timezone: str = _setting(
        "",
        "IANA zone of times and of words like `yesterday` where a call gives no `tz`; empty: the machine's.",
    )


@dataclass(frozen=True, slots=True)
class RankingSettings:
    """Weights of a search that gives none; each is a name of the parameter `weights`."""

    exact: float = _setting(1.0, "Weight of ids, exact keys and quoted phrases.", low=0, high=100)
    semantic: float = _setting(1.0, "Weight of what is near in meaning.", low=0, high=100)
    temporal: float = _setting(1.0, "Weight of the time a query names.", low=0, high=100)
    recency: float = _setting(1.0, "Weight of how lately a memory was used.", low=0, high=100)
    importance: float = _setting(1.0, "Weight of a memory's importance.", low=0, high=100)
    confidence: float = _setting(1.0, "Weight of a memory's confidence.", low=0, high=100)
    lexical: float = _setting(1.0, "Weight of the words of the query.", low=0, high=100)
    graph: float = _setting(1.0, "Weight of what triples connect with the query.", low=0, high=100)


@dataclass(frozen=True, slots=True)
class LimitSettings:
    text_chars: int = _setting(1_000_000, "Longest text of a memory, in characters.", low=1)
    metadata_bytes: int = _setting(65_536, "Largest metadata of a memory as JSON, in bytes.", low=2)


@dataclass(frozen=True, slots=True)
class VersionSettings:
    limit: int = _setting(
        100, "Versions of a memory that are told apart; the oldest beyond are merged.", low=2, high=100_000
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """All values, by group; `origins` says where each came from (`daemon.port` -> `default`)."""

    daemon: DaemonSettings = DaemonSettings()
    log: LogSettings = LogSettings()
    embedder: EmbedderSettings = EmbedderSettings()
    reranker: RerankerSettings = RerankerSettings()
    hot: HotSettings = HotSettings()
    lance: LanceSettings = LanceSettings()
    maintenance: MaintenanceSettings = MaintenanceSettings()
    conversation: ConversationSettings = ConversationSettings()
    decay: DecaySettings = DecaySettings()
    boost: BoostSettings = BoostSettings()
    review: ReviewSettings = ReviewSettings()
    conflicts: ConflictSettings = ConflictSettings()
    knowledge: KnowledgeSettings = KnowledgeSettings()
    search: SearchSettings = SearchSettings()
    ranking: RankingSettings = RankingSettings()
    limits: LimitSettings = LimitSettings()
    versions: VersionSettings = VersionSettings()
    origins: Mapping[str, Origin] = field(default_factory=dict)

    def value(self, name: str) -> Value:
        """The value of `group.name`."""
        group, _, key = name.partition(".")
        value: Value = getattr(getattr(self, group), key)
        return value

    def origin(self, name: str) -> Origin:
        """Where the value of `group.name` came from."""
        return self.origins.get(name, "default")

    def from_starter(self) -> list[str]:
        """Names of the settings that came from the environment of whoever started the process."""
        return [s.name for s in SETTINGS if self.origin(s.name) == "environment"]

    def describe(self) -> list[SettingValue]:
        """Every setting with its value and where it came from; secrets are masked."""
        return [self._described(setting) for setting in SETTINGS]

    def _described(self, setting: Setting) -> SettingValue:
        value = self.value(setting.name)
        return {
            "name": setting.name,
            "value": MASK if setting.secret and value else value,
            "default": setting.default,
            "source": self.origin(setting.name),
            "variable": setting.variable,
            "description": setting.description,
        }

    @property
    def fingerprint(self) -> str:
        """A hash of all values but secrets: two processes with the same one behave the same."""
        values = {s.name: self.value(s.name) for s in SETTINGS if not s.secret}
        return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]


def _table() -> Iterator[Setting]:
    for group in fields(Settings):
        if group.name != "origins":
            for entry in fields(group.default):  # type: ignore[arg-type]
                default: Any = entry.default
                yield Setting(name=f"{group.name}.{entry.name}", default=default, **entry.metadata)


SETTINGS: tuple[Setting, ...] = tuple(_table())
_SOURCES = Sources(SETTINGS)


def load_settings(
    paths: DataPaths,
    environ: Mapping[str, str] | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> Settings:
    """Settings of a data directory. environ: None for the process's own; overrides: by `group.name`.

    Raises `ConfigurationError` naming the setting, the value, the form expected and the near miss, and
    `UnsafeDirectoryError` when others may write `config.toml`.
    """
    layers: tuple[tuple[Origin, dict[str, Value]], ...] = (
        ("config.toml", _SOURCES.from_file(paths)),
        ("environment", _SOURCES.from_environment(os.environ if environ is None else environ)),
        ("command line", _SOURCES.from_overrides(overrides or {})),
    )
    values: dict[str, Value] = {}
    origins: dict[str, Origin] = {}
    for origin, layer in layers:
        values.update(layer)
        origins.update(dict.fromkeys(layer, origin))
    return _build(values, origins)


def check_overrides(overrides: Mapping[str, Any]) -> None:
    """Raise `ConfigurationError` for values that `load_settings` would refuse."""
    _SOURCES.from_overrides(overrides)


def is_secret(name: str) -> bool:
    """Whether a setting must be shown to nobody."""
    return _SOURCES.is_secret(name)


def _build(values: Mapping[str, Value], origins: Mapping[str, Origin]) -> Settings:
    settings = Settings(origins=origins)
    for name, value in values.items():
        group, _, key = name.partition(".")
        changed: Any = replace(getattr(settings, group), **{key: value})
        settings = replace(settings, **{group: changed})
    _check_together(settings)
    return settings


def _check_together(settings: Settings) -> None:
    """Raise `ConfigurationError` for an unknown zone, and for values that fit alone but not together."""
    try:
        if settings.search.timezone:
            parse_zone(settings.search.timezone, "search.timezone")
    except InvalidParameterError as error:
        raise ConfigurationError(error.message, setting="search.timezone") from error
    decay = settings.decay
    if decay.fact_archive_below > decay.fact_review_below:
        raise ConfigurationError(
            f"decay.fact_archive_below is {decay.fact_archive_below}, expected at most "
            f"decay.fact_review_below ({decay.fact_review_below}): a fact is reviewed before it is archived",
            setting="decay.fact_archive_below",
        )
    if not any(values_of(settings.ranking).values()):
        raise ConfigurationError(
            "ranking: every weight is 0, expected at least one over 0", setting="ranking.semantic"
        )
