"""Commands knowledge: the versions of a user's knowledge points, what they say, and going back to one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import click

from memory_client.paths import DataPaths
from memory_client.types import KnowledgeComparison, KnowledgePoint, KnowledgeVersion
from memoryd.cli.search_output import counted, date, plain

_SHOWN = 100
"""Characters of a point."""

F = Callable[..., None]


def _for_user(command: F) -> F:
    return click.option("--user", default="default", show_default=True, help="Whose knowledge.")(command)


_as_json = click.option("--json", "as_json", is_flag=True, help="As JSON.")


@click.group()
def knowledge() -> None:
    """What was learned of a user, in versions."""


@knowledge.command()
@click.option("-n", "count", default=10, show_default=True, type=click.IntRange(1, 1000), help="How many.")
@_as_json
@_for_user
@click.pass_obj
def versions(paths: DataPaths, count: int, user: str, *, as_json: bool) -> None:
    """List the newest versions."""
    from memory_client.client import KnowledgeClient

    with KnowledgeClient(paths.root) as client:
        ids = client.knowledge.get_recent_versions(user, count)
        found = [client.knowledge.get_version(user, id) for id in ids]
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    for version in found:
        if version is not None:
            click.echo("\n".join(_version_lines(version)))
    if not found:
        click.echo("nothing is known yet")


@knowledge.command()
@click.argument("version", default="latest")
@click.option("--top", type=click.IntRange(1, 10_000), help="Only so many, those of the best scores.")
@_as_json
@_for_user
@click.pass_obj
def show(paths: DataPaths, version: str, top: int | None, user: str, *, as_json: bool) -> None:
    """Show the points of VERSION, the newest one by default."""
    from memory_client.client import KnowledgeClient

    with KnowledgeClient(paths.root) as client:
        points = client.knowledge.load_knowledge(user, version, top)
    if as_json:
        click.echo(json.dumps(points, ensure_ascii=False, indent=2))
        return
    for point in points:
        click.echo(_point_line(" ", point))


@knowledge.command()
@click.argument("first")
@click.argument("second", default="latest")
@_as_json
@_for_user
@click.pass_obj
def compare(paths: DataPaths, first: str, second: str, user: str, *, as_json: bool) -> None:
    """Show what SECOND, the newest one by default, has otherwise than FIRST."""
    from memory_client.client import KnowledgeClient

    with KnowledgeClient(paths.root) as client:
        found = client.knowledge.compare(user, first, second)
    click.echo(json.dumps(found, ensure_ascii=False, indent=2) if as_json else "\n".join(_compared(found)))


@knowledge.command()
@click.argument("version")
@_for_user
@click.pass_obj
def rollback(paths: DataPaths, version: str, user: str) -> None:
    """Make a new version that equals VERSION; nothing is lost."""
    from memory_client.client import KnowledgeClient

    with KnowledgeClient(paths.root) as client:
        made = client.knowledge.rollback(user, version)
    click.echo("\n".join(_version_lines(made)))


def _version_lines(version: KnowledgeVersion) -> Iterator[str]:
    of = f" of {', '.join(version['parents'])}" if version["parents"] else ""
    points = counted(version["point_count"], "point")
    yield f"{version['version_id']:<19}{date(version['created_at'])}  {points}, {version['kind']}{of}"
    for fault in version["damaged"]:
        yield f"  ! line {fault['line']} is skipped: {plain(fault['reason'])}"


def _point_line(mark: str, point: KnowledgePoint) -> str:
    return f"{mark} {point['score']:>3}  {point['type']:<22}{plain(point['content'][:_SHOWN])}"


def _compared(found: KnowledgeComparison) -> Iterator[str]:
    yield from (_point_line("+", point) for point in found["added"])
    yield from (_point_line("-", point) for point in found["removed"])
    for change in found["changed"]:
        old, new = change["score"]
        kinds = " -> ".join(dict.fromkeys(change["type"]))
        yield f"~ {old} -> {new}  {kinds}  {plain(change['content'][:_SHOWN])}"
    yield f"{counted(found['unchanged_count'], 'is', 'are')} the same"
