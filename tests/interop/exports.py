#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether others can read what `heddle sim export` writes: Debian's ibsim loads the file, OpenSM
brings the fabric up, and the judges hold what the tools see against the file.

  exports.py --heddle build/gcc/heddle fat-tree:4,4 torus:3x3"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from judges import ibdmchk_shim, judge
from lab import HeddleLab, Lab
from managers import OpenSm
from netfile import read_net
from observed import discovery

FORMATS = ("ibnetdiscover", "ibsim")


def export(heddle, fabric, form, folder):
    path = folder / f"{form}.net"
    subprocess.run([heddle, "sim", "export", fabric, "--format", form, "-o", path], check=True,
                   timeout=60)
    return path


def brought_up(laboratory, net):
    """The judges' complaints, and what ibnetdiscover sees there."""
    with laboratory as lab:
        OpenSm(lab).once()
        seen = discovery(lab.run("ibnetdiscover")[1])
        return judge(lab, net.island_of(lab.host), seed=1), seen


def check(heddle, fabric, folder):
    complaints, pictures = [], {}
    for form in FORMATS:
        path = export(heddle, fabric, form, folder)
        net = read_net(path)
        if len(net.kinds) < 2 or not net.links:
            return [f"{form}: the file is empty"]
        for name, laboratory in (("ibsim", Lab(path, net)),
                                 ("heddle sim", HeddleLab(heddle, path, net))):
            verdicts, seen = brought_up(laboratory, net)
            complaints += [f"{form} on {name}: {who}: {what[:5]}"
                           for who, what in verdicts.items()]
            pictures[form, name] = (seen.kinds, seen.links)
    first = pictures[FORMATS[0], "ibsim"]
    complaints += [f"{form} on {name} is another fabric than {FORMATS[0]} on ibsim"
                   for (form, name), picture in pictures.items() if picture != first]
    return complaints


def ibdm_complaints(heddle, fabric, folder):
    """ibdmchk designs routes for the .topo by itself and scans every pair of hosts."""
    path = folder / "made.topo"
    subprocess.run([heddle, "sim", "export", fabric, "--format", "topo", "-o", path], check=True,
                   timeout=60)
    again = subprocess.run([heddle, "sim", "export", path, "--format", "cabling"], check=True,
                           timeout=60, capture_output=True, text=True).stdout
    net = read_net(export(heddle, fabric, "ibsim", folder))
    hosts = [name for name, kind in net.kinds.items() if kind == "ca"]
    complaints = []
    if len(again.splitlines()) != len(net.links) + 1:
        complaints.append("topo: Heddle reads another number of cables")
    if any(net.ports[host] > 1 for host in hosts):
        return complaints  # ibdm's own routing leaves second ports of hosts out
    environment = {**os.environ, "LD_PRELOAD": str(ibdmchk_shim(folder)),
                   "IBDM_IBNL_PATH": str(folder)}
    first = next(line.split()[1] for line in path.read_text().splitlines()
                 if line.startswith("CA"))
    done = subprocess.run(["ibdmchk", "-t", path, "-n", f"{first}/U1", "-p", "1"], cwd=folder,
                          env=environment, capture_output=True, text=True, timeout=120,
                          check=False)
    scanned = re.search(r"Scanned:(\d+) CA to CA paths", done.stdout)
    if not scanned or int(scanned[1]) < len(hosts) * (len(hosts) - 1):
        complaints.append(f"topo: ibdmchk scanned {scanned and scanned[1]} paths of {len(hosts)}"
                          f" hosts\n{done.stdout[-800:]}")
    return complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fabric", nargs="+")
    parser.add_argument("--heddle", type=lambda text: Path(text).resolve(), required=True)
    options = parser.parse_args()
    failed = False
    for fabric in options.fabric:
        with tempfile.TemporaryDirectory(prefix="heddle-exports-") as folder:
            complaints = check(options.heddle, fabric, Path(folder))
            if not fabric.endswith(".txt"):  # real clusters have islands and names of many words
                complaints += ibdm_complaints(options.heddle, fabric, Path(folder))
        print(f"{fabric}: {len(complaints)} complaints", *complaints, sep="\n  ")
        failed |= bool(complaints)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
