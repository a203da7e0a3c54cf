#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Two subnet managers on two hosts of one simulated fabric; an operator gives the office from one
to the other: handover.py --heddle H. Debian's sminfo says who has it."""

import json
import re
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "doors" / "device"))
from inside import run_inside  # noqa: E402

SETTINGS = """[api]
socket = "{folder}/socket-{number}"
[sm]
priority = {priority}
poll_interval = "300ms"
sticky_master = {sticky}
[lids]
memory_file = ""
[sweep]
interval = "1s"
"""


class Manager:
    def __init__(self, heddle, folder, number, port, priority):
        self.heddle, self.socket = heddle, f"{folder}/socket-{number}"
        self.settings = Path(folder, f"{number}.toml")
        self.named = {"folder": folder, "number": number, "priority": priority}
        self.configure(sticky=False)
        self.log = Path(folder, f"log-{number}")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [heddle, "sm", "--config", self.settings, "--port", port], stdout=log, stderr=log)

    def configure(self, sticky):
        self.settings.write_text(SETTINGS.format(**self.named, sticky=str(sticky).lower()))

    def run(self, *words):
        done = subprocess.run([self.heddle, *words, "--socket", self.socket], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=30,
                              check=False)
        return done.returncode, done.stdout

    def is_well_as(self, state):
        code, out = self.run("status", "-o", "json")
        return code == 0 and json.loads(out)["sm"]["state"] == state

    def events(self):
        return json.loads(self.run("show", "events", "-o", "json")[1])["events"]


def wait_until(what, *others):
    end = time.monotonic() + 30
    while not what():
        assert time.monotonic() < end, [manager.run("status") for manager in others]
        time.sleep(0.1)


def master_by_sminfo():
    out = subprocess.run(["sminfo"], text=True, stdout=subprocess.PIPE, check=True,
                         timeout=30).stdout
    return int(re.search(r"sm guid (0x[0-9a-f]+)", out)[1], 16)


def inside(heddle, folder):
    ports = json.loads(subprocess.run([heddle, "ports", "-o", "json"], check=True, text=True,
                                      stdout=subprocess.PIPE).stdout)["ports"]
    names = [f"{port['device']}:{port['port']}" for port in ports]
    guids = [int(port["port_guid"], 16) for port in ports]
    low = Manager(heddle, folder, 1, names[0], 3)
    high = Manager(heddle, folder, 2, names[1], 6)
    try:
        wait_until(lambda: high.is_well_as("master") and low.is_well_as("standby"), low, high)
        assert master_by_sminfo() == guids[1]
        assert high.run("ctl", "priority", "1")[0] == 0
        wait_until(lambda: low.is_well_as("master") and high.is_well_as("standby"), low, high)
        assert master_by_sminfo() == guids[0]
        handed = [event for event in high.events() if event["event"] == "HandedOver"]
        assert len(handed) == 1, handed
        # The new master found the tables as they should be.
        written = [event["fields"]["blocks_to_write"] for event in low.events()
                   if event["event"] == "RoutesChosen"]
        assert written[-1] == "0", written
        # The file still says 6: reading it again brings the office back.
        assert high.run("ctl", "reload")[0] == 0
        wait_until(lambda: high.is_well_as("master") and low.is_well_as("standby"), low, high)
        # One that would stay master whoever ranks higher still does as its operator says.
        high.configure(sticky=True)
        assert high.run("ctl", "reload")[0] == 0
        wait_until(lambda: high.log.read_text().count("ConfigRead") == 2, low, high)
        code, out = low.run("ctl", "handover")
        assert code == 5 and "not master" in out, (code, out)
        assert high.run("ctl", "handover")[0] == 0
        wait_until(lambda: low.is_well_as("master") and high.is_well_as("standby"), low, high)
        assert master_by_sminfo() == guids[0]
    finally:
        for manager in (low, high):
            manager.process.terminate()
        codes = [manager.process.wait(30) for manager in (low, high)]
    assert codes == [0, 0], codes


if __name__ == "__main__":
    sys.exit(run_inside(__file__, __doc__, inside, 110, at=("host-0001", "host-0002")))
