# SPDX-License-Identifier: BSD-3-Clause
"""A share of one core for a program, by a control group: what it may compute is then what limits
it, and not what else takes part in a measurement."""

import os
import sys
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
LEAST_US = 1000


class CpuShare:
    """A control group of version 1 or 2, as this machine has it, which whoever enters it may leave
    only by ending. A shell enters by the first of `words`, before it becomes the program, and
    limits by the second, when the program has come to rest."""

    def __init__(self, percent, period_us):
        if ROOT.joinpath("cpu", "cpu.cfs_quota_us").exists():
            top, limit = ROOT / "cpu", "cpu.cfs_quota_us"
        elif "cpu" in self._read(ROOT / "cgroup.controllers").split():
            top, limit = ROOT, "cpu.max"
        else:
            sys.exit(f"no control group of the processor below {ROOT}: a share is not to be had")
        self.folder = top / f"heddle-bench-{os.getpid()}"
        quota = period_us * percent // 100
        if quota < LEAST_US:
            sys.exit(f"{percent} % of {period_us} us: the kernel takes {LEAST_US} or more")
        try:
            if limit == "cpu.max":
                (top / "cgroup.subtree_control").write_text("+cpu")
            self.folder.mkdir()
            if limit == "cpu.max":
                self.value = f"{quota} {period_us}"
            else:
                (self.folder / "cpu.cfs_period_us").write_text(str(period_us))
                self.value = str(quota)
        except OSError as error:
            sys.exit(f"a share of the processor needs root and a control group: {error}")
        self.limit = self.folder / limit

    @staticmethod
    def _read(path):
        return path.read_text() if path.exists() else ""

    def words(self):
        """For a shell: "0" is whoever writes."""
        return (f"echo 0 > '{self.folder}/cgroup.procs'",
                f"echo {self.value} > '{self.limit}'")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.rmdir()
