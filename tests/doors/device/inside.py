#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a test program inside the device door: inside.py --heddle H [OPTION ...] -- COMMAND.
Exit code 77 where the door cannot be opened because the machine has no usable /dev/fuse."""

import argparse
import os
import shutil
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


# A device file that anybody may open, as on ordinary systems; for a user who is nobody.
AS_NOBODY = """
mknod "$1/fuse" c 10 229 && chmod 666 "$1/fuse" && mount --bind "$1/fuse" /dev/fuse || exit 77
shift
exec "$@"
"""
TO_NOBODY = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--")


def as_nobody(folder, door, with_fuse=True):
    """The command line that does the same without being root. Its programs are copied, with the
    library beside them: nobody else might be let into the tree that they were built in."""
    if os.geteuid() != 0:
        return door
    os.mkdir(f"{folder}/bin")
    words = []
    for word in door:
        if os.path.isabs(word) and os.access(word, os.X_OK) and os.path.isfile(word):
            library = os.path.join(os.path.dirname(word), "libheddle-ring.so")
            if os.path.exists(library):
                shutil.copy(library, f"{folder}/bin")
            word = shutil.copy(word, f"{folder}/bin")
        words.append(word)
    for path in (folder, f"{folder}/bin"):
        os.chown(path, 65534, 65534)
    if not with_fuse:
        return [*TO_NOBODY, *words]
    return ["unshare", "-m", "sh", "-c", AS_NOBODY, "sh", folder, *TO_NOBODY, *words]


def run_inside(script, description, inside, timeout, at=("host-0001",), fabric="fat-tree:2,4",
               without=lambda: None):
    """The main() of a script that tests one thing: inside(heddle, folder) runs on the fabric, as
    `script` called once more there. without() may say why the machine cannot."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--inside", help="the folder to work in")
    options = parser.parse_args()
    heddle = os.path.abspath(options.heddle)
    if options.inside:
        inside(heddle, options.inside)
        return 0
    if reason := without_door() or without():
        print(f"skipped: {reason}")
        return SKIPPED
    script = os.path.abspath(script)
    name = os.path.basename(script).removesuffix(".py").replace("_", "-")
    places = [word for host in at for word in ("--at", host)]
    with tempfile.TemporaryDirectory(prefix=f"heddle-{name}-") as folder:
        door = [heddle, "sim", "run", fabric, *places, "--", sys.executable, script,
                "--heddle", heddle, "--inside", folder]
        return subprocess.run(door, env={**os.environ, "XDG_RUNTIME_DIR": folder},
                              timeout=timeout, check=False).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--fabric", default="pair")
    parser.add_argument("--at", action="append", default=[])
    parser.add_argument("--door", default="device", choices=("device", "ring"))
    parser.add_argument("--loss", default="0")
    parser.add_argument("--bring-up", action="store_true", help="with 'heddle sm --once'")
    parser.add_argument("--unprivileged", action="store_true", help="without being root")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    by_ring = options.door == "ring"
    if not by_ring and (reason := without_door()):
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
                "--door", options.door, "--loss", options.loss, "--", *command]
        if options.unprivileged:
            door = as_nobody(folder, door, with_fuse=not by_ring)
        return subprocess.run(door, cwd=folder, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
