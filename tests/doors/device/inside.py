#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a test program inside the device door: inside.py --heddle H [OPTION ...] -- COMMAND.
Exit code 77 where the door cannot be opened because the machine has no usable /dev/fuse."""

import argparse
import os
import subprocess
import sys
import tempfile

SKIPPED = 77


def without_door():
    """Why there is no door on this machine, or nothing."""
    if not os.path.exists("/dev/fuse"):
        return "there is no /dev/fuse: module fuse is missing, or the container does not pass it"
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return "/dev/fuse may not be opened by this user"
    probe = "import ctypes, os; n = 0x20000 | (0 if os.geteuid() == 0 else 0x10000000); " \
            "raise SystemExit(ctypes.CDLL(None).unshare(n) != 0)"
    if subprocess.run([sys.executable, "-c", probe], check=False).returncode != 0:
        return "this user may not make mount namespaces"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--fabric", default="pair")
    parser.add_argument("--at", action="append", default=[])
    parser.add_argument("--loss", default="0")
    parser.add_argument("--bring-up", action="store_true", help="with 'heddle sm --once'")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    reason = without_door()
    if reason:
        print(f"skipped: {reason}")
        return SKIPPED
    command = options.command
    if options.bring_up:
        script = '"$HEDDLE" sm --once --log-level error >sm.txt 2>&1 || { cat sm.txt; exit 1; }\n'
        command = ["sh", "-c", script + 'exec "$@"', "sh", *command]
    places = [word for at in options.at for word in ("--at", at)]
    with tempfile.TemporaryDirectory(prefix="heddle-door-") as folder:
        environment = {**os.environ, "HEDDLE": os.path.abspath(options.heddle),
                       "XDG_RUNTIME_DIR": folder, "OSM_TMP_DIR": folder, "OSM_CACHE_DIR": folder}
        door = [os.path.abspath(options.heddle), "sim", "run", options.fabric, *places,
                "--loss", options.loss, "--", *command]
        return subprocess.run(door, cwd=folder, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
