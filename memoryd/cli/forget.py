"""Command `memoryd forget`: preview what a query would forget, and delete what is chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from memory_client.paths import DataPaths
from memory_client.types import ForgetResult
from memoryd.cli.client_commands import OPERATOR, open_client
from memoryd.cli.formats import excerpt
from memoryd.cli.options import FOR_USER


@click.command()
@click.argument("query")
@click.option(
    "-n", "count", default=20, show_default=True, type=click.IntRange(1, 1000), help="How many texts."
)
@click.option("--id", "ids", multiple=True, help="Only this of what is found; may be given again.")
@click.option("--all", "every", is_flag=True, help="All of what is shown.")
@click.option("--force", is_flag=True, help="Destroy system, core and pinned memories too.")
@click.option("--reason", help="Why; kept without the texts.")
@click.option("--yes", is_flag=True, help="Do not ask; goes with --id or --all.")
@click.pass_obj
def forget(
    paths: DataPaths,
    /,
    query: str,
    count: int,
    ids: Sequence[str],
    *,
    force: bool,
    every: bool,
    yes: bool,
    reason: str | None,
    **whose: Any,
) -> None:
    """Show what QUERY would forget, archived or not; destroy what is chosen of it, once confirmed."""
    is_chosen = bool(ids or every)
    if yes and not is_chosen:
        raise click.UsageError("--yes needs --id for each of what shall go, or --all")
    with open_client(paths) as client:
        preview = client.forget(query, n_results=count, force=force, **whose)
        _check_ids(ids, preview, query)
        chosen = [id for id in preview["ids"] if not ids or id in ids]
        click.echo("\n".join(_preview_lines(preview, chosen)))
        if chosen and not is_chosen:
            click.echo("nothing is destroyed; choose with --id for each of what shall go, or --all")
        if not chosen or not is_chosen or not (yes or click.confirm(f"destroy these {len(chosen)}?")):
            return
        done = client.forget(
            ids=chosen, dry_run=False, force=force, reason=reason, operator=OPERATOR, **whose
        )
    click.echo("\n".join(_result_lines(done)))


forget.params.extend(FOR_USER)


def _check_ids(ids: Sequence[str], preview: ForgetResult, query: str) -> None:
    """Raise `UsageError` for a chosen id that the preview does not offer."""
    for id in ids:
        if id in preview["ids"]:
            continue
        if id in preview["skipped"]:
            raise click.UsageError(f"--id {id}: is system, core or pinned; destroy it with --force")
        raise click.UsageError(
            f"--id {id}: not among the {len(preview['ids'])} shown for {query!r}; look without --id"
        )


def _preview_lines(preview: ForgetResult, chosen: Sequence[str]) -> Iterator[str]:
    for one in preview["matches"]:
        if one["id"] in chosen:
            state = f", {one['state']}" if one["state"] not in (None, "active") else ""
            yield f"{one['score']:.2f}  {one['id']}  {one['type']}{state}"
            yield f"    {excerpt(one['text'])}"
    if preview["skipped_count"]:
        yield f"left, as they are system, core or pinned: {preview['skipped_count']} (--force takes them too)"
    if preview["more_count"]:
        yield f"and {preview['more_count']} more: narrow the query, or show more with -n"
    if not chosen and not preview["skipped_count"]:
        yield "nothing found"


def _result_lines(done: ForgetResult) -> Iterator[str]:
    yield f"destroyed: {done['count']}"
    if done["also_stated_in"]:
        yield f"also stated in: {', '.join(done['also_stated_in'])}"
    if done["backups"]:
        yield f"backups that still hold it: {', '.join(done['backups'])}"
