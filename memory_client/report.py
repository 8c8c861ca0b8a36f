"""The report of a daemon to its starter: that it serves, or why it cannot. One file per start in `run/`."""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict
from pathlib import Path

from memory_client.discovery import ConnectionInfo
from memory_client.errors import MemorydError, from_wire, to_wire
from memory_client.paths import DataPaths, write_private

_PATTERN = "spawn-*.json"


def new_report(paths: DataPaths) -> Path:
    """The path of the report of one start."""
    return paths.run / _PATTERN.replace("*", secrets.token_hex(8))


def report_serving(report: Path, info: ConnectionInfo) -> None:
    """Report that the daemon serves."""
    write_private(report, json.dumps({"serving": asdict(info)}).encode())


def report_failure(report: Path, error: MemorydError) -> None:
    """Report why the daemon cannot start."""
    write_private(report, json.dumps({"failed": to_wire(error)}, default=str).encode())


def read_report(report: Path) -> ConnectionInfo | MemorydError | None:
    """The report; None while there is none."""
    try:
        content = json.loads(report.read_bytes())
    except FileNotFoundError:
        return None
    if "failed" in content:
        return from_wire(content["failed"])
    return ConnectionInfo(**content["serving"])


def clear_reports(paths: DataPaths) -> None:
    """Remove the reports of earlier starts; call it under the start lock."""
    for report in paths.run.glob(_PATTERN):
        report.unlink(missing_ok=True)
