#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Debian's OpenSM reads the same partitions.conf as Heddle, on the device door: the P_Keys that it
programs, and the groups that it makes, are those that Heddle's reading of the file says.

  partitions.py --heddle build/gcc/heddle --memberships .../partition_memberships FILE.conf ...

docs/partitions.md explains each difference that is allowed here."""

import argparse
import ipaddress
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "doors" / "device"))
from inside import SKIPPED, without_door  # noqa: E402

FABRIC = Path(__file__).resolve().parent / "partitions" / "fabric.net"
# Directed routes from the first host, and the port GUIDs there.
GUIDS = {"0": "0x0000000000001001", "0,1": "0x0000000000006000", "0,1,2": "0x0000000000002001",
         "0,1,3": "0x0000000000005001", "0,1,8": "0x0000000000007000",
         "0,1,8,1": "0x0000000000002002", "0,1,8,2": "0x0000000000003001",
         "0,1,8,3": "0x0000000000004001"}
MANAGER = GUIDS["0"]
EVERYBODY_FULL = {"0xffff"}

SCRIPT = r"""
cd "$1"; shift
opensm -d 2 -f osm.log -P partitions.conf "$@" > osm.out 2>&1 &
manager=$!
for tries in $(seq 300); do
  grep -q "SUBNET UP" osm.log 2> /dev/null && break
  sleep 0.1
done
grep -q "SUBNET UP" osm.log || exit 3
for way in 0 0,1 0,1,2 0,1,3 0,1,8 0,1,8,1 0,1,8,2 0,1,8,3; do
  echo "at $way"
  smpquery pkeys -D "$way" || exit 4
done > tables
for port in 1 2 3 8; do
  echo "at $port"
  smpquery pkeys -D 0,1 "$port" || exit 5
  smpquery portinfo -D 0,1 "$port" | grep PartEnforce
done > enforced
saquery -g > groups 2>&1
kill $manager; wait $manager
exit 0
"""


class Failed(Exception):
    pass


def options_of(conf):
    """The words of the file's first line: options of Heddle, which OpenSM calls otherwise."""
    words = conf.read_text().splitlines()[0].lstrip("#").split()
    return [word for word in words if word in ("qos", "allow_both_pkeys")]


def opensm_says(heddle, conf):
    """(keys by port GUID, groups by MGID, keys by port of the left switch)"""
    called = {"qos": "-Q", "allow_both_pkeys": "-W"}
    with tempfile.TemporaryDirectory(prefix="heddle-partitions-") as folder:
        Path(folder, "partitions.conf").write_bytes(conf.read_bytes())
        environment = {**os.environ, "XDG_RUNTIME_DIR": folder, "OSM_TMP_DIR": folder,
                       "OSM_CACHE_DIR": folder, "LC_ALL": "C"}
        run = subprocess.run(
            [heddle, "sim", "run", FABRIC, "--", "sh", "-c", SCRIPT, "sh", folder,
             *(called[option] for option in options_of(conf))],
            capture_output=True, text=True, timeout=120, env=environment, check=False)
        if run.returncode != 0:
            raise Failed(f"exit {run.returncode}: {run.stdout[-1000:]}{run.stderr[-1000:]}")
        by_way = tables(Path(folder, "tables").read_text())
        return ({GUIDS[way]: keys for way, keys in by_way.items()},
                groups(Path(folder, "groups").read_text()),
                tables(Path(folder, "enforced").read_text()))


def tables(text):
    """What smpquery printed: the keys of all blocks, by what stands behind `at`, and last whether
    P_Keys are checked."""
    found, current = {}, []
    for line in text.splitlines():
        if line.startswith("at "):
            current = found.setdefault(line.removeprefix("at "), [])
        elif re.match(r"\s*\d+: ", line):
            current += re.findall(r"0x[0-9a-f]{4}", line)
        elif line.startswith("PartEnforce"):
            current.append(line.rpartition(".")[2])
    return found


def groups(text):
    """MGID -> (MTU code, rate code, P_Key, SL)"""
    found, group = {}, {}
    for line in text.splitlines():
        name, _, value = re.sub(r"\.{2,}", " ", line).strip().partition(" ")
        group[name.lower()] = value
        if name == "SL":
            found[ipaddress.IPv6Address(group["mgid"]).exploded] = (
                int(group["mtu"], 16) & 0x3F, int(group["rate"], 16) & 0x3F,
                int(group["pkey"], 16), int(value, 16))
    return found


def heddle_says(memberships, conf):
    """The same; nothing for a file that is refused. An MGID's value is as above."""
    run = subprocess.run([memberships, FABRIC, conf, MANAGER, *options_of(conf)],
                         capture_output=True, text=True, timeout=60, check=False)
    if run.returncode != 0:
        return None, run.stderr
    keys, made = {}, {}
    for line in run.stdout.splitlines():
        kind, name, *rest = line.split()
        if kind == "port":
            keys[name] = rest
        else:
            made[ipaddress.IPv6Address(name).exploded] = (
                int(rest[0]), int(rest[1]), int(rest[2], 16), int(rest[3]))
    return keys, made


def without_zeros(keys):
    return {key for key in keys if key != "0x0000"}


def compare_keys(name, theirs, ours):
    if theirs.keys() != ours.keys():
        yield f"OpenSM programs {sorted(theirs)}, Heddle {sorted(ours)}"
        return
    for guid, table in theirs.items():
        if name == "default_without_manager" and guid == MANAGER:
            # OpenSM makes its own port a limited member, and then nobody can ask it anything.
            if without_zeros(table) != {"0x7fff"} or ours[guid] != ["0xffff"]:
                yield f"{guid}: not the difference that docs/partitions.md tells of"
        elif without_zeros(table) != set(ours[guid]):
            yield f"{guid}: OpenSM {sorted(without_zeros(table))}, Heddle {sorted(ours[guid])}"
        elif "both" not in name and table[0] != ours[guid][0]:
            # Of two keys of one partition OpenSM puts the limited one first, Heddle the full one.
            yield f"{guid}: OpenSM has {table[0]} at index 0, Heddle {ours[guid][0]}"


BROADCAST = re.compile(r"ff1(.):401b:(.*:ffff:ffff)")


def compare_groups(theirs, ours):
    for mgid, group in theirs.items():
        same = [value for name, value in ours.items() if mgid in (name, in_link_local(name))]
        if group not in same:
            yield f"{mgid}: OpenSM {group}, Heddle {same}"
    for mgid in ours.keys() - theirs.keys():
        # OpenSM leaves the broadcast group of IPv6 to the first host that joins.
        if not re.fullmatch(r"ff1.:601b:.*:ffff:ffff", mgid) and in_link_local(mgid) not in theirs:
            yield f"{mgid}: Heddle alone"


def in_link_local(mgid):
    """OpenSM's broadcast groups have scope 2 whatever `scope=` says, against its manual."""
    return BROADCAST.sub(r"ff12:401b:\2", mgid)


def compare_enforcement(theirs, enforced):
    """The left switch lets through what its neighbours hold; a full key does for both."""
    for port, guid in (("1", MANAGER), ("2", "0x0000000000002001"), ("3", "0x0000000000005001")):
        held = without_zeros(theirs[guid])
        doubled = {key for key in held if f"0x{int(key, 16) | 0x8000:04x}" in held - {key}}
        *keys, inbound, outbound = enforced[port]
        if without_zeros(keys) != held - doubled or (inbound, outbound) != ("1", "1"):
            yield f"left port {port}: {without_zeros(keys)} {inbound} {outbound}"
    if enforced["8"][-2:] != ["0", "0"]:
        yield "OpenSM checks P_Keys between switches"


def differences(heddle, memberships, conf):
    theirs, their_groups, enforced = opensm_says(heddle, conf)
    ours, our_groups = heddle_says(memberships, conf)
    if conf.stem == "broken":
        if ours is not None or ":2:31: '4001x' is no member" not in our_groups:
            yield f"Heddle does not refuse the file: {our_groups}"
        if any(without_zeros(table) != EVERYBODY_FULL for table in theirs.values()):
            yield "OpenSM does not open the fabric any more: say so in docs/partitions.md"
        return
    if ours is None:
        yield f"Heddle refuses the file: {our_groups}"
        return
    yield from compare_keys(conf.stem, theirs, ours)
    if "allow_both_pkeys" not in options_of(conf):  # OpenSM shows no groups then
        yield from compare_groups(their_groups, our_groups)
    yield from compare_enforcement(theirs, enforced)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--memberships", required=True)
    parser.add_argument("conf", nargs="+")
    options = parser.parse_args()
    if reason := without_door():
        print(f"skipped: {reason}")
        return SKIPPED
    wrong = 0
    for conf in map(Path, options.conf):
        found = list(differences(str(Path(options.heddle).resolve()), options.memberships, conf))
        print(f"{conf.name}: {len(found)} differences")
        for difference in found:
            print(f"  {difference}")
        wrong += len(found)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
