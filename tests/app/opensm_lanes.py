#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The same opensm.conf with qos_* options for each kind of port, under Debian's OpenSM and under
`heddle opensm`, on one simulated fabric: smpquery must read the same SL to VL tables, VL
arbitration tables, limits of high priority and of waiting at the head of a queue, and stall counts
from every port: opensm_lanes.py --heddle H."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "doors" / "device"))
from inside import run_inside  # noqa: E402
from opensm_front import PATIENCE, start  # noqa: E402

FIRST = {
    "": dict(high_limit="1", vlarb_high="0:64,1:32,2:0", vlarb_low="3:4,1:4", sl2vl="3"),
    "_ca": dict(high_limit="7", vlarb_low="0:1,1:2,2:3,3:4,4:5,5:6,6:7,7:8", sl2vl="5"),
    "_swe": dict(vlarb_high="4:255,9:1", sl2vl="7"),
    "_rtr": dict(high_limit="9"),
    "waits": dict(vl_stall_count="0x03", leaf_vl_stall_count="0x05",
                  head_of_queue_lifetime="0x0e", leaf_head_of_queue_lifetime="0x0c"),
}
SECOND = {
    "": dict(sl2vl="15", vlarb_high="1:1"),
    "_ca": dict(vlarb_high="2:2", vlarb_low="0:3,1:1", high_limit="255"),
    "_swe": dict(high_limit="0", sl2vl="2"),
    "waits": dict(vl_stall_count="0x06", leaf_vl_stall_count="0x02",
                  head_of_queue_lifetime="0x11", leaf_head_of_queue_lifetime="0x0f"),
}


def conf(kinds):
    lines = ["qos TRUE", "routing_engine minhop"]
    lines += [f"{name} {value}" for name, value in kinds["waits"].items()]
    for kind, options in kinds.items():
        if kind == "waits":
            continue
        for name, value in options.items():
            if name == "sl2vl":  # level 0 keeps a lane, and the last one is dropped
                value = ",".join(str((level * int(value)) % 16) for level in range(15)) + ",15"
            lines.append(f"qos{kind}_{name} {value}")
    return "\n".join(lines) + "\n"


def query(what, lid, *more):
    for _ in range(3):
        done = subprocess.run(["smpquery", what, str(lid), *map(str, more)], text=True, timeout=30,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if done.returncode == 0:
            return done.stdout
    raise AssertionError((what, lid, more, done.stderr))


def field(text, name):
    return re.search(rf"^{name}:\.+(.*)$", text, re.M)[1]


def nodes(folder, name):
    """By LID: whether it is a switch, and the ports with a link, from the dump that both write."""
    found = {}
    for line in Path(folder, name, "opensm-subnet.lst").read_text().splitlines():
        for end in re.findall(r"\{ (CA|SW|Rt)[^}]*\} LID:(\w+) PN:(\w+)|\{ (CA|SW|Rt)[^{}]* "
                              r"\{[^{}]*\} LID:(\w+) PN:(\w+)", line):
            kind, lid, port = (part for part in end if part)
            found.setdefault(int(lid, 16), (kind, set()))[1].add(int(port, 16))
    return found


def read_back(folder, name):
    """What the devices hold."""
    held = {}
    for lid, (kind, ports) in nodes(folder, name).items():
        for port in sorted(ports):
            info = query("portinfo", lid, port)
            held[lid, port, "limit"] = field(info, "VLHighLimit")
            held[lid, port, "lanes"] = field(info, "OperVLs")
            if kind == "SW":
                held[lid, port, "stall"] = field(info, "VLStallCount")
                held[lid, port, "waits"] = field(info, "HoqLife")
            where = (port,) if kind == "SW" else ()
            held[lid, port, "vlarb"] = query("vlarb", lid, *where)
            held[lid, port, "sl2vl"] = rows(query("sl2vl", lid, *where), ports, port, kind)
    return held


def rows(text, ports, out, kind):
    """Of a switch those for packets of its own and from other ports with a link."""
    kept = []
    for line in text.splitlines():
        row = re.match(r"ports: in\s+(\d+), out\s+\d+: (.*)", line)
        if row and (kind != "SW" or int(row[1]) == 0 or int(row[1]) in ports - {out}):
            kept.append((int(row[1]), row[2]))
    assert kept, text
    return kept


def run(program, folder, name, kinds):
    file = Path(folder, f"{name}.conf")
    file.write_text(conf(kinds))
    process = start(program, folder, name, "-o", "-F", str(file))
    told = Path(folder, name, "told")
    assert process.wait(PATIENCE) == 0, told.read_text()
    assert "qos" not in told.read_text(), told.read_text()
    return read_back(folder, name)


def inside(heddle, folder):
    # Each begins with what the other's last one left, or with nothing.
    ours = [heddle, "opensm"]
    by_us = run(ours, folder, "ours-first", FIRST)
    assert len({part for (_, _, part) in by_us}) == 6, by_us
    for part in ("stall", "waits"):  # one for links between switches, one for those to hosts
        assert len({value for key, value in by_us.items() if key[2] == part}) == 2, by_us
    by_them = run(["opensm"], folder, "theirs-second", SECOND)
    assert by_us != by_them
    same(run(ours, folder, "ours-first", FIRST), by_us)
    same(run(["opensm"], folder, "theirs-first", FIRST), by_us)
    same(run(ours, folder, "ours-second", SECOND), by_them)


def same(one, other):
    assert one.keys() == other.keys()
    for key, value in one.items():
        assert value == other[key], (key, value, other[key])


if __name__ == "__main__":
    sys.exit(run_inside(__file__, __doc__, inside, 300,
                        without=lambda: None if shutil.which("opensm") else "there is no opensm"))
