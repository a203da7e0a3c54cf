# SPDX-License-Identifier: BSD-3-Clause
"""Independent judges of a fabric that a subnet manager left behind. Each asks programs that are not
ours and returns its complaints; an empty list is an acquittal."""

import random
import re
import subprocess
from pathlib import Path

import observed

ACTIVE = "Active/LinkUp"
# ibdmchk 1.5.7 gives its verdict and then crashes while it frees the credit loop graph; with this
# one function replaced it lives to return its exit code.
SHIM = "class IBFabric;\nint CrdLoopCleanup(IBFabric*) { return 0; }\n"


class Bench:
    """The answers that several judges need, asked for once."""

    def __init__(self, lab, expected, seed):
        self.lab, self.expected, self.random = lab, expected, random.Random(seed)
        self.discovered = observed.discovery(self.ask("ibnetdiscover"))
        self.tables = observed.forwarding_tables(self.ask("dump_lfts"))

    def ask(self, *command):
        """A tool's standard output. Its exit code is not asked: what it prints must convince."""
        return self.lab.run(*command)[1]

    def unicast(self):
        return {lid: owners for lid, owners in self.discovered.owners().items() if lid}


def every_node_and_link(bench):
    """ibnetdiscover against the NET file."""
    seen, wanted = bench.discovered, bench.expected
    complaints = []
    for what, have, want in (("node", seen.kinds.items(), wanted.kinds.items()),
                             ("link", seen.links, wanted.links)):
        have, want = set(have), set(want)
        complaints += [f"{what} is missing: {describe(x)}" for x in want - have]
        complaints += [f"{what} is not in the fabric: {describe(x)}" for x in have - want]
    return complaints


def describe(item):
    return " - ".join(sorted(map(str, item))) if isinstance(item, frozenset) else str(item)


def lids_are_unique(bench):
    complaints = [f"LID {lid} is shared by {owners}"
                  for lid, owners in bench.discovered.owners().items() if lid and len(owners) > 1]
    complaints += [f"{end} has no LID" for end, (first, _) in bench.discovered.lids.items()
                   if not first]
    if not bench.discovered.lids:
        complaints.append("nobody has a LID")
    return complaints


def all_links_active(bench):
    """iblinkinfo: both ends of every cable of the island."""
    states = observed.link_states(bench.ask("iblinkinfo", "-l"))
    ends = {end for link in bench.expected.links for end in link}
    return [f"{name} port {port} is {states.get((name, port), 'not listed')}"
            for name, port in sorted(ends) if states.get((name, port)) != ACTIVE]


def tables_reach_everyone(bench):
    """dump_lfts, walked from every switch to every LID along the cables of the NET file."""
    peer, complaints = bench.expected.peers(), []
    switches = [name for name, kind in bench.expected.kinds.items() if kind == "switch"]
    complaints += [f"dump_lfts shows no table of {name}" for name in switches
                   if name not in bench.tables]
    for lid, owners in sorted(bench.unicast().items()):
        for start in switches:
            trouble = walk(bench.tables, peer, start, lid, owners[0], len(switches))
            if trouble:
                complaints.append(f"from {start} to LID {lid} ({owners[0]}): {trouble}")
    return complaints


def walk(tables, peer, start, lid, goal, switch_count):
    here = start
    for _ in range(switch_count + 1):
        port = tables.get(here, {}).get(lid)
        if port is None:
            return f"{here} has no entry"
        if port == 0:
            return None if goal == (here, 0) else f"ends at port 0 of {here}"
        next_end = peer.get((here, port))
        if next_end is None:
            return f"{here} port {port} has no cable"
        if next_end == goal:
            return None
        here = next_end[0]
        if here not in tables:
            return f"ends at {next_end}"
    return "a loop"


def traces_arrive(bench, pairs=12):
    """ibtracert between random pairs of LIDs: every hop is a cable, the last is the goal's."""
    lids, peer = sorted(bench.unicast()), bench.expected.peers()
    complaints = []
    for _ in range(pairs if len(lids) > 1 else 0):
        source, target = bench.random.sample(lids, 2)
        output = bench.ask("ibtracert", str(source), str(target))
        trouble = follow(observed.trace(output), bench.unicast(), source, target, peer)
        if trouble:
            complaints.append(f"ibtracert {source} {target}: {trouble}")
    return complaints


def follow(hops, owners, source, target, peer):
    here, goal = owners[source][0][0], owners[target][0]
    if not hops and here != goal[0]:
        return "no route"
    for out, entered, name in hops:
        if peer.get((here, out)) != (name, entered):
            return f"{here} port {out} does not lead to {name} port {entered}"
        here = name
    last = (here, 0 if goal[1] == 0 else (hops[-1][1] if hops else goal[1]))
    return None if last == goal else f"arrives at {last} instead of {goal}"


def devices_answer_by_lid(bench, samples=6):
    """smpquery over the new routes: NodeInfo, PortInfo and SwitchInfo hold what was programmed."""
    complaints, unicast = [], bench.unicast()
    masters = bench.discovered.lids.get((bench.lab.host, 1), (0, 0))
    for lid in bench.random.sample(sorted(unicast), min(samples, len(unicast))):
        name, number = unicast[lid][0]
        node = observed.fields(bench.ask("smpquery", "nodeinfo", str(lid)))
        port = observed.fields(bench.ask("smpquery", "portinfo", str(lid), str(number)))
        if node.get("NumPorts") != str(bench.expected.ports.get(name)):
            complaints.append(f"NodeInfo of LID {lid} is not that of {name}: {node}")
        first = bench.discovered.lids[name, number][0]
        if port.get("Lid") != str(first) or port.get("SMLid") != str(masters[0]):
            complaints.append(f"{name} port {number}: Lid {port.get('Lid')} (want {first}),"
                              f" SMLid {port.get('SMLid')} (want {masters[0]})")
        if number == 0:
            switch = observed.fields(bench.ask("smpquery", "switchinfo", str(lid)))
            top = int(switch.get("LinearFdbTop", -1))
            if top < max(unicast) or switch.get("StateChange") != "0":
                complaints.append(f"{name}: LinearFdbTop {top}, highest LID {max(unicast)},"
                                  f" StateChange {switch.get('StateChange')}")
    return complaints


def one_master_answers(bench):
    """sminfo, asked on the SM's own port and from another host."""
    lid = bench.discovered.lids.get((bench.lab.host, 1), (0, 0))[0]
    hosts = [bench.lab.host, *(name for name, kind in bench.expected.kinds.items()
                               if kind == "ca" and name != bench.lab.host)][:2]
    complaints = []
    for host in hosts:
        _, output, errors = bench.lab.run("sminfo", host=host)
        if not re.search(rf"sm lid {lid} .*\bSMINFO_MASTER\b", output):
            complaints.append(f"sminfo on {host}: {output.strip() or errors.strip()[-300:]}")
    return complaints


def own_dumps_hold(bench, dumps):
    """ibdmchk on the manager's own dumps: every pair of CAs, credit loops."""
    if not any(kind == "switch" for kind in bench.expected.kinds.values()):
        return []  # without a switch there is no table to check
    files = [Path(dumps, name) for name in ("opensm-subnet.lst", "opensm.fdbs")]
    missing = [f"{path.name} was not written" for path in files if not path.is_file()]
    if missing:
        return missing
    multicast = Path(dumps, "opensm.mcfdbs")
    multicast.touch()  # ibdmchk insists on one; a fabric without groups has none to show
    environment = {**bench.lab.environment(), "LD_PRELOAD": str(ibdmchk_shim(bench.lab.folder))}
    done = subprocess.run(["ibdmchk", "-s", files[0], "-f", files[1], "-m", multicast],
                          env=environment, cwd=bench.lab.folder, capture_output=True, text=True,
                          timeout=120, check=False)
    hosts = sum(kind == "ca" for kind in bench.expected.kinds.values())
    scanned = re.search(r"Scanned:(\d+) CA to CA paths", done.stdout)
    complaints = [line for line in done.stdout.splitlines() if line.startswith("-E-")]
    if done.returncode != 0:
        complaints.append(f"ibdmchk ended with {done.returncode}: {done.stdout[-1500:]}")
    elif not scanned or int(scanned[1]) < hosts * (hosts - 1):
        complaints.append(f"ibdmchk scanned {scanned and scanned[1]} paths of {hosts} hosts")
    return complaints


def ibdmchk_shim(folder):
    library = Path(folder, "libshim.so")
    if not library.exists():
        subprocess.run(["g++", "-shared", "-fPIC", "-x", "c++", "-", "-o", library],
                       input=SHIM, text=True, check=True, timeout=60)
    return library


FABRIC = (every_node_and_link, lids_are_unique, all_links_active, tables_reach_everyone,
          traces_arrive, devices_answer_by_lid)


def judge(lab, expected, seed, dumps=None, master=False):
    """{judge's name: complaints} of those who complain."""
    bench = Bench(lab, expected, seed)
    verdicts = {judge.__name__: judge(bench) for judge in FABRIC}
    if master:
        verdicts["one_master_answers"] = one_master_answers(bench)
    if dumps is not None:
        verdicts["own_dumps_hold"] = own_dumps_hold(bench, dumps)
    return {name: complaints for name, complaints in verdicts.items() if complaints}
