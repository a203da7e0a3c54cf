#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What an ids_guid_file means: Debian's OpenSM and `heddle opensm`, started with the same words on
a ring of five, send packets the same way round by Up/Down: switch_ids.py --heddle H."""

import argparse
import re
import sys
import tempfile
from pathlib import Path

from lab import Lab
from netfile import read_net

# Below the root stand a and b, and below these c and d, which are cabled to each other: what
# passes between the two halves below the root may pass that cable in one direction only.
CABLES = {"root": ("a", "b"), "a": ("root", "c"), "b": ("root", "d"), "c": ("a", "d"),
          "d": ("b", "c")}
BY_ROOT, DIRECT = 2, 3  # ports of c and d


def net_text():
    text = ""
    for name, (left, right) in CABLES.items():
        text += f'Hca 1 "host-{name}"\n[1] "{name}"[1]\n\n'
        text += f'Switch 3 "{name}"\n[1] "host-{name}"[1]\n'
        for port, peer in ((2, left), (3, right)):
            text += f'[{port}] "{peer}"[{CABLES[peer].index(name) + 2}]\n'
        text += "\n"
    return text


def switch_guids(lab):
    code, text, errors = lab.run("ibnetdiscover")
    assert code == 0, errors
    return {name: int(guid, 16)
            for guid, name in re.findall(r'^Switch\s+\d+ "S-(\w+)"\s+# "(\w+)"', text, re.M)}


def ports_to(lab, switch, host):
    """By which port this switch sends what is for this host."""
    table = re.search(r"of switch Lid \w+ guid \w+ \('" + switch + r"'\):\n(.*?)lids dumped",
                      Path(lab.folder, "opensm-lfts.dump").read_text(), re.S)[1]
    return int(re.search(r"^0x\w+ (\d+) #.*'" + host + "'$", table, re.M)[1])


def ways(program, net_path, ids):
    """The port from c to b's host, and that from d to a's, on a fabric that nobody has managed."""
    with Lab(net_path, read_net(net_path)) as lab:
        guids = switch_guids(lab)
        roots, file = lab.folder / "roots", lab.folder / "ids"
        roots.write_text(f"{guids['root']:#x}\n")
        file.write_text("# of c and d\n\n" + "".join(
            f"{guids.get(name, 0xbad):#018x} {number} and more\n" for name, number in ids))
        code, output, errors = lab.run(*program, "-R", "updn", "-a", roots, "-m", file, "-D",
                                       "0x43", "-f", lab.folder / "log", "-o")
        assert code == 0, output + errors
        return ports_to(lab, "c", "host-b"), ports_to(lab, "d", "host-a")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--heddle", type=Path, required=True)
    heddle = parser.parse_args().heddle.resolve()
    d_is_up, c_is_up = (DIRECT, BY_ROOT), (BY_ROOT, DIRECT)
    cases = [
        ("GUIDs alone", (), c_is_up),
        ("c before d", (("c", "1"), ("d", "2")), c_is_up),
        ("d before c", (("c", "0x20"), ("d", "0x10")), d_is_up),
        ("an ID against a GUID", (("c", "0xffffffffffffffff"), ("nobody", "1")), d_is_up),
        ("the last of two lines", (("c", "9"), ("d", "8"), ("c", "7")), c_is_up),
    ]
    with tempfile.TemporaryDirectory() as folder:
        net_path = Path(folder) / "five.net"
        net_path.write_text(net_text())
        for what, ids, wanted in cases:
            for program in (["opensm"], [heddle, "opensm"]):
                got = ways(program, net_path, ids)
                assert got == wanted, (what, program, got, wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
