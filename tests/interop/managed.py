#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A command beside `heddle sm`: managed.py [OPTION OF HEDDLE SM ...] -- COMMAND. Started by
inside.py on a fabric that nobody has brought up; the command is run when subnet administration
answers, and sm.txt is what the manager logs meanwhile."""

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "doors" / "device"))
from tools import read, start, wait_for  # noqa: E402


def bring_up(*options):
    manager = start(os.environ["HEDDLE"], "sm", "--lid-memory", "lids", *options, log="sm.txt")
    wait_for("an answer of subnet administration", lambda: subprocess.run(
        ["saquery", "CPI"], capture_output=True, check=False).returncode == 0)
    return manager


def main():
    middle = sys.argv.index("--")
    manager = bring_up(*sys.argv[1:middle])
    code = subprocess.run(sys.argv[middle + 1:], check=False).returncode
    if manager.poll() is not None:
        print("the manager ended on the way")
        code = 1
    manager.terminate()
    manager.wait()
    if code != 0:
        print("--- the manager said:", read("sm.txt")[-4000:], sep="\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
