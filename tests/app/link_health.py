#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Links that are not well, and ports that are switched off by hand, on a simulated fabric; Debian's
smpquery says what the ports are: link_health.py --heddle H."""

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
[output]
node_name_map = "{folder}/names"
[performance]
interval = "1s"
thresholds = ["symbol_error 20/h"]
[health]
dry_run = {dry_run}
actions = ["errors disable"]
most_links = 1
most_share = 100
"""


class Manager:
    def __init__(self, heddle, folder):
        self.heddle, self.folder = heddle, folder
        self.configure(dry_run=True)
        Path(folder, "names").write_text("# nobody yet\n")
        with open(f"{folder}/log", "wb") as log:
            self.process = subprocess.Popen(
                [heddle, "sm", "--config", f"{folder}/heddle.toml"], stdout=log, stderr=log)

    def configure(self, dry_run):
        Path(self.folder, "heddle.toml").write_text(
            SETTINGS.format(folder=self.folder, dry_run=str(dry_run).lower()))

    def run(self, *words):
        done = subprocess.run([self.heddle, *words, "--socket", f"{self.folder}/socket"],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=30, check=False)
        return done.returncode, done.stdout

    def json(self, *words):
        code, out = self.run(*words, "-o", "json")
        return json.loads(out) if code in (0, 5) and out.startswith("{") else {}

    def wait(self, what, why):
        end = time.monotonic() + 40
        while not what():
            assert time.monotonic() < end, (why, self.run("status")[1], self.json("show", "health"))
            time.sleep(0.2)

    def finding(self):
        """Of the only link that is not well: state and conditions."""
        found = self.json("show", "health").get("findings", [])
        return (found[0]["state"], found[0]["conditions"]) if len(found) == 1 else None

    def order(self, node, port):
        for row in self.json("show", "orders").get("orders", []):
            if (row["node"], row["port"]) == (node, port):
                return row
        return None

    def is_carried_out(self, node, port, order):
        row = self.order(node, port)
        return row is not None and row["order"] == order and row["carried_out"]


def port_state(lid, port):
    out = subprocess.run(["smpquery", "portinfo", str(lid), str(port)], text=True, check=True,
                         stdout=subprocess.PIPE, timeout=30).stdout
    return tuple(re.search(rf"^{name}:\.+(\w+)$", out, re.M)[1]
                 for name in ("LinkState", "PhysLinkState"))


def name_spines(manager):
    """They are at the other end of each link that falls ill."""
    spines = [row["guid"] for row in manager.json("show", "nodes")["nodes"]
              if row["name"].startswith("spine")]
    assert spines
    Path(manager.folder, "names").write_text(
        "".join(f'{guid} "top of row 7"\n' for guid in spines))
    assert manager.run("ctl", "reload")[0] == 0
    manager.wait(lambda: "top of row 7" in manager.run("show", "nodes")[1], "names")


def sick_link(manager, inject, lid):
    """Errors: said, then done, then undone."""
    for _ in range(3):
        inject("leaf-1", 3, 100)
        time.sleep(0.5)
    manager.wait(lambda: manager.finding() == ("dry-run", ["errors"]), "dry run")
    shown = manager.run("show", "health")[1]
    assert " errors " in shown and '"' not in shown, shown
    assert port_state(lid, 3) == ("Active", "LinkUp")
    manager.configure(dry_run=False)
    assert manager.run("ctl", "reload")[0] == 0
    manager.wait(lambda: manager.is_carried_out("leaf-1", 3, "disable"), "disabled")
    assert port_state(lid, 3) == ("Down", "Disabled")
    code, out = manager.run("status")
    assert code == 0, out  # what was taken out on purpose is not complained of
    inject("leaf-1", 4, 100)
    manager.wait(lambda: any(row["state"] == "put-off"
                             for row in manager.json("show", "health")["findings"]), "the cap")
    assert port_state(lid, 4) == ("Active", "LinkUp")
    assert manager.run("ctl", "link", "restore", "leaf-1", "3")[0] == 0
    manager.wait(lambda: port_state(lid, 3) == ("Active", "LinkUp"), "restored")


def by_hand(manager, lids):
    assert manager.run("ctl", "port", "disable", "leaf-2", "4")[0] == 0
    manager.wait(lambda: manager.is_carried_out("leaf-2", 4, "disable"), "switched off by hand")
    assert port_state(lids["leaf-2"], 4) == ("Down", "Disabled")
    assert manager.run("ctl", "port", "disable", "leaf-2", "3")[0] == 0
    manager.wait(lambda: (manager.order("leaf-2", 3) or {}).get("refusal"), "the last way")
    assert port_state(lids["leaf-2"], 3) == ("Active", "LinkUp")
    assert manager.run("ctl", "port", "enable", "leaf-2", "4")[0] == 0
    assert manager.run("ctl", "port", "enable", "leaf-2", "3")[0] == 0
    manager.wait(lambda: port_state(lids["leaf-2"], 4) == ("Active", "LinkUp"), "switched on")
    manager.wait(lambda: manager.json("show", "orders")["orders"] == [] or
                 all(row["node"] == "leaf-1" for row in manager.json("show", "orders")["orders"]),
                 "done orders are over")
    # A host by its own name; the switch's port is meant.
    assert manager.run("ctl", "port", "disable", "host-0004/1")[0] == 0
    manager.wait(lambda: (manager.order("leaf-2", 2) or {}).get("refusal"), "a host's only way")
    assert manager.run("ctl", "port", "disable", "host-0004", "1", "--force")[0] == 0
    manager.wait(lambda: manager.is_carried_out("leaf-2", 2, "disable"), "by force")
    assert manager.run("ctl", "port", "disable", "leaf-9", "1")[0] == 5
    for wrong in ("leaf-2", "leaf-2/", "leaf-2/0", "leaf-2/255"):
        assert manager.run("ctl", "port", "enable", wrong)[0] == 2
    log = Path(manager.folder, "log").read_text()
    assert re.search(r"The link \S+/\d+ - top of row 7/\d+ is not well: errors", log), log
    for word in ("LinkUnwell", "LinkOrderCarriedOut", "LinkOrderRefused", "asks for port disable"):
        assert word in log, word


def inside(heddle, folder):
    def inject(node, port, amount):
        subprocess.run([heddle, "sim", "ctl", os.environ["HEDDLE_SIM"], "inject", node, str(port),
                        "SymbolErrorCounter", str(amount)], check=True, timeout=30,
                       stdout=subprocess.DEVNULL)

    manager = Manager(heddle, folder)
    try:
        manager.wait(lambda: (manager.json("status").get("counter_sweep") or 0) >= 2, "counters")
        lids = {row["name"].split()[0]: row["lids"][0]
                for row in manager.json("show", "nodes")["nodes"]}
        name_spines(manager)
        sick_link(manager, inject, lids["leaf-1"])
        by_hand(manager, lids)
    finally:
        manager.process.terminate()
        code = manager.process.wait(30)
    assert code == 0, code


if __name__ == "__main__":
    sys.exit(run_inside(__file__, __doc__, inside, 230))
