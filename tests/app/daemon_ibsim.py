#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The daemon in the life of a host, on an ibsim fabric: signals, a second SM, a crash, a full disk.

  daemon_ibsim.py --heddle build/heddle [SITUATION...]"""

import argparse
import json
import os
import resource
import signal
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "interop"))
from lab import Lab  # noqa: E402
from netfile import read_net  # noqa: E402

LEAVES, HOSTS, SPINES = 10, 10, 2


def write_net(path):
    """Two levels: LEAVES switches with HOSTS hosts each, joined by SPINES."""
    text, cable = [], '[{}] "{}"[{}]'.format
    for leaf in range(LEAVES):
        text.append(f'\nSwitch 24 "leaf{leaf}"')
        text += [cable(h + 1, f"host{leaf}x{h}", 1) for h in range(HOSTS)]
        text += [cable(HOSTS + 1 + s, f"spine{s}", leaf + 1) for s in range(SPINES)]
    for spine in range(SPINES):
        text.append(f'\nSwitch 24 "spine{spine}"')
        text += [cable(leaf + 1, f"leaf{leaf}", HOSTS + 1 + spine) for leaf in range(LEAVES)]
    for leaf in range(LEAVES):
        for host in range(HOSTS):
            text += [f'\nHca 1 "host{leaf}x{host}"', cable(1, f"leaf{leaf}", host + 1)]
    path.write_text("\n".join(text) + "\n")


class Daemon:
    """heddle sm on one host; its log is read as events."""

    def __init__(self, lab, program, host, *options, level="debug"):
        self.folder = lab.folder / host
        self.folder.mkdir(exist_ok=True)
        self.lab, self.host = lab, host
        self.log = self.folder / "log"
        self.memory = self.folder / "lids"
        self.process = lab.start(program, "sm", "--port", "ibsim0:1", "--log-format", "json",
                                 "--log-level", level, "--lid-memory", self.memory, *options,
                                 log=self.log, host=host)

    def events(self, name):
        found = []
        for line in self.log.read_text(errors="replace").splitlines():
            try:
                event = json.loads(line)
            except ValueError:
                continue  # a line of the preload library, or one that is being written
            if isinstance(event, dict) and event.get("event") == name:
                found.append({**event, **event.get("fields", {})})
        return found

    def await_event(self, name, count=1, seconds=60):
        self.lab.wait(lambda: len(self.events(name)) >= count, seconds, f"{name} on {self.host}")
        return self.events(name)

    def await_state(self, state, seconds=60):
        self.lab.wait(lambda: any(e["to"] == state for e in self.events("StateChanged")), seconds,
                      f"{self.host} to be {state}")

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(30)


def whole_memory(path):
    lines = [line.split() for line in path.read_text().splitlines()
             if line.strip() and not line.startswith("#")]
    return len(lines) if all(len(words) == 3 for words in lines) else 0


def sigterm_in_a_sweep(lab, program):
    """It ends with 0, its port no longer says IsSM, and the next SM is master at once."""
    settings = lab.folder / "slow.toml"
    settings.write_text("[mads]\nwindow = 1\nwindow_per_device = 1\n")
    first = Daemon(lab, program, "host0x0")
    first.await_event("SubnetUp")
    assert first.end() == 0
    remembered = first.memory.read_text()
    first.log.unlink()
    again = Daemon(lab, program, "host0x0", "--config", settings)
    again.await_event("PhaseStarted")
    code = again.end()
    assert code == 0, f"exit code {code}"
    assert again.events("SweepStarted") and not again.events("SweepFinished"), "not mid-sweep"
    assert again.memory.read_text() == remembered, "the LID memory was touched"
    assert whole_memory(again.memory) == LEAVES * HOSTS + LEAVES + SPINES
    other = Daemon(lab, program, "host5x5")
    other.await_event("SubnetUp")
    assert not any(e["to"] == "standby" for e in other.events("StateChanged"))
    assert other.end() == 0


def sighup(lab, program):
    """The configuration is read again, and a sweep follows."""
    settings = lab.folder / "heddle.toml"
    settings.write_text("[sm]\npriority = 3\n")
    daemon = Daemon(lab, program, "host0x0", "--config", settings)
    daemon.await_event("SubnetUp")
    settings.write_text("[sm]\npriority = 7\n")
    daemon.process.send_signal(signal.SIGHUP)
    sweeps = daemon.await_event("SubnetUp", count=2) and daemon.events("SweepStarted")
    assert sweeps[-1]["reason"] == "the configuration changed", sweeps[-1]
    code, out, err = lab.run("sminfo", host="host1x1")
    assert code == 0 and "priority 7" in out, out + err
    assert daemon.end() == 0


def crash_of_the_master(lab, program):
    """One master and one standby; the standby takes a fabric over without writing a table."""
    master = Daemon(lab, program, "host0x0", "--priority", "5")
    master.await_event("SubnetUp")
    standby = Daemon(lab, program, "host5x5", "--priority", "3")
    standby.await_state("standby")
    time.sleep(1)
    assert not any(e["to"] == "master" for e in standby.events("StateChanged"))
    master.end(signal.SIGKILL)
    standby.await_state("master", seconds=90)
    standby.await_event("SubnetUp")
    routes = standby.events("RoutesChosen")[-1]
    assert int(routes["blocks_to_write"]) == 0, routes
    # Every port with a LID must be told who the master is now, and nothing else.
    ports = LEAVES * HOSTS + LEAVES + SPINES
    finished = standby.events("SweepFinished")[-1]
    assert int(finished["sets"]) <= ports, finished
    print(f"taken over with {finished['sets']} Sets, {routes['blocks_to_write']} table blocks")
    assert standby.end() == 0


def full_disk(lab, program):
    """The LID memory cannot be written: the fabric comes up, a warning says why, the old stands."""
    folder = lab.folder / "host0x0"
    folder.mkdir()
    old = "0x0000000000abcdef 0x0100 0x0100\n"
    (folder / "lids").write_text(old)
    # ibsim's ports could all be faster than they are, which is told of each.
    quiet = lab.folder / "quiet.toml"
    quiet.write_text("[performance]\nenabled = false\n")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    # The log goes to the same limit: it must fit, the memory of 112 ports must not.
    resource.setrlimit(resource.RLIMIT_FSIZE, (2048, before[1]))
    try:
        daemon = Daemon(lab, program, "host0x0", "--config", quiet, level="warning")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    warning = daemon.await_event("LidMemoryNotWritten")[0]
    assert "cannot write" in warning["message"], warning
    lab.wait(lambda: port_field(lab, "host9x9", "LinkState") == "Active", 30, "an ACTIVE link")
    lids = [port_field(lab, host, "Lid:") for host in ("host1x1", "host9x9")]
    code, out, _ = lab.run("ibtracert", *lids, host="host1x1")
    assert code == 0, out
    assert daemon.memory.read_text() == old
    # It depends on what of the database fits, whether it can be opened.
    lab.wait(lambda: daemon.events("MemoryFails") or daemon.events("MemoryNotOpened"), 60,
             "a warning about the database")
    left = sorted(each.name for each in folder.iterdir())
    assert [name for name in left if not name.startswith("lids.db")] == ["lids", "log"], left
    assert daemon.end() == 0


def port_field(lab, host, name):
    """A field of the PortInfo that the host's own SMP agent tells."""
    out = lab.run("smpquery", "-D", "portinfo", "0", host=host)[1]
    return next(each.rpartition(".")[2] for each in out.splitlines() if each.startswith(name))


SITUATIONS = [sigterm_in_a_sweep, sighup, crash_of_the_master, full_disk]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", type=Path, required=True)
    parser.add_argument("situation", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hundred.net"
        write_net(path)
        for situation in SITUATIONS:
            if options.situation and situation.__name__ not in options.situation:
                continue
            with Lab(path, read_net(path)) as lab:
                began = time.monotonic()
                try:
                    situation(lab, options.heddle.resolve())
                except BaseException:
                    for log in lab.folder.glob("*/log"):
                        print(f"--- {log.parent.name}\n{log.read_text()[-2000:]}")
                    raise
                print(f"{situation.__name__}: fine, {time.monotonic() - began:.1f} s")


if __name__ == "__main__":
    main()
