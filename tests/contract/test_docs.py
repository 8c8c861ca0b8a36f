"""README and docs name everything there is: settings, methods, commands, and the files they point at."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import click
import pytest

from generate_docs import stale_pages
from memory_client import KnowledgeClient
from memory_client.api import GROUPS, METHODS, find
from memory_client.types import Intent, Mode, SearchOrder
from memoryd.app.settings import SETTINGS
from memoryd.cli import main
from memoryd.knowledge_base import KnowledgeBase
from memoryd.retrieval.ranking import ranker, standing

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FIELDS = ("embedder.progress",)  # of a reply, not a setting
OTHER_VARIABLES = ("MEMORYD_HOME", "MEMORYD_AUTOSTART", "MEMORYD_PYTHON")


@pytest.fixture(scope="module")
def readme() -> str:
    return "\n".join(page.read_text(encoding="utf-8") for page in PAGES)


def page(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def commands(group: click.Group, prefix: str) -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        yield f"{prefix} {name}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{prefix} {name}")


def names(readme: str, name: str) -> bool:
    """Whether the text holds a name as a word of its own."""
    return re.search(rf"(?<![\w.]){re.escape(name)}(?![\w])", readme) is not None


def test_every_setting_is_there(readme: str) -> None:
    missing = [s.name for s in SETTINGS if not (names(readme, s.name) and names(readme, s.variable))]
    assert missing == []


def test_every_method_is_there(readme: str) -> None:
    calls = {spec.name if spec.group == "memory" else spec.wire for spec in METHODS.values()}
    assert [call for call in sorted(calls) if not re.search(rf"`(\w+\.)?{re.escape(call)}[`(]", readme)] == []


@pytest.fixture
def searching() -> str:
    return page("search")


def test_every_parameter_mode_and_weight_of_search_is_there(searching: str) -> None:
    missing = [name for name in find("memory.search").parameters if not re.search(rf"\b{name}\b", searching)]
    assert missing == ["user_id"]  # every method has it
    for name in (
        *get_args(Mode),
        *get_args(Intent),
        *get_args(SearchOrder),
        *ranker.RELEVANCE,
        *standing.GROUPS,
    ):
        assert re.search(rf"\b{name}\b", searching), name


def test_its_searches_run(searching: str, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = searching.partition("```python\n")[2].partition("```")[0]
    with KnowledgeBase(home, settings={"embedder.model": "none"}) as memory:
        exec(code, {"memory": memory})
    assert "2月30日: there is no such date" in capsys.readouterr().out


def test_its_life_of_a_memory_runs(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = page("memory-life").partition("```python\n")[2].partition("```")[0]
    with KnowledgeBase(home, settings={"embedder.model": "none"}) as memory:
        names: dict[str, Any] = {"memory": memory}
        exec(code, names)
        then = memory.search("主人住在哪里", as_of=names["then"])
    assert [hit["text"] for hit in then] == ["主人住在北京"]
    assert capsys.readouterr().out == "主人住在上海{+静安区+}\n"


def test_every_command_is_there(readme: str) -> None:
    assert isinstance(main, click.Group)
    assert [path for path, _ in commands(main, "memoryd") if not names(readme, path)] == []


def test_every_option_of_a_command_is_there(readme: str) -> None:
    missing = [
        f"{path} {option.opts[0]}"
        for path, command in commands(main, "memoryd")
        for option in command.params
        if isinstance(option, click.Option) and not option.hidden
        if not any(name in readme for name in option.opts)
    ]
    assert missing == []


def test_every_script_is_there(readme: str) -> None:
    scripts = [p.name for p in (ROOT / "scripts").glob("*.py") if not p.name.startswith("_")]
    assert [name for name in scripts if f"scripts/{name}" not in readme] == []


# -- each page


@pytest.fixture(params=PAGES, ids=lambda path: path.name)
def text(request: pytest.FixtureRequest) -> str:
    """The text of one page."""
    return str(request.param.read_text(encoding="utf-8"))


def test_every_file_it_points_at_exists(text: str) -> None:
    pointed = set(re.findall(r"\b(?:memoryd|memory_client|scripts|tests)/[\w./-]*\w", text))
    assert [path for path in sorted(pointed) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_link_leads_somewhere(path: Path) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8"))
    assert [link for link in links if not is_good(link, path)] == []


def is_good(link: str, page: Path) -> bool:
    """Whether a link leads to a site, or to a file and a heading in it."""
    if link.startswith(("https://", "http://")):
        return True
    name, _, anchor = link.partition("#")
    target = page.parent / name if name else page
    return target.is_file() and (not anchor or anchor in anchors(target.read_text(encoding="utf-8")))


def anchors(text: str) -> set[str]:
    """The anchors of a page: named ones, and those that are made of its headings."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    made = {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}
    return made | set(re.findall(r'<a id="([^"]+)"', text))


def test_its_python_compiles_and_calls_what_exists(text: str) -> None:
    for code in blocks(text, "python"):
        compile(code, "page", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        unknown = [call for call in calls(ast.parse(code)) if find_call(call) is None]
        assert unknown == [], code


def calls(tree: ast.AST) -> Iterator[str]:
    """`search` or `decay.run` for each call of the variable `memory`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (name := ast.unparse(node.func)).startswith("memory."):
            yield name.removeprefix("memory.")


def find_call(call: str) -> object | None:
    """A method of a client or a `KnowledgeBase`, declared or its own."""
    return METHODS.get(call if "." in call else f"memory.{call}") or getattr(KnowledgeClient, call, None)


def test_its_settings_exist(text: str) -> None:
    known = {setting.name for setting in SETTINGS}
    tables = [tomllib.loads(block) for block in blocks(text, "toml")]
    assert {f"{group}.{key}" for table in tables for group in table for key in table[group]} <= known
    groups = {name.partition(".")[0] for name in known} | set(GROUPS)
    named = set(re.findall(rf"`((?:{'|'.join(sorted(groups))})\.\w+)\b", text))
    others = {*METHODS, *(f"memory.{group}" for group in GROUPS), *FIELDS}
    assert sorted(named - known - others) == []


def test_its_variables_exist(text: str) -> None:
    known = {setting.variable for setting in SETTINGS} | set(OTHER_VARIABLES)
    assert sorted(set(re.findall(r"\bMEMORYD_[A-Z_]*[A-Z]", text)) - known) == []


def test_its_commands_exist(text: str) -> None:
    known = {path for path, _ in commands(main, "memoryd")}
    named = set(re.findall(r"(?:`|^)(memoryd [a-z]+)", text, re.MULTILINE))
    assert sorted(named - known) == []


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


# -- the pages that are made from the code


def test_the_made_pages_are_current() -> None:
    assert stale_pages(ROOT / "docs") == [], "run: python scripts/generate_docs.py"


def test_a_page_that_differs_is_stale(tmp_path: Path) -> None:
    (tmp_path / "api.md").write_text("# An older API\n", encoding="utf-8")
    assert stale_pages(tmp_path) == [tmp_path / "api.md", tmp_path / "settings.md"]
