"""`python -O` leaves asserts out: none of the packages may do or decide anything."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("memoryd", "memory_client")
OPTIMISED = """
import json, sys
from memoryd import KnowledgeBase
assert False, "asserts are left out"
with KnowledgeBase(sys.argv[1], settings={"embedder.model": "none"}) as kb:
    id = kb.add("小明喜欢拉面")
    kb.add("老王住在苏州")

    def hits():
        kb.search("明明喜欢什么")
        return kb.admin.metrics()["caches"]["results"]["hits"]

    counts = [hits(), hits()]
    kb.triples.alias("明明", "小明")
    counts += [hits(), hits()]
    triple = kb.triples.add("小明", "likes", "茶")
    counts += [hits(), hits()]
    kb.triples.delete(triple)
    counts += [hits()]
    kb.update_text(id, "小明喜欢咖啡")
    print(json.dumps([counts, kb.get(id)["text"], kb.delete_all("default")["counts"]["memories"]]))
"""
"""Searches the same again after each change; prints how many were answered from the cache so far."""


def properties() -> set[str]:
    """The names of all properties: reading one may do something."""
    return {
        node.name
        for tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and any(
            isinstance(one, ast.Name | ast.Attribute) and ast.unparse(one).endswith("property")
            for one in node.decorator_list
        )
    }


def trees() -> Iterator[ast.Module]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield ast.parse(path.read_text(encoding="utf-8"), str(path.relative_to(ROOT)))


def narrows(node: ast.Assert, known_properties: set[str]) -> bool:
    """Whether it only tells the type checker that a plain value is not None."""
    test = node.test
    is_narrowing = (
        isinstance(test, ast.Compare)
        and isinstance(test.ops[0], ast.IsNot)
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value is None
    )
    parts = list(ast.walk(test))
    plain = (ast.Compare, ast.IsNot, ast.Constant, ast.Name, ast.Attribute, ast.Load)
    does_something = any(
        not isinstance(part, plain) or (isinstance(part, ast.Attribute) and part.attr in known_properties)
        for part in parts
    )
    return is_narrowing and not does_something


def test_asserts_do_nothing() -> None:
    known = properties()
    assert "seq" in known
    found = [
        ast.unparse(node)
        for tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Assert) and not narrows(node, known)
    ]
    assert found == [], "use an if and an error, or a method that says what it does"


@pytest.mark.parametrize(
    ("source", "passes"),
    [
        ("assert work.encoded is not None", True),
        ("assert tx.seq", False),
        ("assert tx.seq is not None", False),
        ("assert queue.get() is not None", False),
        ("assert count > 0", False),
        ("assert (x := f) is not None", False),
    ],
)
def test_the_check_sees_what_does_something(source: str, passes: bool) -> None:
    (node,) = ast.parse(source).body
    assert isinstance(node, ast.Assert)
    assert narrows(node, {"seq"}) == passes


def test_a_store_works_without_asserts(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-O", "-c", OPTIMISED, str(tmp_path / "home")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    counts, text, deleted = json.loads(done.stdout)
    assert counts == [0, 1, 1, 2, 2, 3, 3], "no answer from before a change"
    assert (text, deleted) == ("小明喜欢咖啡", 2)
