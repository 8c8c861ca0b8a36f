"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable

import click

OPERATOR = "user"
"""Who makes the changes of commands: a person at a terminal."""

F = Callable[..., None]


def for_user(command: F) -> F:
    """The options of whose memories it is about."""
    command = click.option("--agent", help="An agent's too; '*' for all of the user's.")(command)
    return click.option("--user", default="default", show_default=True, help="Whose memories.")(command)
