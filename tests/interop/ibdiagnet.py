#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Debian's `ibdiagnet -r` judges a fabric that Heddle brought up, and the same one under OpenSM:
three hosts have joined the groups that Linux joins. Heddle must earn no error and no warning that
OpenSM does not, and the two must agree on everything that is not the managers' own choice.

  ibdiagnet.py --heddle build/gcc/heddle --sa-host build/gcc/tests/interop/sa_host --fabric ring:5

A device that does not answer in ibdiagnet's own short time, as on a busy machine, is no judgement
of a manager: then it is asked again, twice at most.

ibdiagnet crashes behind its last headline, the one on credit loops (a defect of its own, exit code
139); interop.heddle_on_* asks ibdmchk about those."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "doors" / "device"))
from inside import SKIPPED, without_door  # noqa: E402

SCRIPT = r"""
set -u
cd "$1"
for who in heddle opensm; do
  mkdir "$who.told"
  sh "start-$who" > "$who.log" 2>&1 &
  manager=$!
  for tries in $(seq 300); do
    saquery CPI > up.log 2>&1 && break
    sleep 0.1
  done
  for device in mlx5_0 mlx5_1 mlx5_2; do
    "$SA_HOST" ipoib $device 0xffff || exit 3
  done > "$who.joined"
  sleep 2
  for once in 1 2 3; do
    (cd "$who.told" && timeout 120 ibdiagnet -r -o "$PWD" > told 2>&1; echo $? > code)
    grep -q "^-E- failed to get" "$who.told/told" || break
  done
  kill $manager; wait $manager
done
exit 0
"""

# What every judgement must come to.
HEADLINES = ("Bad Guids/LIDs Info", "Links With Logical State = INIT", "PM Counters Info",
             "Fabric Partitions Report", "IPoIB Subnets Check", "Bad Links Info",
             "Summary Fabric SM-state-priority", "Fabric qualities report",
             "Checking credit loops")
GOOD_NEWS = ("No bad Guids were found", "No bad Links (with logical state = INIT) were found",
             "No illegal PM counters values were found", "No bad link were found")
# Of the lines, those on which two managers cannot disagree.
SHARED = (r"^-I- Defined \d+/\d+ systems", r"^-I-\s+PKey:", r"^-I- Subnet: IPv4",
          r"^-I- Defined \d+ fdb entries", r"^-I- Scanned:\d+ CA to CA paths",
          r"^  SM - master", r"^\s+The Local Device", r"^-I- No ")
# Warnings about how ibdiagnet was called, and about the groups' rate of 10 Gb/s, which RFC 4391
# leaves to the operator and both managers set alike.
HARMLESS = (r"Topology file is not specified", r"A few ports of local device are up",
            r"Suboptimal rate for group")


def parts(told, pattern):
    """The hop histogram as a list of (hops, pairs)."""
    found = re.search(pattern + r"\s*\n((?:\s+\d+\s+\d+\s*\n)+)", told)
    return [tuple(map(int, line.split())) for line in found.group(1).splitlines()] if found else []


def groups(told):
    """HCAs of each multicast LID; MLIDs themselves are the manager's choice."""
    return sorted(int(count) for count in re.findall(
        r"^-I- Multicast Group:0x[0-9A-F]+ has:\d+ switches and:(\d+) HCAs", told, re.M))


def warnings(told):
    return [line for line in re.findall(r"^-W-.*", told, re.M)
            if not any(re.search(known, line) for known in HARMLESS)]


def judge(who, folder):
    """What is wrong with one judgement alone."""
    told = (folder / f"{who}.told" / "told").read_text(errors="replace")
    code = (folder / f"{who}.told" / "code").read_text().strip()
    wrong = [f"{who}: ibdiagnet does not come to '{line}'"
             for line in (*HEADLINES, *GOOD_NEWS) if line not in told]
    if code not in ("0", "139"):
        wrong.append(f"{who}: ibdiagnet ended with {code}")
    wrong += [f"{who}: {line}" for line in re.findall(r"^-E-.*", told, re.M)]
    if not groups(told):
        wrong.append(f"{who}: no multicast group was looked at")
    return told, wrong


def compare(heddle, opensm, same_engine):
    wrong = [f"heddle alone is warned: {line}" for line in warnings(heddle)]
    for pattern in SHARED:
        ours, theirs = (sorted(re.findall(f"{pattern}.*", told, re.M))
                        for told in (heddle, opensm))
        if ours != theirs:
            wrong.append(f"heddle: {ours}, opensm: {theirs}")
    hops = r"HOPS NUM-CA-CA-PAIRS"
    # Where OpenSM's minhop would deadlock, Heddle takes other ways; every pair has one either way.
    ours, theirs = (parts(told, hops) if same_engine else
                    sum(pairs for _, pairs in parts(told, hops)) for told in (heddle, opensm))
    if not ours or ours != theirs:
        wrong.append(f"hops: heddle {ours}, opensm {theirs}")
    # OpenSM writes no table for a group of one, such as a host's solicited-node group.
    ours, theirs = ([count for count in groups(told) if count > 1] for told in (heddle, opensm))
    if ours != theirs:
        wrong.append(f"hosts in groups: heddle {ours}, opensm {theirs}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--sa-host", required=True)
    parser.add_argument("--fabric", required=True)
    options = parser.parse_args()
    reason = without_door()
    if reason:
        print(f"skipped: {reason}")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="heddle-ibdiagnet-") as folder:
        heddle = os.path.abspath(options.heddle)
        place = Path(folder)
        (place / "start-heddle").write_text(f"exec {heddle} sm --lid-memory lids\n")
        (place / "start-opensm").write_text("exec opensm -F /dev/null -f osm.log\n")
        environment = {**os.environ, "SA_HOST": os.path.abspath(options.sa_host),
                       "XDG_RUNTIME_DIR": folder, "OSM_TMP_DIR": folder, "OSM_CACHE_DIR": folder}
        hosts = [word for host in ("host-0001", "host-0002", "host-0003")
                 for word in ("--at", host)]
        code = subprocess.run(
            [heddle, "sim", "run", options.fabric, *hosts, "--", "sh", "-c", SCRIPT, "sh", folder],
            env=environment, check=False, timeout=400).returncode
        if code != 0:
            print(f"the script ended with {code}")
            return 1
        heddle_told, wrong = judge("heddle", place)
        same_engine = "routed by minhop" in (place / "heddle.log").read_text()
        opensm_told, more = judge("opensm", place)
        wrong += more + compare(heddle_told, opensm_told, same_engine)
        for line in wrong:
            print(line)
        print(f"OpenSM was warned {len(warnings(opensm_told))} times, "
              f"Heddle {len(warnings(heddle_told))} times")
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
