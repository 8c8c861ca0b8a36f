"""Decay through the engine, with a clock that is set; figures are those of the design's table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_client.errors import InvalidParameterError, InvalidStateError, NotFoundError, WrongIdError
from support.clocked_store import DAY, START, Clocked, clocked
from support.faces import Face
from support.waiting import eventually

AI = {"source": "background_ai"}
EPISODE = {"category": "episode"}
UNKNOWN_PASS = "pas_0000000000000000000z"


@pytest.fixture
def life(tmp_path: Path) -> Iterator[Clocked]:
    with clocked(tmp_path / "home") as life:
        yield life


@pytest.fixture
def wall(tmp_path: Path) -> Iterator[Clocked]:
    with clocked(tmp_path / "home", decay__clock="wall") as life:
        yield life


def test_a_fact_fades_after_five_active_days(life: Clocked) -> None:
    id = life.kb.add("a fact")
    seen = []
    for _ in range(7):
        life.live(1)
        seen.append(life.effective(id))
    assert seen == [1.0, 1.0, 1.0, 1.0, 1.0, 0.85, 0.7225]
    assert life.get(id)["importance"] == 1.0


def test_a_hit_says_what_time_has_left_of_the_importance(life: Clocked) -> None:
    id = life.kb.add("a fact about pears")
    life.live(3)
    then = life.now
    life.live(4)
    life.kb.conversation.append("s", "user", "pears are ripe")
    memory, turn = sorted(life.kb.search("pears", scope="all"), key=lambda hit: hit["type"])
    assert (memory["id"], memory["importance"]) == (id, 1.0)
    assert round(memory["effective_importance"], 6) == life.effective(id) == 0.7225
    assert turn["effective_importance"] is None
    (known,) = life.kb.search("pears", as_of=then)
    assert known["effective_importance"] == 1.0
    life.kb.update_text(id, "a fact about apples")
    (known,) = life.kb.search("pears", as_of=then)
    assert (known["text"], known["effective_importance"]) == ("a fact about pears", 1.0)
    life.kb.boost(id)
    (boosted,) = life.kb.search("apples")
    assert round(boosted["effective_importance"], 6) == life.effective(id) == 1.0225


def test_an_episode_fades_after_three_days_and_is_archived_at_seven(life: Clocked) -> None:
    id = life.kb.add("an episode", EPISODE)
    life.live(4)
    assert life.effective(id) == 0.6
    life.live(2)
    assert life.kb.decay.run()["archived"] == []
    life.live(1)
    assert life.kb.decay.run()["archived"] == [id]
    assert life.state(id) == ("archived", "decay")


@pytest.mark.parametrize(
    "metadata",
    [
        {"category": "core"},
        {"category": "system"},
        {"category": "core", "importance": 0.4},
        {"importance": 3.0},
    ],
)
def test_core_system_and_the_important_never_fade(life: Clocked, metadata: dict[str, Any]) -> None:
    id = life.kb.add("stays", {**metadata, **AI})
    before = life.get(id)["importance"]
    life.live(60)
    assert life.effective(id) == before
    assert life.kb.decay.run()["archived"] == []
    assert life.kb.review.page()["total"] == 0


def test_days_of_absence_do_not_count_unless_wanted(life: Clocked) -> None:
    id = life.kb.add("a fact", AI)
    life.sleep(60)
    assert life.effective(id) == 1.0
    life.live(1)
    assert life.effective(id) == 1.0


def test_under_the_wall_clock_they_do(wall: Clocked) -> None:
    id = wall.kb.add("a fact", AI)
    wall.sleep(5.9)
    assert wall.effective(id) == 1.0
    wall.sleep(0.1)
    assert wall.effective(id) == 0.85


def test_a_review_is_asked_once_for_each_fall(life: Clocked) -> None:
    id = life.kb.add("a fact")
    life.live(9)
    assert life.effective(id) == 0.522006
    assert life.kb.decay.run()["reviewed"] == []
    life.live(1)
    assert life.effective(id) == 0.443705
    assert life.kb.decay.run()["reviewed"] == [id]
    assert life.kb.decay.run()["reviewed"] == []
    [review] = life.kb.review.page()["items"]
    assert (review["memory_id"], review["kind"], review["text"]) == (id, "decay", "a fact")
    assert round(review["importance"], 6) == 0.443705


def test_a_use_withdraws_the_question_and_a_new_fall_asks_again(life: Clocked) -> None:
    id = life.kb.add("a fact")
    life.live(10)
    life.kb.decay.run()
    life.kb.boost(id)
    assert life.kb.review.page()["total"] == 0
    life.live(9)  # 0.7437 fades below .5 on the third day after the fifth
    assert life.kb.decay.run()["reviewed"] == [id]


def test_below_a_fifth_it_is_archived_unless_stated_or_verified(life: Clocked) -> None:
    guessed = life.kb.add("guessed", AI)
    stated = life.kb.add("stated")
    verified = life.kb.add("verified", {**AI, "verified": True})
    life.live(14)
    assert life.effective(guessed) == 0.231617
    assert life.kb.decay.run()["archived"] == []
    life.live(1)
    assert life.kb.decay.run()["archived"] == [guessed]
    assert life.state(guessed) == ("archived", "decay")
    assert [life.state(id)[0] for id in (stated, verified)] == ["active", "active"]
    pending = [one["memory_id"] for one in life.kb.review.page()["items"]]
    assert sorted(pending) == sorted([stated, verified]), "the open question went with the archiving"
    known = [
        (one["operation"], one["operator"], one["reason"])
        for one in life.kb.history(guessed)
        if one["operation"] != "create"
    ]
    assert known == [("archive", "decay", "importance has fallen to 0.20")]


def test_what_was_given_little_importance_is_left_for_its_grace(life: Clocked) -> None:
    id = life.kb.add("hardly matters", {**AI, "importance": 0.1})
    assert life.kb.decay.run()["archived"] == []
    life.live(5)
    assert life.kb.decay.run()["archived"] == []
    life.live(1)
    assert life.kb.decay.run()["archived"] == [id]


def test_an_expired_memory_is_archived_whatever_it_is_but_system_or_pinned(life: Clocked) -> None:
    soon = {"expires_at": START + DAY}
    ids = [
        life.kb.add(str(n), {**soon, **more}) for n, more in enumerate([{}, {"category": "core"}, EPISODE])
    ]
    system = life.kb.add("system", {**soon, "category": "system"})
    pinned = life.kb.add("pinned", soon)
    life.kb.pin(pinned)
    life.sleep(0.9)
    assert life.kb.decay.run()["archived"] == []
    life.sleep(0.1)
    assert sorted(life.kb.decay.run()["archived"]) == sorted(ids)
    assert life.state(ids[0]) == ("archived", "expired")
    assert [life.state(id)[0] for id in (system, pinned)] == ["active", "active"]
    life.kb.restore(ids[0])
    assert life.get(ids[0])["expires_at"] is None
    assert life.get(ids[0])["warnings"] == ["expires_at had passed and was taken away"]
    assert life.kb.decay.run()["archived"] == []


def test_what_is_pinned_neither_fades_nor_is_asked_about(life: Clocked) -> None:
    id = life.kb.add("pinned", AI)
    life.live(7)
    life.kb.pin(id)
    life.live(30)
    assert life.effective(id) == 0.7225
    assert life.kb.decay.run() | {"id": None} == {
        "id": None, "archived": [], "reviewed": [], "remaining_count": 0,
        "note": None,
    }  # fmt: skip
    life.kb.pin(id, False)
    assert life.effective(id) == 0.7225
    life.live(1)
    assert life.effective(id) == 0.614125


def test_an_edit_leaves_what_was_left_of_the_grace(life: Clocked) -> None:
    id = life.kb.add("a fact")
    life.live(2)
    life.kb.update_importance(id, value=2.0)
    life.live(3)
    assert life.effective(id) == 2.0
    life.live(1)
    assert life.effective(id) == 1.7
    life.kb.update_importance(id, 0.3)
    assert life.effective(id) == 2.0
    life.live(1)
    assert life.effective(id) == 1.7


def test_the_same_importance_anew_makes_no_version_but_counts(life: Clocked) -> None:
    id = life.kb.add("a fact")
    life.live(8)
    assert not life.kb.update_importance(id, value=1.0)["changed"]
    assert life.effective(id) == 1.0


def test_an_edit_of_the_text_leaves_the_clock_alone(life: Clocked) -> None:
    id = life.kb.add("a fact")
    life.live(7)
    life.kb.update_text(id, "the fact, better put")
    assert life.effective(id) == 0.7225


def test_another_category_goes_on_from_what_was_left(life: Clocked) -> None:
    fact, core = life.kb.add("a fact"), life.kb.add("core", {"category": "core", "importance": 1.0})
    life.live(2)
    life.kb.update_metadata(fact, {"category": "episode"})
    life.kb.update_metadata(core, {"category": "fact"})
    life.live(3)
    assert [life.effective(fact), life.effective(core)] == [1.0, 1.0]
    life.live(2)
    assert life.effective(fact) == 0.36
    life.live(1)
    assert life.effective(core) == 0.85


def test_a_category_that_is_reverted_goes_on_from_what_was_left(life: Clocked) -> None:
    id = life.kb.add("a fact", {**AI, "importance": 2.4})
    life.kb.update_metadata(id, {"category": "core"})
    life.live(60)
    assert life.effective(id) == 2.4
    life.kb.revert(id, 1)
    assert (life.get(id)["category"], life.effective(id)) == ("fact", 2.4)
    life.live(6)
    assert life.effective(id) == 2.04


def test_a_use_renews_the_grace_and_starts_from_what_was_left(life: Clocked) -> None:
    id = life.kb.add("a fact")
    life.live(7)
    assert life.kb.boost(id)["importance"] == 1.0225
    life.live(5)
    assert life.effective(id) == 1.0225
    life.live(1)
    assert life.effective(id) == 0.869125


def test_boosts_of_a_day_add_up_to_one(life: Clocked) -> None:
    id = life.kb.add("a fact")
    life.now = START - START % DAY + 60
    done = []
    for _ in range(6):
        done.append((life.kb.boost(id)["applied"], life.kb.boost(id)["applied"]))
        life.sleep(hours=2)
    assert done == [(0.3, 0), (0.3, 0), (0.3, 0), (0.1, 0), (0, 0), (0, 0)]
    assert life.effective(id) == 2.0
    life.sleep(1)
    assert life.kb.boost(id)["applied"] == 0.3


def test_the_allowance_is_of_the_local_day(tmp_path: Path) -> None:
    with clocked(tmp_path / "home", search__timezone="Asia/Shanghai") as life:
        id = life.kb.add("a fact")
        life.now = START - START % DAY + 8 * 3600  # 16:00 in Shanghai
        for _ in range(4):
            life.kb.boost(id)
            life.sleep(hours=2)
        assert life.kb.boost(id)["applied"] == 0.3, "it is midnight there"


def test_a_use_restores_what_decay_archived(life: Clocked) -> None:
    id = life.kb.add("a trip", EPISODE)
    life.live(7)
    life.kb.decay.run()
    assert life.kb.search("trip") == []
    done = life.kb.mark_used([id])
    assert done == [{"id": id, "applied": 0.3, "importance": 0.8, "limited_by": None, "restored": True}]
    assert life.state(id) == ("active", None)
    assert [hit["id"] for hit in life.kb.search("trip")] == [id]
    assert life.kb.decay.run()["archived"] == []


def test_the_preview_says_what_the_pass_does(life: Clocked) -> None:
    guess, trip = life.kb.add("guess", AI), life.kb.add("trip", EPISODE)
    stated = life.kb.add("stated")
    old = life.kb.add("old", {"expires_at": START + DAY})
    life.live(15)
    preview = life.kb.decay.preview()
    assert preview["counts"] == {"active": 4, "expired": 1, "decay": 2, "review": 1, "remaining": 0}
    outcomes = [(one["id"], one["outcome"], one["elapsed_days"]) for one in preview["items"]]
    assert outcomes == [
        (old, "expired", 15),
        (trip, "decay", 15),
        (guess, "decay", 15),
        (stated, "review", 15),
    ]
    assert life.kb.decay.preview(2)["items"] == preview["items"][:2]
    assert life.kb.decay.preview() == preview, "a preview changes nothing"
    done = life.kb.decay.run()
    assert (done["archived"], done["reviewed"]) == ([old, trip, guess], [stated])
    after = life.kb.decay.preview()
    assert after["items"] == []
    assert [(one["id"], one["archived_count"], one["review_count"]) for one in after["passes"]] == [
        (done["id"], 3, 1)
    ]


def test_a_pass_takes_a_share_the_weakest_first(tmp_path: Path) -> None:
    with clocked(tmp_path / "home", decay__max_fraction=0.25) as life:
        items = [{"text": f"guess {n}", "metadata": {**AI, "importance": 1 - n / 200}} for n in range(100)]
        life.kb.add("somebody is there")
        ids = life.kb.add_many(items)  # type: ignore[arg-type]
        life.live(40)
        assert life.kb.decay.preview()["counts"]["remaining"] == 100 - 26
        done = life.kb.decay.run()
        assert done["archived"] == ids[::-1][:26]
        assert done["remaining_count"] == 74
        assert life.kb.decay.run()["archived"] == ids[::-1][26:46], "20 in any case"


def test_undoing_a_pass_brings_back_what_it_archived(life: Clocked) -> None:
    guess, stated = life.kb.add("guess", AI), life.kb.add("stated")
    other = life.kb.add("other")
    life.kb.archive(other)
    life.live(15)
    done = life.kb.decay.run()
    assert done["id"] is not None
    assert life.kb.decay.undo_pass(done["id"]) == {
        "id": done["id"],
        "restored": [guess],
        "withdrawn_count": 1,
    }
    assert life.state(guess) == ("active", None)
    assert life.effective(guess) == 0.5
    assert life.state(other) == ("archived", "user")
    assert life.kb.decay.run()["archived"] == [], "it has time to be of use"
    assert life.kb.decay.preview()["passes"][-1]["undone_at"] == life.now
    with pytest.raises(InvalidStateError, match="undone already"):
        life.kb.decay.undo_pass(done["id"])
    assert life.state(stated)[0] == "active"


def test_an_agent_undoes_its_own_part_of_a_pass(life: Clocked) -> None:
    kb = life.kb
    common, cooks = kb.add("guess", AI), kb.add("guess", AI, agent_id="cook")
    asked = kb.add("stated", agent_id="cook")
    life.live(15)
    pass_id = kb.decay.run(agent_id="*")["id"]
    assert pass_id is not None
    assert kb.decay.undo_pass(pass_id) == {"id": pass_id, "restored": [common], "withdrawn_count": 0}
    assert life.state(cooks) == ("archived", "decay")
    assert [one["memory_id"] for one in kb.review.page(agent_id="cook")["items"]] == [asked]
    with pytest.raises(InvalidStateError, match="undone already"):
        kb.decay.undo_pass(pass_id)
    rest = kb.decay.undo_pass(pass_id, agent_id="*")
    assert rest == {"id": pass_id, "restored": [cooks], "withdrawn_count": 1}
    with pytest.raises(InvalidStateError, match="undone already"):
        kb.decay.undo_pass(pass_id, agent_id="*")


def test_the_preview_tells_of_passes_what_the_agent_may_know(life: Clocked) -> None:
    kb = life.kb
    kb.add("guess", AI)
    kb.add("guess", AI, agent_id="cook")
    kb.add("stated", agent_id="cook")
    life.live(7)
    kb.add("trip", {**EPISODE, "expires_at": life.now + DAY}, agent_id="bot")
    life.live(8)
    kb.decay.run(agent_id="*")

    def told(agent: str | None) -> list[tuple[int, int]]:
        return [
            (one["archived_count"], one["review_count"]) for one in kb.decay.preview(agent_id=agent)["passes"]
        ]

    assert [told(agent) for agent in (None, "cook", "bot", "*")] == [[(1, 0)], [(2, 1)], [(2, 0)], [(3, 1)]]
    kb.add("soon over", {"expires_at": life.now + DAY}, agent_id="bot")
    life.live(1)
    kb.decay.run(agent_id="*")
    assert told("cook") == [(2, 1)], "what was done to the others is none of its business"
    assert told("bot") == [(1, 0), (2, 0)]


def test_a_restored_memory_is_not_taken_back_twice(life: Clocked) -> None:
    guess = life.kb.add("guess", AI)
    life.live(15)
    done = life.kb.decay.run()
    life.kb.restore(guess)
    life.kb.archive(guess)
    assert done["id"] is not None
    assert life.kb.decay.undo_pass(done["id"])["restored"] == []
    assert life.state(guess) == ("archived", "user")


def test_a_purge_destroys_what_was_archived_long_ago(life: Clocked) -> None:
    kb = life.kb
    old, core, pinned = kb.add("old"), kb.add("core", {"category": "core"}), kb.add("pinned")
    kb.pin(pinned)
    for id in (old, core, pinned):
        kb.archive(id)
    life.live(30)
    young = kb.add("young")
    kb.archive(young)
    with pytest.raises(InvalidParameterError, match="retention"):
        kb.decay.purge()
    assert kb.decay.purge(30.5)["ids"] == []
    assert kb.decay.purge(30, dry_run=True)["ids"] == [old]
    assert kb.get(old) is not None
    assert kb.decay.purge(30)["ids"] == [old]
    assert kb.get(old) is None
    assert [life.state(id)[0] for id in (core, pinned, young)] == ["archived"] * 3


@pytest.mark.parametrize("older_than_days", [3, 30, 365])
def test_a_purge_under_a_clock_set_ahead_destroys_nothing(life: Clocked, older_than_days: int) -> None:
    kb = life.kb
    id = kb.add("fresh")
    life.live(100)
    kb.archive(id)
    life.sleep(3650)
    kb.add("said ten years ahead")
    kb.decay.run()
    for dry_run in (True, False):
        with pytest.raises(InvalidParameterError, match=r"older_than_days: .*clock.*delete_many"):
            kb.decay.purge(older_than_days, dry_run=dry_run)
    assert life.state(id) == ("archived", "user")
    assert kb.decay.purge(0)["ids"] == [id]


def test_a_purge_leaves_what_only_a_jump_of_the_clock_made_old(life: Clocked) -> None:
    kb = life.kb
    old, fresh = kb.add("old"), kb.add("fresh")
    kb.archive(old)
    life.live(100)
    kb.archive(fresh)
    life.sleep(3650)
    assert kb.decay.purge(60)["ids"] == [old]
    assert life.state(fresh)[0] == "archived"


def test_a_purge_believes_weeks_of_absence(life: Clocked) -> None:
    kb = life.kb
    id = kb.add("old")
    kb.archive(id)
    for _ in range(18):
        life.sleep(20)
        life.live(1)
    assert kb.decay.purge(365)["ids"] == [id]


def test_the_retention_waits_for_days_that_were_lived_through(tmp_path: Path) -> None:
    with clocked(tmp_path / "home", decay__retention_days=10) as life:
        id = life.kb.add("old")
        life.kb.archive(id)
        fade = life.kb._app._run_decay
        life.sleep(4000)
        fade()
        assert life.kb.get(id) is not None, "a clock set ahead destroys nothing"
        for _ in range(9):
            life.sleep(1)
            fade()
        assert life.kb.get(id) is None


@pytest.mark.parametrize("clock", ["active", "wall"])
def test_a_clock_that_was_ahead_does_no_harm(tmp_path: Path, clock: str) -> None:
    with clocked(tmp_path / "home", decay__clock=clock) as life:
        ids = [life.kb.add(text, AI) for text in ("one", "two")] + [life.kb.add("trip", EPISODE)]
        life.kb.add("soon", {"expires_at": START + 100 * DAY})
        life.live(2)
        before = [life.get(id) for id in ids]
        life.sleep(3650)
        for _ in range(2):
            skipped = life.kb.decay.run()
            assert (skipped["id"], skipped["archived"]) == (None, [])
            assert "the clock seems to be set ahead" in str(skipped["note"])
            assert life.kb.decay.preview()["note"] == skipped["note"]
            new = life.kb.add("said meanwhile", AI)
        life.sleep(-3650)
        assert life.kb.decay.run()["id"] is not None
        after = [life.get(id) for id in ids]
        for was, now in zip(before, after, strict=True):
            assert (now["state"], now["effective_importance"]) == ("active", was["effective_importance"])
        assert life.kb.count() == 6
        assert life.effective(new) == 1.0
        life.live(6)
        assert life.effective(new) == 0.85, "it fades like any other"


@pytest.mark.parametrize("clock", ["active", "wall"])
def test_a_clock_that_was_behind_does_no_harm(tmp_path: Path, clock: str) -> None:
    with clocked(tmp_path / "home", decay__clock=clock) as life:
        old = life.kb.add("old", AI)
        life.live(16)
        archived = life.kb.decay.run()
        assert archived["archived"] == [old]
        now, life.now = life.now, 3600.0
        new = life.kb.add("said in 1970", AI)
        assert life.kb.decay.preview()["clock_behind"]
        done = life.kb.decay.run()
        assert "the clock seems to be set back" in str(done["note"])
        assert done | {"note": None} == {
            "id": None, "archived": [], "reviewed": [], "remaining_count": 0, "note": None,
        }  # fmt: skip
        life.now = now + 60
        assert life.effective(new) == 1.0
        assert life.kb.decay.run()["note"] is None
        assert life.state(old) == ("archived", "decay")
        assert life.state(new)[0] == "active"


@pytest.mark.parametrize("clock", ["active", "wall"])
def test_a_clock_set_back_by_weeks_undoes_no_pass(tmp_path: Path, clock: str) -> None:
    with clocked(tmp_path / "home", decay__clock=clock) as life:
        archived: list[str] = []
        for n in range(60):
            life.kb.add(f"trip {n}", EPISODE)
            archived += life.kb.decay.run()["archived"]
            life.sleep(1)
        assert len(archived) == 53
        life.sleep(-25)  # less than half of the days lie ahead
        assert life.kb.decay.run()["id"] is None
        assert {life.state(id) for id in archived} == {("archived", "decay")}
        life.sleep(25)
        assert life.kb.decay.run()["note"] is None


@pytest.mark.parametrize("clock", ["active", "wall"])
def test_a_use_under_a_clock_that_was_behind_counts(tmp_path: Path, clock: str) -> None:
    with clocked(tmp_path / "home", decay__clock=clock) as life:
        id = life.kb.add("old", AI)
        life.live(20)
        now, life.now = life.now, 3600.0
        life.kb.update_importance(id, value=2.0)
        life.now = now
        assert life.effective(id) == 2.0


def test_ranking_goes_by_what_is_left(tmp_path: Path) -> None:
    with clocked(tmp_path / "home", embedder__model="auto") as life:
        eventually("the model is settled", lambda: life.kb.status()["stage"] == "ready", 60)
        if not life.kb.status()["embedder"]["is_searchable"]:
            pytest.skip("no embedding model")
        id = life.kb.add("the cat is called Biscuit", {"importance": 2.0})
        importance, standing = [], []
        for _ in range(2):
            [hit] = life.kb.search(
                "the name of the cat", explain=True, weights={"recency": 0.0, "importance": 2.0}
            )
            importance.append(hit["effective_importance"])
            standing.append(hit["explain"]["standing"])
            life.live(15)
        assert importance == [2.0, pytest.approx(2.0 * 0.85**10)]
        assert standing == [0.2, pytest.approx(0.2 * (2.0 * 0.85**10 - 1.0), abs=1e-4)]
        assert life.get(id)["importance"] == 2.0


def test_a_boost_from_the_future_does_not_block(life: Clocked) -> None:
    id = life.kb.add("a fact")
    life.sleep(3650)
    life.kb.boost(id)
    life.sleep(-3650)
    assert life.kb.boost(id)["applied"] == 0.3


def test_only_uses_that_may_still_matter_are_kept(life: Clocked) -> None:
    most, id = life.kb.add("much", {"importance": 5}), life.kb.add("a fact")

    def kept(id: str) -> int:
        with life.kb._app._parts.database.read() as connection:
            sql = "SELECT count(*) FROM boosts WHERE memory_id = ?"
            return int(connection.execute(sql, (id,)).fetchone()[0])

    for _ in range(20):
        assert life.kb.boost(most)["limited_by"] == "the maximum is 5"
        life.sleep(hours=3)
    assert kept(most) == 0
    assert life.get(most)["access_count"] == 20
    for _ in range(40):
        life.kb.boost(id)
        life.sleep(hours=6)
    assert kept(id) <= 13


def test_what_marks_a_day(life: Clocked) -> None:
    kb = life.kb
    id = kb.add("seen from here")
    kb.add_many(["watched"], user_id="default")
    watched = kb.page(filters={"text": {"contains": "watched"}})["items"][0]["id"]

    def days() -> int:
        with kb._app._parts.database.read() as connection:
            return int(connection.execute("SELECT count(*) FROM active_days").fetchone()[0])

    def passed(act: Any) -> int:
        life.sleep(10)
        act()
        return days()

    assert days() == 1
    assert passed(lambda: kb.add_many(["imported"])) == 1
    assert passed(lambda: kb.add("imported", {"timestamp": START})) == 1
    assert passed(lambda: kb.conversation.append("s", "user", "then", at=START)) == 1
    assert passed(lambda: kb.conversation.extend("s", [{"role": "user", "text": "then"}])) == 1
    assert passed(lambda: (kb.search("seen"), kb.get(id), kb.page(), kb.get_all())) == 1
    assert passed(lambda: (kb.update_text(id, "better"), kb.pin(id), kb.decay.run())) == 1
    assert passed(lambda: kb.add("told")) == 2
    assert passed(lambda: kb.conversation.append("s", "user", "now")) == 3
    assert passed(lambda: kb.boost(watched)) == 4
    assert passed(lambda: kb.mark_used([watched])) == 5


def test_other_users_days_and_memories_are_their_own(life: Clocked) -> None:
    mine, hers = life.kb.add("guess", AI, user_id="ann"), life.kb.add("guess", AI, user_id="eve")
    life.live(20, user_id="ann")
    assert life.kb.decay.run(user_id="eve")["archived"] == []
    done = life.kb.decay.run(user_id="ann")
    assert done["archived"] == [mine]
    assert done["id"] is not None
    with pytest.raises(NotFoundError):
        life.kb.decay.undo_pass(done["id"], user_id="eve")
    assert life.get(hers, "eve")["effective_importance"] == 1.0


def test_a_pass_sees_the_agents_it_was_asked_for(life: Clocked) -> None:
    common = life.kb.add("guess", AI)
    own = life.kb.add("guess", AI, agent_id="cook")
    life.live(20)
    assert life.kb.decay.run()["archived"] == [common]
    assert life.kb.decay.run(agent_id="cook")["archived"] == [own]


def test_passes_come_by_themselves(tmp_path: Path) -> None:
    with clocked(tmp_path / "home", decay__pass_hours=24) as life:
        ann, bob = (life.kb.add("guess", AI, user_id=user) for user in ("ann", "bob"))
        life.live(16, user_id="ann")
    with clocked(tmp_path / "home", decay__pass_hours=24) as later:
        later.now = life.now
        later.kb._app._jobs._wake.set()
        eventually("the pass", lambda: later.get(ann, "ann")["state"] == "archived")
        assert later.get(bob, "bob")["state"] == "active"


def test_a_repeated_pass_gets_its_first_reply(life: Clocked) -> None:
    life.kb.add("one")
    first = life.kb.decay.run(request_id="r")
    life.sleep(3650)
    assert life.kb.decay.run()["id"] is None
    life.sleep(-3650)
    assert life.kb.decay.run(request_id="r") == first


def test_receipts_are_repeated(face: Face, user: str) -> None:
    kb = face.kb
    kb.add("one", user_id=user)
    first = kb.decay.run(user_id=user, request_id="r")
    assert kb.decay.run(user_id=user, request_id="r") == first
    assert first["id"] is not None
    undone = kb.decay.undo_pass(first["id"], user_id=user, request_id="r")
    assert undone == {"id": first["id"], "restored": [], "withdrawn_count": 0}
    assert kb.decay.undo_pass(first["id"], user_id=user, request_id="r") == undone
    assert kb.decay.purge(1, user_id=user)["ids"] == []


def test_bad_input(face: Face, user: str) -> None:
    kb = face.kb
    with pytest.raises(NotFoundError):
        kb.decay.undo_pass(UNKNOWN_PASS, user_id=user)
    with pytest.raises(WrongIdError):
        kb.decay.undo_pass("mem_0000000000000000000z", user_id=user)
    with pytest.raises(InvalidParameterError, match="older_than_days"):
        kb.decay.purge(-1, user_id=user)
    with pytest.raises(InvalidParameterError, match="limit"):
        kb.decay.preview(-1, user_id=user)
