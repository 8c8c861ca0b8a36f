"""Commands `memoryd review`: decisions about memories."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from memory_client.types import DecideResult, Review, ReviewPage
from memoryd.cli.client_commands import ClientCommand, add_commands
from memoryd.cli.formats import because, date, excerpt
from memoryd.cli.options import CURSOR, argument, choice, count, option


@click.group()
def review() -> None:
    """List and decide reviews of memories."""


def _page_lines(found: ReviewPage, **_: Any) -> Iterator[str]:
    for one in found["items"]:
        yield f"{one['id']}  {date(one['created_at'])}  {_about(one)}"
        yield f"    {one['memory_id']}  {excerpt(one['text'])}"
        if one["note"]:
            yield f"    said: {excerpt(one['note'])}"
        if one["verdict"]:
            yield f"    {one['verdict']} by {one['operator']}{because(one['reason'])}"
    left = found["total"] - len(found["items"])
    if not found["items"]:
        yield "no reviews"
    elif found["cursor"]:
        yield f"of {found['total']:,}; {left:,} others; next page: --cursor {found['cursor']}"


def _about(one: Review) -> str:
    asked = one["finding"] or one["kind"]
    return f"{asked}, {one['category']}, importance {one['effective_importance']:.2f}"


def _decide_lines(done: DecideResult, **_: Any) -> Iterator[str]:
    became = {"promote": "is core now", "keep": "stays", "delete": "is archived"}[done["verdict"]]
    yield f"{done['memory_id']} {became}"


add_commands(
    review,
    ClientCommand(
        "page",
        "review.page",
        "Show reviews, the oldest first.",
        _page_lines,
        (
            choice("--state", ("pending", "decided"), default="pending", help="Which."),
            choice("--kind", ("promotion", "decay", "feedback"), help="Only of a kind."),
            count("-n", "limit", help="How many are shown."),
            CURSOR,
        ),
        json="As one JSON object.",
    ),
    ClientCommand(
        "decide",
        "review.decide",
        "Decide REVIEW_ID: promote makes the memory core, keep leaves it, delete archives it.",
        _decide_lines,
        (
            argument("id", "REVIEW_ID"),
            argument("verdict", type=click.Choice(["promote", "keep", "delete"])),
            option("--reason", help="Why; kept with the review."),
        ),
    ),
)
