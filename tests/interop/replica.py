#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Subnet managers that share what they remember by three members of etcd: what they promised
outlives the manager, a member, and a manager that wakes up too late; and without etcd the fabric
goes on.

  replica.py SCENARIO --heddle build/gcc/heddle --sa-host build/gcc/tests/interop/sa_host"""

import sys
import time
from pathlib import Path

from etcd_cluster import Etcd
from ipoib import MANAGER, Failed, play
from memory import (STANDBY, Stopped, answers, expect_services, hand_on_partitions,
                    is_master, kill, kill_in_a_storm, log, master_of)

RECORDS = "/heddle/0xfe80000000000000"


def configure(lab, etcd, name, priority):
    endpoints = ", ".join(f'"{etcd.url(member)}"' for member in range(3))
    secured = ""
    if etcd.secured:
        Path(lab.folder, "password").write_text("a secret\n")
        secured = (f'authority = "{etcd.path("ca.pem")}"\n'
                   f'certificate = "{etcd.path("etcd.pem")}"\nkey = "{etcd.path("etcd.key")}"\n'
                   'user = "heddle"\npassword_file = "password"\n')
    Path(lab.folder, f"{name}.toml").write_text(
        f'[sm]\npriority = {priority}\npoll_interval = "300ms"\nsticky_master = true\n'
        f'[lids]\nmemory_file = "{name}.lids"\n[api]\nsocket = "{name}.api"\n'
        '[partitions]\nmanaged = true\n'
        f'[replica]\nendpoints = [{endpoints}]\n{secured}')


def manage(lab, name, host):
    return lab.start(*lab.on(host, lab.heddle, "sm", "--config", f"{name}.toml"),
                     log=f"{name}.txt")


def begin_etcd(lab, **how):
    etcd = Etcd(lab.folder, **how)
    lab.ends.append(etcd.end)
    return etcd


def pair(lab, etcd):
    """A master, of whom etcd has everything, and a standby."""
    lab.begin()
    configure(lab, etcd, "one", 9)
    configure(lab, etcd, "two", 8)
    first = manage(lab, "one", MANAGER)
    lab.wait("an answer of subnet administration", lambda: answers(lab, MANAGER))
    lab.wait("a store that is whole", lambda: "ReplicaWhole" in log(lab, "one.txt"))
    second = manage(lab, "two", STANDBY)
    lab.wait("a standby", lambda: "STANDBY" in log(lab, "two.txt").upper() and
             "ReplicaHeard" in log(lab, "two.txt"))
    time.sleep(1)
    return first, second


def register(lab, number, host="host-0003"):
    began = time.monotonic()
    done = lab.run(*lab.on(host, lab.sa_host, "service", "mlx5_0", hex(number)))
    if done.returncode != 0:
        raise Failed(f"service {number:#x}: {done.stdout}")
    return time.monotonic() - began


def records_of(etcd, kind):
    return [key for key in etcd.keys() if key.startswith(f"{RECORDS}/record/{kind} ")]


# --- scenarios ----------------------------------------------------------------------------------

def takeover(lab):
    """A member of etcd dies in a storm of registrations, then the master; nobody is asked."""
    etcd = begin_etcd(lab)
    first, _ = pair(lab, etcd)

    def meanwhile():
        time.sleep(1)
        etcd.kill((etcd.leader() + 1) % 3)
        time.sleep(2)

    kill_in_a_storm(lab, first, meanwhile)


def partitions(lab):
    """Those that programs made go by etcd too."""
    etcd = begin_etcd(lab)
    first, _ = pair(lab, etcd)
    hand_on_partitions(lab, first)


def without_etcd(lab, fail, mend):
    """Clients are answered while etcd fails, it is told, made good for, and nothing is lost."""
    etcd = begin_etcd(lab)
    first, _ = pair(lab, etcd)
    undo = fail(etcd)
    longest = max(register(lab, 0x6000 + n) for n in range(5))
    lab.wait("to be told", lambda: "ReplicaGone" in log(lab, "one.txt"))
    if not is_master(lab, MANAGER):
        raise Failed("the fabric lost its master")
    mend(etcd, undo)
    lab.wait("a store that is whole again", lambda: log(lab, "one.txt").count("ReplicaWhole") > 1)
    if len(records_of(etcd, "service")) != 5:
        raise Failed(f"etcd has {records_of(etcd, 'service')}")
    time.sleep(1)
    kill(first)
    lab.wait("the standby to be master", lambda: is_master(lab, STANDBY))
    expect_services(lab, STANDBY, range(0x6000, 0x6005))
    if "RegistrationsLost" in log(lab, "two.txt"):
        raise Failed("what etcd has was not believed")
    print(f"meanwhile a registration took {longest:.2f} s at most")


def majority(lab):
    """Two of etcd's members die."""
    def fail(etcd):
        etcd.kill(0)
        etcd.kill(1)

    def mend(etcd, _):
        etcd.start(0)
        etcd.start(1)
    without_etcd(lab, fail, mend)


def slow(lab):
    """Two of etcd's members hang, as on a disk that does not answer."""
    without_etcd(lab, lambda etcd: [Stopped(etcd.processes[member]) for member in (0, 1)],
                 lambda _, stopped: [each.resume() for each in stopped])


def full(lab):
    """etcd has no room left, and takes nothing."""
    def alarm(etcd, action):
        member = etcd.ask("maintenance/status")["header"]["member_id"]
        if etcd.ask("maintenance/alarm", action=action, memberID=member, alarm="NOSPACE") is None:
            raise Failed(f"etcd refuses to {action} its alarm")

    without_etcd(lab, lambda etcd: alarm(etcd, "ACTIVATE"),
                 lambda etcd, _: alarm(etcd, "DEACTIVATE"))


def stale(lab):
    """A master is stopped, another one takes its place, and the first wakes up: it writes nothing
    of what it still believes."""
    etcd = begin_etcd(lab)
    first, _ = pair(lab, etcd)
    register(lab, 0x6001)
    stopped = Stopped(first)
    lab.wait("the standby to be master", lambda: is_master(lab, STANDBY))
    lab.wait("its place in etcd", lambda: "ReplicaWhole" in log(lab, "two.txt"))
    register(lab, 0x6002, "host-0005")
    epoch = etcd.keys()[f"{RECORDS}/at/master"]
    stopped.resume()
    time.sleep(4)
    now = etcd.keys()
    if int(now[f"{RECORDS}/at/epoch"].split()[0]) < int(epoch.split()[0]):
        raise Failed(f"the epoch went back: {epoch}, then {now[f'{RECORDS}/at/epoch']}")
    if len(records_of(etcd, "service")) != 2:
        raise Failed(f"etcd has {records_of(etcd, 'service')}")
    asked_on = next(host for host in (MANAGER, STANDBY) if master_of(lab, host))
    expect_services(lab, asked_on, (0x6001, 0x6002))
    if not any(word in log(lab, "one.txt") for word in ("ReplicaTaken", "ReplicaGone")):
        raise Failed("the old master does not say that its writing was refused")


def secured(lab):
    """With TLS, certificates on both sides, and a user that may write no more than it must."""
    etcd = begin_etcd(lab, secured=True)
    first, _ = pair(lab, etcd)
    register(lab, 0x6001)
    kill(first)
    lab.wait("the standby to be master", lambda: is_master(lab, STANDBY))
    expect_services(lab, STANDBY, (0x6001,))
    if "RegistrationsLost" in log(lab, "two.txt"):
        raise Failed("what etcd has was not believed")


SCENARIOS = {one.__name__: one for one in (takeover, partitions, majority, slow, full, stale,
                                           secured)}


if __name__ == "__main__":
    sys.exit(play(__doc__, SCENARIOS, ("sim.txt", "one.txt", "two.txt", "etcd-0.txt"), "etcd"))
