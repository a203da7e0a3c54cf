#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Alert rules and the Grafana dashboard, before promtool and the metrics of a subnet manager that
runs: monitoring.py --heddle build/heddle"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "interop"))
from by_path import ByPath  # noqa: E402

FOLDER = Path(__file__).resolve().parent.parent.parent / "packaging" / "monitoring"
RULES = FOLDER / "heddle-alerts.yaml"
NAME = re.compile(r"\bheddle_[a-z_]+")
# What a query asks of labels: name, and its words if they are plain.
ASKED = re.compile(r'(heddle_[a-z_]+)\{([^}]*)\}')
LABEL = re.compile(r'([a-z]+)(=~|!=|=)\\?"([^"\\]*)\\?"')
SAMPLE = re.compile(r"^(heddle_[a-z_]+)(?:\{(.*)\})? ")
# Given by Prometheus, not by us.
FOREIGN = {"instance", "job"}


def promtool(*words):
    program = shutil.which("promtool")
    if not program:
        raise SystemExit("promtool is not installed (scripts/install-deps --test)")
    done = subprocess.run([program, *words], cwd=FOLDER, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, timeout=60)
    assert done.returncode == 0, f"{words}: {done.stdout}"


def metrics(heddle, folder):
    """The text as it is scraped, of a manager that has been master for a moment."""
    settings = Path(folder, "heddle.toml")
    settings.write_text(f'[api]\nsocket = "{folder}/api"\n')
    with subprocess.Popen([heddle, "sm", "--sim", "fat-tree:2,4", "--config", settings],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as manager:
        try:
            end = time.monotonic() + 30
            while True:
                try:
                    connection = ByPath(f"{folder}/api", timeout=20)
                    connection.request("GET", "/metrics")
                    text = connection.getresponse().read().decode()
                    if "heddle_multicast_groups" in text and "heddle_hot_ports" in text:
                        return text
                except OSError:
                    pass
                assert time.monotonic() < end and manager.poll() is None
                time.sleep(0.1)
        finally:
            manager.terminate()


def labels_of(text):
    """{metric: {label: values}}"""
    have = {}
    for line in text.splitlines():
        if match := SAMPLE.match(line):
            labels = have.setdefault(match[1], {})
            for name, _, value in LABEL.findall(match[2] or ""):
                labels.setdefault(name, set()).add(value)
    return have


def hold(text, have, where):
    """Every metric that is asked for is there, with the labels that are asked for."""
    names = set(NAME.findall(text))
    assert names and names <= set(have), (where, names - set(have))
    for metric, asked in ASKED.findall(text):
        for label, how, value in LABEL.findall(asked):
            if label in FOREIGN:
                continue
            assert label in have[metric], (where, metric, label)
            # Of states, kinds and phases all words are always there.
            if how == "=" and label in ("state", "kind") and metric != "heddle_ports":
                assert value in have[metric][label], (where, metric, label, value)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--heddle", required=True)
    options = parser.parse_args()
    promtool("check", "rules", RULES.name)
    promtool("test", "rules", "alerts-test.yaml")
    with tempfile.TemporaryDirectory(prefix="heddle-monitoring-") as folder:
        text = metrics(options.heddle, folder)
    have = labels_of(text)
    rules = RULES.read_text()
    hold(rules, have, "alerts")
    # Events in rules are events that exist.
    catalogue = (FOLDER.parent.parent / "sm" / "events.hpp").read_text()
    for event in re.findall(r'event="(\w+)"', rules):
        assert f"struct {event} " in catalogue, event
    made = subprocess.run([sys.executable, FOLDER / "dashboard.py"], text=True, check=True,
                          capture_output=True).stdout
    assert made == (FOLDER / "heddle-grafana.json").read_text(), "dashboard.py was not run again"
    dashboard = json.loads(made)
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            hold(target["expr"], have, panel["title"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
