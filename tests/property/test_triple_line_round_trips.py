"""Import of any exported file gives the same triples, in both shapes; what is shown finds what is stored."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from memory_client.errors import InvalidParameterError
from memoryd.core.triple_line_shapes import TripleLine, read_line, write_line
from memoryd.knowledge_base import KnowledgeBase
from memoryd.language.triples import Statement, display_statement, key_of, parse_statement, predicate_of
from memoryd.language.triples.kinship import SHOWN_ZH
from memoryd.language.triples.names import OWN
from memoryd.language.triples.predicates import _KNOWN

KEYS = tuple(dict.fromkeys(_KNOWN.values()))
NAMES = ["我", "主人", "user", "我妈妈", "my mom", "主人的父母", "my kids", "小明", "Anna", "the Beatles"]
PREDICATES = "喜欢 不喜欢 非常喜欢 really_likes 是…的妹妹 不没看 师从 not_not_foo lives_in".split()
text = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)
name = st.sampled_from(NAMES) | text
predicate = st.sampled_from((*KEYS, *PREDICATES)) | text
words = st.none() | st.sampled_from(("每天", "often", "下雨的时候")) | text


@st.composite
def statements(draw: st.DrawFn) -> Statement:
    """What a caller could add."""
    try:
        return parse_statement(
            draw(name),
            draw(predicate),
            draw(name),
            negation=draw(st.booleans()),
            frequency=draw(words),
            condition=draw(words),
            degree=draw(words),
        )
    except InvalidParameterError:
        assume(False)
        raise


@settings(max_examples=400, deadline=None)
@given(statements(), st.sampled_from(["memoryd", "companion"]))
def test_a_line_says_what_was_written(one: Statement, shape: Any) -> None:
    line = read_line(1, write_line(shape, "tri_0", one, [("manual", None, None)]))
    assert isinstance(line, TripleLine)
    assert line.statement.identity == one.identity
    assert (line.statement.degree, line.statement.language) == (one.degree, one.language)
    shown, again = display_statement(one), display_statement(line.statement)
    assert (again.subject, again.predicate, again.object) == (shown.subject, shown.predicate, shown.object)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_predicate_that_is_shown_is_read_as_its_key(key: str, language: Any) -> None:
    shown = display_statement(Statement("小明", key, "小红", language=language))
    assert (predicate_of(shown.predicate).key, predicate_of(shown.predicate).is_negated) == (key, False)
    assert (shown.predicate == key) == (language == "en")


@pytest.mark.parametrize("relation", SHOWN_ZH)
def test_a_relative_that_is_shown_is_read_as_its_key(relation: str) -> None:
    shown = display_statement(Statement(f"{OWN}'s {relation}", "likes", "user", language="zh"))
    assert key_of(shown.subject) == f"{OWN}'s {relation}"
    assert (shown.subject[:3], shown.object) == ("主人的", "主人")


_users = itertools.count()


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    home = tmp_path_factory.mktemp("lines") / "home"
    with KnowledgeBase(home, settings={"embedder.model": "none"}) as kb:
        yield kb


parts = st.tuples(name, predicate, name, st.booleans(), words, words, words, st.sampled_from([None, "cook"]))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(parts, max_size=6), st.sampled_from(["memoryd", "companion"]))
def test_an_exported_file_gives_the_same_triples(
    kb: KnowledgeBase, given: list[tuple[Any, ...]], shape: Any
) -> None:
    user = f"u{next(_users)}"
    for subject, verb, object, negation, frequency, condition, degree, agent in given:
        try:
            kb.triples.add(
                subject,
                verb,
                object,
                negation=negation,
                frequency=frequency,
                condition=condition,
                degree=degree,
                user_id=user,
                agent_id=agent,
            )
        except InvalidParameterError:
            continue
    done = kb.triples.import_jsonl(kb.triples.export_jsonl(user, shape=shape), user_id=f"{user}-2")
    assert done["damaged"] == []
    for agent in (None, "cook"):
        assert _triples(kb, user, agent) == _triples(kb, f"{user}-2", agent)


def _triples(kb: KnowledgeBase, user: str, agent: str | None) -> list[Any]:
    found = kb.triples.page(user_id=user, agent_id=agent, limit=1000)["items"]
    kept = ("subject", "predicate", "predicate_key", "object", "negation", "frequency", "condition", "degree")
    return sorted(([one[key] for key in kept] for one in found), key=repr)  # type: ignore[literal-required]
