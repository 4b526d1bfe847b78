# SPDX-License-Identifier: MIT
"""The picture of the results: a dot for each record that counts for its kind, at how many times as fast as its fastest peer ours is. Right of
the line at 1 ours is faster. Kinds all of whose ratios lie beyond the scale have no row; of the others, what lies beyond stands at the end."""

import html
import math
import pathlib

import pages
import records

FILE = pathlib.Path("docs/results.svg")
WIDTH, LEFT, RIGHT, TOP, ROW = 860, 256, 30, 64, 30
LOW, HIGH = 1 / 8, 8.0
TICKS = ((1 / 8, "1/8"), (1 / 4, "1/4"), (1 / 2, "1/2"), (1, "as fast"), (2, "2 x"), (4, "4 x"), (8, "8 x"))
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #24292f; }
.title { font-weight: 600; font-size: 15px; }
.small { font-size: 12px; fill: #57606a; }
.grid { stroke: #57606a; stroke-opacity: .2; }
.one { stroke: #57606a; stroke-width: 1.5; }
.faster { fill: #0f8bd1; fill-opacity: .6; }
.slower { fill: #e07b00; fill-opacity: .7; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .small { fill: #9ea7b3; }
  .grid, .one { stroke: #9ea7b3; }
}
"""


def place(ratio):
    share = math.log(min(max(ratio, LOW), HIGH) / LOW) / math.log(HIGH / LOW)
    return LEFT + share * (WIDTH - RIGHT - LEFT)


def rows(files):
    """(kind in words, its ratios) of what has peers, in the order of the kinds: of the records that README's table counts."""
    found = []
    for content in pages.in_order(files):
        if content.get("rank", {}).get("by") != "ratio":
            continue
        ratios = [float(min(least for _, least, _ in records.ratios_of(place[1]))) for place in pages.placed(content)]
        if ratios and min(ratios) <= HIGH:
            found.append((content["title"], ratios))
    return found


def drawn(files):
    found = rows(files)
    bottom = TOP + ROW * len(found)
    dots = sum(len(ratios) for _, ratios in found)
    title = f"{dots} measurements: how many times as fast as the fastest of what each is compared with"
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 20}" role="img">',
           f"<title>{title}</title>", f"<style>{STYLE}</style>", f'<text class="title" x="16" y="24">{title}</text>']
    for ratio, text in TICKS:
        x = place(ratio)
        svg.append(f'<path class="{"one" if ratio == 1 else "grid"}" d="M{x:.1f},{TOP - 6}V{bottom}"/>')
        svg.append(f'<text class="small" x="{x:.1f}" y="{TOP - 12}" text-anchor="middle">{text}</text>')
    for number, (kind, ratios) in enumerate(found):
        y = TOP + ROW * number + ROW / 2
        svg.append(f'<text x="{LEFT - 16}" y="{y + 4:.1f}" text-anchor="end">{html.escape(kind)}</text>')
        for ratio in ratios:
            side = "faster" if ratio >= 1 else "slower"
            svg.append(f'<circle class="{side}" cx="{place(ratio):.1f}" cy="{y:.1f}" r="5"><title>{ratio:.2f}</title></circle>')
    svg.append("</svg>\n")
    return "\n".join(svg)
