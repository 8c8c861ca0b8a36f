"""Every setting by group: its type, bounds, description and default. The only list there is."""

from sys import float_info
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

Text = Annotated[str, Meta(pattern="^[^\0\ud800-\udfff]*$")]
"""Text that can be stored and sent: no NUL, no undecodable bytes."""
AtLeastZero = Annotated[float, Meta(ge=0, le=float_info.max)]
Days = Annotated[float, Meta(ge=0, le=100_000)]
Factor = Annotated[float, Meta(ge=0.01, le=1)]
Importance = Annotated[float, Meta(ge=0, le=5)]
Weight = Annotated[float, Meta(ge=0, le=100)]


def about(description: str, ge: float | None = None, le: float | None = None, **more: Any) -> Meta:
    """The description of a setting and its bounds."""
    return Meta(description=description, ge=ge, le=le, **more)


EMBEDDERS = ["auto", "bundled", "none", "onnx:<name>", "sentence-transformers:<name>", "openai:<name>"]
SECRET = Meta(extra={"secret": True})


class Group(Struct, frozen=True, forbid_unknown_fields=True):
    """One table of `config.toml`."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(...)"  # some values are secret


class DaemonSettings(Group, frozen=True):
    port: Annotated[int, about("Port on 127.0.0.1; a free one if it is taken or 0.", 0, 65535)] = 19876
    workers: Annotated[int, about("Requests processed at the same time.", 1, 256)] = 16
    queue_limit: Annotated[int, about("Requests that may wait; further ones get `busy`.", 1, 100_000)] = 256
    max_message_mb: Annotated[int, about("Largest message received or sent, in MB.", 1, 1024)] = 64
    idle_exit_seconds: Annotated[
        AtLeastZero, about("Seconds without work after which the daemon exits; 0: never.")
    ] = 0.0
    drain_seconds: Annotated[
        float, about("Longest wait of a stop for running requests, in seconds.", 0, 600)
    ] = 10.0


class LogSettings(Group, frozen=True):
    level: Annotated[
        Literal["debug", "info", "warning", "error"],
        about("Lowest level written to the log; memory texts appear only at debug."),
    ] = "info"
    max_mb: Annotated[int, about("Size that rotates the log file, in MB.", 1, 1024)] = 5
    backup_count: Annotated[int, about("Rotated log files kept.", 0, 100)] = 3


class EmbedderSettings(Group, frozen=True):
    model: Annotated[
        str,
        about(
            "The embedding model; `auto` is the bundled one if installed, else its published files "
            "(`onnx:`) or sentence-transformers, else none (keyword search).",
            pattern=r"^(auto|bundled|none|(onnx|sentence-transformers|openai):[^\0\ud800-\udfff]+)$",
            examples=EMBEDDERS,
        ),
    ] = "auto"
    models_dir: Annotated[
        Text,
        about(
            "Directory where the bundled model builds its files, which several stores may share; "
            "empty: models/ in the data directory."
        ),
    ] = ""
    device: Annotated[Text, about("Device of a sentence-transformers model: cpu, cuda, cuda:1, mps.")] = "cpu"
    base_url: Annotated[Text, about("Endpoint of an openai: model, such as http://127.0.0.1:1234/v1.")] = ""
    api_key: Annotated[Text, SECRET, about("Key of that endpoint; keep it in config.toml.")] = ""
    query_prefix: Annotated[Text, about("Prefix of every query, if the model needs one.")] = ""
    passage_prefix: Annotated[Text, about("Prefix of every stored text, if the model needs one.")] = ""
    dimensions: Annotated[
        int, about("Dimensions requested from an openai: model; 0: the model's own.", 0, 16384)
    ] = 0
    allow_downloads: Annotated[bool, about("Whether a model may be downloaded from the model hub.")] = False
    timeout_seconds: Annotated[
        float, about("Timeout of a request to a remote endpoint, in seconds.", 0.1, float_info.max)
    ] = 30.0
    write_timeout_ms: Annotated[
        int,
        about(
            "Longest wait of a write for its vector, in milliseconds; later it is added in the background.",
            0,
            60_000,
        ),
    ] = 500
    batch_size: Annotated[int, about("Texts embedded in one batch.", 1, 4096)] = 64


class RerankerSettings(Group, frozen=True):
    model: Annotated[
        Text,
        about(
            "A sentence-transformers CrossEncoder, by name or path, that reorders the best hits; empty: none."
        ),
    ] = ""
    device: Annotated[Text, about("Its device: cpu, cuda, cuda:1, mps.")] = "cpu"
    allow_downloads: Annotated[bool, about("Whether it may be downloaded from the model hub.")] = False
    candidates: Annotated[int, about("How many of the best hits it reorders.", 1, 1000)] = 20
    timeout_ms: Annotated[
        int,
        about(
            "Longest wait of a search for it, in milliseconds; later the hits keep their order.", 1, 60_000
        ),
    ] = 1000


class HotSettings(Group, frozen=True):
    max_rows: Annotated[
        int, about("Vectors kept in memory; beyond it LanceDB searches as well. 0: none.", 0)
    ] = 200_000
    snapshot_seconds: Annotated[
        AtLeastZero, about("Seconds between snapshots of the vectors in memory; 0: only at the end.")
    ] = 300.0


class LanceSettings(Group, frozen=True):
    min_rows: Annotated[
        int,
        about(
            "Vectors kept in the database before LanceDB is loaded, which takes 100 MB of memory; "
            "0: load it at once.",
            0,
            100_000,
        ),
    ] = 25_000
    batch_rows: Annotated[int, about("Vectors written to LanceDB in one batch.", 1, 100_000)] = 256
    batch_seconds: Annotated[AtLeastZero, about("Longest wait of a vector for its batch, in seconds.")] = 2.0


class MaintenanceSettings(Group, frozen=True):
    compact_hours: Annotated[
        AtLeastZero, about("Hours between compactions of the vector store; 0: never.")
    ] = 6.0
    removal_minutes: Annotated[
        float, about("Longest time until deleted data is physically removed, in minutes.", 1, 60)
    ] = 60.0


class ConversationSettings(Group, frozen=True):
    idle_minutes: Annotated[
        AtLeastZero, about("Minutes without a new turn that close a session; 0: never.")
    ] = 30.0


class DecaySettings(Group, frozen=True):
    clock: Annotated[
        Literal["active", "wall"],
        about("Days that count for decay: those on which the user was active, or every day."),
    ] = "active"
    pass_hours: Annotated[
        AtLeastZero, about("Hours between decay passes, which archive and queue reviews; 0: never.")
    ] = 24.0
    max_fraction: Annotated[
        float,
        about(
            "Largest fraction of a user's active memories that a pass archives, and that it queues "
            "for review; at least 20 memories.",
            0,
            1,
        ),
    ] = 0.1
    retention_days: Annotated[Days, about("Days after which archived memories are destroyed; 0: never.")] = (
        0.0
    )
    fact_days: Annotated[Days, about("Days after which a fact begins to fade.")] = 5.0
    fact_factor: Annotated[Factor, about("Factor of a fact's importance for each day after them.")] = 0.85
    fact_review_below: Annotated[
        Importance, about("Importance below which a fact is reviewed; a KEEP sets it to this value.")
    ] = 0.5
    fact_archive_below: Annotated[
        Importance, about("Importance below which a fact is archived, unless verified or stated by the user.")
    ] = 0.2
    episode_days: Annotated[Days, about("Days after which an episode begins to fade.")] = 3.0
    episode_factor: Annotated[Factor, about("Factor of an episode's importance for each day after them.")] = (
        0.6
    )
    episode_archive_days: Annotated[Days, about("Days after which an episode is archived.")] = 7.0
    lasting_importance: Annotated[Importance, about("Importance from which a memory no longer fades.")] = 3.0
    restored_importance: Annotated[Importance, about("Lowest importance of a restored memory.")] = 0.5


class BoostSettings(Group, frozen=True):
    step: Annotated[Importance, about("What a use adds to the importance.")] = 0.3
    window_hours: Annotated[float, about("Hours within which several uses count once.", 0, 8760)] = 2.0
    day_limit: Annotated[
        Importance, about("The most that uses add to a memory's importance on a local day.")
    ] = 1.0


class ReviewSettings(Group, frozen=True):
    promote_from: Annotated[
        Importance, about("Importance from which a review asks whether a memory becomes core.")
    ] = 2.5
    longest_grace_days: Annotated[Days, about("Most days that repeated KEEPs keep a memory from fading.")] = (
        160.0
    )


class ConflictSettings(Group, frozen=True):
    window_days: Annotated[
        float,
        about(
            "Days: memories created or changed within them are checked for conflicts, if a call "
            "gives no window.",
            0.01,
            100_000,
        ),
    ] = 30.0


class KnowledgeSettings(Group, frozen=True):
    storage: Annotated[
        Literal["sqlite", "files"],
        about("Where versions of knowledge points are stored: the database, or files in knowledge/."),
    ] = "sqlite"
    max_points: Annotated[int, about("Most points of a version.", 1, 1_000_000)] = 10_000
    merge_days: Annotated[
        AtLeastZero, about("Age of the oldest increment, in days, at which increments are merged; 0: never.")
    ] = 7.0
    merge_increments: Annotated[
        int, about("More increments than this are merged at once; 0: never.", 0, 100_000)
    ] = 20
    default_top_k: Annotated[int, about("Points returned if a call gives no number.", 1, 1000)] = 5
    min_score_threshold: Annotated[
        int, about("Score below which a point is neither found nor sampled.", 0, 100)
    ] = 20
    recent_versions_count: Annotated[int, about("Newest versions that points are sampled from.", 1, 1000)] = 5


class SearchSettings(Group, frozen=True):
    query_cache_size: Annotated[int, about("Vectors of recent queries kept; 0: none.", 0, 1_000_000)] = 1000
    result_cache_mb: Annotated[
        int, about("Size of the cache of search results, in MB; 0: none.", 0, 4_096)
    ] = 16
    result_cache_seconds: Annotated[
        float, about("Longest time a search result is cached, in seconds.", 0, 86_400)
    ] = 300.0
    model_wait_ms: Annotated[
        int,
        about(
            "Longest wait of a search in mode auto or hybrid, in milliseconds: for a loading model, "
            "for at most 64 missing vectors and for the query's own; later it answers by keywords.",
            0,
            600_000,
        ),
    ] = 5_000
    timezone: Annotated[
        Text,
        about(
            "IANA zone of times and of words like `yesterday` if a call gives no `tz`; empty: the machine's."
        ),
    ] = ""


class RankingSettings(Group, frozen=True):
    """Default weights of a search; each is a name of the parameter `weights`."""

    exact: Annotated[Weight, about("Weight of ids, exact keys and quoted phrases.")] = 1.0
    semantic: Annotated[Weight, about("Weight of semantic similarity.")] = 1.0
    temporal: Annotated[Weight, about("Weight of the time a query names.")] = 1.0
    recency: Annotated[Weight, about("Weight of how recently a memory was used.")] = 1.0
    importance: Annotated[Weight, about("Weight of a memory's importance.")] = 1.0
    confidence: Annotated[Weight, about("Weight of a memory's confidence.")] = 1.0
    lexical: Annotated[Weight, about("Weight of the words of the query.")] = 1.0
    graph: Annotated[Weight, about("Weight of texts that triples connect with the query.")] = 1.0


class LimitSettings(Group, frozen=True):
    text_chars: Annotated[int, about("Longest text of a memory, in characters.", 1)] = 1_000_000
    metadata_bytes: Annotated[int, about("Largest metadata of a memory as JSON, in bytes.", 2)] = 65_536


class VersionSettings(Group, frozen=True):
    limit: Annotated[int, about("Versions kept of a memory; the oldest beyond are merged.", 2, 100_000)] = 100


class SettingGroups(Struct, frozen=True):
    """All settings; a field is a table of `config.toml`."""

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
