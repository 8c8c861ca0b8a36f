"""Commands `memoryd triples`: list, query, export and import."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from memory_client.paths import DataPaths
from memory_client.types import Triple, TripleImport, TriplePage, TriplePath, TripleQuery, TripleShape
from memoryd.cli.client_commands import ClientCommand, add_commands, open_client
from memoryd.cli.formats import counted, plain
from memoryd.cli.options import CURSOR, argument, count, flag, option, user_option

_ARCHIVED = flag("--archived", "include_archived", help="Also what only archived memories say.")


@click.group()
def triples() -> None:
    """What the memories say, as subject, predicate and object."""


@triples.command("export")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="A file; else printed.")
@click.option(
    "--shape",
    type=click.Choice(["memoryd", "companion"]),
    default="memoryd",
    show_default=True,
    help="companion: with source_memory_ids and metadata, without aliases.",
)
@click.pass_obj
def export_(paths: DataPaths, user_id: str, output: Path | None, shape: TripleShape) -> None:
    """Write all triples and aliases as lines of JSON."""
    with open_client(paths) as client:
        lines = client.triples.export_jsonl(user_id, shape=shape)
    text = "".join(f"{line}\n" for line in lines)
    if output is None:
        click.echo(text, nl=False)
        return
    output.write_text(text, encoding="utf-8")
    click.echo(f"{counted(len(lines), 'line')} in {output}")


export_.params.insert(0, user_option("Whose, of all agents."))


@triples.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path, allow_dash=True))
@click.option(
    "--memory-ids",
    "ids_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A JSON object: id of a memory in FILE -> its id here.",
)
@click.pass_context
def import_(ctx: click.Context, file: Path, user_id: str, ids_file: Path | None) -> None:
    """Import the lines of an export in either shape from FILE (- for standard input).

    The exit code is 1 when lines are damaged.
    """
    text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    memory_ids = _memory_ids(ids_file)
    with open_client(ctx.obj) as client:
        done = client.triples.import_jsonl(text.split("\n"), memory_ids=memory_ids, user_id=user_id)
    click.echo("\n".join(_import_lines(done)))
    if done["damaged"]:
        ctx.exit(1)


import_.params.insert(1, user_option("Whose."))


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


def _page_lines(found: TriplePage, **_: Any) -> Iterator[str]:
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
    triples = counted(done["stored_count"], "new triple")
    aliases = counted(done["alias_count"], "alias", "aliases")
    yield f"{triples} and {aliases} taken in, {counted(done['known_count'], 'triple')} known before"
    if done["missing_evidence_count"]:
        yield f"{done['missing_evidence_count']:,} pieces of evidence are not here; map them by --memory-ids"
    for missing in done["missing_evidence"]:
        yield f"line {missing['line']}: {plain(missing['id'])} is not here"
    for one in done["damaged"]:
        yield f"line {one['line']}: {plain(one['reason'])}"


def _query_lines(found: TripleQuery, *, entity: str, **_: Any) -> Iterator[str]:
    for one in found["triples"]:
        yield f"{one['hop']}  {one['weight']:.3f}  {_line(one)}"
    if not found["triples"]:
        yield f"nothing is known of {plain(entity)}" + (
            ", as far as was looked" if found["truncated"] else ""
        )
    elif found["truncated"]:
        yield "there is more: the newest were followed"


def _path_lines(found: TriplePath, **_: Any) -> Iterator[str]:
    if not found["found"]:
        yield "no way" + (", as far as was looked" if found["truncated"] else "")
    yield from map(_line, found["triples"])


add_commands(
    triples,
    ClientCommand(
        "page",
        "triples.page",
        "Show triples, the newest first.",
        _page_lines,
        (
            option("--subject", help="Only of a subject."),
            option("--predicate", help="Only of a predicate: likes, 喜欢, lives_in …"),
            option("--object", help="Only of an object."),
            option("--entity", help="Only with an entity at either end."),
            count("-n", "limit", help="How many are shown."),
            CURSOR,
            _ARCHIVED,
        ),
        json="As one JSON object.",
    ),
    ClientCommand(
        "query",
        "triples.query",
        "Show the triples around ENTITY.",
        _query_lines,
        (
            argument("entity"),
            count("--hops", help="How far.", default=1, most=3),
            option("--predicate", help="Only along this predicate at first."),
            count("-n", "limit", help="How many are shown.", most=500),
            _ARCHIVED,
        ),
        json="As one JSON object.",
    ),
    ClientCommand(
        "path",
        "triples.path",
        "Show the path between A and B.",
        _path_lines,
        (
            argument("a"),
            argument("b"),
            count("--hops", "max_hops", help="At most.", default=3, most=6),
            _ARCHIVED,
        ),
        json="As one JSON object.",
    ),
)
