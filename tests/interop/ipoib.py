#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""IP over InfiniBand from end to end: hosts join as Linux does, and packets are followed through
the tables that `heddle sm` wrote into the switches.

  ipoib.py SCENARIO --heddle build/gcc/heddle --sa-host build/gcc/tests/interop/sa_host"""

import argparse
import contextlib
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "doors" / "device"))
from inside import SKIPPED, without_door  # noqa: E402

FABRIC = "fat-tree:3,6"
MANAGER = "host-0001"
PATIENCE = 60  # seconds


class Failed(Exception):
    pass


class StoodStill(Exception):
    """The machine did, for longer than a program waits: what was seen says nothing about that."""


class Lab:
    """A fabric with names, and `heddle sm` on its first host."""

    def __init__(self, heddle, sa_host, folder):
        self.heddle, self.sa_host, self.folder = heddle, sa_host, folder
        # A fabric's sockets have its name, one for the whole machine: tests run side by side.
        self.name = Path(folder).name
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": folder}
        self.processes = []
        self.ends = []  # what else is called at the end

    def start(self, *words, log):
        with open(f"{self.folder}/{log}", "a", encoding="utf-8") as file:
            process = subprocess.Popen(words, stdout=file, stderr=subprocess.STDOUT,
                                       cwd=self.folder, env=self.environment)
        self.processes.append(process)
        return process

    def run(self, *words):
        return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              cwd=self.folder, env=self.environment, timeout=60, check=False)

    def on(self, host, *words):
        return self.heddle, "sim", "enter", self.name, "--at", host, "--", *words

    def ctl(self, *words):
        return self.run(self.heddle, "sim", "ctl", self.name, *words)

    def wait(self, what, question):
        end = time.monotonic() + PATIENCE
        while not question():
            if time.monotonic() > end:
                raise Failed(f"{what} did not happen")
            time.sleep(0.1)

    def begin(self):
        self.start(self.heddle, "sim", FABRIC, "--name", self.name, log="sim.txt")
        self.wait("the fabric's start", lambda: self.ctl("status").returncode == 0)

    def manage(self, *options):
        manager = self.start(*self.on(MANAGER, self.heddle, "sm", "--lid-memory", "lids", *options),
                             log="sm.txt")
        self.wait("an answer of subnet administration", lambda: self.run(
            *self.on(MANAGER, "saquery", "CPI")).returncode == 0)
        return manager

    def join(self, host, p_key="0xffff", verb="ipoib"):
        """MLIDs by MGID; the exit code when the manager refuses."""
        done = self.run(*self.on(host, self.sa_host, verb, "mlx5_0", p_key))
        if done.returncode != 0:
            return done.stdout
        return dict(line.split() for line in done.stdout.splitlines())

    def broadcast(self, host, p_key="0xffff"):
        groups = self.join(host, p_key)
        if isinstance(groups, str):
            raise Failed(f"{host} may not join: {groups}")
        return groups[f"ff12:401b:{int(p_key, 16):x}::ffff:ffff"]

    def ping(self, source, destination, mlid, p_key="0xffff"):
        done = self.run(self.heddle, "sim", "ping", self.name, source, destination, mlid, p_key)
        return done.returncode == 0, done.stdout

    def expect_ping(self, source, destination, mlid, p_key="0xffff", works=True):
        def right():
            return self.ping(source, destination, mlid, p_key)[0] == works
        try:
            self.wait("", right)
        except Failed:
            told = self.ping(source, destination, mlid, p_key)[1]
            raise Failed(f"{source} -> {destination} by {mlid}, {p_key}: {told}") from None

    def end(self):
        for process in reversed(self.processes):
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()
        while self.ends:
            self.ends.pop()()


def hosts(*numbers):
    return [f"host-{number:04d}" for number in numbers]


def guid(number):
    return f"{0x0248440380000001 + (number << 4):#018x}"


# --- scenarios ----------------------------------------------------------------------------------

def broadcast(lab):
    """Everybody who joined is reached, nobody else, also around a cable that is cut."""
    lab.begin()
    lab.manage()
    members = hosts(1, 2, 4, 8, 18)
    mlids = {lab.broadcast(host) for host in members}
    if len(mlids) != 1:
        raise Failed(f"one group, several MLIDs: {mlids}")
    mlid = mlids.pop()
    for source, destination in itertools.permutations(members, 2):
        lab.expect_ping(source, destination, mlid)
    lab.expect_ping(members[0], "host-0003", mlid, works=False)
    # The first leaf's ways up are cut, all but one.
    for port in ("4", "5"):
        if (done := lab.ctl("link", "down", "leaf-1", port)).returncode != 0:
            raise Failed(done.stdout)
    for source, destination in itertools.permutations(members, 2):
        lab.expect_ping(source, destination, mlid)
    left = lab.join("host-0004", verb="leave")
    if isinstance(left, str):
        raise Failed(left)
    lab.expect_ping(members[0], "host-0004", mlid, works=False)
    lab.expect_ping(members[0], "host-0018", mlid)


def child(lab):
    """A partition of its own: its interface comes up on its members, and on nobody else."""
    Path(lab.folder, "partitions.conf").write_text(
        "Default=0x7fff, ipoib : ALL=full ;\n"
        f"Tenant=0x0002, ipoib : {guid(2)}=full, {guid(8)}=full, {guid(18)}=limited ;\n")
    lab.begin()
    lab.manage("--partitions", "partitions.conf")
    members = hosts(2, 8, 18)
    mlid = {lab.broadcast(host, "0x8002") for host in members[:2]}.pop()
    # A limited member joins the same group, whose MGID holds the full key.
    lab.broadcast("host-0018", "0x8002")
    for source, destination in itertools.permutations(members[:2], 2):
        lab.expect_ping(source, destination, mlid, "0x8002")
    refused = lab.join("host-0004", "0x8002")
    if "status 0x0200" not in refused:
        raise Failed(f"a stranger's join: {refused}")
    if lab.ping("host-0002", "host-0004", mlid, "0x8002")[0]:
        raise Failed("a stranger hears the tenant")
    # The interface of the default partition is another one.
    default = {lab.broadcast(host) for host in hosts(2, 4)}.pop()
    if default == mlid:
        raise Failed(f"both partitions have MLID {mlid}")
    lab.expect_ping("host-0002", "host-0004", default)


def restart(lab):
    """Members stay members when the manager is restarted."""
    lab.begin()
    manager = lab.manage()
    members = hosts(1, 2, 8)
    mlid = {lab.broadcast(host) for host in members}.pop()
    before = lab.run(*lab.on(MANAGER, "saquery", "-m", mlid, "--smkey", "1")).stdout
    manager.terminate()
    manager.wait(10)
    lab.manage()
    after = lab.run(*lab.on(MANAGER, "saquery", "-m", mlid, "--smkey", "1")).stdout
    if before.count("PortGid") != 3 or before != after:
        raise Failed(f"members before:\n{before}after:\n{after}")
    for source, destination in itertools.permutations(members, 2):
        lab.expect_ping(source, destination, mlid)


def play(description, scenarios, logs, program=None):
    """The main() of a script with scenarios, each a function of the lab. `program` must be
    installed; of the logs the ends are shown when a scenario fails."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("scenario", choices=scenarios)
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--sa-host", required=True)
    options = parser.parse_args()
    if reason := without_door():
        print(f"skipped: {reason}")
        return SKIPPED
    if program is not None and shutil.which(program) is None:
        print(f"skipped: {program} is not installed (scripts/install-deps --test)")
        return SKIPPED
    for _ in range(3):
        try:
            return play_once(options, scenarios, logs)
        except StoodStill as still:
            print(f"{options.scenario}: {still}; once more")
    return 1


def play_once(options, scenarios, logs):
    with tempfile.TemporaryDirectory(prefix="heddle-lab-") as folder:
        lab = Lab(os.path.abspath(options.heddle), os.path.abspath(options.sa_host), folder)
        try:
            scenarios[options.scenario](lab)
        except (Failed, TimeoutError, subprocess.TimeoutExpired) as failure:
            lab.end()
            print(f"{options.scenario}: {failure}")
            for log in logs:
                if (path := Path(folder, log)).exists():
                    print(f"--- {log}:", path.read_text(errors="replace")[-3000:], sep="\n")
            return 1
        finally:
            lab.end()
    return 0


SCENARIOS = {one.__name__: one for one in (broadcast, child, restart)}


if __name__ == "__main__":
    sys.exit(play(__doc__, SCENARIOS, ("sim.txt", "sm.txt")))
