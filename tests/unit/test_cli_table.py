"""Every row of the command table fits the method it calls."""

from __future__ import annotations

import inspect

import click
import pytest

from memory_client.api import find
from memoryd.cli import main
from memoryd.cli.client_commands import ClientCommand


def _rows(command: click.Command) -> list[tuple[ClientCommand, click.Command]]:
    if isinstance(command, click.Group):
        return [row for child in command.commands.values() for row in _rows(child)]
    run = inspect.unwrap(command.callback) if command.callback else None
    row = getattr(run, "__self__", None)
    return [(row, command)] if isinstance(row, ClientCommand) else []


ROWS = _rows(main)


def test_most_commands_are_rows() -> None:
    assert len(ROWS) >= 20


@pytest.mark.parametrize(("row", "command"), ROWS, ids=[row.method for row, _ in ROWS])
def test_a_row_gives_its_method_declared_arguments(row: ClientCommand, command: click.Command) -> None:
    spec = find(row.method)
    values = {param.name: None for param in command.params if param.name != "as_json"}
    arguments = row.arguments(**values)
    assert arguments.keys() <= spec.parameters.keys()
    assert spec.required <= arguments.keys()
    inspect.signature(row.lines).bind(None, **values)
