"""Commands decay: what has faded, passes over it, and bringing back what they archived."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

import click

from memory_client.paths import DataPaths
from memory_client.types import DecayPass, DecayPreview, FadingMemory, Memory
from memoryd.cli.options import for_user
from memoryd.cli.search_output import date, plain

_SHOWN = 80
"""Characters of a text."""
_WORDS = {"decay": "archive, faded", "expired": "archive, expired", "review": "ask"}


@click.group()
def decay() -> None:
    """What time does to memories: it archives, and never destroys."""


@decay.command()
@click.option(
    "-n", "limit", default=20, show_default=True, type=click.IntRange(0, 1000), help="How many are shown."
)
@click.option("--json", "as_json", is_flag=True, help="As one JSON object.")
@for_user
@click.pass_obj
def preview(paths: DataPaths, limit: int, user: str, agent: str | None, *, as_json: bool) -> None:
    """Show what a pass would do now, and the passes there were; changes nothing."""
    from memory_client.client import KnowledgeClient

    with KnowledgeClient(paths.root) as client:
        found = client.decay.preview(limit, user_id=user, agent_id=agent)
        known = client.get_many([one["id"] for one in found["items"]], user_id=user, agent_id=agent)
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    texts = {memory["id"]: memory for memory in known if memory is not None}
    click.echo("\n".join(_preview_lines(found, texts)))


@decay.command()
@for_user
@click.pass_obj
def run(paths: DataPaths, user: str, agent: str | None) -> None:
    """Make a pass now: archive what has faded or expired, ask about what is about to."""
    from memory_client.client import KnowledgeClient

    with KnowledgeClient(paths.root) as client:
        done = client.decay.run(user_id=user, agent_id=agent)
    click.echo("\n".join(_pass_lines(done)))


@decay.command()
@click.argument("pass_id")
@for_user
@click.pass_obj
def undo(paths: DataPaths, pass_id: str, user: str, agent: str | None) -> None:
    """Bring back what the pass PASS_ID archived, and withdraw its open reviews."""
    from memory_client.client import KnowledgeClient

    with KnowledgeClient(paths.root) as client:
        done = client.decay.undo_pass(pass_id, user_id=user, agent_id=agent)
    click.echo(f"restored {len(done['restored']):,}, withdrew {done['withdrawn_count']:,} reviews")


@decay.command()
@click.option(
    "--older-than",
    type=click.FloatRange(min=0),
    help="Days since it was archived; else decay.retention_days.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
@for_user
@click.pass_obj
def purge(paths: DataPaths, older_than: float | None, user: str, agent: str | None, *, dry_run: bool) -> None:
    """Destroy what was archived long ago; it does not come back."""
    from memory_client.client import KnowledgeClient

    with KnowledgeClient(paths.root) as client:
        gone = client.decay.purge(older_than, dry_run=dry_run, user_id=user, agent_id=agent)
    click.echo(f"{'would destroy' if dry_run else 'destroyed'} {gone['count']:,}")
    for backup in gone["backups"]:
        click.echo(f"! a backup may still hold them: {backup}")


def _preview_lines(found: DecayPreview, memories: Mapping[str, Memory]) -> Iterator[str]:
    counts = found["counts"]
    yield (
        f"of {counts['active']:,} active memories a pass would archive {counts['decay']:,} that have faded "
        f"and {counts['expired']:,} that have expired, and ask about {counts['review']:,}"
    )
    if counts["remaining"]:
        yield f"{counts['remaining']:,} are left for later passes"
    if found["note"]:
        yield f"! {found['note']}"
    for one in found["items"]:
        yield _faded_line(one, memories.get(one["id"]))
    for info in found["passes"]:
        undone = ", undone" if info["undone_at"] is not None else ""
        done = f"archived {info['archived_count']:,}, asked about {info['review_count']:,}{undone}"
        yield f"{date(info['at'])}  {info['id']}  {done}"


def _faded_line(one: FadingMemory, memory: Memory | None) -> str:
    text = plain(memory["text"][:_SHOWN]) if memory else ""
    faded = f"{one['importance']:.2f} -> {one['effective_importance']:.2f} in {one['elapsed_days']:g} days"
    return f"  {_WORDS[one['outcome']]:<17}{one['category']:<8}{faded:<26}{one['id']}  {text}"


def _pass_lines(done: DecayPass) -> Iterator[str]:
    if done["id"] is None:
        yield f"! {done['note']}"
        return
    yield f"{done['id']}: archived {len(done['archived']):,}, asked about {len(done['reviewed']):,}"
    if done["remaining_count"]:
        yield f"{done['remaining_count']:,} are left for later passes"
    if done["archived"]:
        yield f"to bring them back: memoryd decay undo {done['id']}"
