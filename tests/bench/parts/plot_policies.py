#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws what `search --simulate … --out FILE.json` wrote: the best so far of each policy, median and quartiles.

usage: plot_policies.py FILE.json [-o docs/results/policies.svg] [--by evaluations|seconds] [--title TEXT]
"""

import argparse
import html
import json
import math
import sys

WIDTH, HEIGHT = 860, 520
LEFT, RIGHT, TOP, BOTTOM = 78, 200, 46, 58  # Margins; the legend stands in the right one.
# Told apart with any kind of colour vision, on white and on black; dashes help in print.
COLORS = ["#0f8bd1", "#e07b00", "#17a673", "#c9569b", "#8f7be0", "#8a8a2c", "#d1495b", "#6b7b8c"]
DASHES = ["", "7 4", "2 3", "9 3 2 3", "12 4", "4 2", "1 4", "6 2 1 2"]
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #24292f; }
.axis { stroke: #57606a; fill: none; }
.grid { stroke: #57606a; stroke-opacity: .2; }
.title { font-weight: 600; font-size: 15px; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .axis { stroke: #9ea7b3; }
  .grid { stroke: #9ea7b3; stroke-opacity: .25; }
}
"""
UNITS = [(1e9, "s"), (1e6, "ms"), (1e3, "us"), (1, "ns")]


def time_text(ns):
    for size, unit in UNITS:
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.3g} ns"


def log_ticks(low, high):
    """Round numbers of a logarithmic axis: 1, 2, 5 a decade where few decades fit, powers of ten else."""
    steps = (1, 2, 5) if math.log10(high / low) < 3 else (1,)
    if math.log10(high / low) < 0.7:
        steps = (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9)
    ticks = []
    for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1):
        ticks += [step * 10.0 ** power for step in steps]
    return [tick for tick in ticks if low * 0.999 <= tick <= high * 1.001]


class Axis:
    """A logarithmic axis of `low` to `high` on the pixels `start` to `end`."""

    def __init__(self, low, high, start, end):
        self.low, self.high, self.start, self.end = low, max(high, low * 1.01), start, end

    def at(self, value):
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.start + share * (self.end - self.start)


def pieces(curve):
    """(x, low, median, high) where half of the seeds have found something; a quartile that has not is the median."""
    for x, low, median, high in zip(curve["x"], curve["q1_ns"], curve["median_ns"], curve["q3_ns"]):
        if median is not None and x > 0:
            yield x, low if low is not None else median, median, high if high is not None else median


def stairs(points):
    """The best stays as it is until the next evaluation."""
    path = []
    for index, (x, y) in enumerate(points):
        if index:
            path.append(f"H{x:.1f}")
        path.append(f"V{y:.1f}" if index else f"M{x:.1f},{y:.1f}")
    return "".join(path)


def plot(data, by, title):
    curves = [(policy["policy"], list(pieces(policy[by]))) for policy in data["policies"]]
    curves = [(name, points) for name, points in curves if points]
    if not curves:
        raise SystemExit(f"plot_policies: there is nothing to draw by {by}")
    all_points = [point for _, points in curves for point in points]
    xs = Axis(min(p[0] for p in all_points), max(p[0] for p in all_points), LEFT, WIDTH - RIGHT)
    ys = Axis(0.97 * min(data["best_ns"], min(p[1] for p in all_points)), 1.03 * max(p[3] for p in all_points),
              HEIGHT - BOTTOM, TOP)
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
           f"<title>{html.escape(title)}</title>", f"<style>{STYLE}</style>",
           f'<text class="title" x="{LEFT}" y="24">{html.escape(title)}</text>']
    for tick in log_ticks(xs.low, xs.high):
        x = xs.at(tick)
        svg.append(f'<path class="grid" d="M{x:.1f},{TOP}V{HEIGHT - BOTTOM}"/>')
        svg.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{tick:g}</text>')
    for tick in log_ticks(ys.low, ys.high):
        y = ys.at(tick)
        svg.append(f'<path class="grid" d="M{LEFT},{y:.1f}H{WIDTH - RIGHT}"/>')
        svg.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{time_text(tick)}</text>')
    svg.append(f'<path class="axis" d="M{LEFT},{TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}"/>')
    axis = "evaluations" if by == "evaluations" else "seconds of the recorded runs"
    middle = (LEFT + WIDTH - RIGHT) / 2
    svg.append(f'<text x="{middle:.0f}" y="{HEIGHT - 14}" text-anchor="middle">{axis}</text>')
    svg.append(f'<text transform="translate(18,{(TOP + HEIGHT - BOTTOM) / 2:.0f}) rotate(-90)" text-anchor="middle">'
               f"best so far, median and quartiles of {data['seeds']} seeds</text>")
    best = ys.at(data["best_ns"])
    svg.append(f'<path class="axis" stroke-dasharray="1 3" d="M{LEFT},{best:.1f}H{WIDTH - RIGHT}"/>')
    svg.append(f'<text x="{WIDTH - RIGHT + 10}" y="{best + 4:.1f}">best of the record</text>')
    for number, (name, points) in enumerate(curves):
        color = COLORS[number % len(COLORS)]
        dash = DASHES[number % len(DASHES)]
        low = stairs([(xs.at(x), ys.at(q1)) for x, q1, _, _ in points])
        # Backwards along the upper edge: first to its height, then to where it began.
        high = []
        for index in range(len(points) - 1, -1, -1):
            high.append(f"V{ys.at(points[index][3]):.1f}" if index == len(points) - 1 else "")
            if index:
                high.append(f"H{xs.at(points[index][0]):.1f}V{ys.at(points[index - 1][3]):.1f}")
            else:
                high.append(f"H{xs.at(points[0][0]):.1f}")
        svg.append(f'<path fill="{color}" fill-opacity=".16" d="{low}{"".join(high)}Z"/>')
        line = stairs([(xs.at(x), ys.at(median)) for x, _, median, _ in points])
        svg.append(f'<path fill="none" stroke="{color}" stroke-width="2" stroke-dasharray="{dash}" d="{line}"/>')
        y = TOP + 8 + 22 * number
        svg.append(f'<path stroke="{color}" stroke-width="3" stroke-dasharray="{dash}" '
                   f'd="M{WIDTH - RIGHT + 12},{y}h28"/>')
        svg.append(f'<text x="{WIDTH - RIGHT + 46}" y="{y + 4}">{html.escape(name)}</text>')
    svg.append("</svg>\n")
    return "\n".join(svg)


def main():
    parser = argparse.ArgumentParser(description="Draws what search --simulate wrote.")
    parser.add_argument("file")
    parser.add_argument("-o", "--output", default="docs/results/policies.svg")
    parser.add_argument("--by", choices=("evaluations", "seconds"), default="evaluations")
    parser.add_argument("--title")
    arguments = parser.parse_args()
    try:
        with open(arguments.file, encoding="utf-8") as file:
            data = json.load(file)
    except (OSError, ValueError) as error:
        raise SystemExit(f"plot_policies: {arguments.file}: {error}") from error
    if not isinstance(data, dict) or data.get("format") != 1 or "policies" not in data:
        raise SystemExit(f"plot_policies: {arguments.file} is not what search --simulate writes")
    sizes = ", ".join(f"{name}={value}" for name, value in data["sizes"].items())
    title = arguments.title or f"{data['kernel']} {sizes} on {data['device']}: " \
                               f"{data['implementations']} recorded implementations"
    with open(arguments.output, "w", encoding="utf-8") as file:
        file.write(plot(data, arguments.by, title))
    print(f"{arguments.output}: {len(data['policies'])} policies")


if __name__ == "__main__":
    sys.exit(main())
