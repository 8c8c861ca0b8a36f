"""Commands triples: who is what to what."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from memory_client.paths import DataPaths
from memory_client.types import Triple, TripleImport, TriplePage, TripleShape
from memoryd.cli.options import for_user
from memoryd.cli.search_output import counted, plain

_JSON = click.option("--json", "as_json", is_flag=True, help="As one JSON object.")
_ARCHIVED = click.option(
    "--archived", "include_archived", is_flag=True, help="Also what only archived memories say."
)


@click.group()
def triples() -> None:
    """What the memories say: who is what to what."""


@triples.command()
@click.option("--subject", help="Only of a subject.")
@click.option("--predicate", help="Only of a predicate: likes, 喜欢, lives_in …")
@click.option("--object", help="Only of an object.")
@click.option("--entity", help="Only with an entity at either end.")
@click.option(
    "-n", "limit", default=20, show_default=True, type=click.IntRange(1, 1000), help="How many are shown."
)
@click.option("--cursor", help="That of the page before.")
@_ARCHIVED
@_JSON
@for_user
@click.pass_obj
def page(paths: DataPaths, /, user: str, agent: str | None, *, as_json: bool, **options: Any) -> None:
    """Show triples, the newest first."""
    from memory_client.client import KnowledgeClient

    with KnowledgeClient(paths.root) as client:
        found = client.triples.page(**options, user_id=user, agent_id=agent)
    click.echo(json.dumps(found, ensure_ascii=False, indent=2) if as_json else "\n".join(_page_lines(found)))


@triples.command()
@click.argument("entity")
@click.option("--hops", default=1, show_default=True, type=click.IntRange(1, 3), help="How far.")
@click.option("--predicate", help="Only along this predicate at first.")
@click.option(
    "-n", "limit", default=20, show_default=True, type=click.IntRange(1, 500), help="How many are shown."
)
@_ARCHIVED
@_JSON
@for_user
@click.pass_obj
def query(
    paths: DataPaths, /, entity: str, user: str, agent: str | None, *, as_json: bool, **options: Any
) -> None:
    """Show what is around ENTITY."""
    from memory_client.client import KnowledgeClient

    with KnowledgeClient(paths.root) as client:
        found = client.triples.query(entity, **options, user_id=user, agent_id=agent)
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    for one in found["triples"]:
        click.echo(f"{one['hop']}  {one['weight']:.3f}  {_line(one)}")
    if not found["triples"]:
        click.echo(
            f"nothing is known of {plain(entity)}" + (", as far as was looked" if found["truncated"] else "")
        )
    elif found["truncated"]:
        click.echo("there is more: the newest were followed")


@triples.command()
@click.argument("a")
@click.argument("b")
@click.option("--hops", "max_hops", default=3, show_default=True, type=click.IntRange(1, 6), help="At most.")
@_ARCHIVED
@_JSON
@for_user
@click.pass_obj
def path(
    paths: DataPaths, /, a: str, b: str, user: str, agent: str | None, *, as_json: bool, **options: Any
) -> None:
    """Show how A and B hang together."""
    from memory_client.client import KnowledgeClient

    with KnowledgeClient(paths.root) as client:
        found = client.triples.path(a, b, **options, user_id=user, agent_id=agent)
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    if not found["found"]:
        click.echo("no way" + (", as far as was looked" if found["truncated"] else ""))
    for one in found["triples"]:
        click.echo(_line(one))


@triples.command("export")
@click.option("--user", default="default", show_default=True, help="Whose, of all agents.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="A file; else printed.")
@click.option(
    "--shape",
    type=click.Choice(["memoryd", "companion"]),
    default="memoryd",
    show_default=True,
    help="companion: with source_memory_ids and metadata, without aliases.",
)
@click.pass_obj
def export_(paths: DataPaths, user: str, output: Path | None, shape: TripleShape) -> None:
    """Write all triples and aliases as lines of JSON."""
    from memory_client.client import KnowledgeClient

    with KnowledgeClient(paths.root) as client:
        lines = client.triples.export_jsonl(user, shape=shape)
    text = "".join(f"{line}\n" for line in lines)
    if output is None:
        click.echo(text, nl=False)
        return
    output.write_text(text, encoding="utf-8")
    click.echo(f"{counted(len(lines), 'line')} in {output}")


@triples.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path, allow_dash=True))
@click.option("--user", default="default", show_default=True, help="Whose.")
@click.option(
    "--memory-ids",
    "ids_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A JSON object: id of a memory in FILE -> its id here.",
)
@click.pass_context
def import_(ctx: click.Context, file: Path, user: str, ids_file: Path | None) -> None:
    """Take in lines of an export in either shape from FILE (- for standard input).

    The exit code is 1 when lines are damaged.
    """
    from memory_client.client import KnowledgeClient

    text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    memory_ids = _memory_ids(ids_file)
    with KnowledgeClient(ctx.obj.root) as client:
        done = client.triples.import_jsonl(text.split("\n"), memory_ids=memory_ids, user_id=user)
    click.echo("\n".join(_import_lines(done)))
    if done["damaged"]:
        ctx.exit(1)


def _memory_ids(file: Path | None) -> dict[str, str] | None:
    if file is None:
        return None
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise click.BadParameter(f"{file} is no JSON: {error}", param_hint="--memory-ids") from error
    if not isinstance(found, dict):
        raise click.BadParameter(f"{file} holds no JSON object", param_hint="--memory-ids")
    return found


def _page_lines(found: TriplePage) -> Iterator[str]:
    items: Sequence[Triple] = found["items"]
    for one in items:
        yield f"{one['id']}  {_line(one)}"
    left = found["total"] - len(items)
    if not items:
        yield "no triples"
    elif found["cursor"]:
        yield f"of {found['total']:,}; {counted(left, 'other')}; next page: --cursor {found['cursor']}"


def _line(one: Any) -> str:
    """A triple in one line."""
    denied = "不" if one["language"] == "zh" else "not"
    parts = [one["subject"], denied if one["negation"] else "", one["predicate"], one["object"]]
    parts += [
        f"<{one['degree']}>" if one["degree"] else "",
        f"[{one['frequency']}]" if one["frequency"] else "",
        f"({one['condition']})" if one["condition"] else "",
    ]
    told = ", ".join(piece["id"] or "by hand" for piece in one["evidence"][:3])
    state = "" if one["is_live"] else "  archived"
    return f"{plain(' '.join(part for part in parts if part))}  <- {told}{state}"


def _import_lines(done: TripleImport) -> Iterator[str]:
    triples, aliases = (
        counted(done["stored_count"], "new triple"),
        counted(done["alias_count"], "alias", "aliases"),
    )
    yield f"{triples} and {aliases} taken in, {counted(done['known_count'], 'triple')} known before"
    if done["missing_evidence_count"]:
        yield f"{done['missing_evidence_count']:,} pieces of evidence are not here; map them by --memory-ids"
    for missing in done["missing_evidence"]:
        yield f"line {missing['line']}: {plain(missing['id'])} is not here"
    for one in done["damaged"]:
        yield f"line {one['line']}: {plain(one['reason'])}"
