#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`heddle sm --partitions FILE` gives ports what Heddle's reading of the file says (which
partitions.py compares with OpenSM's), and follows the file when it changes: tables, enforcement
and groups as Debian's smpquery and saquery read them from the devices.

  partitions_daemon.py --heddle build/gcc/heddle --memberships .../partition_memberships FILES
  partitions_daemon.py --heddle build/gcc/heddle --memberships .../partition_memberships reload"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import partitions
from partitions import FABRIC, GUIDS, MANAGER, SKIPPED, groups, heddle_says, tables, without_door

# Reads everything into files named by the step, when a sweep has ended and nobody sweeps.
LOOK = r"""
look() {
  for way in 0 0,1 0,1,2 0,1,3 0,1,8 0,1,8,1 0,1,8,2 0,1,8,3; do
    echo "at $way"
    smpquery pkeys -D "$way" || exit 4
  done > "$1.tables"
  for port in 1 2 3 8; do
    echo "at $port"
    smpquery pkeys -D 0,1 "$port" || exit 5
    smpquery portinfo -D 0,1 "$port" | grep PartEnforce
  done > "$1.enforced"
  saquery -g > "$1.groups" 2>&1
}
sweeps() { grep -c SweepFinished sm.txt; }
await() {
  for tries in $(seq 200); do
    "$@" && return
    sleep 0.05
  done
  echo "waited in vain: $*"; cat sm.txt; exit 3
}
up() { saquery CPI > /dev/null 2>&1; }
more_sweeps() { test "$(sweeps)" -gt "$before"; }
cd "$1"
"$HEDDLE" sm --config heddle.toml --partitions partitions.conf --lid-memory lids \
  --log-level debug > sm.txt 2>&1 &
manager=$!
await up
"""

ONCE = LOOK + r"""
look first
kill $manager; wait $manager
"""

RELOAD = LOOK + r"""
reload() {  # STEP FILE
  cp "$2" partitions.conf
  before=$(sweeps)
  kill -HUP $manager
  await more_sweeps
  look "$1"
}
look first
reload same first.conf
reload added added.conf
reload broken broken.conf
reload back first.conf
kill $manager; wait $manager
"""


class Failed(Exception):
    pass


def run(heddle, script, files, options):
    """The folder's texts by name, after the script has run on the manager's host."""
    with tempfile.TemporaryDirectory(prefix="heddle-partitions-") as folder:
        for name, content in files.items():
            Path(folder, name).write_bytes(content)
        both = "true" if "allow_both_pkeys" in options else "false"
        Path(folder, "heddle.toml").write_text(f"[partitions]\nallow_both_pkeys = {both}\n")
        environment = {**os.environ, "XDG_RUNTIME_DIR": folder, "LC_ALL": "C", "HEDDLE": heddle}
        done = subprocess.run(
            [heddle, "sim", "run", str(FABRIC), "--", "sh", "-c", script, "sh", folder],
            capture_output=True, text=True, timeout=100, env=environment, check=False)
        if done.returncode != 0:
            raise Failed(f"exit {done.returncode}: {done.stdout[-3000:]}{done.stderr[-1000:]}")
        return {path.name: path.read_text() for path in Path(folder).iterdir()
                if path.suffix in (".tables", ".enforced", ".groups", ".txt")}


def without_end(keys):
    """The table without the empty places behind its last key."""
    while keys and keys[-1] == "0x0000":
        keys = keys[:-1]
    return keys


def held(texts, step):
    return {GUIDS[way]: without_end(keys)
            for way, keys in tables(texts[f"{step}.tables"]).items()}


def expected(memberships, conf):
    """Keys by port GUID, and groups: nobody but the manager talks under a file that is refused."""
    keys, made = heddle_says(memberships, conf)
    if keys is None:
        return {guid: ["0xffff" if guid == MANAGER else "0x7fff"] for guid in GUIDS.values()}, {}
    return keys, made


def compare(step, texts, wanted, made):
    """Yields a sentence for each difference between what the step shows and what is wanted."""
    found = held(texts, step)
    for guid, keys in wanted.items():
        if sorted(keys) != sorted(key for key in found[guid] if key != "0x0000"):
            yield f"{step}: {guid} holds {found[guid]}, not {keys}"
        elif step == "first" and keys[0] != found[guid][0]:
            yield f"{step}: {guid} holds {found[guid]}, but {keys[0]} belongs at index 0"
    shown = groups(texts[f"{step}.groups"])
    hidden = {mgid for mgid, group in made.items()
              if f"{group[2] | 0x8000:#06x}" not in wanted[MANAGER]
              and f"{group[2] & 0x7fff:#06x}" not in wanted[MANAGER]}
    if shown.keys() != made.keys() - hidden:
        yield f"{step}: groups {sorted(shown)}, not {sorted(made.keys() - hidden)}"
    for mgid in shown.keys() & made.keys():
        if shown[mgid] != made[mgid]:
            yield f"{step}: {mgid} is {shown[mgid]}, not {made[mgid]}"
    enforced = tables(texts[f"{step}.enforced"])
    for port, guid in (("1", MANAGER), ("2", GUIDS["0,1,2"]), ("3", GUIDS["0,1,3"])):
        *keys, inbound, outbound = enforced[port]
        # The full key of each partition: a limited one would not let a limited member send.
        passing = {f"{int(key, 16) | 0x8000:#06x}" for key in wanted[guid]}
        if set(without_end(keys)) - {"0x0000"} != passing or (inbound, outbound) != ("1", "1"):
            yield f"{step}: left port {port}: {without_end(keys)} {inbound} {outbound}"
    if enforced["8"][-2:] != ["0", "0"]:
        yield f"{step}: P_Keys are checked between switches"


def judge(heddle, memberships, conf):
    options = partitions.options_of(conf)
    texts = run(heddle, ONCE, {"partitions.conf": conf.read_bytes()}, options)
    without_qos = conf.read_bytes().replace(b"# qos", b"#", 1)
    with tempfile.TemporaryDirectory(prefix="heddle-partitions-") as folder:
        copy = Path(folder, conf.name)
        copy.write_bytes(without_qos)
        yield from compare("first", texts, *expected(memberships, copy))


FIRST = """Default=0x7fff, ipoib : ALL=full ;
One=0x1, ipoib : 0x2001=full, 0x3001=full ;
Two=0x2 : 0x4001=full, SELF=full ;
"""
ADDED = (FIRST.replace("0x3001=full", "0x3001=limited, 0x5001=full") +
         "Three=0x3 : ALL_CAS=full ;\n")
BROKEN = FIRST + "Four=0x4 : 4001x=full ;\n"


def sets_by_sweep(log):
    return [int(sets) for sets in re.findall(r"SweepFinished .*?\bsets=(\d+)", log)]


def reload(heddle, memberships):
    files = {"partitions.conf": FIRST, "first.conf": FIRST, "added.conf": ADDED,
             "broken.conf": BROKEN}
    texts = run(heddle, RELOAD, {name: text.encode() for name, text in files.items()}, ())
    with tempfile.TemporaryDirectory(prefix="heddle-partitions-") as folder:
        wanted = {}
        for name in ("first.conf", "added.conf"):
            Path(folder, name).write_text(files[name])
            wanted[name] = expected(memberships, Path(folder, name))
    for step, name in (("first", "first.conf"), ("same", "first.conf"), ("added", "added.conf"),
                       ("broken", "added.conf"), ("back", "first.conf")):
        yield from compare(step, texts, *wanted[name])
    # A key stays where it is: hosts refer to it by its index.
    for guid in GUIDS.values():
        before, after = (held(texts, step)[guid] for step in ("first", "added"))
        for index, key in enumerate(before):
            if key in wanted["added.conf"][0][guid] and after[index] != key:
                yield f"{guid}: {before} became {after}"
    log = texts["sm.txt"]
    if not re.search(r"partitions\.conf:4:\d+: ", log) or "PartitionsKept" not in log:
        yield "the broken file is not told of by file, line and reason"
    sets = sets_by_sweep(log)
    print(f"Sets of each sweep: {sets}")
    # 8 tables of end ports and 6 of switch ports to hosts change by one block each, at most.
    if sets[0] < 30 or sets[1] != 0 or sets[3] != 0 or not all(
            0 < sets[i] <= 14 for i in (2, 4)):
        yield f"Sets of the sweeps: {sets}; only differences should be sent"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--memberships", required=True)
    parser.add_argument("what", nargs="+", help="files, or 'reload'")
    options = parser.parse_args()
    if reason := without_door():
        print(f"skipped: {reason}")
        return SKIPPED
    heddle = str(Path(options.heddle).resolve())
    wrong = 0
    for what in options.what:
        found = list(reload(heddle, options.memberships) if what == "reload" else
                     judge(heddle, options.memberships, Path(what)))
        print(f"{Path(what).name}: {len(found)} differences")
        for difference in found:
            print(f"  {difference}")
        wrong += len(found)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
