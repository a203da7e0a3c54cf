#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Puts a subnet manager on a simulated fabric, that of ibsim or of `heddle sim`, and lets outside
tools judge what it leaves behind.

  run.py --net nets/tree.net --scenario once --heddle build/gcc/app/heddle
  run.py --net nets/tree.net --scenario daemon --sm opensm
  run.py --net nets/tree.net --server heddle --sm opensm --heddle build/gcc/app/heddle"""

import argparse
import sys
from pathlib import Path

import observed
from judges import judge
from lab import HeddleLab, Lab, LabError
from managers import Heddle, ManagerFailed, OpenSm
from netfile import read_net


def once(lab, manager, island, seed):
    """One sweep, then the manager is gone and the fabric must stand."""
    manager.once()
    return judge(lab, island, seed, manager.dumps)


def daemon(lab, manager, island, seed):
    """The manager stays: it answers as master, and leaves cleanly when asked."""
    manager.start()
    verdicts = judge(lab, island, seed, manager.dumps, master=True)
    manager.stop()
    return verdicts


def relink(lab, manager, island, seed):
    """A cable between two switches is pulled and put back while the manager watches."""
    cables = [sorted(link) for link in sorted(island.links, key=sorted)
              if len(link) == 2 and all(island.kinds[name] == "switch" for name, _ in link)]
    if not cables:
        raise LabError("no two switches have a cable between them")
    cable = (name, port), (other, other_port) = cables[0]
    manager.watch_closely()
    manager.start()
    verdicts = {}
    for command, expected in ((f'Unlink "{name}"[{port}]', island.without(*cable)),
                              (f'Link "{name}"[{port}] "{other}"[{other_port}]', island)):
        lab.console(command)
        verdicts = settled(lab, expected, seed)
        if verdicts:
            return {f"after {command}: {who}": what for who, what in verdicts.items()}
    manager.stop()
    return verdicts


def settled(lab, expected, seed, seconds=40):
    """The verdicts once they are good, or as they are when the time is up."""
    verdicts = {}

    def good():
        verdicts.clear()
        verdicts.update(judge(lab, expected, seed, master=True))
        return not verdicts

    try:
        lab.wait(good, seconds, "the fabric to settle")
    except TimeoutError:
        pass
    return verdicts


def second_run(lab, manager, island, seed):
    """A second sweep of an unchanged fabric finds everything right: it sends no Set.

    ibsim answers every Set of PortInfo with SubnetTimeOut 31, whatever it was told, and so it is
    told 31; every other field that Heddle writes it keeps. Our own devices keep all."""
    if lab.server_name == "ibsim":
        configuration = lab.folder / "heddle.toml"
        configuration.write_text("[links]\nsubnet_timeout = 31\n")
        manager.options += ["--config", configuration]
    manager.once()
    manager.once()
    finished = manager.events("SweepFinished")
    verdicts = judge(lab, island, seed, manager.dumps)
    if not finished:
        verdicts["no_set"] = ["the log has no SweepFinished event"]
    elif int(finished[-1].get("sets", -1)) != 0:
        verdicts["no_set"] = [f"the second run: {finished[-1]}"]
    return verdicts


def discovered(lab):
    return observed.discovery(lab.run("ibnetdiscover")[1])


def change_over(lab, manager, island, seed):
    """From OpenSM to Heddle and back to OpenSM: every port keeps its LIDs, one too whose cable is
    out while Heddle takes over, for Heddle goes on with OpenSM's own guid2lid."""
    opensm = OpenSm(lab, ["-l", "1"])
    manager.options += ["--lmc", "1"]
    (lab.folder / "lids").symlink_to("guid2lid")
    host = next(name for name in sorted(island.kinds)
                if island.kinds[name] == "ca" and name != lab.host)
    cable = next(sorted(link) for link in sorted(island.links, key=sorted)
                 if host in dict(link))
    pulled, plugged = (command + " " + " ".join(f'"{name}"[{port}]' for name, port in ends)
                       for command, ends in (("Unlink", cable[:1]), ("Link", cable)))
    lids = {}
    turns = ((opensm, None, island), (manager, pulled, island.without(*cable)),
             (manager, plugged, island), (opensm, None, island))
    for who, command, expected in turns:
        there = expected.island_of(lab.host).kinds.keys()
        if command:
            lab.console(command)  # a link needs a moment to come up
            lab.wait(lambda seen=there: discovered(lab).kinds.keys() == seen, 20, command)
        who.once()
        verdicts = {}
        if who is manager:  # OpenSM's tables are not on trial here
            verdicts = judge(lab, expected.island_of(lab.host), seed, who.dumps)
        now = discovered(lab).lids
        moved = [f"{end}: {lids[end]}, then {now[end]}"
                 for end in sorted(now) if end in lids and lids[end] != now[end]]
        if moved or not now:
            verdicts["lids_stay"] = moved or ["none are seen"]
        if verdicts:
            return {f"{who.name} after {command}: {name}": what for name, what in verdicts.items()}
        lids = {**lids, **now}
    return {}


SCENARIOS = {"once": once, "daemon": daemon, "relink": relink, "second-run": second_run,
             "change-over": change_over}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--net", type=Path, required=True)
    parser.add_argument("--scenario", choices=SCENARIOS, default="once")
    parser.add_argument("--sm", choices=("heddle", "opensm"), default="heddle")
    parser.add_argument("--server", choices=("ibsim", "heddle"), default="ibsim",
                        help="whose fabric")
    parser.add_argument("--heddle", type=Path, help="the program under test")
    parser.add_argument("--host", help="node that the SM runs on (default: the file's first host)")
    parser.add_argument("--seed", type=int, default=1, help="of the pairs that are sampled")
    parser.add_argument("--option", action="append", default=[], help="passed on to the SM")
    options = parser.parse_args()
    if "heddle" in (options.sm, options.server) and not options.heddle:
        parser.error("--heddle names the program under test")
    return options


def main():
    options = arguments()
    net = read_net(options.net)
    if options.server == "heddle":
        laboratory = HeddleLab(options.heddle.resolve(), options.net, net, options.host)
    else:
        laboratory = Lab(options.net, net, options.host)
    with laboratory as lab:
        if options.sm == "heddle":
            manager = Heddle(lab, options.heddle.resolve(), options.option)
        else:
            manager = OpenSm(lab, options.option)
        try:
            verdicts = SCENARIOS[options.scenario](lab, manager, net.island_of(lab.host),
                                                   options.seed)
        except (LabError, ManagerFailed, TimeoutError) as error:
            verdicts = {type(error).__name__: [str(error)]}
        if verdicts and manager.log.exists():
            print(manager.log.read_text(errors="replace")[-4000:])
    for who, complaints in verdicts.items():
        for complaint in complaints[:20]:
            print(f"{who}: {complaint}")
        print(f"{who}: {len(complaints)} complaints")
    if not verdicts:
        print(f"{options.sm} on {options.net.name} of {lab.server_name}: every judge is content")
    return 1 if verdicts else 0


if __name__ == "__main__":
    sys.exit(main())
