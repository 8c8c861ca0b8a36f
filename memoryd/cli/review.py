"""Commands `memoryd review`: decisions about memories."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import click

from memory_client.paths import DataPaths
from memory_client.types import Review, ReviewPage
from memoryd.cli.options import OPERATOR, for_user
from memoryd.cli.search_output import date, plain

_SHOWN = 300
"""Characters of a text."""


@click.group()
def review() -> None:
    """List and decide reviews of memories."""


@review.command()
@click.option(
    "--state", type=click.Choice(["pending", "decided"]), default="pending", show_default=True, help="Which."
)
@click.option("--kind", type=click.Choice(["promotion", "decay", "feedback"]), help="Only of a kind.")
@click.option(
    "-n", "limit", default=20, show_default=True, type=click.IntRange(1, 1000), help="How many are shown."
)
@click.option("--cursor", help="That of the page before.")
@click.option("--json", "as_json", is_flag=True, help="As one JSON object.")
@for_user
@click.pass_obj
def page(paths: DataPaths, /, user: str, agent: str | None, *, as_json: bool, **options: Any) -> None:
    """Show reviews, the oldest first."""
    from memory_client.client import KnowledgeClient

    with KnowledgeClient(paths.root) as client:
        found = client.review.page(**options, user_id=user, agent_id=agent)
    click.echo(json.dumps(found, ensure_ascii=False, indent=2) if as_json else "\n".join(_page_lines(found)))


@review.command()
@click.argument("review_id")
@click.argument("verdict", type=click.Choice(["promote", "keep", "delete"]))
@click.option("--reason", help="Why; kept with the review.")
@for_user
@click.pass_obj
def decide(
    paths: DataPaths, /, review_id: str, verdict: Any, reason: str | None, user: str, agent: str | None
) -> None:
    """Answer REVIEW_ID: promote makes the memory core, keep lets it stay, delete archives it."""
    from memory_client.client import KnowledgeClient

    with KnowledgeClient(paths.root) as client:
        done = client.review.decide(
            review_id, verdict, reason, operator=OPERATOR, user_id=user, agent_id=agent
        )
    became = {"promote": "is core now", "keep": "stays", "delete": "is archived"}[done["verdict"]]
    click.echo(f"{done['memory_id']} {became}")


def _page_lines(found: ReviewPage) -> Iterator[str]:
    for one in found["items"]:
        yield f"{one['id']}  {date(one['created_at'])}  {_about(one)}"
        yield f"    {one['memory_id']}  {plain(one['text'][:_SHOWN])}"
        if one["note"]:
            yield f"    said: {plain(one['note'][:_SHOWN])}"
        if one["verdict"]:
            why = f": {plain(one['reason'][:_SHOWN])}" if one["reason"] else ""
            yield f"    {one['verdict']} by {one['operator']}{why}"
    left = found["total"] - len(found["items"])
    if not found["items"]:
        yield "no reviews"
    elif found["cursor"]:
        yield f"of {found['total']:,}; {left:,} others; next page: --cursor {found['cursor']}"


def _about(one: Review) -> str:
    asked = one["finding"] or one["kind"]
    return f"{asked}, {one['category']}, importance {one['effective_importance']:.2f}"
