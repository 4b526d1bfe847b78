# SPDX-License-Identifier: MIT
"""A run as an SVG for notebooks: how the best went down, each evaluation as a dot, and the bound."""

from __future__ import annotations

import html
import math
from typing import List, Optional, Sequence, Tuple

WIDTH, HEIGHT = 640, 260
LEFT, RIGHT, TOP, BOTTOM = 70, 12, 12, 34
MOST_DOTS = 2000
LINE, DOT, BOUND, GRID, TEXT = "#1f77b4", "#9aa5b1", "#d62728", "#8884", "currentColor"
UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns"))


def time_text(ns: Optional[float]) -> str:
    """1234567 -> "1.23 ms"; None -> "-"."""
    if not ns:
        return "-"
    scale, unit = next((each for each in UNITS if ns >= each[0]), UNITS[-1])
    value = ns / scale
    return f"{value:.0f} {unit}" if value >= 99.95 else f"{value:.3g} {unit}"


def _ticks(low: float, high: float, is_log: bool) -> List[float]:
    if is_log:
        found = [digit * 10.0 ** power for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
                 for digit in (1, 2, 5)]
        found = [each for each in found if low <= each <= high]
        return found[::max(1, math.ceil(len(found) / 6))]
    step = 10.0 ** math.floor(math.log10(max(high - low, 1e-9) / 4))
    step = next((step * digit for digit in (1, 2, 5, 10) if (high - low) / (step * digit) <= 6), step * 10)
    first = math.ceil(low / step)
    return [step * each for each in range(first, math.floor(high / step) + 1)]


def curve(bests: Sequence[Tuple[float, float]], dots: Sequence[Tuple[float, float]], bound_ns: Optional[float],
          seconds: float, title: str) -> str:
    """An SVG. `bests` and `dots`: (seconds since the run began, nanoseconds); `seconds`: how long it took."""
    if len(dots) > MOST_DOTS:
        dots = dots[::math.ceil(len(dots) / MOST_DOTS)]
    times = [ns for _, ns in bests] + ([bound_ns] if bound_ns else [])
    if not bests:
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="40" role="img">'
                f'<text x="8" y="24" fill="{TEXT}" font-size="12">{html.escape(title)}: nothing correct yet</text></svg>')
    low, high = min(times) / 1.15, max(times) * 1.3
    right = max(seconds, max(at for at, _ in bests), 1e-3)

    def x_of(at: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * min(at / right, 1)

    def y_of(ns: float) -> float:
        share = math.log(max(min(ns, high), low) / low) / math.log(high / low)
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
             f'role="img" font-family="sans-serif" font-size="11"><title>{html.escape(title)}</title>']
    for ns in _ticks(low, high, True):
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y_of(ns):.1f}" y2="{y_of(ns):.1f}" stroke="{GRID}"/>'
                     f'<text x="{LEFT - 6}" y="{y_of(ns) + 4:.1f}" text-anchor="end" fill="{TEXT}">{time_text(ns)}</text>')
    for at in _ticks(0, right, False):
        parts.append(f'<text x="{x_of(at):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle" fill="{TEXT}">{at:g} s</text>')
    parts += [f'<circle cx="{x_of(at):.1f}" cy="{y_of(ns):.1f}" r="1.6" fill="{DOT}"/>' for at, ns in dots if ns <= high]
    if bound_ns:
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y_of(bound_ns):.1f}" y2="{y_of(bound_ns):.1f}" '
                     f'stroke="{BOUND}" stroke-dasharray="5 3"/><text x="{WIDTH - RIGHT}" y="{y_of(bound_ns) - 4:.1f}" '
                     f'text-anchor="end" fill="{BOUND}">bound {time_text(bound_ns)}</text>')
    path = f"M{x_of(bests[0][0]):.1f} {y_of(bests[0][1]):.1f}"
    for at, ns in bests[1:]:
        path += f"H{x_of(at):.1f}V{y_of(ns):.1f}"
    parts.append(f'<path d="{path}H{x_of(right):.1f}" fill="none" stroke="{LINE}" stroke-width="1.8"/></svg>')
    return "".join(parts)


def table(rows: Sequence[Tuple[str, str]]) -> str:
    """Two columns as an HTML table."""
    cells = "".join(f'<tr><th style="text-align:left">{html.escape(name)}</th>'
                    f'<td style="text-align:left">{html.escape(value)}</td></tr>' for name, value in rows)
    return f"<table>{cells}</table>"
