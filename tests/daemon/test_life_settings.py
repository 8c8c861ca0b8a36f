"""Settings of decay, boosts, reviews, conflicts, knowledge and ranking change what a spawned daemon does."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from memory_client import KnowledgeClient
from memory_client.errors import ConfigurationError, InvalidParameterError, LaunchError
from memory_client.paths import DataPaths
from memory_client.types import KnowledgeItem
from memoryd.app.setting_groups import RankingSettings
from memoryd.app.settings import SETTINGS, load_settings
from support.daemons import SpawnedDaemon

WEIGHTS = list(RankingSettings.__struct_fields__)
AI = {"source": "background_ai"}
DAY = 86_400.0


@pytest.fixture
def serve(home: Path) -> Iterator[Callable[..., KnowledgeClient]]:
    """Serves the data directory with a `config.toml`, in place of the daemon before."""
    running: list[tuple[SpawnedDaemon, KnowledgeClient]] = []

    def stop() -> None:
        while running:
            daemon, client = running.pop()
            client.close()
            daemon.stop()

    def serve(toml: str = "") -> KnowledgeClient:
        stop()
        DataPaths.at(home).make()
        config = DataPaths(home).config
        config.write_text(
            f'[embedder]\nmodel = "none"\n[search]\ntimezone = "UTC"\n[decay]\npass_hours = 0\n{toml}',
            encoding="utf-8",
        )
        config.chmod(0o600)
        running.append((SpawnedDaemon(home, "daemon.port=0"), KnowledgeClient(home)))
        return running[-1][1]

    serve.stop = stop  # type: ignore[attr-defined]
    yield serve
    stop()


@contextmanager
def stopped(serve: Callable[..., KnowledgeClient], home: Path) -> Iterator[sqlite3.Connection]:
    """The database of the directory while nobody serves it."""
    serve.stop()  # type: ignore[attr-defined]
    with closing(sqlite3.connect(DataPaths(home).database)) as connection, connection:
        yield connection


def aged(serve: Callable[..., KnowledgeClient], home: Path, days: float) -> None:
    """Let everything be as if so many days had passed."""
    with stopped(serve, home) as connection:
        connection.execute("UPDATE memories SET decay_from = decay_from - ?", (days * DAY,))
        connection.execute("DELETE FROM active_days")  # today's would say that the clock was wrong


def effective(client: KnowledgeClient, id: str) -> float:
    memory = client.get(id)
    assert memory is not None
    return round(memory["effective_importance"], 6)


WALL = 'clock = "wall"\n'
FAST = WALL + (
    "fact_days = 1\nfact_factor = 0.5\nfact_review_below = 0.3\nfact_archive_below = 0.1\n"
    "episode_days = 2\nepisode_factor = 0.9\nepisode_archive_days = 6\nlasting_importance = 2.0\n"
    "restored_importance = 0.7\n"
)


def test_the_decay_table(serve: Callable[..., KnowledgeClient], home: Path) -> None:
    client = serve(FAST)
    fact = client.add("a fact", AI)
    episode = client.add("an episode", {"category": "episode"})
    lasting = client.add("a weighty fact", {**AI, "importance": 2.0})
    aged(serve, home, 3)
    client = serve(FAST)
    assert [effective(client, id) for id in (fact, episode, lasting)] == [0.25, 0.9, 2.0]
    done = client.decay.run()
    assert (done["archived"], done["reviewed"]) == ([], [fact])
    aged(serve, home, 3)
    client = serve(FAST)
    assert set(client.decay.run()["archived"]) == {fact, episode}
    client.restore(fact)
    assert effective(client, fact) == 0.7
    aged(serve, home, 3)
    client = serve(WALL)
    assert effective(client, lasting) == round(2.0 * 0.85**8, 6), "the default table: 9 days, a grace of 1"


def test_the_same_days_by_default(serve: Callable[..., KnowledgeClient], home: Path) -> None:
    client = serve(WALL)
    fact = client.add("a fact", AI)
    episode = client.add("an episode", {"category": "episode"})
    aged(serve, home, 6)
    client = serve(WALL)
    assert [effective(client, id) for id in (fact, episode)] == [0.85, 0.216]
    assert client.decay.run()["archived"] == []


def test_boosts_and_promotion(serve: Callable[..., KnowledgeClient]) -> None:
    client = serve("[boost]\nstep = 0.5\nwindow_hours = 0\nday_limit = 0.8\n[review]\npromote_from = 1.4\n")
    id = client.add("useful")
    first, second, third = (client.boost(id) for _ in range(3))
    assert [one["applied"] for one in (first, second, third)] == [0.5, 0.3, 0.0]
    assert (second["limited_by"], third["limited_by"]) == (
        "0.8 a day is the maximum",
        "0.8 was added today already",
    )
    assert [one["kind"] for one in client.review.page()["items"]] == ["promotion"]
    client = serve()
    other = client.add("as useful")
    assert client.boost(other)["applied"] == 0.3
    again = client.boost(other)
    assert (again["applied"], again["limited_by"]) == (
        0.0,
        "within 2 hours of the last one, which counts once",
    )
    assert client.review.page()["total"] == 1


def test_the_grace_of_a_keep(serve: Callable[..., KnowledgeClient], home: Path) -> None:
    settings = WALL + "fact_days = 1\nfact_factor = 0.5\n[review]\nlongest_grace_days = 1.5\n"
    client = serve(settings)
    id = client.add("a fact")
    aged(serve, home, 4)
    client = serve(settings)
    client.decay.run()
    [review] = client.review.page()["items"]
    client.review.decide(review["id"], "keep")
    aged(serve, home, 3)
    client = serve(settings)
    assert effective(client, id) == round(0.5 * 0.5**1.5, 6)


def test_the_window_of_conflicts(serve: Callable[..., KnowledgeClient], home: Path) -> None:
    client = serve("[conflicts]\nwindow_days = 1\n")
    client.add_many(["主人的职业是律师", "主人的职业是护士"])
    with stopped(serve, home) as connection:
        connection.execute("UPDATE memories SET updated_at = updated_at - ?", (2 * DAY,))
    client = serve("[conflicts]\nwindow_days = 1\n")
    assert client.conflicts() == []
    assert len(client.conflicts(window="8w")) == 1
    assert len(serve().conflicts()) == 1


def points(scores: range, word: str) -> list[KnowledgeItem]:
    return [{"content": f"{word} {score}", "type": "WorldModel", "score": score} for score in scores]


def test_the_sampling_of_knowledge(serve: Callable[..., KnowledgeClient]) -> None:
    client = serve(
        "[knowledge]\ndefault_top_k = 2\nmin_score_threshold = 60\nrecent_versions_count = 1\n"
        "merge_days = 0\nmerge_increments = 0\n"
    )
    client.knowledge.save_knowledge("ann", None, points(range(61, 71), "old"))
    client.knowledge.save_knowledge("ann", None, points(range(50, 70), "new"))
    assert len(client.knowledge.retrieve_knowledge_with_sampling("ann")) == 2
    drawn = client.knowledge.retrieve_knowledge_with_sampling("ann", 100)
    assert {one["content"] for one in drawn} == {f"new {score}" for score in range(60, 70)}
    assert len(client.knowledge.retrieve_relevant_knowledge("ann")) == 2
    client = serve("[knowledge]\nmerge_days = 0\nmerge_increments = 0\n")
    assert len(client.knowledge.retrieve_knowledge_with_sampling("ann")) == 5
    assert len(client.knowledge.retrieve_knowledge_with_sampling("ann", 100)) == 30


def test_the_weights_of_ranking(serve: Callable[..., KnowledgeClient]) -> None:
    query = "who said A-17 about the garden?"

    def scores(client: KnowledgeClient, **weights: float) -> dict[str, float]:
        return {hit["text"]: hit["score"] for hit in client.search(query, weights=weights)}

    client = serve("[ranking]\nlexical = 3.0\nexact = 0.5\n")
    client.add("the garden gate", {"exact_keys": ["A-17"]})
    client.add_many(["a garden with roses", "roses are red"])
    by_setting = scores(client)
    assert by_setting == scores(client, lexical=3.0, exact=0.5)
    assert scores(client, lexical=1.0, exact=1.0) != by_setting
    assert scores(client, exact=2.0) == scores(client, lexical=3.0, exact=2.0)
    client = serve()
    assert scores(client) == scores(client, lexical=1.0, exact=1.0) != by_setting


def test_every_weight_of_search_is_a_setting(serve: Callable[..., KnowledgeClient]) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        serve().search("x", weights={"nothing": 1.0})
    known = caught.value.data["expected"].removeprefix("names among ").split(", ")
    assert sorted(known) == sorted(WEIGHTS)


NEW = ("decay.fact", "decay.episode", "decay.lasting", "decay.restored", "boost.", "review.", "conflicts.")


@pytest.mark.parametrize(
    "name",
    [
        setting.name
        for setting in SETTINGS
        if setting.name.startswith((*NEW, "ranking."))
        or setting.name.endswith(("default_top_k", "min_score_threshold", "recent_versions_count"))
    ],
)
def test_a_value_out_of_range_is_refused_with_the_range(tmp_path: Path, name: str) -> None:
    for value in ("-1", "1000001"):
        with pytest.raises(
            ConfigurationError, match=rf"{name} is '{value}', expected a .*number from"
        ) as caught:
            load_settings(DataPaths(tmp_path), {}, {name: value})
        assert caught.value.data["setting"] == name


def test_a_daemon_does_not_start_with_a_value_out_of_range(serve: Callable[..., KnowledgeClient]) -> None:
    with pytest.raises(
        (ConfigurationError, LaunchError), match=r"boost\.step is 9, expected a number from 0"
    ):
        serve("[boost]\nstep = 9\n")


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ({"decay.fact_archive_below": 0.6}, "at most decay.fact_review_below"),
        ({f"ranking.{name}": 0.0 for name in WEIGHTS}, "at least one over 0"),
        ({"search.timezone": "Mars/Base"}, "search.timezone: 'Mars/Base' is not a time zone"),
    ],
)
def test_values_that_pass_one_by_one_are_still_checked(
    tmp_path: Path, values: dict[str, float | str], word: str
) -> None:
    with pytest.raises(ConfigurationError, match=word):
        load_settings(DataPaths(tmp_path), {}, values)
