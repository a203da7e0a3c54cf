#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Heddle as master and Debian's OpenSM as its standby on a fabric that is never still, in real
time: cables are pulled and put back, and the standby dies and comes again. Now and then all is
left alone; then the outside judges must find the fabric right, and Heddle must hold no more
descriptors, threads and memory than before, and have logged no more for each fault.

  endurance.py --heddle build/gcc/heddle --server ibsim --minutes 60"""

import argparse
import os
import random
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from mastership import HEDDLE, Managers, SocketBench, Wrong, watched

# Each cable is lost far more often than any would be used again soon after.
CONFIGURATION = HEDDLE + "flap_limit = 0\n"
MEMORY_MARGIN = 1.1     # of the most that an early look saw
MEMORY_NOISE = 1 << 20  # bytes: what an allocator may take for a burst
LOG_MARGIN = 1.5
LEAST_LOOKS = 6


@dataclass
class Footprint:
    faults: int       # so far
    descriptors: int
    threads: int
    memory: int       # bytes that are resident
    log: int          # bytes so far


def footprint_of(process, faults, log):
    status = dict(line.split(":", 1) for line in
                  Path(f"/proc/{process.pid}/status").read_text().splitlines())
    return Footprint(faults, len(os.listdir(f"/proc/{process.pid}/fd")), int(status["Threads"]),
                     int(status["VmRSS"].split()[0]) * 1024, log.stat().st_size)


def what_grew(looks):
    """Sentences about what the last third of the looks has more of than the first third."""
    third = len(looks) // 3
    early, late = looks[:third], looks[-third:]

    def most(of, name):
        return max(getattr(look, name) for look in of)

    def logged(of, before):
        return (of[-1].log - before.log) / (of[-1].faults - before.faults)

    grew = [f"{name} grew from {most(early, name)} to {most(late, name)}"
            for name in ("descriptors", "threads") if most(late, name) > most(early, name)]
    memory = most(early, "memory"), most(late, "memory")
    if memory[1] > memory[0] * MEMORY_MARGIN + MEMORY_NOISE:
        grew.append(f"memory grew from {memory[0]:,} to {memory[1]:,} bytes")
    log = logged(looks[1:third + 1], looks[0]), logged(late, looks[-third - 1])
    if log[1] > log[0] * LOG_MARGIN:
        grew.append(f"the log grew by {log[0]:.0f} bytes for each fault, and by {log[1]:.0f} now")
    return grew


class Trouble:
    """Faults that are drawn from a seed, each over before the next begins."""

    def __init__(self, managers, seed):
        self.managers, self.bench, self.random = managers, managers.bench, random.Random(seed)
        # Of the managers' own cables none: who is master is not the question here.
        self.cables = [sorted(link) for link in sorted(self.bench.net.links, key=sorted)
                       if len(link) == 2 and not any(name in self.bench.places
                                                     for name, _ in link)]

    def strike(self):
        if self.random.random() < 0.1:
            return self._standby_dies()
        return self._cable()

    def _cable(self):
        (name, port), (other, other_port) = self.random.choice(self.cables)
        self.bench.lab.console(f'Unlink "{name}"[{port}]')
        self._pause()
        self.bench.lab.console(f'Link "{name}"[{port}] "{other}"[{other_port}]')
        self._pause()

    def _standby_dies(self):
        # A client that is killed keeps one of ibsim's ten places.
        is_ibsim = self.bench.lab.server_name == "ibsim"
        self.managers.kill("opensm", by=signal.SIGTERM if is_ibsim else signal.SIGKILL)
        self._pause()
        self.managers.start("opensm", self.bench.places[1], 3)
        self._pause()

    def _pause(self):
        time.sleep(self.random.uniform(0.05, 1))


def endure(managers, trouble, minutes, faults_between):
    managers.start("heddle", managers.bench.places[0], 9)
    managers.expect_master("heddle")
    managers.start("opensm", managers.bench.places[1], 3)
    until, faults, looks = time.monotonic() + 60 * minutes, 0, []
    print("faults  descriptors  threads  memory (KiB)  log (KiB)", flush=True)
    while time.monotonic() < until or len(looks) < LEAST_LOOKS:
        for _ in range(faults_between):
            trouble.strike()
            faults += 1
        managers.expect_master("heddle")
        look = footprint_of(managers.running["heddle"][1], faults, managers.log("heddle"))
        looks.append(look)
        print(f"{look.faults:6} {look.descriptors:12} {look.threads:8} {look.memory >> 10:13} "
              f"{look.log >> 10:10}", flush=True)
    if grew := what_grew(looks):
        raise Wrong("; ".join(grew))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--server", choices=("ibsim", "heddle"), default="ibsim")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--faults-between", type=int, default=20,
                        help="how many until the fabric is judged again")
    parser.add_argument("--seed", type=int, default=time.time_ns() // 1000)
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    bench = SocketBench(str(Path(options.heddle).resolve()), options.server)
    managers = Managers(bench, CONFIGURATION)
    trouble = Trouble(managers, options.seed)
    return watched(managers, lambda: endure(managers, trouble, options.minutes,
                                            options.faults_between))


if __name__ == "__main__":
    sys.exit(main())
