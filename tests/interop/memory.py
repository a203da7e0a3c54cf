#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `heddle sm` promised its clients outlives kill -9, full disks and whole managers: hosts
register through the device door, the manager is killed, and it or its standby is asked.

  memory.py SCENARIO --heddle build/gcc/heddle --sa-host build/gcc/tests/interop/sa_host"""

import json
import os
import re
import resource
import secrets
import signal
import socket
import sqlite3
import sys
import threading
import time
from pathlib import Path

from by_path import ByPath
from ipoib import MANAGER, Failed, StoodStill, guid, hosts, play

STANDBY = "host-0009"


def kill(process):
    process.send_signal(signal.SIGKILL)
    process.wait(10)


def log(lab, name="sm.txt"):
    return Path(lab.folder, name).read_text(errors="replace")


def members(lab, asked_on):
    """PortGID of every member of every group, as the trusted see it."""
    told = lab.run(*lab.on(asked_on, "saquery", "-m", "--smkey", "1")).stdout
    return sorted(zip(re.findall(r"MGID\.*([0-9a-f:]+)", told),
                      re.findall(r"PortGid\.*([0-9a-f:]+)", told)))


def lids_of(lab):
    told = lab.run(*lab.on(MANAGER, "saquery", "NR")).stdout
    return sorted(zip(re.findall(r"port_guid\.*(0x[0-9a-f]+)", told),
                      re.findall(r"\blid\.*(\w+)", told)))


def services(lab, asked_on):
    return sorted(re.findall(r"ServiceID\.*(0x[0-9a-f]+|\d+)",
                             lab.run(*lab.on(asked_on, "saquery", "SR")).stdout))


class Storm(threading.Thread):
    """Hosts that register one service after another, until it is told to end."""

    def __init__(self, lab, host):
        super().__init__()
        self.lab, self.host, self.ends, self.acknowledged = lab, host, False, []

    def run(self):
        number = 0
        while not self.ends:
            number += 1
            name = hex(0x5000 + number)
            done = self.lab.run(*self.lab.on(self.host, self.lab.sa_host, "service", "mlx5_0",
                                             name))
            if done.returncode == 0:
                self.acknowledged.append(int(name, 16))


def numbers(told):
    return {int(one, 0) for one in told}


def expect_services(lab, asked_on, wanted):
    missing = set(wanted) - numbers(services(lab, asked_on))
    if missing:
        raise Failed(f"acknowledged and gone: {sorted(map(hex, missing))} of {len(wanted)}")


def answers(lab, host):
    return lab.run(*lab.on(host, "saquery", "CPI")).returncode == 0


def master_of(lab, host):
    """The GUID of the master by whose LID this port calls its own, if that answers as one."""
    told = lab.run(*lab.on(host, "sminfo")).stdout
    found = re.search(r"sm guid (0x[0-9a-f]+),.* state 3 ", told)
    return int(found[1], 16) if found else None


def is_master(lab, host):
    own = int(guid(int(host.removeprefix("host-"))), 16)
    return master_of(lab, host) == own and answers(lab, host)


def kill_in_a_storm(lab, master, meanwhile):
    """The master dies while hosts register, and meanwhile() before; what was acknowledged is known
    to its standby, which asks nobody."""
    for host in hosts(2, 4, 8):
        lab.broadcast(host)
    before = members(lab, MANAGER)
    storm = Storm(lab, "host-0003")
    storm.start()
    meanwhile()
    kill(master)
    began = time.monotonic()
    lab.wait("the standby to be master", lambda: is_master(lab, STANDBY))
    took = time.monotonic() - began
    storm.ends = True
    storm.join()
    try:
        expect_what_was_promised(lab, storm, before)
    except Failed as failure:
        if promised_less(lab):
            raise StoodStill(f"disk or standby took longer than it is waited for: {failure}") \
                from failure
        raise
    print(f"took over within {took:.2f} s, {len(storm.acknowledged)} services and "
          f"{len(before)} members kept")


def expect_what_was_promised(lab, storm, before):
    if not storm.acknowledged:
        raise Failed("nothing was registered")
    expect_services(lab, STANDBY, storm.acknowledged)
    if len(before) < 3 or members(lab, STANDBY) != before:
        raise Failed(f"members before: {before}\nafter: {members(lab, STANDBY)}")
    if "RegistrationsLost" in log(lab, "two.txt"):
        raise Failed("what the standby was told was not believed")


def promised_less(lab):
    """Whether a manager said that clients were answered without its disk or its standby."""
    one, two = log(lab, "one.txt"), log(lab, "two.txt")
    left = one.count("StandbyGone")
    return "MemoryFails" in one + two or (left > 0 and left >= one.count("StandbyListens"))


# --- scenarios ----------------------------------------------------------------------------------

def restart(lab):
    """kill -9 five times in a storm of registrations, and nothing is lost or asked again."""
    lab.begin()
    manager = lab.manage()
    for host in hosts(2, 4, 8):
        lab.broadcast(host)
    before = members(lab, MANAGER)
    wanted = set()
    for _ in range(5):
        storm = Storm(lab, "host-0003")
        storm.start()
        time.sleep(0.5)
        kill(manager)
        storm.ends = True
        storm.join()
        wanted |= set(storm.acknowledged)
        manager = lab.manage()
        expect_services(lab, MANAGER, wanted)
    if not wanted:
        raise Failed("nothing was registered")
    if len(before) < 3 or members(lab, MANAGER) != before:
        raise Failed(f"members before: {before}\nafter: {members(lab, MANAGER)}")
    if "RegistrationsLost" in log(lab) or "MemoryNotWhole" in log(lab):
        raise Failed("it was not believed")
    kept = lab.folder + "/kept.db"
    done = lab.run(lab.heddle, "snapshot", "save", kept, "--memory", "lids.db")
    if done.returncode != 0 or "service" not in done.stdout:
        raise Failed(f"snapshot save: {done.stdout}")
    restored = "snapshot", "restore", kept, "--memory", "lids.db"
    done = lab.run(lab.heddle, *restored)
    if done.returncode == 0 or "another subnet manager" not in done.stdout:
        raise Failed(f"snapshot restore beside a manager: {done.stdout}")
    lids = lids_of(lab)
    kill(manager)
    done = lab.run(lab.heddle, *restored)
    if done.returncode != 0:
        raise Failed(f"snapshot restore: {done.stdout}")
    lab.manage()
    expect_services(lab, MANAGER, wanted)
    if lids_of(lab) != lids:
        raise Failed(f"LIDs before: {lids}\nafter: {lids_of(lab)}")


def broken(lab):
    """A database that is broken is put aside, said, and the fabric goes on."""
    lab.begin()
    manager = lab.manage()
    lab.broadcast("host-0002")
    kill(manager)
    for part in ("-wal", "-shm"):
        Path(lab.folder, "lids.db" + part).unlink(missing_ok=True)
    Path(lab.folder, "lids.db").write_bytes(b"no database " * 1000)
    lab.manage()
    if "lids.db.broken-1" not in log(lab) or not Path(lab.folder, "lids.db.broken-1").exists():
        raise Failed("the broken file was not put aside, or not told of")
    lab.broadcast("host-0004")
    if not (rows := rows_of(lab, "member")):
        raise Failed(f"nothing is stored: {rows}")


def rows_of(lab, kind, file="lids.db"):
    with sqlite3.connect(f"file:{lab.folder}/{file}?mode=ro", uri=True) as database:
        return database.execute("SELECT name FROM record WHERE name LIKE ?",
                                (kind + " %",)).fetchall()


def full(lab):
    """On a full disk clients are answered, it is said, and made good for when there is room."""
    lab.begin()
    manager = lab.manage()
    unlimited = resource.prlimit(manager.pid, resource.RLIMIT_FSIZE)
    # More than the log takes, and less than what is stored will.
    resource.prlimit(manager.pid, resource.RLIMIT_FSIZE, (150_000, unlimited[1]))
    wanted = set()
    while "MemoryFails" not in log(lab):
        number = 0x5000 + len(wanted)
        done = lab.run(*lab.on("host-0003", lab.sa_host, "service", "mlx5_0", hex(number)))
        if done.returncode != 0 or len(wanted) > 200:
            raise Failed(f"service {len(wanted)}: {done.stdout}, and no failure is told")
        wanted.add(number)
    resource.prlimit(manager.pid, resource.RLIMIT_FSIZE, unlimited)
    lab.wait("a store that is whole", lambda: "MemoryWhole" in log(lab))
    kill(manager)
    lab.manage()
    expect_services(lab, MANAGER, wanted)


def pair(lab, **more):
    """Two managers with a secret in common, each with its own folder for what it remembers."""
    ports = []
    for _ in range(2):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            ports.append(free.getsockname()[1])
    Path(lab.folder, "secret").write_text(secrets.token_hex(32))
    managers = []
    for at, (name, host) in enumerate((("one", MANAGER), ("two", STANDBY))):
        Path(lab.folder, f"{name}.toml").write_text(
            f'[sm]\npriority = {9 - at}\npoll_interval = "300ms"\nsticky_master = true\n'
            f'[lids]\nmemory_file = "{name}.lids"\n[api]\nsocket = "{name}.api"\n'
            '[partitions]\nmanaged = true\n'
            f'[standby]\nlisten = "127.0.0.1:{ports[at]}"\n'
            f'peer = "127.0.0.1:{more.get("peer", ports[1 - at])}"\nsecret_file = "secret"\n')
        process = lab.start(*lab.on(host, lab.heddle, "sm", "--config", f"{name}.toml"),
                            log=f"{name}.txt")
        managers.append(process)
        if at == 0:
            lab.wait("an answer of subnet administration", lambda: answers(lab, MANAGER))
    lab.wait("a standby", lambda: "stands by" in log(lab, "two.txt") or
             "STANDBY" in log(lab, "two.txt").upper())
    return managers


def takeover(lab):
    """The master is killed in a storm of registrations: its standby has all that was acknowledged,
    and asks nobody to register again."""
    lab.begin()
    first, second = pair(lab)
    lab.wait("a standby that listens", lambda: "StandbyListens" in log(lab, "one.txt"))
    kill_in_a_storm(lab, first, lambda: time.sleep(2))
    # And back: the first one comes again, stands by, is told all, and takes over in its turn.
    lab.start(*lab.on(MANAGER, lab.heddle, "sm", "--config", "one.toml"), log="one.txt")
    lab.wait("the first as standby", lambda: "StandbyListens" in log(lab, "two.txt"))
    time.sleep(2)
    lab.broadcast("host-0005")
    before = members(lab, STANDBY)
    kill(second)
    lab.wait("the first to be master again", lambda: is_master(lab, MANAGER))
    if members(lab, MANAGER) != before:
        raise Failed(f"members before: {before}\nafter: {members(lab, MANAGER)}")


def children_of(pid):
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += [child, *children_of(child)]
    return found


class Stopped:
    """A manager that does nothing, as on a host that is asleep. `sim enter` waits for it, and its
    name is in no list: all of its group is stopped."""

    def __init__(self, process):
        process.send_signal(signal.SIGSTOP)
        self.pids = [*map(int, children_of(process.pid)), process.pid]
        for pid in self.pids:
            os.kill(pid, signal.SIGSTOP)

    def resume(self):
        for pid in self.pids:
            os.kill(pid, signal.SIGCONT)


def stale(lab):
    """A master is stopped, its standby takes its place, and the first wakes up: it gives way, and
    what was registered with the second is there."""
    lab.begin()
    first, _ = pair(lab)
    lab.wait("a standby that listens", lambda: "StandbyListens" in log(lab, "one.txt"))
    register = "service", "mlx5_0"
    lab.run(*lab.on("host-0003", lab.sa_host, *register, "0x6001"))
    stopped = Stopped(first)
    second = int(guid(9), 16)
    lab.wait("the standby to be master", lambda: master_of(lab, STANDBY) == second and lab.run(
        *lab.on(STANDBY, "saquery", "CPI")).returncode == 0)
    lab.run(*lab.on("host-0005", lab.sa_host, *register, "0x6002"))
    stopped.resume()
    lab.wait("the first to give way", lambda: "from master to discovering: another subnet manager "
             "was made master later" in log(lab, "one.txt"))
    time.sleep(2)
    if {master_of(lab, host) for host in hosts(1, 3, 9)} != {second}:
        raise Failed("the second is not everybody's master")
    expect_services(lab, STANDBY, (0x6001, 0x6002))
    if "RegistrationsLost" in log(lab, "two.txt"):
        raise Failed("what the standby was told was not believed")


def split(lab):
    """The fabric is cut in two and the connection is not: each side has a master, which answers its
    clients; when the sides are joined again one of them is left."""
    lab.begin()
    pair(lab)
    lab.wait("a standby that listens", lambda: "StandbyListens" in log(lab, "one.txt"))
    # The first manager and hosts 1 to 3 are on this leaf.
    between = [("leaf-1", port) for port in ("4", "5", "6")]
    sides = {int(guid(1), 16): ("host-0003", 0x6001), int(guid(9), 16): ("host-0005", 0x6002)}
    for end in between:
        lab.ctl("link", "down", *end)
    lab.wait("a master on either side", lambda: [
        master_of(lab, host) for host in (MANAGER, STANDBY)] == list(sides) and all(
            lab.run(*lab.on(host, "saquery", "CPI")).returncode == 0
            for host in (MANAGER, STANDBY)))
    for host, service in sides.values():
        done = lab.run(*lab.on(host, lab.sa_host, "service", "mlx5_0", hex(service)))
        if done.returncode != 0:
            raise Failed(f"{host} is not answered: {done.stdout}")
    for end in between:
        lab.ctl("link", "up", *end)
    everywhere = hosts(1, 3, 5, 9, 18)
    lab.wait("one master", lambda: len({master_of(lab, host) for host in everywhere}) == 1)
    time.sleep(3)
    left = {master_of(lab, host) for host in everywhere}
    if len(left) != 1 or not left <= set(sides):
        raise Failed(f"masters: {left}")
    # Who was not there for the one that is left was forgotten, and asked when it came back. These
    # hosts hear no such question, so they do what it leads to.
    mlid = {lab.broadcast(host) for host in everywhere[1:]}.pop()
    for source, destination in (("host-0003", "host-0018"), ("host-0018", "host-0003")):
        lab.expect_ping(source, destination, mlid)


def killed_early(lab):
    """kill -9 at moments all through the first sweep and its programming, in two rounds: the run
    that is left alone leaves a fabric that works."""
    lab.begin()
    for pause in (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.8):
        manager = lab.start(*lab.on(MANAGER, lab.heddle, "sm", "--lid-memory", "lids"),
                            log="sm.txt")
        time.sleep(pause)
        kill(manager)
    lab.manage()
    mlids = {lab.broadcast(host) for host in hosts(2, 8, 18)}
    for source, destination in (("host-0002", "host-0018"), ("host-0018", "host-0008")):
        lab.expect_ping(source, destination, min(mlids))
    lids = [lid for _, lid in lids_of(lab)]
    if len(mlids) != 1 or len(lids) != len(set(lids)) or len(lids) < 18:
        raise Failed(f"groups: {mlids}, LIDs: {lids}")


class Programs:
    """Change partitions by the socket of a manager."""

    def __init__(self, lab, name):
        self.socket = f"{lab.folder}/{name}.api"

    def call(self, method, target, body=None):
        connection = ByPath(self.socket)
        connection.request(method, target, None if body is None else json.dumps(body))
        answer = connection.getresponse()
        content = json.load(answer)
        connection.close()
        return answer.status, content

    def partitions(self):
        """None while nobody answers, as after the end of a manager, whose socket is left."""
        try:
            return self.made()
        except (ConnectionRefusedError, FileNotFoundError):
            return None

    def made(self):
        return {one["p_key"]: sorted(member["guid"] for member in one["members"])
                for one in self.call("GET", "/v1/partitions/managed")[1]["partitions"]}


def keys_of(lab, asked_on, guid):
    return re.findall(r"0x[0-9a-f]{4}\b", lab.run(
        *lab.on(asked_on, "smpquery", "-G", "pkeys", guid)).stdout)


def hand_on_partitions(lab, first):
    """What programs made of partitions at the master is what its standby has, changes and all."""
    one, two = Programs(lab, "one"), Programs(lab, "two")
    blue, red = guid(2), guid(3)

    def change(method, target, body=None):
        status, told = one.call(method, f"/v1/partitions/managed/{target}?wait=20", body)
        if status != 200 or not told["done"]:
            raise Failed(f"{method} {target}: {status} {told}")

    change("PUT", "0x0021", {"name": "blue", "members": [blue, red]})
    lab.wait("the standby to be told",
             lambda: two.partitions() == {"0x0021": sorted([blue, red])})
    change("PUT", "0x0022", {"name": "red", "members": [red]})
    change("PUT", "0x0021", {"name": "blue", "members": [blue]})
    wanted = {"0x0021": [blue], "0x0022": [red]}
    lab.wait("the standby to be told of changes", lambda: two.partitions() == wanted)
    status, _ = two.call("PUT", "/v1/partitions/managed/0x0023", {})
    if status != 503:
        raise Failed(f"the standby took a change: {status}")
    kill(first)
    lab.wait("the standby to be master", lambda: is_master(lab, STANDBY))
    status, told = two.call("GET", "/v1/partitions/managed?wait=20")
    if status != 200 or not told["done"]:
        raise Failed(f"the new master has not reached what it was told: {status} {told}")
    if two.partitions() != wanted:
        raise Failed(f"the new master has {two.partitions()}")
    for port, key in ((blue, "0x8021"), (red, "0x8022")):
        keys = keys_of(lab, STANDBY, port)
        if key not in keys or len(set(keys) & {"0x8021", "0x8022"}) != 1:
            raise Failed(f"{port} holds {keys}")
    status, _ = two.call("DELETE", "/v1/partitions/managed/0x0022?wait=20")
    if status != 200:
        raise Failed(f"the new master takes no change: {status}")


def partitions(lab):
    """With a partner."""
    lab.begin()
    first, _ = pair(lab)
    lab.wait("a standby that listens", lambda: "StandbyListens" in log(lab, "one.txt"))
    hand_on_partitions(lab, first)
    # Who was away is told what it missed.
    Path(lab.folder, "one.txt").unlink()
    lab.start(*lab.on(MANAGER, lab.heddle, "sm", "--config", "one.toml"), log="one.txt")
    lab.wait("the first to have what the second made",
             lambda: Programs(lab, "one").partitions() == {"0x0021": [guid(2)]})


def cut_off(lab):
    """Nobody listens where the peer should be: both go on, the fabric has one master, and after a
    takeover the clients are asked, because what they said since is known to nobody."""
    lab.begin()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        first, _ = pair(lab, peer=free.getsockname()[1])
    lab.broadcast("host-0002")
    kill(first)
    lab.wait("the standby to be master", lambda: is_master(lab, STANDBY))
    if members(lab, STANDBY):
        raise Failed("it knows what nobody told it")
    if "PartnerGone" not in log(lab, "two.txt"):
        raise Failed("it does not say that the other one is not heard")


SCENARIOS = {one.__name__: one for one in (restart, broken, full, takeover, partitions, stale,
                                           split, killed_early, cut_off)}


if __name__ == "__main__":
    sys.exit(play(__doc__, SCENARIOS, ("sim.txt", "sm.txt", "one.txt", "two.txt")))
