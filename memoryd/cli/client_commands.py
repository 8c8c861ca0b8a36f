"""Commands over one method of the client, built from one row each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from memory_client.paths import DataPaths
from memoryd.cli.options import FOR_USER, flag

if TYPE_CHECKING:
    from memory_client.client import KnowledgeClient

OPERATOR = "user"
"""The operator of every change a command makes: a person at a terminal."""


@dataclass(frozen=True, slots=True)
class ClientCommand:
    """One command.

    method: `group.name`, called with the values of `params` by name. lines: the reply for people, called as
    `lines(reply, **values)`. json: help of the option `--json`, None for a command without it. whose: the
    options of user and agent. arguments: the arguments of the method, from the values of all parameters.
    """

    name: str
    method: str
    help: str
    lines: Callable[..., Iterable[str]]
    params: tuple[click.Parameter, ...] = ()
    json: str | None = None
    whose: tuple[click.Parameter, ...] = FOR_USER
    arguments: Callable[..., dict[str, Any]] = dict
    autostart: bool = True

    def build(self) -> click.Command:
        """The command for `click`."""
        own = self.params if self.json is None else (*self.params, flag("--json", "as_json", help=self.json))
        return click.Command(
            self.name, callback=click.pass_obj(self._run), params=[*own, *self.whose], help=self.help
        )

    def _run(self, paths: DataPaths, /, *, as_json: bool = False, **values: Any) -> None:
        with open_client(paths, autostart=self.autostart) as client:
            reply = call_method(client, self.method, self.arguments(**values))
        print_reply(reply, self.lines(reply, **values), as_json=as_json)


def add_commands(group: click.Group, *rows: ClientCommand) -> None:
    """Build the commands of these rows into a group."""
    for row in rows:
        group.add_command(row.build())


@contextmanager
def open_client(paths: DataPaths, *, autostart: bool = True) -> Iterator[KnowledgeClient]:
    """A client of the daemon of this data directory."""
    from memory_client.client import KnowledgeClient  # only commands that call the daemon pay for it

    with KnowledgeClient(paths.root, autostart=autostart) as client:
        yield client


def call_method(client: KnowledgeClient, wire: str, arguments: Mapping[str, Any]) -> Any:
    """The reply of a method by its wire name. A change is made by `OPERATOR`."""
    from memory_client.api import find

    spec = find(wire)
    owner = client if spec.group == "memory" else getattr(client, spec.group)
    operator = {"operator": OPERATOR} if "operator" in spec.parameters else {}
    return getattr(owner, spec.name)(**arguments, **operator)


def print_reply(reply: object, lines: Iterable[str], *, as_json: bool) -> None:
    """The reply as JSON, or for people."""
    if as_json:
        click.echo(json.dumps(reply, ensure_ascii=False, indent=2))
        return
    for line in lines:
        click.echo(line)
