#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Debian's ibdmchk as the judge of tables that need several VLs: with the service levels and SL to
VL tables that heddle dumps it must find no credit loop, and without them it must find one. It
crashes after its verdict, so the verdict counts and not the exit code."""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
ACQUITTAL, CONVICTION = "no credit loops found", "credit loops in routing"
CASES = (
    ("torus:5x6,hosts=2", "torus-2QoS", 4),
    ("torus:5x4x3,hosts=1", "torus-2QoS", 8),
    ("torus:7x5,hosts=1", "dor", 2),
    ("dragonfly:4,2,2,9", "dragonfly", 2),
    ("random:switches=24,degree=6,hosts=2", "dfsssp", 8),
    ("random:switches=24,degree=6,hosts=2", "weave", 4),
)


def judge(folder, *lanes):
    command = ["ibdmchk", "-s", "opensm-subnet.lst", "-f", "opensm.fdbs", "-m", "/dev/null", *lanes]
    return subprocess.run(command, cwd=folder, timeout=120, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace").stdout


def try_case(heddle, fabric, engine, vls, folder):
    config = folder / "heddle.toml"
    config.write_text(f'[routing]\nengines = ["{engine}"]\nmax_vls = {vls}\nfallback = false\n')
    up = subprocess.run([heddle, "sm", "--sim", fabric, "--config", config, "--dump-dir", folder,
                         "--once"], timeout=120, capture_output=True, text=True)
    if up.returncode != 0:
        return [f"heddle ended with {up.returncode}: {up.stderr[-500:]}"]
    complaints = []
    told = judge(folder, "-c", "opensm-path-sl.dump", "-d", "opensm-sl2vl.dump")
    if ACQUITTAL not in told or "-E-" in told:
        complaints.append("with levels: " + told[-500:])
    # Without its lanes the routing is what they are there to mend.
    blind = judge(folder)
    if CONVICTION not in blind:
        complaints.append("without levels: " + blind[-500:])
    return complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--heddle", required=True)
    heddle = parser.parse_args().heddle
    if shutil.which("ibdmchk") is None:
        print("ibdmchk is not installed")
        return SKIPPED
    failed = 0
    for fabric, engine, vls in CASES:
        with tempfile.TemporaryDirectory(prefix="heddle-lanes-") as folder:
            complaints = try_case(heddle, fabric, engine, vls, Path(folder))
        print(f"{engine} on {fabric}: {'; '.join(complaints) or 'well'}")
        failed += bool(complaints)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
