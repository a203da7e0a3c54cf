#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Walks through the recipes in docs/recipes, so that no command in them rots: every block of shell
is run as it stands, words in capitals filled in, and what the reader is to see is looked for.

  recipes.py --heddle build/gcc/heddle training-lab"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lab import die_with_parent

RECIPES = Path(__file__).resolve().parents[2] / "docs" / "recipes"
SKIPPED = 77
PATIENCE = 30
FUNCTION = "on() {"

# What a tool says while a subnet manager is still at work is not yet what the page promises: a
# command that fails is tried again for a while, unless the page says that it fails.
PRELUDE = """
set -eu
again() {
  for try in $(seq 100); do "$@" && return 0; sleep 0.25; done
  echo "failed to the end: $*"; return 1
}
once() { host=$1; shift; heddle sim enter lab --at "$host" -- "$@"; }
on() { again once "$@"; }
fails() {
  shift
  for try in $(seq 20); do once "$@" || return 0; sleep 0.25; done
  echo "did not fail: $*"; return 1
}
"""


class Wrong(Exception):
    pass


def blocks(text):
    return re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S)


def must(condition, what):
    if not condition:
        raise Wrong(what)


class Lab:
    """The reader: a folder, a fabric, and what they have found out so far."""

    def __init__(self, heddle):
        self.folder = Path(tempfile.mkdtemp(prefix="heddle-recipes-"))
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "heddle").symlink_to(heddle)
        self.environment = {
            **os.environ, "LC_ALL": "C", "XDG_RUNTIME_DIR": str(self.folder),
            "PATH": f"{self.folder}/bin:{os.environ['PATH']}:/usr/sbin:/sbin",
            "OSM_TMP_DIR": str(self.folder), "OSM_CACHE_DIR": str(self.folder)}
        self.found = {}
        self.fabric = None

    def start(self, command):
        self.fabric = subprocess.Popen(
            ["sh", "-c", f"exec {command} --quiet"], cwd=self.folder, env=self.environment,
            stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=die_with_parent)
        door = self.folder / "heddle" / "lab.enter"
        self.wait(door.exists, "the fabric's door")

    def wait(self, true, what):
        until = time.monotonic() + PATIENCE
        while not true():
            must(time.monotonic() < until, f"waited too long for {what}")
            time.sleep(0.1)

    def shell(self, text):
        text = re.sub(r"^on (.*?)\s+# fails.*$", r"fails on \1", text, flags=re.M)
        done = subprocess.run(["bash", "-c", PRELUDE + text], cwd=self.folder,
                              env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", timeout=120, check=False)
        must(done.returncode == 0, f"{text}\nended with {done.returncode}\n{done.stdout[-3000:]}")
        return done.stdout

    def fill_in(self, text):
        words = set(re.findall(r"\b(?:[A-Z]+2?_LID|GUID\d)\b", text))
        for word in sorted(words):
            text = re.sub(rf"\b{word}\b", self.look_up(word), text)
        return text

    def look_up(self, word):
        nodes = {"OWN_LID": "host-0001", "FAR_LID": "host-0016", "THIRD_LID": "host-0003",
                 "LEAF_LID": "leaf-1", "LEAF2_LID": "leaf-2", "SPINE_LID": "spine-1"}
        if word.startswith("GUID"):
            host = f"host-000{word[4:]}"
            return re.search(r"Port GUID: (\S+)", self.shell(f"on {host} ibstat"))[1]
        seen = self.shell("on host-0001 ibnetdiscover")
        name = re.escape(nodes[word])
        lid = re.search(rf'^Switch.*"{name}".* lid (\d+)|^\[.*# "{name}(?: HCA-1)?" lid (\d+)',
                        seen, re.M)
        must(lid, f"no LID of {nodes[word]} in\n{seen}")
        return lid[1] or lid[2]

    def sm_lid(self):
        told = re.search(r"sm lid (\d+).*MASTER", self.shell("once host-0002 sminfo || true"))
        return told[1] if told else None

    def close(self):
        if self.fabric:
            try:
                os.killpg(self.fabric.pid, signal.SIGTERM)
            except ProcessLookupError:
                pass
            self.fabric.wait(20)
        shutil.rmtree(self.folder, ignore_errors=True)


# --- what the reader is to see after each block, by its first words -------------------------------

def before_the_sm(lab, output):
    must("State: Initializing" in output and "Base lid: 0" in output, f"ibstat before:\n{output}")


def after_a_sweep(lab, output):
    must(output.count("State: Active") == 2, f"ibstat after:\n{output}")


def tables(lab, output):
    must(output.count("leaf-") >= 2 and "spine-" in output, f"ibtracert:\n{output}")
    must((lab.folder / "d" / "opensm.fdbs").stat().st_size > 0, "no tables of the other SM")


def two_managers(lab, output):
    lab.found["master"] = lab.look_up("OWN_LID")
    lab.wait(lambda: lab.sm_lid() == lab.found["master"], "the first to be master")
    # The second is one, too, once it knows that it stands by.
    lab.wait(lambda: "STANDBY" in (lab.folder / "osm16.log").read_text(), "the standby")


def rerouted(lab, output):
    must("spine-" in output, f"the way round:\n{output}")


def handed_over(lab, output):
    other = lab.look_up("FAR_LID")
    lab.wait(lambda: lab.sm_lid() == other, "the second to be master")


def partitions(lab, output):
    keys = re.findall(r"^\s*0: (.*)$", output, re.M)
    must(len(keys) == 3 and "0x8001" in keys[0] and "0x0001" in keys[1], f"keys {keys}")
    must("0001" not in keys[2] and "8001" not in keys[2], f"host-0016 is in none: {keys[2]}")
    must("PartEnforceInb" in output, "no word of enforcement")


def counters(lab, output):
    before, after = re.findall(r"^SymbolErrorCounter:\.*(\d+)$", output, re.M)[-2:]
    must("SymbolErrorCounter == 50" in output, "ibqueryerrors says nothing of it")
    must((before, after) == ("50", "0"), f"counter {before}, then {after}")


def narrow_link(lab, output):
    lab.wait(lambda: re.search(r"\( 1X .*Could be 4X", lab.shell("on host-0001 iblinkinfo")),
             "iblinkinfo to see the narrow link")


def all_ended(lab, output):
    must(lab.fabric.wait(20) == 0, "the fabric's end")
    # It takes its pid file away when it ends as it should.
    must(not (lab.folder / "osm5.pid").exists(), "an SM outlived the fabric that it ran on")


CHECKS = {
    "on host-0001 ibstat": before_the_sm,
    "on host-0001 opensm -o -f": after_a_sweep,
    "on host-0001 ibtracert": tables,
    "cat > fast.conf": two_managers,
    "heddle sim ctl lab link down": rerouted,
    "kill $(cat osm1.pid)": handed_over,
    "cat > partitions.conf": partitions,
    "on host-0001 opensm -B -f": counters,
    "heddle sim ctl lab link degrade": narrow_link,
    "heddle sim ctl lab quit": all_ended,
}


def training_lab(heddle):
    lab, checked = Lab(heddle), set()
    try:
        for block in blocks((RECIPES / "training-lab.md").read_text()):
            if block.startswith("heddle sim fat-tree"):
                lab.start(block.strip())
                continue
            if block.startswith(FUNCTION):
                continue  # PRELUDE has it, with patience
            print(block.splitlines()[0], flush=True)
            output = lab.shell(lab.fill_in(block))
            for begin, check in CHECKS.items():
                if block.startswith(begin):
                    check(lab, output)
                    checked.add(begin)
    finally:
        lab.close()
    must(checked == set(CHECKS), f"the page no longer has {set(CHECKS) - checked}")


def exporter_in_ci(heddle):
    """The script of the page, whole."""
    lab = Lab(heddle)
    try:
        script = next(block for block in blocks((RECIPES / "exporter-in-ci.md").read_text())
                      if block.startswith("#!/bin/sh"))
        path = lab.folder / "faulty_fabric.sh"
        path.write_text(script)
        done = subprocess.run(["sh", path], cwd=lab.folder, env=lab.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=120, check=False)
        must(done.returncode == 0, f"ended with {done.returncode}\n{done.stdout[-3000:]}")
    finally:
        lab.close()


PAGES = {"training-lab": training_lab, "exporter-in-ci": exporter_in_ci}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", choices=PAGES)
    parser.add_argument("--heddle", type=lambda text: Path(text).resolve(), required=True)
    options = parser.parse_args()
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        print("skipped: /dev/fuse may not be opened")
        return SKIPPED
    try:
        PAGES[options.page](options.heddle)
    except (Wrong, subprocess.TimeoutExpired) as error:
        print(f"{options.page}: {error}")
        return 1
    print(f"{options.page}: every command does what the page says")
    return 0


if __name__ == "__main__":
    sys.exit(main())
