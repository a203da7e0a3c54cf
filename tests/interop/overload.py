#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Subnet administration that is asked for more than it may answer, with a small limit since the
device door carries no more: overload.py PROGRAM runs sa_inside's Overload on three hosts, and then
looks whether the manager names who asked most. Started by inside.py."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "doors" / "device"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "app"))
from managed import bring_up  # noqa: E402
from monitoring import ByPath  # noqa: E402
from tools import expect, read, wait_for  # noqa: E402

SETTINGS = """[sa]
rate = 1000
[sweep]
interval = "1s"
[api]
socket = "api"
"""


def show_talkers():
    return json.loads(subprocess.run(
        [os.environ["HEDDLE"], "show", "talkers", "--socket", "api", "-o", "json"],
        stdout=subprocess.PIPE, check=True).stdout)


def metrics():
    connection = ByPath("api")
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    return dict(re.findall(r"^(heddle_sa\S*(?:{.*})?) (\S+)$", text, re.M))


def look(seen):
    """What is told of the load while it lasts: the greedy host asks most, and alone is put off."""
    told = show_talkers()
    if told["last"] is None or told["last"]["put_off"] == 0:
        return
    first, *others = told["talkers"]
    expect("who asks most", first["node"].split()[0], "host-0002")
    expect("whom else is put off", [each for each in others if each["put_off"]], [])
    figures = metrics()
    name = f'heddle_sa_top_talker_put_off{{lid="{first["lid"]}",node="{first["node"]}"}}'
    seen["top"] += name in figures
    seen["put_off"] = max(seen["put_off"], int(float(figures["heddle_sa_put_off_total"])))


def main():
    Path("heddle.toml").write_text(SETTINGS, encoding="utf-8")
    manager = bring_up("--config", "heddle.toml")
    seen = {"top": 0, "put_off": 0}
    with subprocess.Popen([*sys.argv[1:], "--gtest_filter=*Overload*"]) as load:
        while load.poll() is None:
            look(seen)
            time.sleep(0.5)
        expect("the clients' verdict", load.returncode, 0)
    wait_for("a line of who asked most", lambda: re.search(
        r"most by \W?host-0002.*\[AdministrationLoad", read("sm.txt")))
    if seen["top"] == 0 or seen["put_off"] == 0:
        raise SystemExit(f"nobody was told of the greedy host: {seen}")
    manager.terminate()
    return manager.wait()


if __name__ == "__main__":
    sys.exit(main())
