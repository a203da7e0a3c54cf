#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Heddle and Debian's OpenSM on one fabric: who is master, who stands by, and who comes after.

  mastership.py --heddle build/gcc/heddle --server ibsim SCENARIO
  mastership.py --heddle build/gcc/heddle --server device SCENARIO

Debian's sminfo says who is master, asked on both nodes; the outside judges, or on the device door
iblinkinfo and saquery, say whether the fabric is right then."""

import argparse
import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "doors" / "device"))
from inside import SKIPPED, without_door  # noqa: E402
from lab import HeddleLab, Lab  # noqa: E402
from netfile import read_net  # noqa: E402
from run import settled  # noqa: E402

NET = Path(__file__).resolve().parent / "nets" / "tree.net"
PATIENCE = 60
ANSWERED = 0.3  # seconds in which a manager answers, also beside others
OPENSM = "sminfo_polling_timeout 500\npolling_retry_number 3\n"
# Not once in a scenario: it must be told that it ranks higher.
SELDOM = OPENSM.replace("500", "60000")
HEDDLE = '[sm]\npoll_interval = "500ms"\n[sweep]\ninterval = "2s"\n'


class Wrong(Exception):
    pass


def wait_for(what, question):
    until = time.monotonic() + PATIENCE
    while not (answer := question()):
        if time.monotonic() > until:
            raise Wrong(f"waited {PATIENCE} s for {what}")
        time.sleep(0.1)
    return answer


class SocketBench:
    """Two hosts of the tree, by the preload library."""

    def __init__(self, heddle, server):
        self.heddle, self.net = heddle, read_net(NET)
        hosts = sorted(name for name, kind in self.net.kinds.items() if kind == "ca")
        self.places = hosts[0], hosts[-1]
        self.lab = (HeddleLab(heddle, NET, self.net) if server == "heddle"
                    else Lab(NET, self.net))
        self.folder = self.lab.folder

    def close(self):
        self.lab.close()

    def start(self, place, command, log):
        return self.lab.start(*command, log=log, host=place)

    def ask(self, place, *command):
        code, output, _ = self.lab.run(*command, host=place, seconds=20)
        return output if code == 0 else ""

    def heddle_port(self, _place):
        return ["--port", "ibsim0:1"]

    def opensm_port(self, _place):
        return []

    def expect_right(self, master):
        self.lab.host = master
        if found := settled(self.lab, self.net, 1):
            raise Wrong(f"with {master} as master: {found}")


class DeviceBench:
    """Two adapters in one name space, by true device files."""
    places = "mlx5_0", "mlx5_1"

    def __init__(self):
        self.heddle, self.folder = os.environ["HEDDLE"], Path.cwd()

    def close(self):
        pass

    def start(self, _place, command, log):
        with open(log, "wb") as output:
            return subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL,
                                    stdout=output, stderr=subprocess.STDOUT)

    def ask(self, place, *command):
        try:
            done = subprocess.run([command[0], "-C", place, *command[1:]], capture_output=True,
                                  text=True, timeout=20, check=False)
        except subprocess.TimeoutExpired:
            return ""
        return done.stdout if done.returncode == 0 else ""

    def heddle_port(self, place):
        return ["--port", f"{place}:1"]

    def opensm_port(self, place):
        return ["-g", guid_of(place)]

    def expect_right(self, master):
        def right():
            links = re.findall(r"==\((.*?)\)==>", self.ask(master, "iblinkinfo"))
            paths = self.ask(master, "saquery", "PR").count("PathRecord dump")
            hosts = self.ask(master, "saquery", "NR").count("Channel Adapter")
            return (links and all("Active" in link for link in links) and
                    hosts > 1 and paths >= hosts * hosts)
        wait_for(f"a fabric that is right, with {master} as master", right)


def guid_of(adapter):
    gid = Path(f"/sys/class/infiniband/{adapter}/ports/1/gids/0").read_text().strip()
    return "0x" + gid.replace(":", "")[-16:]


class Managers:
    def __init__(self, bench, heddle=HEDDLE):
        self.bench, self.running, self.heddle = bench, {}, heddle
        self.configure_opensm(OPENSM)

    def configure_opensm(self, options):
        (self.bench.folder / "opensm.conf").write_text(options)

    def rank_heddle(self, priority):
        ranked = self.heddle.replace("[sm]\n", f"[sm]\npriority = {priority}\n")
        (self.bench.folder / "heddle.toml").write_text(ranked)

    def start(self, who, place, priority):
        command = getattr(self, f"_{who}")(place, priority)
        self.running[who] = place, self.bench.start(place, command, self.log(who))

    def log(self, who):
        return self.bench.folder / f"{who}.out"

    def _heddle(self, place, priority):
        self.rank_heddle(priority)
        return [self.bench.heddle, "sm", *self.bench.heddle_port(place), "--config",
                self.bench.folder / "heddle.toml", "--lid-memory", self.bench.folder / "lids"]

    def _opensm(self, place, priority):
        return ["opensm", *self.bench.opensm_port(place), "-F", self.bench.folder / "opensm.conf",
                "-p", priority, "-D", "0x43", "-d", "2", "-f", self.bench.folder / "osm.log"]

    def kill(self, who, by=signal.SIGKILL):
        process = self.running.pop(who)[1]
        with self._hold_others() if by == signal.SIGKILL else contextlib.nullcontext():
            process.send_signal(by)
            process.wait(10)

    @contextlib.contextmanager
    def _hold_others(self):
        """So that no request of theirs is on its way to who dies: under ibsim's library it would
        never be told that nobody answers, and OpenSM waits for that for ever."""
        others = [process for _, process in self.running.values() if process.poll() is None]
        for process in others:
            process.send_signal(signal.SIGSTOP)
        time.sleep(ANSWERED if others else 0)
        try:
            yield
        finally:
            for process in others:
                process.send_signal(signal.SIGCONT)

    def master(self):
        """Who is master, if all that run agree on one."""
        found = set()
        for place, _ in self.running.values():
            told = self.bench.ask(place, "sminfo")
            state = re.search(r"sm lid (\d+) sm guid (0x[0-9a-f]+),.* state 3 ", told)
            found.add(state and int(state[2], 16))
        if len(found) != 1 or not (guid := found.pop()):
            return None
        owners = [who for who, (place, _) in self.running.items() if self._guid(place) == guid]
        return owners[0] if owners else None

    def _guid(self, place):
        told = self.bench.ask(place, "smpquery", "-D", "NodeInfo", "0")
        found = re.search(r"PortGuid:\.*(0x[0-9a-f]+)", told)
        return int(found[1], 16) if found else None

    def expect_master(self, who):
        wait_for(f"{who} to be master", lambda: self.master() == who)
        for name, (_, process) in self.running.items():
            if process.poll() is not None:
                raise Wrong(f"{name} ended with {process.returncode}")
        self.bench.expect_right(self.running[who][0])
        if self.master() != who:
            raise Wrong(f"{who} is master no more")

    def dump(self):
        for name in ("heddle.out", "opensm.out", "osm.log", "server.log"):
            file = self.bench.folder / name
            if file.exists():
                print(f"--- {name}:", file.read_text(errors="replace")[-5000:], sep="\n")


# --- scenarios ----------------------------------------------------------------------------------

def takes_over_from(managers, first, second):
    """The second one stands by for the first, and takes over when that is killed."""
    one, other = managers.bench.places
    managers.start(first, one, 5)
    managers.expect_master(first)
    managers.start(second, other, 3)
    time.sleep(3)
    managers.expect_master(first)
    managers.kill(first)
    managers.expect_master(second)


def hands_over_to(managers, first, second):
    """The second one ranks higher, is given the fabric, and is followed when it is killed."""
    one, other = managers.bench.places
    managers.start(first, one, 3)
    managers.expect_master(first)
    managers.start(second, other, 9)
    managers.expect_master(second)
    managers.kill(second)
    managers.expect_master(first)


def steps_down_for(managers, first, second):
    """The first one is ranked below the second, by its configuration: it gives the fabric away
    before that one asks. It gets the fabric back when it is ranked above it again, or if the other
    is killed."""
    one, other = managers.bench.places
    managers.configure_opensm(SELDOM)
    managers.start(first, one, 9)
    managers.expect_master(first)
    managers.start(second, other, 5)
    time.sleep(3)
    managers.expect_master(first)
    for priority, master in (3, second), (9, first), (3, second):
        managers.rank_heddle(priority)
        managers.running[first][1].send_signal(signal.SIGHUP)
        managers.expect_master(master)
    managers.kill(second)
    managers.expect_master(first)


def looks_on(managers, first, second):
    """The second one only says what it would change: no table, and nothing is changed."""
    one, other = managers.bench.places
    managers.start(first, one, 3)
    managers.expect_master(first)
    command = getattr(managers, f"_{second}")(other, 9)
    shadow = managers.bench.start(other, [*command, "--shadow", "--once"], managers.log(second))
    code = shadow.wait(PATIENCE)
    said = managers.log(second).read_text(errors="replace")
    report = re.search(r"^ *Would write *(.*)$", said, re.M)
    if code not in (0, 5) or not report or "PortInfo" not in report[1]:
        raise Wrong(f"{second} as a shadow ended with {code}: {said[-2000:]}")
    if "ForwardingTable" in report[1]:
        raise Wrong(f"it would touch what stands: {report[1]}")
    managers.expect_master(first)


SCENARIOS = {
    "shadow": (looks_on, "opensm", "heddle"),
    "heddle_after_opensm": (takes_over_from, "opensm", "heddle"),
    "opensm_after_heddle": (takes_over_from, "heddle", "opensm"),
    "heddle_steps_down": (steps_down_for, "heddle", "opensm"),
    "heddle_hands_over": (hands_over_to, "heddle", "opensm"),
    "opensm_hands_over": (hands_over_to, "opensm", "heddle"),
}


def watched(managers, scenario):
    """The exit code of a scenario, which leaves nothing behind."""
    try:
        scenario()
    except (Wrong, TimeoutError) as wrong:
        print(wrong)
        managers.dump()
        return 1
    finally:
        for who in list(managers.running):
            managers.kill(who)
        managers.bench.close()
    return 0


def play(bench, name):
    scenario, *who = SCENARIOS[name]
    managers = Managers(bench)
    return watched(managers, lambda: scenario(managers, *who))


def inside_the_door(heddle, name):
    if reason := without_door():
        print(f"skipped: {reason}")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="heddle-masters-") as folder:
        environment = {**os.environ, "HEDDLE": heddle, "XDG_RUNTIME_DIR": folder,
                       "OSM_TMP_DIR": folder, "OSM_CACHE_DIR": folder}
        return subprocess.run(
            [heddle, "sim", "run", "fat-tree:2,4", "--at", "host-0001", "--at", "host-0008", "--",
             sys.executable, str(Path(__file__).resolve()), "--server", "inside", name],
            cwd=folder, env=environment, check=False).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heddle")
    parser.add_argument("--server", choices=("ibsim", "heddle", "device", "inside"),
                        default="ibsim")
    parser.add_argument("scenario", choices=SCENARIOS)
    options = parser.parse_args()
    if options.server == "inside":
        return play(DeviceBench(), options.scenario)
    heddle = str(Path(options.heddle).resolve())
    if options.server == "device":
        return inside_the_door(heddle, options.scenario)
    return play(SocketBench(heddle, options.server), options.scenario)


if __name__ == "__main__":
    sys.exit(main())
