"""Line charts as SVG, with nothing but text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 900, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 150, 40, 40
_COLOURS = ("#4269d0", "#efb118", "#ff725c", "#3ca951", "#a463f2", "#6cc5b0")
_STYLE = (
    "text{font:12px sans-serif;fill:#333}.title{font-size:14px;font-weight:bold}"
    ".grid{stroke:#ddd}.away{fill:#f1f1f1}path{fill:none;stroke-width:2}"
)


@dataclass(frozen=True)
class Line:
    """A line of a chart. dashed: for what is another view of the line before, which has its colour."""

    name: str
    points: Sequence[tuple[float, float]]
    dashed: bool = False


@dataclass(frozen=True)
class Chart:
    """shaded: stretches of x in which nobody was there."""

    title: str
    x_label: str
    x_ticks: Sequence[float]
    y_ticks: Sequence[float]
    lines: Sequence[Line]
    shaded: Sequence[tuple[float, float]] = ()


def document(charts: Sequence[Chart]) -> str:
    """Charts below each other."""
    height = HEIGHT * len(charts)
    parts = [
        f'<g transform="translate(0 {HEIGHT * number})">{_chart(one)}</g>'
        for number, one in enumerate(charts)
    ]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}">'
    )
    background = f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>'
    return "\n".join([head, f"<style>{_STYLE}</style>", background, *parts, "</svg>\n"])


def _chart(chart: Chart) -> str:
    first, last = chart.x_ticks[0], chart.x_ticks[-1]
    low, high = chart.y_ticks[0], chart.y_ticks[-1]

    def x(value: float) -> float:
        return round(_LEFT + (value - first) / (last - first) * (WIDTH - _LEFT - _RIGHT), 1)

    def y(value: float) -> float:
        return round(HEIGHT - _BOTTOM - (value - low) / (high - low) * (HEIGHT - _TOP - _BOTTOM), 1)

    parts = [f'<text class="title" x="{_LEFT}" y="22">{escape(chart.title)}</text>']
    for start, end in chart.shaded:
        parts.append(
            f'<rect class="away" x="{x(start)}" y="{_TOP}" width="{round(x(end) - x(start), 1)}" '
            f'height="{HEIGHT - _TOP - _BOTTOM}"/>'
        )
    for tick in chart.y_ticks:
        parts.append(f'<path class="grid" d="M{_LEFT} {y(tick)}H{WIDTH - _RIGHT}"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{y(tick) + 4}" text-anchor="end">{tick:g}</text>')
    parts += [
        f'<text x="{x(tick)}" y="{HEIGHT - 22}" text-anchor="middle">{tick:g}</text>'
        for tick in chart.x_ticks
    ]
    middle = (_LEFT + WIDTH - _RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{HEIGHT - 6}" text-anchor="middle">{escape(chart.x_label)}</text>')
    colour = -1
    for number, line in enumerate(chart.lines):
        colour += not line.dashed
        stroke = _COLOURS[colour % len(_COLOURS)]
        dashes = ' stroke-dasharray="5 4"' if line.dashed else ""
        drawn = "L".join(f"{x(at)} {y(value)}" for at, value in line.points)
        parts.append(f'<path d="M{drawn}" stroke="{stroke}"{dashes}/>')
        at = _TOP + 6 + 18 * number
        parts.append(f'<path d="M{WIDTH - _RIGHT + 12} {at}h22" stroke="{stroke}"{dashes}/>')
        parts.append(f'<text x="{WIDTH - _RIGHT + 40}" y="{at + 4}">{escape(line.name)}</text>')
    return "\n".join(parts)
