"""Commands history and forget: what a memory was, and what shall not be known any more."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import click

from memory_client.paths import DataPaths
from memory_client.types import ForgetResult, Version
from memoryd.cli.options import OPERATOR, for_user
from memoryd.cli.search_output import plain
from memoryd.cli.version_output import difference, version_line

_SHOWN = 300
"""Characters of a text."""


@click.command()
@click.argument("memory_id")
@click.option(
    "-n", "limit", default=20, show_default=True, type=click.IntRange(1, 1000), help="How many of the newest."
)
@click.option("--json", "as_json", is_flag=True, help="As one JSON list.")
@for_user
@click.pass_obj
def history(
    paths: DataPaths, /, memory_id: str, limit: int, user: str, agent: str | None, *, as_json: bool
) -> None:
    """Show the versions of MEMORY_ID, oldest first, each with what it changed."""
    from memory_client.client import KnowledgeClient

    with KnowledgeClient(paths.root) as client:
        found = client.history(memory_id, limit=limit, user_id=user, agent_id=agent)
    click.echo(json.dumps(found, ensure_ascii=False, indent=2) if as_json else "\n".join(_versions(found)))


@click.command()
@click.argument("query")
@click.option(
    "-n",
    "count",
    default=20,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="How many texts are shown.",
)
@click.option("--id", "ids", multiple=True, help="Only this of what is found; may be given again.")
@click.option("--all", "every", is_flag=True, help="All of what is shown.")
@click.option("--force", is_flag=True, help="Destroy system, core and pinned memories too.")
@click.option("--reason", help="Why; kept without the texts.")
@click.option("--yes", is_flag=True, help="Do not ask; goes with --id or --all.")
@for_user
@click.pass_obj
def forget(
    paths: DataPaths,
    /,
    query: str,
    count: int,
    ids: Sequence[str],
    user: str,
    agent: str | None,
    reason: str | None,
    *,
    force: bool,
    every: bool,
    yes: bool,
) -> None:
    """Show what QUERY means, archived or not; destroy what is chosen of it for good, once confirmed."""
    from memory_client.client import KnowledgeClient

    if yes and not (ids or every):
        raise click.UsageError("--yes needs --id for each of what shall go, or --all")
    with KnowledgeClient(paths.root) as client:
        would = client.forget(query, n_results=count, force=force, user_id=user, agent_id=agent)
        chosen = [one for one in would["ids"] if not ids or one in ids]
        unmeant = [id for id in ids if id not in would["ids"]]
        if unmeant and unmeant[0] in would["skipped"]:
            raise click.UsageError(f"--id {unmeant[0]}: is system, core or pinned; destroy it with --force")
        if unmeant:
            raise click.UsageError(
                f"--id {unmeant[0]}: not among the {len(would['ids'])} shown for {query!r}; look without --id"
            )
        click.echo("\n".join(_found(would, chosen)))
        if chosen and not (ids or every):
            click.echo("nothing is destroyed; choose with --id for each of what shall go, or --all")
        if not chosen or not (ids or every) or not (yes or click.confirm(f"destroy these {len(chosen)}?")):
            return
        done = client.forget(
            ids=chosen,
            dry_run=False,
            force=force,
            reason=reason,
            operator=OPERATOR,
            user_id=user,
            agent_id=agent,
        )
    click.echo("\n".join(_done(done)))


def _versions(found: Sequence[Version]) -> Iterator[str]:
    for one in found:
        yield f"{version_line(one)}  ({one['id']}, {one['content_hash'][:12]})"
        diff = one["diff"]
        text = one["text"] if diff is None else diff["readable"]
        if text is not None:
            yield f"    {plain(text[:_SHOWN])}"
        if diff is not None:
            yield from (
                f"    {name}: {difference(value)}"
                for name, value in [*diff["fields"].items(), *diff["metadata"].items()]
            )


def _found(would: ForgetResult, chosen: Sequence[str]) -> Iterator[str]:
    for one in would["matches"]:
        if one["id"] in chosen:
            state = f", {one['state']}" if one["state"] not in (None, "active") else ""
            yield f"{one['score']:.2f}  {one['id']}  {one['type']}{state}"
            yield f"    {plain(one['text'][:_SHOWN])}"
    if would["skipped_count"]:
        yield f"left, as they are system, core or pinned: {would['skipped_count']} (--force takes them too)"
    if would["more_count"]:
        yield f"and {would['more_count']} more: narrow the query, or show more with -n"
    if not chosen and not would["skipped_count"]:
        yield "nothing found"


def _done(done: ForgetResult) -> Iterator[str]:
    yield f"destroyed: {done['count']}"
    if done["also_stated_in"]:
        yield f"also stated in: {', '.join(done['also_stated_in'])}"
    if done["backups"]:
        yield f"backups that still hold it: {', '.join(done['backups'])}"
