"""Commands `memoryd reindex`, `memoryd doctor` and `memoryd config`."""

from __future__ import annotations

import sys

import click

from memory_client.paths import DataPaths
from memoryd.cli.client_commands import open_client, print_reply
from memoryd.cli.status_output import finding_lines, setting_lines


@click.command()
@click.pass_obj
def reindex(paths: DataPaths) -> None:
    """Rebuild everything derived from the memories; search goes on meanwhile."""
    from memory_client.progress import on_progress

    with open_client(paths) as client, on_progress(_show):
        done = client.admin.reindex()
    _end_show()
    click.echo(
        f"rebuilt: {done['keyword_count']:,} texts for keywords, {done['vector_count']:,} by meaning; "
        f"{done['pending_count']:,} vectors to come"
    )


@click.command()
@click.option("--repair", is_flag=True, help="Repair what can be repaired.")
@click.option("--json", "as_json", is_flag=True, help="As one JSON list.")
@click.pass_obj
def doctor(paths: DataPaths, repair: bool, as_json: bool) -> None:
    """Check the directory and the store; exit code 1 when something is wrong."""
    from memoryd.app.doctor import run_doctor

    findings = run_doctor(paths, repair=repair)
    print_reply(findings, finding_lines(findings), as_json=as_json)
    if not all(finding["ok"] for finding in findings):
        sys.exit(1)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="As one JSON list.")
@click.pass_obj
def config(paths: DataPaths, as_json: bool) -> None:
    """Show each setting and its source: those of the running daemon, else of the next one."""
    from memory_client.launch import find_daemon
    from memoryd.app.settings import load_settings

    info = find_daemon(paths)
    if info is None:
        settings = load_settings(paths).describe()
    else:
        with open_client(paths, autostart=False) as client:
            settings = client.admin.config()
    print_reply(settings, setting_lines(settings), as_json=as_json)
    if info is not None and info.settings != load_settings(paths).fingerprint:
        click.echo(
            "settings have changed since the daemon started; they take effect with: memoryd restart", err=True
        )


def _show(done: int, total: int, what: str) -> None:
    """Progress on one line of standard error, if that is a terminal."""
    if sys.stderr.isatty():
        click.echo(f"\r\033[K{what}: {done:,} of {total:,}", nl=False, err=True)
    elif done == total:
        click.echo(f"{what}: {done:,}", err=True)


def _end_show() -> None:
    if sys.stderr.isatty():
        click.echo(err=True)
