"""Arguments and options of commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click


def argument(name: str, metavar: str | None = None, **attributes: Any) -> click.Argument:
    """metavar: how help and errors name it, by default the name in capitals."""
    return click.Argument([name], metavar=metavar, **attributes)


def option(*names: str, help: str, **attributes: Any) -> click.Option:
    """names: `--name`, and that of the parameter if it is another. Help shows a default."""
    return click.Option(names, help=help, show_default="default" in attributes, **attributes)


def flag(*names: str, help: str) -> click.Option:
    """As `option`, without a value."""
    return click.Option(names, help=help, is_flag=True)


def choice(name: str, values: Sequence[str], help: str, **attributes: Any) -> click.Option:
    """As `option`, one of these values."""
    return option(name, type=click.Choice(values), help=help, **attributes)


def count(*names: str, help: str, default: int = 20, least: int = 1, most: int = 1000) -> click.Option:
    """As `option`, a whole number within bounds."""
    return option(*names, help=help, default=default, type=click.IntRange(least, most))


def user_option(help: str) -> click.Option:
    """`--user`."""
    return option("--user", "user_id", default="default", help=help)


REASON = option("--reason", help="Why; kept with it.")
CURSOR = option("--cursor", help="That of the page before.")
MEMORY_ID = argument("id", "MEMORY_ID")
FOR_USER: tuple[click.Parameter, ...] = (
    user_option("Whose memories."),
    option("--agent", "agent_id", help="An agent's too; '*' for all of the user's."),
)
