# SPDX-License-Identifier: BSD-3-Clause
"""What the measurements share: a run's wall time and memory, medians, a table."""

import json
import os
import statistics
import subprocess
from dataclasses import dataclass

# By hosts, as for heddle sim.
TREES = {16: "star:16", 648: "fat-tree:18,36", 3456: "xgft:12,12,24;1,12,12",
         5832: "xgft:18,18,18;1,18,18", 11664: "xgft:18,18,36;1,18,18",
         27648: "xgft:24,24,48;1,24,24", 45056: "xgft:32,32,44;1,32,32"}


@dataclass
class Run:
    seconds: float     # from exec to exit
    megabytes: float   # the largest resident set
    cpu: float         # seconds, user and system
    code: int
    output: str


def run(command, environment=None, folder="."):
    """Runs to the end under time(1): a child of a large parent such as Python would begin with the
    parent's resident set as its own peak."""
    figures = os.path.join(folder, f"time-{os.getpid()}")
    # The environment may preload a library; that is for the command, not for time(1).
    command = ["env", *(f"{key}={value}" for key, value in (environment or {}).items()), *command]
    done = subprocess.run(["/usr/bin/time", "-f", "%e %M %U %S", "-o", figures,
                           *map(str, command)], cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    with open(figures, encoding="utf-8") as lines:
        seconds, kilobytes, user, system = lines.read().splitlines()[-1].split()
    os.unlink(figures)
    return Run(float(seconds), int(kilobytes) / 1024, float(user) + float(system),
               done.returncode, done.stdout.decode(errors="replace"))


def event(output, name):
    """The last event of this name in a JSON log, fields in one dictionary; {} without one."""
    found = {}
    for line in output.splitlines():
        if f'"{name}"' not in line:
            continue
        try:
            value = json.loads(line)
        except ValueError:
            continue
        nested = [part for part in value.values() if isinstance(part, dict)]
        found = {key: field for part in [value, *nested] for key, field in part.items()}
    return found


def median(runs, field):
    return statistics.median(getattr(run, field) for run in runs)


def table(rows):
    widths = [max(len(str(row[column])) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(str(cell).ljust(width) if column == 0 else str(cell).rjust(width)
                        for column, (cell, width) in enumerate(zip(row, widths))))
