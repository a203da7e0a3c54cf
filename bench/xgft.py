# SPDX-License-Identifier: BSD-3-Clause
"""Extended generalised fat trees as ibsim NET files: XGFT(h; m1..mh; w1..wh), hosts at level 0."""

from itertools import product

# By hosts: children and parents.
TREES = {12: ([3, 4], [1, 2]), 648: ([18, 36], [1, 18]), 11664: ([18, 18, 36], [1, 18, 18])}


def xgft(children, parents):
    """The lines of a NET file. A node of level l is named by its place: at the positions above l
    which child of an upper node it is in, at the positions up to l which of the w parents it is.

    >>> len([line for line in xgft([2, 2], [1, 2]) if line.startswith(("Hca", "Switch"))])
    8
    """
    height = len(children)
    lines = []
    for level in range(height + 1):
        radices = [*parents[:level], *children[level:]]
        for place in product(*(range(radix) for radix in radices)):
            lines += node(level, place, children, parents)
    return lines


def node(level, place, children, parents):
    down = children[level - 1] if level else 0
    up = parents[level] if level < len(children) else 0
    kind = "Switch" if level else "Hca"
    lines = [f'{kind} {down + up} "{name(level, place)}"']
    for child in range(down):
        below = (*place[:level - 1], child, *place[level:])
        # The child leaves by the port of that parent, behind its own ports downwards.
        port = (children[level - 2] if level > 1 else 0) + place[level - 1] + 1
        lines.append(f'[{child + 1}] "{name(level - 1, below)}"[{port}]')
    for parent in range(up):
        above = (*place[:level], parent, *place[level + 1:])
        lines.append(f'[{down + parent + 1}] "{name(level + 1, above)}"[{place[level] + 1}]')
    return [*lines, ""]


def name(level, place):
    return "-".join(["hlms"[min(level, 3)] + str(level), *map(str, place)])
