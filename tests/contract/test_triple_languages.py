"""Triples are shown in the language of their evidence and found by words of either."""

from __future__ import annotations

import pytest

from memory_client.types import Triple
from support.faces import Face


def lines(triples: list[Triple]) -> set[tuple[str, str, str]]:
    return {(one["subject"], one["predicate"], one["object"]) for one in triples}


def page(face: Face, user: str, **options: object) -> list[Triple]:
    return face.kb.triples.page(user_id=user, limit=1000, **options)["items"]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "shown", "key"),
    [
        ("主人喜欢拉面", ("主人", "喜欢", "拉面"), "likes"),
        ("我热爱拉面", ("主人", "喜欢", "拉面"), "likes"),
        ("The user likes ramen", ("user", "likes", "ramen"), "likes"),
        ("我妈妈住在苏州", ("主人的妈妈", "住在", "苏州"), "lives_in"),
        ("My mother lives in Suzhou", ("user's mother", "lives_in", "Suzhou"), "lives_in"),
        ("我父母住在苏州", ("主人的父母", "住在", "苏州"), "lives_in"),
        ("小雨是我的妹妹", ("小雨", "是…的妹妹", "主人"), "sister_of"),
        ("我对花生过敏", ("主人", "对…过敏", "花生"), "allergic_to"),
        ("我每周三踢足球", ("主人", "踢", "足球"), "plays"),
    ],
)
def test_a_triple_is_shown_in_the_language_of_its_evidence(
    face: Face, user: str, text: str, shown: tuple[str, str, str], key: str
) -> None:
    face.kb.add(text, user_id=user)
    (one,) = page(face, user)
    assert (one["subject"], one["predicate"], one["object"]) == shown
    assert one["predicate_key"] == key
    assert one["evidence"][0]["words"] == text
    # what is shown finds it again, and so does what the other language says
    for predicate in (one["predicate"], key):
        assert page(face, user, predicate=predicate) == [one]
    assert page(face, user, subject=one["subject"]) == page(face, user, object=one["object"]) == [one]
    assert lines(face.kb.triples.query(one["object"], user_id=user)["triples"]) == {shown}  # type: ignore[arg-type]


def test_words_of_either_language_find_the_same(face: Face, user: str) -> None:
    kb = face.kb
    kb.add_many(["主人喜欢拉面", "The user likes ramen", "我妈妈喜欢拉面"], user_id=user)
    both = {("主人", "喜欢", "拉面"), ("user", "likes", "ramen")}
    mother = {("主人的妈妈", "喜欢", "拉面")}
    for subject in ("user", "主人", "我", "I", "用户"):
        for predicate in ("likes", "喜欢", "爱", "非常喜欢", "really likes"):
            assert lines(page(face, user, subject=subject, predicate=predicate)) == both
    for name in ("我妈妈", "my mom", "user's mother", "主人的母亲"):
        assert lines(page(face, user, entity=name)) == mother
        path = kb.triples.path(name, "拉面", user_id=user)
        assert lines(path["triples"]) == mother
        query = kb.triples.query(name, predicate="love", user_id=user)
        assert lines(query["triples"]) == mother  # type: ignore[arg-type]
    assert kb.triples.query("我", user_id=user)["entity"] == "主人"
    assert kb.triples.query("me", user_id=user)["entity"] == "user"
    assert kb.triples.query("my mom", user_id=user)["entity"] == "user's mother"
    assert kb.triples.query("我母亲", user_id=user)["entity"] == "主人的母亲"
    (gone,) = page(face, user, subject="my mother", predicate="likes")
    kb.triples.delete(gone["id"], user_id=user)
    kb.add("我妈妈爱拉面", user_id=user)  # a tombstone is left whatever the words
    assert lines(page(face, user)) == both
    assert kb.triples.stats(user_id=user)["by_predicate"] == {"likes": 2}


def test_one_triple_of_two_languages_follows_the_newest_evidence(face: Face, user: str) -> None:
    kb = face.kb
    first = kb.add("我喜欢 Jazz", user_id=user)
    second = kb.add("I like jazz", user_id=user)
    (one,) = page(face, user)
    assert (one["language"], one["subject"], one["predicate"]) == ("en", "user", "likes")
    assert [piece["words"] for piece in one["evidence"]] == ["I like jazz", "我喜欢 Jazz"]
    kb.archive(second, user_id=user)
    (again,) = page(face, user)
    assert (again["id"], again["language"], again["predicate"]) == (one["id"], "zh", "喜欢")
    kb.delete(first, user_id=user)
    (archived,) = page(face, user, include_archived=True)
    assert archived["language"] == "en"


@pytest.mark.parametrize(
    ("text", "degree"),
    [
        ("我非常喜欢拉面", "非常"),
        ("我真的很喜欢拉面", "真的很"),
        ("我特别爱拉面", "特别"),
        ("我超喜欢拉面", "超"),
        ("我喜欢拉面", None),
        ("I really like tea", "really"),
        ("I like tea very much", "very much"),
        ("I love tea", None),
    ],
)
def test_a_degree_is_kept(face: Face, user: str, text: str, degree: str | None) -> None:
    face.kb.add(text, user_id=user)
    (one,) = page(face, user)
    assert (one["predicate_key"], one["degree"], one["frequency"]) == ("likes", degree, None)


def test_a_degree_is_no_part_of_what_is_stated(face: Face, user: str) -> None:
    kb = face.kb
    kb.add_many(["我喜欢香菜", "我非常喜欢香菜"], user_id=user)
    (one,) = page(face, user)
    assert (one["degree"], len(one["evidence"])) == ("非常", 2)
    against = kb.add("我很不喜欢香菜", user_id=user)
    found = {(one["negation"], one["degree"]) for one in page(face, user)}
    assert found == {(False, "非常"), (True, "很")}
    assert {one["second"]["id"] for one in kb.conflicts(against, user_id=user)} == {against}


def test_what_a_caller_says_is_shown_in_the_callers_language(face: Face, user: str) -> None:
    kb = face.kb
    kb.triples.add("user", "likes", "拉面", user_id=user)
    kb.triples.add("我", "非常喜欢", "饺子", user_id=user)
    kb.triples.add("小明", "师从", "王老师", degree="长期", user_id=user)
    found = page(face, user)
    assert lines(found) == {("user", "likes", "拉面"), ("主人", "喜欢", "饺子"), ("小明", "师从", "王老师")}
    assert {one["object"]: one["degree"] for one in found} == {"拉面": None, "饺子": "非常", "王老师": "长期"}
    assert {one["object"]: one["evidence"][0]["words"] for one in found}["饺子"] == "我 非常喜欢 饺子"


def test_a_caller_who_names_a_memory_keeps_its_words(face: Face, user: str) -> None:
    kb = face.kb
    memory = kb.add("我非常喜欢拉面", user_id=user)
    kb.triples.add("user", "likes", "拉面", evidence=[memory], user_id=user)
    (one,) = page(face, user)
    assert (one["subject"], one["predicate"], one["degree"]) == ("主人", "喜欢", "非常")
    assert [piece["words"] for piece in one["evidence"]] == ["我非常喜欢拉面"]


def test_the_words_follow_the_text_and_go_with_it(face: Face, user: str) -> None:
    kb = face.kb
    memory = kb.add("我非常喜欢拉面", user_id=user)
    (before,) = page(face, user)
    kb.update_text(memory, "我喜欢拉面，住在北京", user_id=user)
    (after,) = page(face, user, predicate="likes")
    assert (after["id"], after["degree"], after["evidence"][0]["words"]) == (before["id"], None, "我喜欢拉面")
    kb.delete(memory, user_id=user)
    assert page(face, user, include_archived=True) == []


def test_forget_shows_triples_in_the_language_of_their_evidence(face: Face, user: str) -> None:
    kb = face.kb
    kb.add("小明喜欢爬山", user_id=user)
    shown = {one["text"] for one in kb.forget("小明", user_id=user)["matches"] if one["type"] == "triple"}
    assert shown == {"小明 喜欢 爬山"}
