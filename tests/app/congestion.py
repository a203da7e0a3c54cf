#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The congestion control manager of a subnet manager that runs, against Debian's ibccquery and
ibccconfig on the same simulated fabric: congestion.py --heddle H."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "doors" / "device"))
from inside import run_inside  # noqa: E402

KEY = 0x1234
SETTINGS = """[api]
socket = "{folder}/socket"
[lids]
memory_file = ""
[congestion]
enabled = true
key = "{key}"
key_mode = "set"
switches = "threshold=9 packet_size=1 marking_rate=0 victims=hosts"
ports = ["hosts threshold=15 packet_size=1"]
levels = ["all timer=1000 increase=1 trigger=5"]
table = ["0:0..99"]
interval = "10s"
log_interval = "1s"
"""
PATIENCE = 40


def expect(what, have, want):
    assert have == want, f"{what}: {have!r}, not {want!r}"


def wait_for(what, question):
    end = time.monotonic() + PATIENCE
    while not question():
        assert time.monotonic() < end, what + " did not happen"
        time.sleep(0.2)


class Manager:
    def __init__(self, heddle, folder):
        self.heddle, self.folder = heddle, folder
        settings = Path(folder, "heddle.toml")
        settings.write_text(SETTINGS.format(folder=folder, key=f"{KEY:#018x}"))
        with open(f"{folder}/log", "wb") as log:
            self.process = subprocess.Popen([heddle, "sm", "--config", settings], stdout=log,
                                            stderr=log)

    def run(self, *words):
        done = subprocess.run([self.heddle, *words, "--socket", f"{self.folder}/socket"],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=30, check=False)
        return done.returncode, done.stdout

    def show(self, what):
        code, out = self.run("show", what, "-o", "json")
        return json.loads(out) if code == 0 else {}

    def all_right(self):
        agents = self.show("congestion").get("agents", [])
        return bool(agents) and all(agent["state"] == "right" for agent in agents)


def tool(*command):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=PATIENCE, check=False)
    assert done.returncode == 0, f"{' '.join(command)}:\n{done.stdout}"
    return done.stdout


def field(text, name):
    return re.findall(rf"^{re.escape(name)}:\.*(.*)$", text, re.M)


def tools_read_what_stands(lids):
    switch, host = str(lids["leaf-1"]), str(lids["host-0003"])
    setting = tool("ibccquery", "SwitchCongestionSetting", switch)
    expect("the threshold", int(field(setting, "Threshold")[0], 16), 9)
    expect("the least packet", field(setting, "Packet_Size"), ["1"])
    expect("the control map", int(field(setting, "Control_Map")[0], 16), 0x15)
    # leaf-1 has its hosts at ports 1 and 2.
    expect("the victims", int(field(setting, "Victim_Mask")[0], 16), 0x06)
    ports = tool("ibccquery", "SwitchPortCongestionSetting", switch)
    expect("ports with their own", field(ports, "Valid").count("1"), 2)
    key = tool("ibccquery", "CongestionKeyInfo", host)
    expect("the key", int(field(key, "CC_Key")[0], 16), KEY)
    setting = tool("ibccquery", "CACongestionSetting", host)
    expect("timers", field(setting, "CCTI_Timer"), ["1000"] * 16)
    table = tool("ibccquery", "CongestionControlTable", host)
    expect("the table's end", field(table, "CCTI_Limit"), ["99"])
    expect("an entry", field(table, "CCT_Multiplier")[35], "35")


def what_others_write_is_put_right(manager, lids):
    host = str(lids["host-0002"])

    def limit():
        return field(tool("ibccquery", "CongestionControlTable", host), "CCTI_Limit")

    writes = sum(agent["writes"] for agent in manager.show("congestion")["agents"])
    tool("ibccconfig", "-c", f"{KEY:#x}", "CongestionControlTable", host, "63", "0",
         *["0:1"] * 64)
    expect("what ibccconfig wrote", limit(), ["63"])
    wait_for("putting it right", lambda: limit() == ["99"])
    wait_for("telling so", lambda: sum(
        agent["writes"] for agent in manager.show("congestion")["agents"]) > writes)
    now = sum(agent["writes"] for agent in manager.show("congestion")["agents"])
    expect("writes for one block", now - writes, 1)


def logs_are_told(manager):
    tool(manager.heddle, "sim", "ctl", os.environ["HEDDLE_SIM"], "traffic", "incast", "1000", "2")
    wait_for("a flow in the logs", lambda: manager.show("congestion").get("flows"))
    told = manager.show("congestion")
    flow = told["flows"][0]
    assert flow["from"]["node"].startswith("host-"), flow
    assert any(agent["events"] and agent["marking_ports"] for agent in told["agents"]
               if agent["kind"] == "switch"), told["agents"]
    table = manager.run("show", "congestion-log")[1]
    assert re.search(r"^\S.* host-\d+ \S+ +\d+ +host-\d+ \S+ +\d+ +0 +\d+$", table, re.M), table


def inside(heddle, folder):
    manager = Manager(heddle, folder)
    try:
        wait_for("setting all devices", manager.all_right)
        lids = {row["name"].split()[0]: row["lids"][0] for row in manager.show("nodes")["nodes"]}
        tools_read_what_stands(lids)
        what_others_write_is_put_right(manager, lids)
        logs_are_told(manager)
        log = Path(folder, "log").read_text()
        assert "[CongestionSet" in log, log
    finally:
        manager.process.terminate()
        code = manager.process.wait(30)
    assert code == 0, code


if __name__ == "__main__":
    sys.exit(run_inside(__file__, __doc__, inside, 160))
