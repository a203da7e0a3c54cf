# SPDX-License-Identifier: BSD-3-Clause
"""Charts as SVG, without a library: pairs of bars on a logarithmic scale, one pair a fabric; and
curves on two such scales."""

import math
from html import escape

WIDTH, LEFT, RIGHT, BAR, GAP, TOP = 760, 130, 150, 14, 16, 48
COLORS = {"opensm": "#b8651b", "heddle": "#1f6f8b"}
CURVES = "#1f6f8b", "#b8651b", "#4f7d2c", "#8a3b8f", "#b03a3a", "#555555"
HEIGHT, BOTTOM = 420, 48


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


def _decades(values):
    low = math.floor(math.log10(min(values)))
    return low, max(low + 1, math.ceil(math.log10(max(values))))


def curves(title, across, up, lines):
    """`lines`: points (across, up), all above 0, by name. Grey lines have the slope of what grows
    as fast as what is drawn across."""
    points = [point for line in lines.values() for point in line]
    (left, right), (low, high) = _decades([x for x, _ in points]), _decades([y for _, y in points])
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def at(x, y):
        return (LEFT + (x - left) / (right - left) * width,
                HEIGHT - BOTTOM - (y - low) / (high - low) * height)

    def line(a, b, color, more=""):
        (x1, y1), (x2, y2) = at(*a), at(*b)
        return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
                f'stroke="{color}"{more}/>')

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
             'font-family="sans-serif" font-size="12">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
             f'<text x="{LEFT}" y="18" font-size="15">{escape(title)}</text>']
    for power in range(left, right + 1):
        x, y = at(power, low)
        parts += [line((power, low), (power, high), "#ddd"),
                  f'<text x="{x:.1f}" y="{y + 18:.1f}" text-anchor="middle" fill="#666">'
                  f'{10.0 ** power:g}</text>']
    for power in range(low, high + 1):
        x, y = at(left, power)
        parts += [line((left, power), (right, power), "#ddd"),
                  f'<text x="{x - 8:.1f}" y="{y + 4:.1f}" text-anchor="end" fill="#666">'
                  f'{10.0 ** power:g} {escape(up)}</text>']
    for start in range(low - (right - left), high):
        begin, end = max(low, start), min(high, start + right - left)
        if begin < end:
            parts.append(line((left + begin - start, begin), (left + end - start, end), "#ccc",
                              ' stroke-dasharray="3 4"'))
    parts.append(f'<text x="{LEFT + width / 2:.0f}" y="{HEIGHT - 8}" text-anchor="middle" '
                 f'fill="#666">{escape(across)}</text>')
    for index, (name, line_points) in enumerate(lines.items()):
        color = CURVES[index % len(CURVES)]
        placed = [at(math.log10(x), math.log10(y)) for x, y in line_points]
        way = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
        parts.append(f'<polyline points="{way}" fill="none" stroke="{color}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>' for x, y in placed]
        y = TOP + 8 + index * 18
        parts += [f'<rect x="{WIDTH - RIGHT + 12}" y="{y - 9}" width="12" height="4" '
                  f'fill="{color}"/>',
                  f'<text x="{WIDTH - RIGHT + 28}" y="{y - 3}">{escape(name)}</text>']
    return "\n".join([*parts, "</svg>", ""])
