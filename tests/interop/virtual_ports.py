#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Virtual ports on the device door, through the real libibumad: virtual_ports.py PROGRAM. They come
up, get the P_Keys of a policy, come and go with their hypervisor, and keep LIDs and routes over a
restart of the manager; PROGRAM (sa_inside) asks for paths and joins as their clients do. Started
by inside.py on star:5,vports=2."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "doors" / "device"))
from managed import bring_up  # noqa: E402
from tools import expect, run, wait_for  # noqa: E402

HEDDLE = os.environ["HEDDLE"]
SETTINGS = """[sweep]
interval = "1s"
[api]
socket = "api"
[partitions]
file = "partitions.conf"
"""
EVERYBODY = "Default=0x7fff: ALL=full;\n"


def operator(*words):
    return run(HEDDLE, *words, "--socket", "api")


def guests(node=""):
    rows = json.loads(operator("show", "virtual-ports", "-o", "json"))["virtual_ports"]
    return [row for row in rows if row["node"].startswith(node)]


def give(host, count, lids):
    run(HEDDLE, "sim", "ctl", os.environ["HEDDLE_SIM"], "vports", host, "1", str(count), lids)


def tables():
    """What stands in the switch, as somebody else's tool reads it."""
    route = run("ibroute", re.search(r'^Switch\t.*lid (\d+)', run("ibnetdiscover"), re.M).group(1))
    return re.findall(r"^0x\w+ \d+", route, re.M)


def colour(manager):
    """The first virtual ports of two hosts into partition 1, the second ones into partition 2."""
    def full(index):
        return ", ".join(row["port_guid"] + "=full" for host in ("host-0002", "host-0003")
                         for row in guests(host) if row["index"] == index)
    Path("partitions.conf").write_text(
        f"Default=0x7fff: ALL=limited, SELF=full;\nRed=1: {full(1)};\nBlue=2: {full(2)};\n",
        encoding="utf-8")
    manager.send_signal(signal.SIGHUP)
    wait_for("the partitions of virtual ports", lambda: [
        row["p_keys"] for row in guests("host-0003")] == [["0x7fff", "0x8001"],
                                                          ["0x7fff", "0x8002"]])


def clients(manager):
    colour(manager)
    red, other_red, other_blue = (row["port_guid"] for host, index in (
        ("host-0002", 1), ("host-0003", 1), ("host-0003", 2)) for row in guests(host)
        if row["index"] == index)
    told = operator("explain", "path", red, other_red)
    expect("the word of a way", ("Yes: packets" in told, "0x8001 (Red)" in told), (True, True))
    told = operator("explain", "path", red, other_blue)
    expect("the word of none", "virtual port 1 of host-0002 HCA-1/1 and virtual port 2 of host-0003"
           " HCA-1/1 share no partition" in told, True)
    done = subprocess.run([sys.argv[1], "--gtest_filter=VirtualPorts.*"], check=False)
    expect("the clients' verdict", done.returncode, 0)


def coming_and_going():
    """With LIDs of their own; those who were there stay as they were."""
    give("host-0004", 0, "own")
    wait_for("their going", lambda: not guests("host-0004"))
    give("host-0004", 2, "own")
    wait_for("their coming", lambda: len(guests("host-0004")) == 2)
    first = guests("host-0004")
    give("host-0004", 4, "own")
    wait_for("the coming of more", lambda: len(guests("host-0004")) == 4)
    more = guests("host-0004")
    expect("the first of four", more[:2], first)
    expect("LIDs", (all(row["own_lid"] for row in more), len({row["lid"] for row in more})),
           (True, 4))
    last = more[3]["port_guid"]
    expect("the word of it", "Virtual port 4" in operator("explain", "port", last), True)
    path = json.loads(operator("show", "path", "host-0002", last, "-o", "json"))
    expect("the way to it", (path["arrives"], path["lid"]), (True, more[3]["lid"]))


def restart(manager):
    """A manager that is killed, and one that takes over the fabric as it stands."""
    before, routes = guests(), tables()
    for row in guests("host-0004"):
        if not any(entry.startswith(f"{row['lid']:#06x} ") for entry in routes):
            raise SystemExit(f"no route to {row}: {routes}")
    manager.kill()
    manager.wait()
    manager = bring_up("--config", "heddle.toml")
    wait_for("its knowing them all", lambda: guests() == before)
    expect("routes after the restart", tables(), routes)
    return manager


def main():
    Path("heddle.toml").write_text(SETTINGS, encoding="utf-8")
    Path("partitions.conf").write_text(EVERYBODY, encoding="utf-8")
    manager = bring_up("--config", "heddle.toml")
    wait_for("their coming up", lambda: len(guests()) == 10)
    expect("their keys", {tuple(row["p_keys"]) for row in guests()}, {("0xffff",)})
    clients(manager)
    coming_and_going()
    manager = restart(manager)
    manager.terminate()
    return manager.wait()


if __name__ == "__main__":
    sys.exit(main())
