# SPDX-License-Identifier: BSD-3-Clause
"""What torus-2QoS must be told of a torus of `heddle sim`, by OpenSM and by Heddle alike: its
torus-2QoS.conf, from a NET file in which switches are named by their coordinates."""

import re

SWITCH = re.compile(r'^Switch\s+\d+\s+"switch((?:-\d+){2,3})"')
GUID = re.compile(r"^switchguid=(0x[0-9a-fA-F]+)")


def switches_of(text):
    """Coordinates -> GUID."""
    found, guid = {}, None
    for line in text.splitlines():
        if number := GUID.match(line):
            guid = number[1]
        elif switch := SWITCH.match(line):
            found[tuple(int(part) for part in switch[1].split("-")[1:])] = guid
    return found


def neighbour(at, axis, step, sizes):
    return (*at[:axis], (at[axis] + step) % sizes[axis], *at[axis + 1:])


def name_of(at):
    return "switch" + "".join(f"-{number}" for number in at)


def seed_lines(at, sizes, switches):
    for axis, letter in enumerate("xyz"[:len(sizes)]):
        for sign, step in ("p", 1), ("m", -1):
            yield f"{letter}{sign}_link {switches[at]} {switches[neighbour(at, axis, step, sizes)]}"
        yield f"{letter}_dateline -{at[axis]}"


def torus_file(expression, text, net):
    """The file's text: two seeds far apart that lack nothing, and datelines at the origin. None if
    it is no torus of two or three dimensions."""
    shape = re.match(r"torus:(\d+)x(\d+)(?:x(\d+))?(?:,|$)", expression)
    if not shape:
        return None
    sizes = [int(number) for number in shape.groups() if number]
    switches = switches_of(text)
    cabled = {frozenset(name for name, _ in link) for link in net.links}
    whole = [at for at in sorted(switches)
             if all(frozenset((name_of(at), name_of(neighbour(at, axis, step, sizes)))) in cabled
                    for axis in range(len(sizes)) for step in (1, -1))]
    if not whole:
        return None
    lines = ["torus " + " ".join(str(size) for size in [*sizes, 1][:3]),
             *seed_lines(whole[0], sizes, switches),
             "next_seed", *seed_lines(whole[len(whole) // 2], sizes, switches),
             f"portgroup_max_ports {max(net.ports.values())}"]
    return "\n".join(lines) + "\n"
