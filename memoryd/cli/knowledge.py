"""Commands `memoryd knowledge`: list, show and compare versions, go back to one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from memory_client.paths import DataPaths
from memory_client.types import KnowledgeComparison, KnowledgePoint, KnowledgeVersion
from memoryd.cli.client_commands import ClientCommand, add_commands, open_client, print_reply
from memoryd.cli.formats import counted, date, excerpt, plain
from memoryd.cli.options import argument, count, flag, option, user_option

_USER = user_option("Whose knowledge.")
_JSON = flag("--json", "as_json", help="As JSON.")


@click.group()
def knowledge() -> None:
    """Knowledge points about a user, in versions."""


@knowledge.command()
@click.pass_obj
def versions(paths: DataPaths, count: int, user_id: str, *, as_json: bool) -> None:
    """List the newest versions."""
    with open_client(paths) as client:
        ids = client.knowledge.get_recent_versions(user_id, count)
        found = [client.knowledge.get_version(user_id, id) for id in ids]
    print_reply(found, _list_lines(found), as_json=as_json)


versions.params += [count("-n", "count", help="How many.", default=10), _JSON, _USER]


def _list_lines(found: Sequence[KnowledgeVersion | None]) -> Iterator[str]:
    for version in found:
        if version is not None:
            yield from _version_lines(version)
    if not found:
        yield "nothing is known yet"


def _version_lines(version: KnowledgeVersion, **_: Any) -> Iterator[str]:
    of = f" of {', '.join(version['parents'])}" if version["parents"] else ""
    points = counted(version["point_count"], "point")
    yield f"{version['version_id']:<19}{date(version['created_at'])}  {points}, {version['kind']}{of}"
    for fault in version["damaged"]:
        yield f"  ! line {fault['line']} is skipped: {plain(fault['reason'])}"


def _point_line(mark: str, point: KnowledgePoint) -> str:
    return f"{mark} {point['score']:>3}  {point['type']:<22}{excerpt(point['content'], 100)}"


def _compare_lines(found: KnowledgeComparison, **_: Any) -> Iterator[str]:
    yield from (_point_line("+", point) for point in found["added"])
    yield from (_point_line("-", point) for point in found["removed"])
    for change in found["changed"]:
        old, new = change["score"]
        kinds = " -> ".join(dict.fromkeys(change["type"]))
        yield f"~ {old} -> {new}  {kinds}  {excerpt(change['content'], 100)}"
    yield f"{counted(found['unchanged_count'], 'is', 'are')} the same"


def _show_lines(points: Sequence[KnowledgePoint], **_: Any) -> Iterator[str]:
    yield from (_point_line(" ", point) for point in points)


_TOP = "Only so many, those of the best scores."
add_commands(
    knowledge,
    ClientCommand(
        "show",
        "knowledge.load_knowledge",
        "Show the points of VERSION, by default the newest one.",
        _show_lines,
        (
            argument("version_id", "[VERSION]", default="latest"),
            option("--top", "top_k", type=click.IntRange(1, 10_000), help=_TOP),
        ),
        json="As JSON.",
        whose=(_USER,),
    ),
    ClientCommand(
        "compare",
        "knowledge.compare",
        "Show how SECOND, by default the newest one, differs from FIRST.",
        _compare_lines,
        (argument("first"), argument("second", default="latest")),
        json="As JSON.",
        whose=(_USER,),
    ),
    ClientCommand(
        "rollback",
        "knowledge.rollback",
        "Make a new version that equals VERSION; nothing is lost.",
        _version_lines,
        (argument("version_id", "VERSION"),),
        whose=(_USER,),
    ),
)
