#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Debian's osmtest judges `heddle sm`: osmtest.py FLOWS, whose letters are run one after another.
Started by inside.py on a host of a fabric that nobody has brought up.

  inside.py --heddle build/gcc/app/heddle --fabric star:5 -- osmtest.py vsemtq"""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "doors" / "device"))
from managed import bring_up  # noqa: E402
from tools import Failed, expect, read, run  # noqa: E402

FLOWS = {
    "c": "Create Inventory",
    "v": "Validate Inventory",
    "a": "All Validations",
    "s": "Services Registration",
    "e": "Event Forwarding",
    "f": "Stress SA",  # 100,000 queries, one after another
    "m": "Multicast",
    "t": "Trap 64/65",  # osmtest says itself that it has nothing behind this name
    "q": "QoS: VLArb and SLtoVL",
}


def flow(letter):
    begin = time.monotonic()
    said = run("osmtest", "-f", letter, "-i", os.path.abspath("inventory"),
               "-l", os.path.abspath(f"{letter}.log"), good=range(256), patience=150)
    print(f"{letter} ({FLOWS[letter]}): {time.monotonic() - begin:.1f} s", flush=True)
    tests = re.findall(r'OSMTEST: TEST "(.*?)" (\w+)', said)
    if tests != [(FLOWS[letter], "PASS")]:
        raise Failed(f"osmtest -f {letter}:\n{said[-1500:]}\n{read(f'{letter}.log')[-3000:]}")


def main():
    manager = bring_up()
    try:
        flow("c")
        # What all others compare with: were it empty, they would find nothing wrong.
        expect("nodes in the inventory", len(re.findall(r"DEFINE_NODE", read("inventory"))), 6)
        for letter in sys.argv[1]:
            flow(letter)
        expect("the manager's exit", manager.poll(), None)
    except (Failed, subprocess.TimeoutExpired) as failure:
        print(failure, "--- the manager said:", read("sm.txt")[-2000:], sep="\n")
        return 1
    finally:
        manager.terminate()
        manager.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
