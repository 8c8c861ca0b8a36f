"""The README names everything there is: settings, methods, commands, and the files it points at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from memory_client.api import METHODS
from memoryd.app.settings import SETTINGS
from memoryd.cli import main

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def readme() -> str:
    return (ROOT / "README.md").read_text(encoding="utf-8")


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
