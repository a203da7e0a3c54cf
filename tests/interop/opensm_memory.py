#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What OpenSM remembers, taken over by Heddle, and given back: Debian's OpenSM writes its cache and
opensm-sa.dump, `heddle snapshot import` reads them, Heddle manages the fabric with them, and what
`heddle snapshot export` writes then is loaded by Debian's OpenSM.

  opensm_memory.py there_and_back --heddle build/gcc/heddle --sa-host .../sa_host"""

import re
import shutil
import sys
from pathlib import Path

from ipoib import MANAGER, Failed, hosts, play
from memory import kill, lids_of, log, members, services

M_KEY = "0x1234"
ALIAS = "0x0014050000000077"
CACHE = ("guid2lid", "guid2mkey", "neighbors", "opensm-sa.dump")


def start_opensm(lab, name, **more):
    """With a cache folder of its own, and what is there already."""
    folder = Path(lab.folder, name)
    folder.mkdir(exist_ok=True)
    options = {"sa_db_dump": "TRUE", "log_flags": "0x43", "dump_files_dir": f"{folder}/",
               "m_key": M_KEY, "m_key_protection_level": 1, "sweep_interval": 2, **more}
    (folder / "opensm.conf").write_text("".join(f"{key} {value}\n"
                                                for key, value in options.items()))
    lab.environment.update(OSM_CACHE_DIR=str(folder), OSM_TMP_DIR=str(folder))
    process = lab.start(*lab.on(MANAGER, "opensm", "-F", str(folder / "opensm.conf"),
                                "-f", str(folder / "opensm.log")), log=f"{name}.txt")
    lab.wait("an answer of OpenSM", lambda: lab.run(
        *lab.on(MANAGER, "saquery", "CPI")).returncode == 0)
    return process


def subscribers(lab):
    """GIDs of who wants reports, as subnet administration tells them."""
    told = lab.run(*lab.on(MANAGER, "saquery", "--smkey", "1", "IIR")).stdout
    return sorted(re.findall(r"SubscriberGID\.*([0-9a-f:]+)", told))


def aliases(lab):
    """All GUIDs in tables of ports that are ALIAS."""
    told = lab.run(*lab.on(MANAGER, "saquery", "--smkey", "1", "GIR")).stdout.lower()
    return told.count(ALIAS[2:].lower()) + told.count(hex(int(ALIAS, 16)))


def groups(lab):
    """MLIDs by MGID."""
    told = lab.run(*lab.on(MANAGER, "saquery", "-g")).stdout
    return dict(zip(re.findall(r"MGID\.*([0-9a-f:]+)", told),
                    re.findall(r"Mlid\.*(0x[0-9A-Fa-f]+)", told)))


def picture(lab):
    return {"members": members(lab, MANAGER), "services": services(lab, MANAGER),
            "subscribers": subscribers(lab), "LIDs": lids_of(lab), "groups": groups(lab),
            "aliases": aliases(lab)}


def expect(before, after, who):
    # Each makes groups of its own too.
    after["groups"] = {mgid: mlid for mgid, mlid in after["groups"].items()
                       if mgid in before["groups"]}
    for what, told in before.items():
        if after[what] != told:
            raise Failed(f"{who}: {what}: {after[what]}\nbefore: {told}")


def trees(lab, folder):
    """By MLID, from opensm.mcfdbs: which hosts it leads to, and how many links between switches it
    takes. Which links those are each manager chooses for itself."""
    ends = {}
    for line in Path(lab.folder, folder, "opensm-subnet.lst").read_text().splitlines():
        (kind, guid, port), (peer, other, number) = re.findall(
            r"\{ (\w\w)\S* .*?NodeGUID:(\w+) .*?PN:(\w+) \}", line)
        if kind == "SW":
            ends[guid, int(port, 16)] = (other, int(number, 16) if peer == "SW" else None)
    ports = {}
    tables = Path(lab.folder, folder, "opensm.mcfdbs").read_text().split("Switch ")
    for table in tables[1:]:
        guid, heading, *rows = table.strip("\n").split("\n")
        if not re.fullmatch(r"0x[0-9a-f]{16}", guid) or heading != "LID    : Out Port(s)":
            raise Failed(f"{folder}: no heading of a table: {guid}\n{heading}")
        for row in rows:
            if not re.fullmatch(r"0x[0-9A-F]{4} :( 0x[0-9A-F]{3} )+", row):
                raise Failed(f"{folder}: no row of a table: '{row}'")
            mlid, *out = row.replace(":", "").split()
            ports.setdefault(mlid, set()).update((guid[2:], int(port, 16)) for port in out)
    told = {}
    for mlid, all_of_it in ports.items():
        leaving = {end: ends[end] for end in all_of_it if end[1] != 0}
        links = [end for end, peer in leaving.items() if peer[1] is not None]
        if any(leaving[end] not in all_of_it for end in links):
            raise Failed(f"{folder}: {mlid} leads into a switch that has no way back: {ports}")
        reached = sorted(peer for peer, port in leaving.values() if port is None)
        told[mlid] = reached, len(links) // 2
    return told


def expect_trees(lab, folder, wanted):
    """A dump may be a moment behind the members. A group that one host alone has joined has a row
    here, for who sends and is no member, and none of OpenSM."""
    def right():
        try:
            told = trees(lab, folder)
            alone = [mlid for mlid, tree in told.items() if len(tree[0]) == 1 and tree[1] == 0]
            return {mlid: told[mlid] for mlid in told if mlid not in alone} == wanted
        except (FileNotFoundError, ValueError, KeyError):
            return False  # it is being written
    try:
        lab.wait("", right)
    except Failed:
        raise Failed(f"{folder}/opensm.mcfdbs: {trees(lab, folder)}\nOpenSM: {wanted}") from None


def register(lab):
    for host in hosts(2, 4, 8):
        lab.broadcast(host)
    for host, verb, value in (("host-0003", "service", "0x5001"),
                              ("host-0004", "service", "0x5002"),
                              ("host-0005", "subscribe", "64"),
                              ("host-0002", "alias", ALIAS)):
        done = lab.run(*lab.on(host, lab.sa_host, verb, "mlx5_0", value))
        if done.returncode != 0:
            raise Failed(f"{verb} of {host}: {done.stdout}")


def there_and_back(lab):
    lab.begin()
    opensm = start_opensm(lab, "first")
    register(lab)
    before = picture(lab)
    if len(before["members"]) < 3 or len(before["services"]) != 2 or not before["subscribers"]:
        raise Failed(f"OpenSM has not taken it all: {before}")
    told = trees(lab, "first")
    if not any(len(reached) > 2 for reached, _ in told.values()):
        raise Failed(f"opensm.mcfdbs has no group with its members: {told}")
    opensm.terminate()
    opensm.wait(10)
    files = [str(Path(lab.folder, "first", name)) for name in CACHE]
    done = lab.run(lab.heddle, "snapshot", "import", *files, "--memory", "lids.db")
    if done.returncode != 0 or done.stdout.count("\n") != len(files):
        raise Failed(f"snapshot import: {done.stdout}")
    print(done.stdout, end="")
    # Ports have OpenSM's M_Key, which no configuration tells Heddle.
    (Path(lab.folder, "ours")).mkdir()
    manager = lab.manage("--dump-dir", "ours")
    expect(before, picture(lab), "Heddle")
    expect_trees(lab, "ours", told)
    if "PortLocked" in log(lab):
        raise Failed("a port's M_Key was not known")
    kill(manager)
    done = lab.run(lab.heddle, "snapshot", "export", "back", "--memory", "lids.db")
    if done.returncode != 0:
        raise Failed(f"snapshot export: {done.stdout}")
    second = Path(lab.folder, "second")
    second.mkdir()
    shutil.copy(Path(lab.folder, "back", "guid2lid"), second)
    opensm = start_opensm(lab, "second", sa_db_file=f"{lab.folder}/back/opensm-sa.dump")
    expect(before, picture(lab), "OpenSM")
    text = (second / "opensm.log").read_text(errors="replace")
    if "PARSE ERROR" in text:
        raise Failed("OpenSM cannot read the dump:\n" + text[-2000:])


if __name__ == "__main__":
    sys.exit(play(__doc__, {"there_and_back": there_and_back},
                  ("sim.txt", "sm.txt", "first.txt", "second.txt"), "opensm"))
