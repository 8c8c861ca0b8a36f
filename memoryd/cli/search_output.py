"""The output of `memoryd search`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memory_client.types import Explanation, Hit, SearchReport, Snippet
from memoryd.cli.formats import date, plain

_MARKS = "[", "]"
_BOLD = "\x1b[1m", "\x1b[0m"
_INDENT = " " * 4
_SHOWN_PARTS = 8


def report_lines(report: SearchReport, *, explain: bool, colours: bool) -> Iterator[str]:
    """The hits with their matches marked, and with `explain` the plan and the reasons."""
    if explain:
        yield from _plan_lines(report)
    for rank, hit in enumerate(report["hits"], 1):
        yield from _hit_lines(rank, hit, explain=explain, marks=_BOLD if colours else _MARKS)
    if not report["hits"]:
        yield "nothing found"
    if not explain:
        yield from (f"! {note}" for note in report["notes"])


def _plan_lines(report: SearchReport) -> Iterator[str]:
    plan = report["plan"]
    rows = {
        "mode": report["mode"],
        "intent": plan["intent"],
        "command": plan["command"],
        "searched": " ".join(plan["targets"]),
        "sources": " ".join(plan["sources"]),
        "ranked by": _recipes(plan),
        "keywords": ", ".join(plan["keywords"]),
        "phrases": ", ".join(plan["phrases"]),
        "names": ", ".join(plan["names"]),
        "asks for": plan["focus"],
        "time": _time(plan["times"]),
        "range": _span(plan["time_range"]),
        "took": ", ".join(f"{step} {spent:.1f} ms" for step, spent in report["milliseconds"].items()),
    }
    yield from (f"{name:<10}{value}" for name, value in rows.items() if value)
    yield from (f"! {note}" for note in report["notes"])
    yield ""


def _recipes(plan: Mapping[str, Any]) -> str:
    fallback = f", when weak by {plan['fallback']}" if plan["fallback"] else ""
    return f"{plan['fusion_method']}{fallback}"


def _time(times: Mapping[str, Any] | None) -> str:
    if times is None:
        return ""
    named = ", ".join(times["matched"])
    return f"{named}: {times['invalid'] or _span([times['start'], times['end']])}"


def _span(span: list[float | None] | None) -> str:
    return "" if span is None else " to ".join("..." if one is None else date(one) for one in span)


def _hit_lines(rank: int, hit: Hit, *, explain: bool, marks: tuple[str, str]) -> Iterator[str]:
    yield f"{rank:>2}. {hit['score']:.3f}  {date(hit['created_at'])}  {_kind(hit)}  {hit['id']}"
    explanation = hit["explain"]
    yield f"{_INDENT}{_marked(explanation['snippet'], *marks)}"
    if explain:
        yield from (f"{_INDENT}{name:<10}{value}" for name, value in _reasons(hit, explanation) if value)


def _kind(hit: Hit) -> str:
    """Category of a memory, and its state unless active; session and speaker of a turn; set of a shared
    point."""
    about = hit["metadata"]
    own = {
        "memory": [hit["category"], None if hit["state"] == "active" else hit["state"]],
        "turn": [about.get("session_id"), about.get("speaker")],
        "shared": [about.get("set")],
    }[hit["type"]]
    return " ".join([hit["type"], *(plain(one) for one in own if one)])


def _marked(snippet: Snippet, before: str, behind: str) -> str:
    """The snippet with its matches between marks, `plain`."""
    text, shown, at = snippet["text"], "", 0
    for start, end in snippet["marks"]:
        shown += f"{plain(text[at:start])}{before}{plain(text[start:end])}{behind}"
        at = end
    return shown + plain(text[at:])


def _reasons(hit: Hit, explanation: Explanation) -> Iterator[tuple[str, str]]:
    ranks = explanation["ranks"]
    yield (
        "sources",
        ", ".join(
            f"{source} {raw:.3f}" + (f" (no. {ranks[source]})" if source in ranks else "")
            for source, raw in hit["scores"].items()
        ),
    )
    yield "found by", ", ".join(map(plain, explanation["keys"]))
    yield explanation["fusion_method"], _sum(explanation)
    yield "duplicates", ", ".join(explanation["duplicates"])


def _sum(explanation: Explanation) -> str:
    """The largest contributions to the score, before the logistic function."""
    parts = sorted(explanation["fusion"].items(), key=lambda part: -abs(part[1]["contribution"]))
    shown = [
        f"{name} {part['contribution']:+.2f}" for name, part in parts[:_SHOWN_PARTS] if part["contribution"]
    ]
    rest = sum(part["contribution"] for _, part in parts[_SHOWN_PARTS:])
    return "  ".join([*shown, *([f"the others {rest:+.2f}"] if parts[_SHOWN_PARTS:] else [])])
