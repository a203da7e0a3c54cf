#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""'heddle sim run' and 'enter' as a shell sees them: exit codes, what is visible inside, and that
nothing is left behind. command_line.py HEDDLE"""

import os
import subprocess
import sys
import tempfile
import time

from inside import SKIPPED, without_door


def fabrics_controls(folder, heddle, run, code, expect):
    """A script by the fabric's time, verbs from inside, a recording."""
    with open(f"{folder}/script", "w", encoding="ascii") as script:
        script.write("at 1h link down host-0001 1\n")
    state = 'until grep -q DOWN /sys/class/infiniband/mlx5_0/ports/1/state; do sleep 0.1; done'
    code("of a script of an hour in no time", 0, "run", "pair", "--time", "virtual",
         "--script", "script", "--", "timeout", "20", "sh", "-c", state)
    code("of a pace that is none", 2, "run", "pair", "--time", "fast", "--", "true")
    code("of a script that is not there", 2, "run", "pair", "--script", "none", "--", "true")
    code("of a recording that cannot be", 7, "run", "pair", "--record", "/none/x", "--", "true")
    ctl = '"$0" sim ctl "$HEDDLE_SIM" link down host-0002 1 && ' + state
    code("of a verb from inside", 0, "run", "pair", "--record", "mads", "--", "sh", "-c", ctl,
         heddle)
    expect("the recording played again", run("replay", "mads").stdout[:4], "same")
    code("after quit", 128 + 15, "run", "pair", "--", "sh", "-c",
         '"$0" sim ctl "$HEDDLE_SIM" quit; sleep 9', heddle)


def ring_door(heddle, code):
    """The same by the other door."""
    by_ring = ("run", "pair", "--door", "ring")
    code("by the ring door", 5, *by_ring, "--", "sh", "-c", "exit 5")
    code("of a missing program by the ring door", 127, *by_ring, "--", "no-such-program")
    code("of a missing node by the ring door", 6, *by_ring, "--at", "nobody", "--", "true")
    code("of a door that is none", 2, "run", "pair", "--door", "back", "--", "true")
    code("of a fabric that has no ring door", 8, "enter", "nowhere", "--door", "ring", "--", "true")
    # Inside, the door by which one came is the default; another one may be taken.
    mounted = "grep -q ' /dev/infiniband ' /proc/self/mounts && exit 9; "
    enter = mounted + 'exec "$0" sim enter "$HEDDLE_SIM" --at "$1" $2 -- sh -c "' + mounted + \
        'cat /sys/class/infiniband/mlx5_0/node_desc >&2; exit 3"'
    code("of entering by the same door", 3, *by_ring, "--", "sh", "-c", enter, heddle, "host-0002")
    code("of entering by the other door", 9, *by_ring, "--", "sh", "-c", enter, heddle,
         "host-0002", "--door=device")
    code("of entering a missing node by the ring door", 8, *by_ring, "--", "sh", "-c", enter,
         heddle, "host-0003")


# Ends the fabric, and looks at its file without ever waiting.
POLLING = """
import os, select, sys, time
umad = select.poll()
umad.register(os.open("/dev/infiniband/umad0", os.O_RDWR), select.POLLIN)
if umad.poll(0): sys.exit(1)
os.kill(int(sys.argv[1]), 9)
for _ in range(200):
    if umad.poll(0): sys.exit(7)
    time.sleep(0.05)
"""


def dead_fabric(heddle, expect):
    with tempfile.TemporaryDirectory(prefix="heddle-door-") as folder:
        environment = {**os.environ, "XDG_RUNTIME_DIR": folder}
        fabric = subprocess.Popen([heddle, "sim", "run", "pair", "--name", "dying", "--", "sleep",
                                   "20"], env=environment)
        end = time.monotonic() + 20
        while not os.path.exists(f"{folder}/heddle/dying.ring") and time.monotonic() < end:
            time.sleep(0.02)
        polling = subprocess.run([heddle, "sim", "enter", "dying", "--door", "ring", "--",
                                  sys.executable, "-c", POLLING, str(fabric.pid)],
                                 env=environment, timeout=60, check=False)
        expect("exit code of who polls a dead fabric", polling.returncode, 7)
        fabric.kill()
        fabric.wait()


def main():
    reason = without_door()
    if reason:
        print(f"skipped: {reason}")
        return SKIPPED
    heddle = os.path.abspath(sys.argv[1])
    wrong = []
    with tempfile.TemporaryDirectory(prefix="heddle-door-") as folder:
        environment = {**os.environ, "XDG_RUNTIME_DIR": folder}

        def run(*words):
            return subprocess.run([heddle, "sim", *words], cwd=folder, env=environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60,
                                  check=False)

        def expect(what, have, want):
            if have != want:
                wrong.append(f"{what}: {have!r}, not {want!r}")

        def code(what, want, *words):
            """Heddle's own codes come with a sentence."""
            done = run(*words)
            expect(f"exit code {what}", done.returncode, want)
            if want in (2, 6, 8, 126, 127):
                expect(f"a sentence about the exit code {what}", bool(done.stdout), True)

        code("of the command", 5, "run", "pair", "--", "sh", "-c", "exit 5")
        code("after a signal", 128 + 15, "run", "pair", "--", "sh", "-c", "kill -TERM $$; sleep 9")
        code("of a missing program", 127, "run", "pair", "--", "no-such-program")
        code("of a program that is none", 126, "run", "pair", "--", "/dev/null")
        code("of a missing node", 6, "run", "pair", "--at", "nobody", "--", "true")
        code("of a missing port", 6, "run", "pair", "--at", "host-0001:9", "--", "true")
        code("of a broken fabric", 6, "run", "pear", "--", "true")
        code("without a command", 2, "run", "pair")
        code("of a fabric that does not run", 8, "enter", "nowhere", "--", "true")
        enter = 'exec "$0" sim enter "$HEDDLE_SIM" --at "$1" -- sh -c "exit 9"'
        code("of a command that entered", 9, "run", "pair", "--", "sh", "-c", enter, heddle,
             "host-0002")
        code("of entering a missing node", 8, "run", "pair", "--", "sh", "-c", enter, heddle,
             "host-0003")
        code("of a name that is taken", 8, "run", "pair", "--name", "one", "--", heddle, "sim",
             "run", "pair", "--name", "one", "--", "sleep", "9")

        fabrics_controls(folder, heddle, run, code, expect)
        ring_door(heddle, code)
        dead_fabric(heddle, expect)

        outside = {path: set(os.listdir(path)) for path in ("/dev", "/sys/class")}
        for path, names in outside.items():
            inside = set(run("run", "pair", "--", "ls", path).stdout.split())
            expect(f"what is missing in {path}", names - inside, set())
        run("run", "pair", "--", "sh", "-c", "sleep 1000 & echo $! >left; sleep 0.1")
        with open(f"{folder}/left", encoding="ascii") as left:
            expect("what the command left", os.path.exists(f"/proc/{left.read().strip()}"), False)
        for path, names in outside.items():
            expect(f"what is new in {path} outside", set(os.listdir(path)) - names, set())
        time.sleep(0.1)
        expect("sockets left", os.listdir(f"{folder}/heddle"), [])
    for sentence in wrong:
        print(sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
