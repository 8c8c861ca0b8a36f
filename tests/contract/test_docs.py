"""README and docs name everything there is: settings, methods, commands, and the files they point at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import click
import pytest

from memory_client.api import METHODS, find
from memory_client.types import Intent, Mode, SearchOrder
from memoryd.app.settings import SETTINGS
from memoryd.cli import main
from memoryd.knowledge_base import KnowledgeBase
from memoryd.retrieval.ranking import ranker, standing

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def readme() -> str:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return "\n".join(page.read_text(encoding="utf-8") for page in pages)


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


def test_every_file_it_points_at_exists(readme: str) -> None:
    pointed = set(re.findall(r"\b(?:memoryd|memory_client|scripts|tests)/[\w./-]*\w", readme))
    assert [path for path in sorted(pointed) if not (ROOT / path).exists()] == []
