"""The output of `memoryd status`, `memoryd doctor` and `memoryd config`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memory_client.types import CheckResult, SettingValue, Status

_UNITS = (("d", 86_400), ("h", 3_600), ("min", 60))


def status_lines(state: Status) -> Iterator[str]:
    """The lines of a status."""
    up = duration(state["uptime_seconds"])
    yield f"memoryd {state['version']} is {state['stage']}: pid {state['pid']}, up {up}"
    rows = {
        "endpoint": state["endpoint"] or "in process",
        "data": state["data_dir"],
        "schema": f"{state['schema']}, protocol {state['protocol']}",
        "embedder": _pairs(state["embedder"]),
        "reranker": _pairs(state["reranker"]),
        "counts": _pairs(state["counts"]),
        "vectors to come": f"{state['pending_vector_count']:,}",
        "triples to come": f"{pending:,} memories" if (pending := state["pending_triple_count"]) else None,
        "memory": _sizes(state["memory_bytes"]),
        "disk": _sizes(state["disk_bytes"]),
        "jobs": _pairs(state["jobs"]),
        "from the environment": ", ".join(state["settings_from_environment"]),
    }
    for name, value in rows.items():
        if value:
            yield f"  {name:<17}{value}"
    for warning in state["warnings"]:
        yield f"  ! {warning}"


def finding_lines(findings: list[CheckResult]) -> Iterator[str]:
    """The findings of `doctor`, each with its fix."""
    for finding in findings:
        yield f"{'ok ' if finding['ok'] else 'BAD'}  {finding['check']}: {finding['detail']}"
        if not finding["ok"] and finding["fix"]:
            yield f"     fix: {finding['fix']}"


def setting_lines(settings: list[SettingValue]) -> Iterator[str]:
    """The settings, each with its source and description."""
    for setting in settings:
        yield f"{setting['name']} = {setting['value']!r}  ({setting['source']}; {setting['variable']})"
        yield f"    {setting['description']}"


def duration(seconds: float) -> str:
    """Seconds in their two largest units: `2 h 5 min`."""
    left = int(seconds)
    parts: list[str] = []
    for name, size in _UNITS:
        if left >= size or parts:
            parts.append(f"{left // size} {name}")
            left %= size
    return " ".join([*parts, f"{left} s"][:2])


def size(count: float) -> str:
    """Bytes in the largest fitting unit: `3 MB`."""
    for unit in ("B", "KB", "MB"):
        if count < 1024:
            return f"{count:.0f} {unit}"
        count /= 1024
    return f"{count:.1f} GB"


def _sizes(values: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {size(value)}" for name, value in values.items())


def _pairs(values: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items() if value not in (None, ""))
