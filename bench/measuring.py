# SPDX-License-Identifier: BSD-3-Clause
"""What the measurements share: a run's wall time and memory, medians, a table."""

import json
import os
import statistics
import subprocess
import time
from dataclasses import dataclass


@dataclass
class Run:
    seconds: float     # from exec to exit
    megabytes: float   # the largest resident set
    cpu: float         # seconds, user and system
    code: int
    output: str


def run(command, environment=None, folder=None):
    """Runs to the end. wait4 gives the figures of this child alone, where getrusage would give the
    largest of all children so far."""
    with open(os.path.join(folder or ".", f"run-{os.getpid()}.out"), "w+b") as output:
        begin = time.monotonic()
        process = subprocess.Popen([str(word) for word in command], env=environment, cwd=folder,
                                   stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode(errors="replace")
        os.unlink(output.name)
    return Run(seconds, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime,
               process.returncode, text)


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
