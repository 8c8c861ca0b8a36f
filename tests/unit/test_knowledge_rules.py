"""Knowledge as pure decisions: points, versions, sampling, folders, comparing, merging."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_client.errors import (
    InvalidParameterError,
    KnowledgeValidationError,
    MemorySystemError,
)
from memory_client.types import KnowledgePoint, VersionKind
from memoryd import validate_knowledge_point
from memoryd.core.ids import MAX_NAME_BYTES
from memoryd.core.knowledge.comparison import compare_points
from memoryd.core.knowledge.config import folder_of
from memoryd.core.knowledge.merge import merge_points, unique_points
from memoryd.core.knowledge.sampling import Keys, Scores
from memoryd.core.knowledge.sampling import sample_keys as sample_keys_from
from memoryd.core.knowledge.similar_texts import similar_texts
from memoryd.core.knowledge.versions import (
    Version,
    effective_versions,
    is_effective,
    next_version_id,
    unmerged_increments,
)

NOW = 1_767_462_300.0  # 2026-01-03 17:45:00 UTC

# The chi-square value that is exceeded once in a thousand times, by degrees of freedom.
UNLIKELY = {4: 18.467, 5: 20.515, 6: 22.458, 9: 27.877, 19: 43.820}

sample_keys = functools.partial(sample_keys_from, least_score=20)


def point(content: str, score: int = 50, **metadata: Any) -> KnowledgePoint:
    return {
        "content": content,
        "type": "WorldModel",
        "score": score,
        "user_id": "u",
        "metadata": metadata,
    }


def contents(points: Any) -> list[str]:
    return [one["content"] for one in points]


def test_a_point_fault_is_of_both_kinds() -> None:
    with pytest.raises(KnowledgeValidationError, match=r"point\.score: 101; expected a whole") as raised:
        validate_knowledge_point({**point("a"), "score": 101})
    assert isinstance(raised.value, MemorySystemError)
    assert isinstance(raised.value, InvalidParameterError)


@pytest.mark.parametrize("nothing", ["abc", None, 7, [], ["content"]])
def test_what_is_no_object_is_no_point(nothing: Any) -> None:
    with pytest.raises(KnowledgeValidationError, match=r"point: .*; expected an object"):
        validate_knowledge_point(nothing)


def test_a_point_is_completed() -> None:
    assert validate_knowledge_point({"content": "a", "type": "OtherKnowledge", "score": 0}, "u") == {
        "content": "a",
        "type": "OtherKnowledge",
        "score": 0,
        "user_id": "u",
        "metadata": {},
    }
    with pytest.raises(KnowledgeValidationError, match="user_id"):
        validate_knowledge_point({"content": "a", "type": "OtherKnowledge", "score": 0})


# Versions


def test_ids_follow_each_other_whatever_the_clock_says() -> None:
    assert next_version_id(NOW, "") == "20260103174500"
    assert next_version_id(NOW, "20260103174459-007") == "20260103174500"
    assert next_version_id(NOW, "20260103174500") == "20260103174500-001"
    assert next_version_id(NOW, "20260103174500-009") == "20260103174500-010"
    assert next_version_id(NOW, "20991231235959-998") == "20991231235959-999"
    assert next_version_id(NOW, "20991231235959-999") == "21000101000000"


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=30))
def test_ids_ascend(steps: list[int]) -> None:
    ids = [""]
    for now in itertools.accumulate(steps, initial=NOW):
        ids.append(next_version_id(now, ids[-1]))
    assert sorted(set(ids)) == ids


def version(id: str, kind: VersionKind = "increment", *parents: str) -> Version:
    return Version(id, kind, parents, NOW, 1)


def known(*versions: Version) -> list[str]:
    """The effective ones of versions given oldest first."""
    return [one.id for one in effective_versions(versions[::-1])]


def test_what_is_known_is_the_newest_merge_and_what_came_behind() -> None:
    a, b, c = (version(name) for name in "abc")
    assert known() == []
    assert known(a, b) == ["b", "a"]
    assert known(a, b, version("m", "merge", "a", "b")) == ["m"]
    assert known(a, b, version("bm", "merge", "a", "b"), c) == ["c", "bm"]
    merges = (version("m1", "merge", "a"), version("m2", "merge", "m1", "n"))
    assert known(a, merges[0], version("n"), merges[1], version("z")) == ["z", "m2"]


def test_an_increment_saved_while_a_merge_was_made_is_not_lost() -> None:
    assert known(version("a"), version("b"), version("between"), version("m", "merge", "a", "b")) == [
        "between",
        "m",
    ]


def test_after_a_rollback_is_known_what_was_known_then() -> None:
    a, b, c = (version(name) for name in "abc")
    back = version("d", "rollback", "b")
    assert known(a, b, c, back) == ["b", "a"]
    assert known(a, b, c, back, version("e")) == ["e", "b", "a"]
    assert known(a, b, version("bm", "merge", "a", "b"), c, version("d", "rollback", "a")) == ["a"]
    assert known(a, b, version("bm", "merge", "a", "b"), c, version("d", "rollback", "bm")) == ["bm"]
    assert known(a, b, c, back, version("e"), version("f", "rollback", "d")) == ["b", "a"]
    assert known(c, version("d", "rollback", "gone")) == ["d"], "its own points are all there is"


def test_a_merge_after_a_rollback_counts() -> None:
    a, b, c = (version(name) for name in "abc")
    back, merge = version("d", "rollback", "b"), version("m", "merge", "a", "b")
    assert known(a, b, c, back, merge) == ["m"]
    assert known(a, b, c, back, version("e"), merge, version("z")) == ["z", "e", "m"]
    to_newer = version("d", "rollback", "c")
    assert known(a, b, c, to_newer, merge) == ["c", "m"], "c came while a and b were merged"


def test_what_is_not_merged_yet() -> None:
    a, b, c = (version(name) for name in "abc")
    merge = version("m", "merge", "a", "b")
    waiting = {
        (): [],
        (a,): ["a"],
        (a, b): ["b", "a"],
        (a, b, merge): [],
        (a, b, merge, version("n")): ["n"],
        (a, b, c, version("d", "rollback", "b")): ["b", "a"],
        (a, b, c, version("d", "rollback", "b"), merge): [],
        (a, b, version("d", "rollback", "a")): [],
        (a, b, version("d", "rollback", "a"), version("e")): ["e", "a"],
    }
    for versions, expected in waiting.items():
        assert [one.id for one in unmerged_increments(versions[::-1])] == expected


def test_what_lies_before_a_merge_or_a_rollback_does_not_count() -> None:
    b, c = version("b"), version("c")
    merged = [version("m", "merge", "b", "c"), c, b]
    assert not is_effective(version("a"), merged)
    assert not is_effective(version("bb"), merged)
    assert is_effective(version("d"), merged), "as if it had been saved while they were merged"
    assert is_effective(version("a"), [c, b])
    assert not is_effective(version("bb"), [version("d", "rollback", "b"), c, b])
    assert is_effective(version("a"), [version("d", "rollback", "b"), c, b])


# Sampling


def one_version(*scores: int) -> list[tuple[Keys, Scores]]:
    return [(np.arange(len(scores), dtype=np.int64), np.array(scores, np.uint8))]


def chi_square(is_effective: Any, expected: Any) -> float:
    is_effective, expected = np.asarray(is_effective, float), np.asarray(expected, float)
    return float(((is_effective - expected) ** 2 / expected).sum())


def test_the_first_drawn_is_proportional_to_the_scores() -> None:
    scores = [20, 40, 60, 80, 100]
    drawn = [int(sample_keys(one_version(*scores), 1, seed)[0]) for seed in range(6000)]
    expected = np.array(scores) / sum(scores) * len(drawn)
    assert chi_square(np.bincount(drawn, minlength=5), expected) < UNLIKELY[4]
    uniform = np.full(5, len(drawn) / 5)
    assert chi_square(np.bincount(drawn, minlength=5), uniform) > 10 * UNLIKELY[4], "the test can fail"


def test_pairs_are_drawn_without_replacement_in_proportion_to_what_is_left() -> None:
    scores = [20, 30, 100]
    pairs = list(itertools.permutations(range(3), 2))
    total = 8000
    is_effective = dict.fromkeys(pairs, 0)
    for seed in range(total):
        first, second = sample_keys(one_version(*scores), 2, seed).tolist()
        is_effective[first, second] += 1
    whole = sum(scores)
    expected = [
        total * scores[first] / whole * scores[second] / (whole - scores[first]) for first, second in pairs
    ]
    assert chi_square(list(is_effective.values()), expected) < UNLIKELY[5]


def test_equal_scores_are_drawn_equally_often() -> None:
    drawn = np.concatenate([sample_keys(one_version(*[50] * 20), 5, seed) for seed in range(2000)])
    counts = np.bincount(drawn, minlength=20)
    # without replacement counts vary less than chi-square has it: a bound from both sides
    assert 3 < chi_square(counts, np.full(20, len(drawn) / 20)) < UNLIKELY[19]


def test_what_counts_for_a_draw() -> None:
    newest = (np.array([7, 8], np.int64), np.array([19, 30], np.uint8))
    older = (np.array([7, 8, 9], np.int64), np.array([100, 100, 20], np.uint8))
    assert sorted(sample_keys([newest, older], 9, 1).tolist()) == [8, 9]
    assert sample_keys([], 5, 1).tolist() == []
    assert sample_keys([newest], 0, 1).tolist() == []
    first = [int(sample_keys([newest, older], 1, seed)[0]) for seed in range(4000)]
    is_effective = [first.count(8), first.count(9)]
    assert chi_square(is_effective, [2400, 1600]) < 10.828  # the newest score, 30, against 20


# Folders

WINDOWS_DEVICES = {"con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in range(10))}

names = st.text(min_size=1, max_size=60).filter(
    lambda name: max(name) < "\ud800" or not any("\ud800" <= c <= "\udfff" for c in name)
)


@given(names)
def test_a_folder_is_a_plain_name_on_every_system(name: str) -> None:
    folder = folder_of(name)
    assert set(folder) <= set("abcdefghijklmnopqrstuvwxyz0123456789_-%ABCDEF=")
    assert len(folder) <= 128
    assert folder.split(".")[0] not in WINDOWS_DEVICES
    assert not folder.endswith((".", " "))


@given(names, names)
def test_different_users_have_different_folders_where_case_does_not_count(a: str, b: str) -> None:
    assert (folder_of(a).casefold() == folder_of(b).casefold()) == (a == b)


@pytest.mark.parametrize(
    ("a", "b"), [("a", "A"), ("a%41", "aA"), ("%41", "A"), ("é", "e\u0301"), ("a.", "a")]
)
def test_near_names_are_apart(a: str, b: str) -> None:
    assert folder_of(a).casefold() != folder_of(b).casefold()


def test_long_names_are_cut_and_apart() -> None:
    long = [letter * MAX_NAME_BYTES for letter in ("a", "A")] + ["a" * 199, "虫" * 66]
    assert len({folder_of(name).casefold() for name in long}) == 4
    assert max(len(folder_of(name)) for name in long) <= 128
    assert folder_of("a" * 120) == f"user_{'a' * 120}"


# Comparing


def test_differences() -> None:
    before = [point("a", 10), point("b", 20), point("gone")]
    after = [point("b", 30), point("a", 10, other="metadata"), point("new")]
    found = compare_points(before, after)
    assert (contents(found.added), contents(found.removed), found.same) == (["new"], ["gone"], 1)
    assert found.changed == [{"content": "b", "score": [20, 30], "type": ["WorldModel", "WorldModel"]}]


# Merging


def near_all(points: Any) -> dict[int, list[int]]:
    return {place: list(range(place)) for place in range(len(points))}


def merged(*points: KnowledgePoint) -> Any:
    kept = unique_points(points)
    return merge_points(kept, near_all(kept))


def test_identical_contents_become_one_of_the_best_score() -> None:
    found = unique_points(
        [point("a", 30, new=1, both="new"), point("b", 40), point("a", 70, old=1, both="old")]
    )
    assert found == [point("a", 70, new=1, old=1, both="old"), point("b", 40)]


def test_what_says_the_same_becomes_the_best_one() -> None:
    found = merged(point("主人对花生过敏", 60, a=1), point("主人对花生过敏。", 80, b=2))
    assert found.points == [point("主人对花生过敏。", 80, a=1, b=2)]
    assert found.absorbed == [("主人对花生过敏。", "主人对花生过敏")]
    assert found.apart == []


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("主人对花生过敏", "主人对花生不过敏"),
        ("主人的生日是5月3日", "主人的生日是5月13日"),
        ("She has 2 cats", "She has 3 cats"),
        ("Tom likes tea", "Tim likes tea"),
        ("He likes tea", "He does not like tea"),
        ("We met on Monday", "We met on Tuesday"),
        ("他喜欢猫", "她喜欢猫"),
        ("I live in Beijing", "I lived in Beijing"),
    ],
)
def test_what_is_merely_alike_stays_apart(a: str, b: str) -> None:
    found = merged(point(a, 60), point(b, 50))
    assert contents(found.points) == [a, b]
    assert found.apart == [(0, 1)]


def test_only_what_is_near_is_looked_at() -> None:
    points = unique_points([point("主人对花生过敏", 60), point("主人对花生过敏。", 50)])
    assert len(merge_points(points, {}).points) == 2


def test_texts_alike_in_words_are_found() -> None:
    texts = [
        "主人对花生过敏",
        "She went to Lisbon in May",
        "主人对花生不过敏",
        "She went to Lisbon in June",
        "x",
    ]
    assert similar_texts(texts) == {2: [0], 3: [1]}


def test_likeness_is_looked_for_through_rare_words_only() -> None:
    """Thousands of texts of one pattern are not each compared with all others, and yet the two are found."""
    texts = [f"主人喜欢吃第{n}号拉面店的拉面" for n in range(3000)]
    assert similar_texts([*texts, f"{texts[1234]}。"]) == {3000: [1234]}
    common = [f"主人喜欢{food}{drink}" for food in "面饭粥饼" for drink in "茶酒水奶"] * 200
    assert similar_texts([*(f"{text}{n}" for n, text in enumerate(common)), "主人喜欢面", "主人喜欢面！"])[
        3201
    ] == [3200]
