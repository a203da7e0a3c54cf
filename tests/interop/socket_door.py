#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Debian's unmodified tools on `heddle sim` through Debian's unmodified libumad2sim.

  socket_door.py --heddle build/gcc/heddle --load build/gcc/tests/interop/umad_load SITUATION"""

import argparse
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lab import die_with_parent, kill_group, preload_library

FABRIC = "fat-tree:4,8"


class Fabric:
    """One `heddle sim` with a name and a folder of its own."""

    def __init__(self, heddle, *options, fabric=FABRIC, folder=None):
        self.own = folder is None
        self.folder = folder or Path(tempfile.mkdtemp(prefix="heddle-door-"))
        self.name = f"door-{os.getpid()}-{time.monotonic_ns() % 10**9}"
        self.heddle = heddle
        self.log = self.folder / f"{self.name}.log"
        self.others = []
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [heddle, "sim", fabric, "--name", self.name, "--dir", self.folder, *options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                start_new_session=True, preexec_fn=die_with_parent)
        self.wait(lambda: (self.folder / f"{self.name}.ctl").exists() or
                  self.process.poll() is not None, 20)
        assert self.process.poll() is None, self.log.read_text()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in [*self.others, self.process]:
            kill_group(process)
            process.communicate()
        if self.own:
            shutil.rmtree(self.folder, ignore_errors=True)

    def wait(self, true, seconds):
        until = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < until, "waited too long"
            time.sleep(0.02)

    def environment(self, host, more):
        # Without the variables of the UDP mode, unless they are asked for.
        return {**os.environ, "IBSIM_SOCKNAME": self.name, "SIM_HOST": host, "LC_ALL": "C",
                "LD_PRELOAD": preload_library(), "OSM_TMP_DIR": str(self.folder),
                "OSM_CACHE_DIR": str(self.folder), **more}

    def start(self, *command, host="", **more):
        process = subprocess.Popen(
            [str(word) for word in command], cwd=self.folder, env=self.environment(host, more),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True, preexec_fn=die_with_parent)
        self.others.append(process)
        return process

    def run(self, *command, host="", seconds=60, **more):
        """(exit code, both outputs); a program that does not end is killed and has code 124."""
        process = self.start(*command, host=host, **more)
        try:
            output, _ = process.communicate(timeout=seconds)
            code = process.returncode
        except subprocess.TimeoutExpired:
            kill_group(process)
            output, code = process.communicate()[0], 124
        self.others.remove(process)
        return code, output.decode(errors="replace")

    def expect(self, *command, holds=(), host="", **more):
        code, output = self.run(*command, host=host, **more)
        assert code == 0, f"{command} ended with {code}\n{output[-2000:]}"
        for text in holds:
            assert text in output, f"{command} does not say {text!r}\n{output[-2000:]}"
        return output

    def opensm(self, *options, host="host-0001"):
        log = self.folder / "osm.log"
        process = self.start("opensm", "-D", "0x43", "-d", "2", "-f", log, *options, host=host)
        self.wait(lambda: log.exists() and "SUBNET UP" in log.read_text(errors="replace"), 60)
        return process

    def ctl(self, *words):
        done = subprocess.run([self.heddle, "sim", "ctl", self.name, "--dir", self.folder, "--json",
                               *words], capture_output=True, text=True, timeout=30, check=False)
        assert done.stdout, done.stderr
        return json.loads(done.stdout)

    def status(self):
        return self.ctl("status")["result"]


def tools(options):
    """What administrators run, on a fabric that OpenSM has brought up."""
    with Fabric(options.heddle) as lab:
        lab.opensm()
        host = "host-0003"
        lab.expect("ibnetdiscover", holds=["Switch\t8", "host-0032"], host=host)
        output = lab.expect("iblinkinfo", host=host)
        assert output.count("Active/  LinkUp") >= 64, output[-1000:]
        assert len(lab.expect("ibhosts", host=host).splitlines()) >= 32
        lid = lab.expect("ibaddr", "-l", host=host).split()[-1]
        lab.expect("sminfo", holds=["SMINFO_MASTER"], host=host)
        switch = lab.expect("smpquery", "-D", "NI", "0,1", holds=["Switch"], host=host)
        assert "NumPorts:........................8" in switch
        for operation in ("PKEYS", "GI", "SL2VL", "VLARB", "ND", "PI"):
            lab.expect("smpquery", operation, lid, host=host)
        lab.expect("ibroute", "-D", "0,1", holds=["lids"], host=host)
        lab.expect("ibtracert", "1", lid, holds=["From ca", "To ca"], host=host)
        for record in ("NR", "PR", "PIR", "-g"):
            lab.expect("saquery", record, holds=["dump"], host=host)
        lab.expect("ibstat", holds=["State: Active"], host=host)
        lab.expect("perfquery", holds=["SymbolErrorCounter"], host=host)
        assert lab.status()["sockets"]["lost"] == 0


def faults(options):
    """What the control socket breaks, the tools see, and OpenSM mends."""
    with Fabric(options.heddle) as lab:
        lab.opensm("-s", "1")
        assert lab.ctl("link", "down", "leaf-1", "1")["ok"]
        lab.wait(lambda: "Down" in lab.expect("smpquery", "-D", "PI", "0,1", "1",
                                              host="host-0002"), 10)
        assert lab.ctl("link", "up", "leaf-1", "1")["ok"]
        lab.wait(lambda: "Active" in lab.expect("smpquery", "-D", "PI", "0,1", "1",
                                                host="host-0002"), 20)
        assert lab.ctl("inject", "leaf-1", "2", "SymbolErrorCounter", "77")["ok"]
        # OpenSM may still be sweeping, and too busy to tell the tool its path.
        lab.wait(lambda: "SymbolErrorCounter == 77" in lab.run("ibqueryerrors",
                                                               host="host-0002")[1], 20)
        assert lab.ctl("freeze", "leaf-1")["ok"]
        code, output = lab.run("smpquery", "-D", "NI", "0,1", host="host-0002", seconds=30)
        assert code == 255 and "node info query failed" in output, (code, output, lab.status())
        assert lab.ctl("thaw", "leaf-1")["ok"]
        lab.expect("smpquery", "-D", "NI", "0,1", host="host-0002")
        wrong = lab.ctl("link", "down", "leaf-77", "1")
        assert not wrong["ok"] and wrong["column"] == 11, wrong


def ports(options):
    """ibportstate by LID, which goes on by a directed route (ibsim drops that), and by path: what
    is switched off trains again, and the neighbour's view of a link is told."""
    with Fabric(options.heddle) as lab:
        lab.opensm("-s", "1")
        host = "host-0002"
        text = lab.expect("smpquery", "-D", "PI", "0,1", "0", host=host)
        leaf = re.search(r"^Lid:\.*(\d+)$", text, re.M)[1]
        query = lab.expect("ibportstate", leaf, "1", "query", host=host)
        assert re.search(r"^LinkState:\.*Active$", query, re.M), query
        assert re.search(r"^Peer PortInfo:", query, re.M), query
        lab.expect("ibportstate", "-D", "0,1", "1", "query", holds=["Active"], host=host)

        def state():
            return re.search(r"^LinkState:\.*(.*?)$", lab.expect(
                "smpquery", "PI", leaf, "1", host=host), re.M)[1]

        for words in (("disable",), ("enable",), ("reset",), ("speed", "1"), ("width", "1")):
            lab.expect("ibportstate", leaf, "1", *words, host=host)
            if words[0] == "disable":
                assert "Down" in state(), state()
            else:
                lab.wait(lambda: "Active" in state(), 20)


def bad_guests(options):
    """Programs that are killed, freeze, flood or talk nonsense; a hundred tools in a row."""
    with Fabric(options.heddle) as lab:
        lab.opensm()
        for _ in range(10):
            assert lab.run(options.load, 5000, 64, "die", host="host-0002")[0] == 0
        frozen = lab.start(options.load, 10**9, 1000, host="host-0004")
        time.sleep(0.5)
        frozen.send_signal(signal.SIGSTOP)
        noise = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        for size in (0, 1, 79, 80, 81, 300, 4000):
            noise.sendto(os.urandom(size), f"\0{lab.name}:ctl\0")
        for _ in range(100):
            lab.expect("sminfo", holds=["SMINFO_MASTER"], host="host-0003")
        kill_group(frozen)
        lab.wait(lambda: lab.status()["sockets"]["clients"] == 1, 30)
        assert lab.status()["sockets"]["connected"] > 110
        lab.process.send_signal(signal.SIGTERM)
        assert lab.process.wait(10) == 0
        assert "sockets:" in lab.log.read_text(), "a summary at the end"
        assert not (lab.folder / f"{lab.name}.ctl").exists()


def two_fabrics(options):
    """Side by side, each with its own SM; a name that is taken is refused."""
    with Fabric(options.heddle) as one, Fabric(options.heddle, fabric="ring:5") as two:
        one.opensm()
        two.opensm(host="")
        assert len(one.expect("ibhosts", host="host-0002").splitlines()) >= 32
        assert two.expect("ibhosts", host="").count("Ca\t") == 5
        again = subprocess.run([options.heddle, "sim", "pair", "--name", one.name, "--dir",
                                two.folder], capture_output=True, text=True, timeout=20,
                               check=False)
        assert again.returncode == 8 and "in use" in again.stderr, again


def udp(options):
    """By UDP, as with `ibsim -r`."""
    with Fabric(options.heddle, "--listen", "127.0.0.1:0") as lab:
        # Its sockets are there before its banner is written.
        lab.wait(lambda: "IBSIM_SERVER_PORT" in lab.log.read_text(), 30)
        port = lab.log.read_text().split("by UDP on 127.0.0.1:")[1].split(":")[0]
        more = {"IBSIM_SERVER_NAME": "127.0.0.1", "IBSIM_SERVER_PORT": port}
        lab.expect("opensm", "-o", "-D", "0x43", "-f", lab.folder / "osm.log", **more)
        lab.expect("ibstat", holds=["State: Active"], **more)
        assert "host-0032" in lab.expect("ibnetdiscover", **more)


def heddle_sm(options):
    """Our own subnet manager as one more program behind libibumad."""
    with Fabric(options.heddle) as lab:
        lab.expect(options.heddle, "sm", "--port", "ibsim0:1", "--once", "--lid-memory",
                   lab.folder / "lids")
        output = lab.expect("iblinkinfo", host="host-0003")
        assert output.count("Active/  LinkUp") >= 64, output[-1000:]


def script(options):
    """A script's faults come at their time, and its typos are named."""
    with Fabric(options.heddle) as first:
        file = first.folder / "day.script"
        file.write_text("at 300ms link down \"leaf-1\"[1]\nat 400ms lnik down leaf-1 2\n")
        with Fabric(options.heddle, "--script", file, folder=first.folder) as lab:
            lab.wait(lambda: f"{file}:2:10: there is no verb 'lnik'" in lab.log.read_text(), 30)
            port = lambda: lab.ctl("dump", "leaf-1")["result"][0]["ports"][1]  # noqa: E731
            lab.wait(lambda: port()["state"] == "Down", 30)
            assert port()["cut"]


def replay(options):
    """A run with OpenSM, faults and losses comes out the same when its recording is played, and a
    recording that was tampered with does not."""
    with Fabric(options.heddle, fabric="fat-tree:2,4,vports=2") as folder:
        record = folder.folder / "run.json"
        with Fabric(options.heddle, "--record", record, "--hop-delay", "1us", "--loss", "0.001",
                    fabric="fat-tree:2,4,vports=2", folder=folder.folder) as lab:
            sm = lab.opensm("-s", "1", host="")
            host = "host-0002"
            assert lab.ctl("link", "down", "leaf-1", "3")["ok"]
            lab.wait(lambda: "Down" in lab.run("smpquery", "-D", "PI", "0,1", "3", host=host)[1],
                     20)
            assert lab.ctl("inject", "leaf-1", "1", "SymbolErrorCounter", "7")["ok"]
            assert lab.ctl("link", "up", "leaf-1", "3")["ok"]
            lab.wait(lambda: "Active" in lab.run("smpquery", "-D", "PI", "0,1", "3",
                                                 host=host)[1], 30)
            lab.run("perfquery", "-a", host=host)
            assert sm.poll() is None
            assert lab.ctl("quit")["ok"]
            lab.wait(lambda: lab.process.poll() is not None, 30)
        played = subprocess.run([options.heddle, "sim", "replay", record], capture_output=True,
                                text=True, timeout=60, check=False)
        assert played.returncode == 0 and played.stdout.startswith("same: "), played
        assert int(played.stdout.split()[1]) > 1000, played.stdout
        lines = record.read_text().splitlines()
        verb = next(i for i, line in enumerate(lines) if "SymbolErrorCounter" in line)
        other = next(i for i, line in enumerate(lines) if "link down" in line)
        del lines[max(verb, other)], lines[min(verb, other)]
        record.write_text("\n".join(lines) + "\n")
        played = subprocess.run([options.heddle, "sim", "replay", record], capture_output=True,
                                text=True, timeout=60, check=False)
        assert played.returncode == 1 and "instead:" in played.stdout, played
        for text in ("", "{}", '{"fabric": 7}', "[1]", "x"):
            record.write_text(text + "\n")
            played = subprocess.run([options.heddle, "sim", "replay", record],
                                    capture_output=True, text=True, timeout=60, check=False)
            assert played.returncode == 2 and ":1: " in played.stderr, played


def virtual_time(options):
    """A script of a day takes a moment, and OpenSM has its chance between two faults."""
    with Fabric(options.heddle) as first:
        script = first.folder / "day.script"
        script.write_text("at 8h link down \"leaf-1\"[1]\nat 20h link up \"leaf-1\"[1]\n")
        with Fabric(options.heddle, "--time", "virtual", "--script", script,
                    folder=first.folder) as lab:
            lab.opensm("-s", "1")
            lab.wait(lambda: lab.ctl("time")["result"]["seconds"] > 20 * 3600, 20)
            lab.wait(lambda: "Active" in lab.run("smpquery", "-D", "PI", "0,1", "1",
                                                 host="host-0002")[1], 20)
            assert lab.ctl("time", "real")["result"]["pace"] == "real"
            assert not lab.ctl("time", "soon")["ok"]


SITUATIONS = {name.__name__: name
              for name in (tools, faults, ports, bad_guests, two_fabrics, udp, heddle_sm,
                           script, replay, virtual_time)}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("situation", choices=SITUATIONS)
    parser.add_argument("--heddle", type=lambda text: Path(text).resolve(), required=True)
    parser.add_argument("--load", type=lambda text: Path(text).resolve(), required=True)
    options = parser.parse_args()
    SITUATIONS[options.situation](options)
    print(f"{options.situation}: as it should be")


if __name__ == "__main__":
    sys.exit(main())
