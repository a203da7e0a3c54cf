#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Debian's saquery asks Heddle and OpenSM the same of the same fabric, on the device door; what
they tell is compared as sorted sets of records.

  administration.py --heddle build/gcc/app/heddle --fabric fat-tree:3,6

docs/subnet-administration.md explains each difference that is allowed here."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "doors" / "device"))
from inside import SKIPPED, without_door  # noqa: E402

QUERIES = {
    "ClassPortInfo": ["CPI"],
    "NodeRecord": ["NR"],
    "PortInfoRecord": ["PIR"],
    "LinkRecord": ["LR"],
    "SwitchInfoRecord": ["SWIR"],
    "LFTRecord": ["LFTR"],
    "SMInfoRecord": ["SMIR"],
    "GUIDInfoRecord": ["GIR"],
    "PathRecord": ["PR"],
    "PathRecord by LIDs": ["PR", "--slid", "1", "--dlid", "2"],
    "reversible": ["PR", "--slid", "1", "--reversible", "1", "--numb_path", "1"],
    "IsSM": ["-s"],
    "channel adapters": ["-D"],
}

# One fabric for both managers, so that OpenSM finds the LIDs that Heddle dealt, and keeps them.
SCRIPT = r"""
set -u
cd "$1"
for who in heddle opensm; do
  sh "start-$who" > "$who.log" 2>&1 &
  manager=$!
  for tries in $(seq 300); do
    saquery CPI > up.log 2>&1 && break
    sleep 0.1
  done
  while read -r file query; do
    timeout 30 saquery $query > "$who.$file" 2> "$who.$file.err" || echo "exit $?" >> "$who.$file"
  done < queries
  kill $manager; wait $manager
done
exit 0
"""

# Lines that may differ, by query; docs/subnet-administration.md says why.
ALLOWED = {
    "ClassPortInfo": r"^(Capability|Redirect QP|Redirect QKey|Trap QKey|Response|RespTime)",
    "PortInfoRecord": r"^(PartEnforce|LocalPhysErr|OverrunErr)",  # settings of the manager
    "LFTRecord": r"^\d+\s+\d+$",  # another engine deals the ways out otherwise
    "SMInfoRecord": r"^(ActCount|Priority|Act)",
}


class Failed(Exception):
    pass


def ask(heddle, fabric):
    """What saquery printed, by manager and name of the query."""
    with tempfile.TemporaryDirectory(prefix="heddle-sa-") as folder:
        files = {name: f"q{i}" for i, name in enumerate(QUERIES)}
        listing = (f"{file} {' '.join(QUERIES[name])}\n" for name, file in files.items())
        Path(folder, "queries").write_text("".join(listing))
        Path(folder, "start-heddle").write_text(f"exec '{heddle}' sm --lid-memory lids\n")
        Path(folder, "start-opensm").write_text("exec opensm -f opensm.out\n")
        environment = {**os.environ, "XDG_RUNTIME_DIR": folder, "OSM_TMP_DIR": folder,
                       "OSM_CACHE_DIR": folder}
        run = subprocess.run([heddle, "sim", "run", fabric, "--", "sh", "-c", SCRIPT, "sh", folder],
                             capture_output=True, text=True, timeout=240, env=environment,
                             check=False)
        if run.returncode != 0:
            raise Failed(f"exit {run.returncode}: {run.stderr[-2000:]}")
        return {who: {name: Path(folder, f"{who}.{file}").read_text()
                      for name, file in files.items()} for who in ("heddle", "opensm")}


def records(text):
    """The dumps in the text, each as a list of its lines."""
    found = []
    for line in text.splitlines():
        if not line[:1].isspace() or not found:
            found.append([])
        found[-1].append(re.sub(r"\.{2,}", " ", line).strip())
    return [record for record in found if any(record)]


def adapters(text):
    """The upper half of the GIDs of channel adapters, as saquery writes them, in NodeRecords."""
    found = set()
    for record in records(text):
        if "node_type Channel Adapter" in record:
            guid = next(line.split("0x")[1] for line in record if line.startswith("port_guid"))
            found.add(guid)
    return found


def guid_of(gid):
    """fe80::248:4403:0:10 -> 0248440300000010"""
    return "".join(part.zfill(4) for part in gid.split("::")[1].split(":")).zfill(16)


def expected_to_agree(name, record, hosts):
    lines = [line for line in record
             if name not in ALLOWED or not re.search(ALLOWED[name], line)]
    ends = [line.split()[1] for line in record if line.startswith(("sgid ", "dgid "))]
    if any(guid_of(end) not in hosts for end in ends):
        # OpenSM takes port 0 of a switch, which has no link, for one of 2.5 Gb/s.
        lines = [line for line in lines if not line.startswith("rate ")]
    # A listing without dumps: its order says nothing.
    return tuple(sorted(lines) if name == "channel adapters" else lines)


def compare(answers):
    """Yields a sentence for each difference."""
    hosts = adapters(answers["opensm"]["NodeRecord"])
    for name in QUERIES:
        told = {who: sorted(expected_to_agree(name, record, hosts)
                            for record in records(texts[name]))
                for who, texts in answers.items()}
        print(f"{name}: {len(told['heddle'])} and {len(told['opensm'])} records")
        if not told["opensm"]:
            yield f"{name}: nobody said anything"
        for who, other in (("heddle", "opensm"), ("opensm", "heddle")):
            alone = [record for record in told[who] if record not in told[other]]
            for record in alone[:3]:
                yield f"{name}: only {who} ({len(alone)}): " + "; ".join(record)
        if len(told["heddle"]) != len(told["opensm"]):
            yield f"{name}: not as many records"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--fabric", required=True)
    parser.add_argument("--keep", help="write what was printed into this folder")
    options = parser.parse_args()
    if reason := without_door():
        print(f"skipped: {reason}")
        return SKIPPED
    answers = ask(str(Path(options.heddle).resolve()), options.fabric)
    if options.keep:
        for who, texts in answers.items():
            for name, text in texts.items():
                Path(options.keep, f"{who}.{name.replace(' ', '_')}").write_text(text)
    differences = list(compare(answers))
    for difference in differences:
        print(difference)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
