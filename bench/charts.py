# SPDX-License-Identifier: BSD-3-Clause
"""Bar charts as SVG, without a library: pairs of bars on a logarithmic scale, one pair a fabric."""

import math
from html import escape

WIDTH, LEFT, RIGHT, BAR, GAP, TOP = 760, 130, 150, 14, 16, 48
COLORS = {"opensm": "#b8651b", "heddle": "#1f6f8b"}


def bars(title, unit, pairs):
    """`pairs`: (name, {manager: (value, whether it is only a lower bound)}). A value of 0 has no
    place on such a scale and is drawn as the least one."""
    values = [value for _, pair in pairs for value, _ in pair.values() if value > 0]
    low = 10 ** math.floor(math.log10(min(values)))
    high = 10 ** math.ceil(math.log10(max(max(values), low * 10)))
    span = math.log10(high / low)

    def at(value):
        return LEFT + math.log10(max(value, low) / low) / span * (WIDTH - LEFT - RIGHT)

    height = TOP + sum(len(pair) * BAR + GAP for _, pair in pairs) + 24
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
             'font-family="sans-serif" font-size="12">',
             f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
             f'<text x="{LEFT}" y="18" font-size="15">{escape(title)}</text>',
             *_legend(), *_grid(low, high, at, height, unit)]
    y = TOP
    for name, pair in pairs:
        middle = y + len(pair) * BAR / 2 + 4
        parts.append(f'<text x="{LEFT - 8}" y="{middle:.0f}" text-anchor="end">'
                     f'{escape(name)}</text>')
        for manager, (value, bound) in pair.items():
            end = at(value)
            parts.append(f'<rect x="{LEFT}" y="{y}" width="{max(end - LEFT, 1):.1f}" '
                         f'height="{BAR - 2}" fill="{COLORS[manager]}"/>')
            text = f"{'more than ' if bound else ''}{value:.4g} {unit}"
            parts.append(f'<text x="{end + 5:.1f}" y="{y + BAR - 4}">{escape(text)}</text>')
            y += BAR
        y += GAP
    return "\n".join([*parts, "</svg>", ""])


def _legend():
    for index, (manager, color) in enumerate(COLORS.items()):
        x = WIDTH - RIGHT - 40 + index * 90
        yield f'<rect x="{x}" y="8" width="12" height="12" fill="{color}"/>'
        yield f'<text x="{x + 17}" y="18">{manager}</text>'


def _grid(low, high, at, height, unit):
    for power in range(round(math.log10(low)), round(math.log10(high)) + 1):
        x = at(10.0 ** power)
        yield (f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 8}" y2="{height - 22}" '
               'stroke="#ddd"/>')
        yield (f'<text x="{x:.1f}" y="{height - 8}" text-anchor="middle" fill="#666">'
               f'{10.0 ** power:g} {escape(unit)}</text>')
