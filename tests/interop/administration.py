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

# As a shell reads them; $OWN is the LID of the host that asks, and 1 that of the first switch.
QUERIES = {
    "ClassPortInfo": "CPI",
    "NodeRecord": "NR",
    "NodeRecord by LID": "NR $OWN",
    "NodeRecord by name": "NR 'host-0002 HCA-1'",
    "LIDs of a name": "-L 'host-0002 HCA-1'",
    "LID of a name": "-l 'host-0002 HCA-1'",
    "GUID of a name": "-G 'host-0002 HCA-1'",
    "name of a LID": "-O $OWN",
    "name of a GUID": "-U 0x0248440380000021",
    "channel adapters": "-D",
    "PortInfoRecord": "PIR",
    "PortInfoRecord by LID": "PIR $OWN",
    "PortInfoRecord by LID and port": "PIR 1/1",
    "IsSM": "-s",
    "LinkRecord": "LR",
    "LinkRecord as -x": "-x",
    "SwitchInfoRecord": "SWIR",
    "LFTRecord": "LFTR",
    "SMInfoRecord": "SMIR",
    "SMInfoRecord by LID": "SMIR $OWN",
    "GUIDInfoRecord": "GIR",
    "GUIDInfoRecord by LID": "GIR $OWN/0",
    "PathRecord": "PR",
    "PathRecord by LIDs": "PR --slid 1 --dlid 2",
    "PathRecord by P_Key": "PR --pkey 0xffff",
    "PathRecord between names": "--src-to-dst 'host-0001 HCA-1:host-0002 HCA-1'",
    "reversible": "PR --slid 1 --reversible 1 --numb_path 1",
    "MCMemberRecord": "MCMR",
    "MCMemberRecord by MLID": "MCMR --mlid 0xc000",
    "MCMemberRecord by P_Key": "MCMR --pkey 0xffff",
    "MCMemberRecord by MGID": "MCMR --mgid ff12:401b:ffff::1",
    "MCMemberRecord, trusted": "MCMR --smkey 1",
    "groups": "-g",
    "members": "-m --smkey 1",
    "members of an MLID": "-m 0xC000 --smkey 1",
    "ServiceRecord": "SR",
    "ServiceRecord as -S": "-S",
    "InformInfoRecord": "IIR",
    "InformInfoRecord as -I": "-I",
    "PKeyTableRecord": "PKTR",
    "PKeyTableRecord, trusted": "PKTR --smkey 1",
    "PKeyTableRecord by LID, trusted": "PKTR $OWN --smkey 1",
    "SL2VLTableRecord": "SL2VL",
    "VLArbitrationTableRecord": "VLAR",
    "MFTRecord": "MFTR",
}

# One fabric for both managers, so that OpenSM finds the LIDs that Heddle dealt, and keeps them.
SCRIPT = r"""
set -u
cd "$1"
export GUID="0x$(tail -c 20 /sys/class/infiniband/mlx5_0/ports/1/gids/0 | tr -d ':\n')"
for who in heddle opensm; do
  sh "start-$who" > "$who.log" 2>&1 &
  manager=$!
  for tries in $(seq 300); do
    saquery CPI > up.log 2>&1 && break
    sleep 0.1
  done
  for device in mlx5_0 mlx5_1 mlx5_2; do
    "$SA_HOST" ipoib $device 0xffff || exit 3
  done > "$who.joined"
  export OWN=$(printf %d "$(cat /sys/class/infiniband/mlx5_0/ports/1/lid)")
  "$SA_HOST" service mlx5_1 0x1000 || exit 4
  "$SA_HOST" subscribe mlx5_0 65 || exit 5
  sleep 1
  while read -r file query; do
    eval "timeout 30 saquery $query" > "$who.$file" 2>&1 || echo "exit $?" >> "$who.$file"
  done < queries
  kill $manager; wait $manager
done
exit 0
"""

# Lines that may differ, by the beginning of the query's name (docs/subnet-administration.md).
ALLOWED = {
    "ClassPortInfo": r"^(Capability|Redirect QP|Redirect QKey|Trap QKey|Response|RespTime)",
    "PortInfoRecord": r"^(PartEnforce|LocalPhysErr|OverrunErr)",  # settings of the manager
    "SwitchInfoRecord": r"^MulticastFDBTop",
    "LFTRecord": r"^\d+\s+\d+$",  # another engine deals the ways out otherwise
    "MFTRecord": r"^0x",
    "SMInfoRecord": r"^(ActCount|Priority|Act)",
    "MCMemberRecord": r"^mlid",
    "groups": r"^Mlid",
    "members": r"^Mlid",
    "InformInfoRecord": r"^lid_range_end",
    "PKeyTableRecord": r"^(Block|ERROR)",
    "SL2VL": r"^VL:",
    "VLArb": r"^(VL|Weight)",
}
REFUSED = ("PKeyTableRecord",)  # by both, without a key
# The group that exists before any host comes.
HEDDLE_ALONE = {"MGID ff12:601b:ffff::ffff:ffff"}


HOSTS = ("host-0001", "host-0002", "host-0003")  # that join, register and subscribe


class Failed(Exception):
    pass


def ask(heddle, sa_host, fabric):
    """What saquery printed, by manager and name of the query."""
    with tempfile.TemporaryDirectory(prefix="heddle-sa-") as folder:
        files = {name: f"q{i}" for i, name in enumerate(QUERIES)}
        listing = (f"{file} {QUERIES[name]}\n" for name, file in files.items())
        Path(folder, "queries").write_text("".join(listing))
        Path(folder, "start-heddle").write_text(
            f"exec '{heddle}' sm --port mlx5_0:1 --lid-memory lids\n")
        Path(folder, "start-opensm").write_text('exec opensm -g "$GUID" -f opensm.out\n')
        environment = {**os.environ, "XDG_RUNTIME_DIR": folder, "OSM_TMP_DIR": folder,
                       "OSM_CACHE_DIR": folder, "SA_HOST": sa_host}
        places = [word for host in HOSTS for word in ("--at", host)]
        inside = ["sh", "-c", SCRIPT, "sh", folder]
        run = subprocess.run([heddle, "sim", "run", fabric, *places, "--", *inside],
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


def lid_of(record):
    return next((line.split()[1] for line in record if line.lower().startswith("lid ")), None)


def switches(text):
    """LIDs of switches, in NodeRecords."""
    return {lid_of(record) for record in records(text) if "node_type Switch" in record}


def ways_in(links, manager):
    """By LID of a switch: its ports at the end of the shortest ways from the manager's port."""
    cables = [(values["FromLID"], values["ToLID"], values["ToPort"]) for values in
              (dict(line.split() for line in record[1:]) for record in links)]
    hops, ports, nearest = {manager: 0}, {}, [manager]
    for here in nearest:
        for _, there, port in (cable for cable in cables if cable[0] == here):
            if there not in hops:
                hops[there] = hops[here] + 1
                nearest.append(there)
            if hops[there] == hops[here] + 1:
                ports.setdefault(there, set()).add(port)
    return ports


def with_any_way_in(record, entries):
    """Of equal ways to a switch a manager takes the one that answers first, and LocalPort tells."""
    values = dict(line.split(maxsplit=1) for line in record if " " in line)
    if values.get("LocalPort:") not in entries.get(values.get("EndPortLid"), ()):
        return record
    return ["LocalPort: of a shortest way" if line.startswith("LocalPort:") else line
            for line in record]


def compared(name, record, switch_lids):
    """Whether both managers should have this record."""
    if HEDDLE_ALONE & set(record):
        return False
    values = dict(line.split(maxsplit=1) for line in record if " " in line)
    if name.startswith("PKeyTable") and values.get("LID") in switch_lids:
        return values["Port"] == "0"  # outer ports have a table only where they are told to enforce
    return not name.startswith("MFT")  # trees differ, and so do the switches that have blocks


def expected_to_agree(name, record, hosts, switch_lids):
    allowed = next((lines for begin, lines in ALLOWED.items() if name.startswith(begin)), None)
    lines = [line for line in record if not allowed or not re.search(allowed, line)]
    if name.startswith(("PKeyTable", "VLArb")) and lid_of(record) not in switch_lids:
        lines = [line for line in lines if not line.startswith("Port ")]  # OpenSM says 1, we 0
    ends = [line.split()[1] for line in record if line.startswith(("sgid ", "dgid "))]
    if any(guid_of(end) not in hosts for end in ends):
        # OpenSM takes port 0 of a switch, which has no link, for one of 2.5 Gb/s.
        lines = [line for line in lines if not line.startswith("rate ")]
    # A listing without dumps: its order says nothing.
    return tuple(sorted(lines) if name == "channel adapters" else lines)


def compare(answers):
    """Yields a sentence for each difference."""
    nodes = answers["opensm"]["NodeRecord"]
    hosts, switch_lids = adapters(nodes), switches(nodes)
    manager = lid_of(records(answers["opensm"]["SMInfoRecord"])[0])
    entries = ways_in(records(answers["opensm"]["LinkRecord"]), manager)
    for name in QUERIES:
        all_told = {who: records(texts[name]) for who, texts in answers.items()}
        if name.startswith("PortInfoRecord"):
            all_told = {who: [with_any_way_in(record, entries) for record in found]
                        for who, found in all_told.items()}
        told = {who: sorted(expected_to_agree(name, record, hosts, switch_lids) for record in found
                            if compared(name, record, switch_lids))
                for who, found in all_told.items()}
        print(f"{name}: {len(all_told['heddle'])} and {len(all_told['opensm'])} records")
        if not all(all_told.values()) or (name not in REFUSED and any(
                record[0].startswith("exit") for found in all_told.values() for record in found)):
            yield f"{name}: somebody has no answer"
        for who, other in (("heddle", "opensm"), ("opensm", "heddle")):
            alone = [record for record in told[who] if record not in told[other]]
            for record in alone[:3]:
                yield f"{name}: only {who} ({len(alone)}): " + "; ".join(record)[:1000]
        if len(told["heddle"]) != len(told["opensm"]):
            yield f"{name}: not as many records"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--sa-host", required=True, help="the program of sa_host.cpp")
    parser.add_argument("--fabric", required=True)
    parser.add_argument("--keep", help="write what was printed into this folder")
    options = parser.parse_args()
    if reason := without_door():
        print(f"skipped: {reason}")
        return SKIPPED
    answers = ask(str(Path(options.heddle).resolve()), str(Path(options.sa_host).resolve()),
                  options.fabric)
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
