#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The installed subnet manager as its unit starts it: user, group and command line of
heddle@.service, no capability at all, on device files that belong to whom the installed udev rules
say. Run by root where the package is installed, inside the device door:

  heddle sim run fat-tree:2,4 -- as_service_user.py"""

import fnmatch
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

PORT = "mlx5_0:1"
UNIT = "/lib/systemd/system/heddle@.service"
RULES = "/lib/udev/rules.d/91-heddle.rules"
DEVICES = Path("/dev/infiniband")
IS_SM = 1 << 1  # of the capability mask
LOG = "/tmp/heddle-as-service-user.txt"


def give_devices():
    """What udev does with the rules; the names of the devices."""
    given = []
    for line in Path(RULES).read_text(encoding="utf-8").splitlines():
        rule = dict(re.findall(r'(\w+)==?"([^"]*)"', line.partition("#")[0]))
        for device in DEVICES.iterdir() if rule else ():
            if fnmatch.fnmatch(device.name, rule["KERNEL"]):
                shutil.chown(device, "root", rule["GROUP"])
                device.chmod(int(rule["MODE"], 8))
                given.append(device.name)
    return sorted(given)


def unit(key):
    lines = Path(UNIT).read_text(encoding="utf-8").splitlines()
    return [line.partition("=")[2] for line in lines if line.startswith(f"{key}=")]


def as_user(user, *words):
    assert unit("CapabilityBoundingSet") == unit("AmbientCapabilities") == [""]
    return ["setpriv", "--reuid", user, "--regid", user, "--clear-groups", "--inh-caps=-all",
            "--ambient-caps=-all", "--bounding-set=-all", "--no-new-privs", *words]


def others_are_kept_out():
    """Whoever is not of the group opens none of them."""
    for device in ("umad0", "issm0"):
        tried = subprocess.run(as_user("daemon", "sh", "-c", f": <> {DEVICES}/{device}"),
                               capture_output=True, text=True, check=False)
        assert tried.returncode != 0 and "ermission denied" in tried.stderr, (device, tried)


def start():
    folders = {}
    for key, top in (("StateDirectory", "/var/lib"), ("RuntimeDirectory", "/run")):
        folder = Path(top, unit(key)[0].replace("%i", PORT))
        folder.mkdir(parents=True)
        folder.chmod(int(unit(f"{key}Mode")[0], 8))
        shutil.chown(folder, unit("User")[0], unit("Group")[0])
        folders["STATE_DIRECTORY" if key == "StateDirectory" else "RUNTIME_DIRECTORY"] = str(folder)
    words = shlex.split(unit("ExecStart")[0].replace("%i", PORT).replace(
        "${STATE_DIRECTORY}", folders["STATE_DIRECTORY"]))
    assert unit("User") == unit("Group")
    with open(LOG, "w", encoding="utf-8") as log:
        return subprocess.Popen(as_user(unit("User")[0], *words), stdout=log, stderr=log,
                                env={"PATH": os.environ["PATH"], **folders}, cwd="/")


def wait_until_well(manager):
    end = time.monotonic() + 60
    while True:
        told = subprocess.run(["heddle", "status"], capture_output=True, text=True, check=False)
        if told.returncode == 0 and "master" in told.stdout:
            return
        assert manager.poll() is None and time.monotonic() < end, \
            told.stdout + told.stderr + Path(LOG).read_text(encoding="utf-8")[-3000:]
        time.sleep(0.2)


def has_no_privilege(manager):
    facts = dict(line.split(":\t", 1) for line in
                 Path(f"/proc/{manager.pid}/status").read_text(encoding="utf-8").splitlines()
                 if ":\t" in line)
    assert "0" not in facts["Uid"].split() + facts["Gid"].split(), facts
    for which in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(facts[which], 16) == 0, (which, facts[which])
    assert facts["NoNewPrivs"] == "1"


def main():
    assert give_devices() == ["issm0", "umad0"], os.listdir(DEVICES)
    others_are_kept_out()
    manager = start()
    try:
        wait_until_well(manager)
        has_no_privilege(manager)
        port = Path("/sys/class/infiniband/mlx5_0/ports/1")
        assert int((port / "cap_mask").read_text(encoding="ascii"), 16) & IS_SM, "issm is held"
        assert "ACTIVE" in (port / "state").read_text(encoding="ascii")
        memory = Path("/var/lib", unit("StateDirectory")[0].replace("%i", PORT), "guid2lid")
        assert memory.owner() == unit("User")[0], "what it remembers is its own"
    finally:
        manager.terminate()
        manager.wait(30)
    return 0


if __name__ == "__main__":
    sys.exit(main())
