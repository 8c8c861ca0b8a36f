"""Command search: what memoryd finds, and why, for people or programs."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from memory_client.paths import DataPaths
from memoryd.cli.options import for_user
from memoryd.cli.search_output import report_lines

_MODES = ("auto", "hybrid", "semantic", "lexical", "exact", "temporal")


@click.command()
@click.argument("query")
@for_user
@click.option("--session", help="Within one session.")
@click.option(
    "--scope",
    type=click.Choice(["memory", "turn", "shared", "all"]),
    default="memory",
    show_default=True,
    help="Memories, what was said, what others share, or all.",
)
@click.option("--mode", type=click.Choice(_MODES), default="auto", show_default=True, help="How to search.")
@click.option(
    "-n", "count", default=5, show_default=True, type=click.IntRange(1, 1000), help="How many hits."
)
@click.option("--since", help="Made at or after, or speaking of: ISO 8601 or epoch seconds.")
@click.option("--until", help="Made before, or speaking of an earlier time.")
@click.option("--tz", help="Time zone for words like yesterday, such as Asia/Shanghai.")
@click.option("--as-of", "as_of", help="In the words and the state of a time: ISO 8601 or epoch seconds.")
@click.option("--archived", "include_archived", is_flag=True, help="Also what is no longer active.")
@click.option("--explain", is_flag=True, help="With the plan, the sources and what each score is the sum of.")
@click.option("--json", "as_json", is_flag=True, help="As one JSON object, with everything.")
@click.pass_obj
def search(
    paths: DataPaths, /, query: str, count: int, *, explain: bool, as_json: bool, **options: Any
) -> None:
    """Search the memories as an app would; an empty answer says why."""
    from memory_client.client import KnowledgeClient

    with KnowledgeClient(paths.root) as client:
        report = client.explain(query, count, **_options(options))
    if as_json:
        click.echo(json.dumps(report, ensure_ascii=False, indent=2))
        return
    click.echo("\n".join(report_lines(report, explain=explain, colours=sys.stdout.isatty())))


def _options(given: dict[str, Any]) -> dict[str, Any]:
    """The parameters of the method."""
    since, until = _moment(given["since"]), _moment(given["until"])
    return {
        "user_id": given["user"],
        "agent_id": given["agent"],
        "session_id": given["session"],
        "scope": "all" if given["scope"] == "all" else [given["scope"]],
        "mode": given["mode"],
        "time_range": None if since is None and until is None else [since, until],
        "as_of": _moment(given["as_of"]),
        "include_archived": given["include_archived"],
        "tz": given["tz"],
    }


def _moment(given: str | None) -> float | str | None:
    try:
        return None if given is None else float(given)
    except ValueError:
        return given
