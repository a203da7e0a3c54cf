#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Judges the judges, with Debian's OpenSM as the manager: they must acquit a fabric that OpenSM
brought up, and convict it after each sabotage, by the judge whose trade it is."""

import sys
import unittest
from pathlib import Path

import observed
from endurance import Footprint, what_grew
from judges import judge
from lab import Lab
from managers import OpenSm
from netfile import read_net
from saboteur import Saboteur

NETS = Path(__file__).parent / "nets"


class Judges(unittest.TestCase):
    def fabric(self, name):
        net = read_net(NETS / name)
        lab = self.enterContext(Lab(NETS / name, net))
        manager = OpenSm(lab)
        manager.once()
        return lab, manager, net.island_of(lab.host)

    def saboteur(self, lab):
        return self.enterContext(Saboteur(lab, lab.host))

    def convicted_by(self, lab, island, dumps=None):
        return set(judge(lab, island, seed=1, dumps=dumps))

    def lid_of(self, lab, name, port):
        return observed.discovery(lab.run("ibnetdiscover")[1]).lids[name, port][0]

    def test_an_honest_fabric_is_acquitted(self):
        lab, manager, island = self.fabric("tree.net")
        self.assertEqual({}, judge(lab, island, seed=1, dumps=manager.dumps))

    def test_a_wrong_table_entry_is_found(self):
        lab, _, island = self.fabric("tree.net")
        # host11 - leaf1: what is for host12 (port 2) now leaves towards host13 (port 3)
        self.saboteur(lab).change_entry([1], self.lid_of(lab, "host12", 1), 3)
        self.assertIn("tables_reach_everyone", self.convicted_by(lab, island))

    def test_an_unassigned_table_entry_is_found(self):
        lab, _, island = self.fabric("tree.net")
        self.saboteur(lab).change_entry([1], self.lid_of(lab, "host41", 1), 255)
        self.assertIn("tables_reach_everyone", self.convicted_by(lab, island))

    def test_a_forwarding_loop_is_found(self):
        lab, _, island = self.fabric("ring.net")
        saboteur, lid = self.saboteur(lab), self.lid_of(lab, "host31", 1)
        saboteur.change_entry([1], lid, 3)      # ring1 -> ring2
        saboteur.change_entry([1, 3], lid, 4)   # ring2 -> ring1
        self.assertIn("tables_reach_everyone", self.convicted_by(lab, island))

    def test_a_link_left_in_init_is_found(self):
        lab, _, island = self.fabric("tree.net")
        self.saboteur(lab).drop_link([1], 2)  # leaf1 - host12
        self.assertEqual({"all_links_active"}, self.convicted_by(lab, island) -
                         {"devices_answer_by_lid", "traces_arrive"})

    def test_a_lid_given_twice_is_found(self):
        lab, _, island = self.fabric("tree.net")
        self.saboteur(lab).change_lid([1, 2], self.lid_of(lab, "host13", 1))
        self.assertIn("lids_are_unique", self.convicted_by(lab, island))

    def test_a_cable_that_nobody_drew_is_found(self):
        lab, _, island = self.fabric("tree.net")
        drawn = island.without(("host13", 1), ("leaf1", 3))
        self.assertIn("every_node_and_link", self.convicted_by(lab, drawn))

    def test_a_cable_that_is_gone_is_found(self):
        lab, _, island = self.fabric("tree.net")
        lab.console('Unlink "leaf1"[4]')
        lab.wait(lambda: "every_node_and_link" in self.convicted_by(lab, island), 5,
                 "the judges to see it")

    def test_credit_loops_and_wrong_dumps_are_found_by_ibdmchk(self):
        lab, manager, island = self.fabric("ring.net")  # OpenSM's default is minhop
        self.assertEqual({"own_dumps_hold"}, self.convicted_by(lab, island, manager.dumps))

        lab, manager, island = self.fabric("one_switch.net")
        dump = Path(manager.dumps, "opensm.fdbs")
        dump.write_text(dump.read_text().replace(": 007 ", ": 002 "))
        self.assertEqual({"own_dumps_hold"}, self.convicted_by(lab, island, manager.dumps))

    def test_a_manager_that_left_is_missed(self):
        lab, _, island = self.fabric("one_switch.net")
        self.assertEqual({"one_master_answers"}, set(judge(lab, island, seed=1, master=True)))


class Reading(unittest.TestCase):
    def test_an_island_ends_where_the_switches_end(self):
        net = read_net(NETS / "islands.net")
        self.assertEqual({"mainland1", "mainland2", "coast"}, set(net.island_of("mainland1").kinds))
        dual = read_net(NETS / "dual_port.net").island_of("dual")
        self.assertEqual(4, len(dual.links))

    def test_two_hosts_and_a_cable(self):
        pair = read_net(NETS / "pair.net").island_of("alice")
        self.assertEqual({frozenset({("alice", 1), ("bob", 1)})}, pair.links)


class Growth(unittest.TestCase):
    @staticmethod
    def looks(**each_more):
        """Twelve looks, twenty faults apart, and what each has more than the last one."""
        def at(look, name, first, usual=0):
            return first + look * each_more.get(name, usual)
        return [Footprint(20 * (look + 1), at(look, "descriptors", 18), at(look, "threads", 9),
                          at(look, "memory", 20 << 20, usual=50_000), at(look, "log", 9000, 9000))
                for look in range(12)]

    def test_a_steady_manager_is_acquitted(self):
        self.assertEqual([], what_grew(self.looks()))

    def test_each_kind_of_growth_is_told(self):
        for name, more in (("descriptors", 1), ("threads", 1), ("memory", 1 << 20)):
            with self.subTest(name):
                grew = what_grew(self.looks(**{name: more}))
                self.assertEqual([True], [told.startswith(f"{name} grew") for told in grew])

    def test_a_log_that_says_more_and_more_is_told(self):
        looks = self.looks()
        for number, look in enumerate(looks):
            look.log = 9000 * number * number
        self.assertEqual([True], [told.startswith("the log grew") for told in what_grew(looks)])


if __name__ == "__main__":
    sys.exit(unittest.main())
