#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The performance manager of a subnet manager that runs, against Debian's perfquery on the same
simulated fabric: performance.py --heddle H."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "doors" / "device"))
from inside import run_inside  # noqa: E402

SETTINGS = """[api]
socket = "{folder}/socket"
[lids]
memory_file = ""
[performance]
hosts = true
interval = "1s"
thresholds = ["symbol_error 20/h", "link_downed 5/h"]
"""
# Ours, and what perfquery calls it.
NAMES = {
    "symbol_error": "SymbolErrorCounter", "link_error_recovery": "LinkErrorRecoveryCounter",
    "link_downed": "LinkDownedCounter", "receive_errors": "PortRcvErrors",
    "receive_remote_physical_errors": "PortRcvRemotePhysicalErrors",
    "receive_switch_relay_errors": "PortRcvSwitchRelayErrors",
    "transmit_discards": "PortXmitDiscards",
    "transmit_constraint_errors": "PortXmitConstraintErrors",
    "receive_constraint_errors": "PortRcvConstraintErrors",
    "local_link_integrity_errors": "LocalLinkIntegrityErrors",
    "excessive_buffer_overrun_errors": "ExcessiveBufferOverrunErrors",
    "vl15_dropped": "VL15Dropped", "transmit_wait": "PortXmitWait",
}
MOVING = {"transmit_data_bytes": ("PortXmitData", 4), "receive_data_bytes": ("PortRcvData", 4),
          "transmit_packets": ("PortXmitPkts", 1), "receive_packets": ("PortRcvPkts", 1)}
INJECTED = {("leaf-1", 1): {"SymbolErrorCounter": 1000, "PortRcvErrors": 17},
            ("leaf-2", 3): {"LinkDownedCounter": 4, "PortXmitWait": 123456},
            ("host-0003", 1): {"VL15Dropped": 5, "PortXmitDiscards": 77},
            ("spine-1", 2): {"LocalLinkIntegrityErrors": 9}}


class Manager:
    def __init__(self, heddle, folder):
        self.heddle, self.folder = heddle, folder
        settings = Path(folder, "heddle.toml")
        settings.write_text(SETTINGS.format(folder=folder))
        with open(f"{folder}/log", "wb") as log:
            self.process = subprocess.Popen([heddle, "sm", "--config", settings], stdout=log,
                                            stderr=log)

    def run(self, *words):
        done = subprocess.run([self.heddle, *words, "--socket", f"{self.folder}/socket"],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=30, check=False)
        return done.returncode, done.stdout

    def json(self, *words):
        return json.loads(self.run(*words, "-o", "json")[1])

    def sweep(self):
        code, out = self.run("status", "-o", "json")
        return (code == 0 and json.loads(out)["counter_sweep"]) or 0

    def wait_sweeps(self, count):
        wanted = self.sweep() + count
        end = time.monotonic() + 40
        while self.sweep() < wanted:
            assert time.monotonic() < end, self.run("status")
            time.sleep(0.1)

    def counters(self, node, port):
        rows = self.json("show", "counters")["ports"]
        return next(row for row in rows
                    if (row["node"].split()[0], row["port"]) == (node, port))


def perfquery(lid, port, *options):
    out = subprocess.run(["perfquery", *options, str(lid), str(port)], text=True, check=True,
                         stdout=subprocess.PIPE, timeout=30).stdout
    return {name: int(value, 0) for name, value in re.findall(r"^(\w+):\.+(\w+)$", out, re.M)}


def by_tool(lid, port):
    """64 bits wide where there are such."""
    return {**perfquery(lid, port), **perfquery(lid, port, "-x")}


def inside(heddle, folder):
    manager = Manager(heddle, folder)
    try:
        manager.wait_sweeps(2)
        for (node, port), counters in INJECTED.items():
            for counter, amount in counters.items():
                subprocess.run([heddle, "sim", "ctl", os.environ["HEDDLE_SIM"], "inject", node,
                                str(port), counter, str(amount)], check=True, timeout=30,
                               stdout=subprocess.DEVNULL)
        lids = {row["name"].split()[0]: row["lids"][0]
                for row in manager.json("show", "nodes")["nodes"]}
        for node, port in INJECTED:
            before = by_tool(lids[node], port)
            manager.wait_sweeps(2)
            ours = manager.counters(node, port)
            after = by_tool(lids[node], port)
            totals = {name: row["total"] for name, row in ours["counters"].items()}
            for name, theirs in NAMES.items():
                assert totals[name] == before[theirs], (node, port, name, totals, before)
            for name, (theirs, factor) in MOVING.items():
                low, high = before[theirs] * factor, after[theirs] * factor
                assert low < totals[name] <= high, (node, port, name, low, totals[name], high)
            assert totals["transmit_packets"] > 0
        fast = {(row["node"], row["port"]): row["exceeded"]
                for row in manager.json("show", "errors")["ports"] if row["exceeded"]}
        assert fast == {("leaf-1", 1): ["symbol_error"]}, fast
        table = manager.run("show", "errors")[1]
        assert re.search(r"^leaf-1 +1 +1000 .*symbol_error", table, re.M), table
        loads = manager.json("show", "load")["links"]
        uses = [link[way] for link in loads for way in ("utilisation", "utilisation_back")]
        assert all(0 <= use < 0.01 for use in uses) and any(uses), loads
        log = Path(folder, "log").read_text()
        assert log.count("[PortErrors ") == 1 and "leaf-1/1" in log, log
        # What other tools set back is seen, and does not shrink what was counted.
        assert manager.counters("leaf-2", 3)["resets"] == 0
        for wide in ([], ["-x"]):
            subprocess.run(["perfquery", *wide, "-R", str(lids["leaf-2"]), "3"], check=True,
                           timeout=30, stdout=subprocess.DEVNULL)
        manager.wait_sweeps(2)
        again = manager.counters("leaf-2", 3)
        assert again["resets"] > 0, again
        assert again["counters"]["link_downed"]["total"] == 4, again
    finally:
        manager.process.terminate()
        code = manager.process.wait(30)
    assert code == 0, code


if __name__ == "__main__":
    sys.exit(run_inside(__file__, __doc__, inside, 160))
