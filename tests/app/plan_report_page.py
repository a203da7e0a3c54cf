#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page of `heddle plan report` in headless Chromium: what it shows is held against tables that
the subnet manager dumps and cables that the simulator lists, walked here once more.

  plan_report_page.py --heddle build/heddle --pictures FOLDER SITUATION"""

import argparse
import csv
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from browser import Keys, Page

TREE = "fat-tree:6,6,12"
LARGE = "fat-tree:18,18,36"
SHAPES = {
    "torus:8x6,hosts=4": "grid", "torus:6x5x6,hosts=3": "grid", "hypercube:5": "grid",
    "hyperx:6x5,hosts=4": "grid", "dragonfly:6,3,3,19": "groups", "ring:9,hosts=2": "grid",
    "random:switches=60,degree=7": "general", "star:200": "tree", "pair": "hosts",
    "dragonfly-plus:6,6,6,6,7": "groups",
}
HOSTILE = "</script><img src=x onerror=pwned=1>"
FIRST_LINE = re.compile(r"Unicast lids .* guid (0x[0-9a-f]+) \('(.*)'\):")
ENTRY = re.compile(r"(0x[0-9a-f]+) (\d+) # (Channel Adapter|Switch|Router).*: '(.*)'")


class Judge:
    """The fabric as its cabling list tells it, and routes as the subnet manager's dump does."""

    def __init__(self, heddle, fabric, engine, folder):
        run(heddle, "sm", "--sim", fabric, "--once", "--routing", engine, "--lid-memory", "",
            "--dump-dir", folder)
        self.tables, self.lids, self.hosts = {}, {}, []
        for line in (folder / "opensm-lfts.dump").read_text().splitlines():
            if match := FIRST_LINE.match(line):
                table = self.tables[match[2]] = {}
            elif match := ENTRY.match(line):
                table[int(match[1], 16)] = int(match[2])
                if match[4] not in self.lids and match[3] != "Switch":
                    self.hosts.append(match[4])
                self.lids[match[4]] = int(match[1], 16)
        names = {name.split()[0]: name for name in self.lids}
        self.peer = {}
        cabling = run(heddle, "sim", "export", fabric, "--format", "cabling")
        for row in csv.DictReader(cabling.splitlines()):
            a = (names[row["start device"]], int(row["start port"]))
            b = (names[row["end device"]], int(row["end port"]))
            self.peer[a], self.peer[b] = b, a

    def way(self, source, target):
        """[(switch, port out)] until the target is there."""
        at, steps = self.peer[(source, 1)][0], []
        while at != target:
            assert len(steps) < 64, "a loop"
            steps.append((at, self.tables[at][self.lids[target]]))
            at = self.peer[steps[-1]][0]
        return steps

    def loads(self):
        """Routes by (switch, port), over cables between switches: everyone to everyone."""
        loads = Counter()
        for target in self.hosts:
            own = self.peer[(target, 1)][0]
            inflow = Counter(self.peer[(host, 1)][0] for host in self.hosts if host != target)
            del inflow[own]
            for leaf, count in inflow.items():
                at = leaf
                while at != own:
                    port = self.tables[at][self.lids[target]]
                    loads[(at, port)] += count
                    at = self.peer[(at, port)][0]
        return loads


def run(*command, allowed=(0,)):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False)
    assert done.returncode in allowed, f"{command}: {done.returncode} {done.stderr}"
    return done.stdout


def report(heddle, fabric, file, *options, allowed=(0,)):
    run(heddle, "plan", "report", fabric, "-o", file, *options, allowed=allowed)
    return file


def levels_are_drawn(page, judge):
    drawn = page.drawn()
    assert drawn["switches"] == 180 and drawn["links"] == 864, drawn
    assert page.ink(30, 60) == 1, "empty paper"
    height = {}
    for name in judge.tables:
        x, y = page.place_of(name)
        height.setdefault(name.split("-")[0], []).append(y)
        assert page.ink(x, y) > 4, f"nothing is drawn at {name}"
    assert max(height["core"]) < min(height["spine"]), "the top is above the middle"
    assert max(height["spine"]) < min(height["leaf"]), "the middle is above the leaves"
    labels = page.run("return heddle.data.picture.frames.map(f => f.label).filter(Boolean)")
    assert len(labels) == 3 and "72" in "".join(labels), labels


def search_finds(page, judge):
    host = judge.hosts[100]
    page.press("/")
    page.press(host.split()[0], Keys.ENTER)
    assert host in page.text("selected"), page.text("selected")
    assert f"LID {judge.lids[host]}," in page.text("selected")
    x, y = page.place_of(host)
    size = page.find("map").size
    assert abs(x - size["width"] / 2) < 2 and abs(y - size["height"] / 2) < 2, (x, y)
    assert page.run("return heddle.find(arguments[0])[0]", str(judge.lids[host])) == host
    page.drawn()


def hover_shows_lids(page, judge):
    """After the search, which came close enough to see hosts."""
    first = judge.hosts.index(judge.hosts[100])
    leaf = judge.peer[(judge.hosts[first], 1)][0]
    seen = 0
    for host in [name for name in judge.hosts if judge.peer[(name, 1)][0] == leaf] + [leaf]:
        x, y = page.place_of(host)
        page.move_to(x, y)
        tip = page.text("tip")
        assert host in tip and re.search(rf"LID {judge.lids[host]}\b", tip), (host, tip)
        seen += 1
    assert seen == 7
    page.photograph(page.pictures / "hosts.png")


def ways_agree_with_tables(page, judge, pairs):
    for number, (source, target) in enumerate(pairs):
        page.type_into("path-from", source)
        page.type_into("path-to", target)
        told = page.run("return heddle.path.way.steps.map(s => [heddle.fabric.names[s.at], s.out])")
        wanted = judge.way(source, target)
        assert [tuple(step) for step in told] == wanted, (source, target, told, wanted)
        for switch, port in wanted:
            assert f"{switch} out of port {port}" in page.text("path-result")
        page.drawn()
        highlighted(page, [source, target] + [switch for switch, _ in wanted])
        if number == 0:
            page.photograph(page.pictures / "path.png")
    page.find("path-clear").click()
    assert page.run("return heddle.picture.way") is None


def highlighted(page, names):
    size = page.find("map").size
    for name in names:
        x, y = page.place_of(name)
        assert 0 < x < size["width"] and 0 < y < size["height"], f"{name} is not on the screen"
        assert page.pixel("over", x, y)[3] == 255, f"{name} is not highlighted"


def clicks_choose_a_way(page, judge):
    source, target = judge.hosts[100], judge.hosts[101]
    page.run("heddle.picture.show(heddle.fabric.names.indexOf(arguments[0]))", source)
    page.drawn()
    page.move_to(*page.place_of(source), click=True)
    assert source in page.text("selected")
    page.move_to(*page.place_of(target), click=True, shift=True)
    steps = page.run("return heddle.path.way.steps.map(s => [heddle.fabric.names[s.at], s.out])")
    assert [tuple(step) for step in steps] == judge.way(source, target)
    page.find("path-clear").click()


def loads_agree(page, judge):
    wanted = judge.loads()
    told = page.run("""const {links, names} = heddle.fabric, engine = heddle.engines[0], all = [];
        for (let l = 0; l < links.count; ++l) {
          all.push([names[links.from[l]], links.fromPort[l], engine.forward[l]]);
          all.push([names[links.to[l]], links.toPort[l], engine.backward[l]]);
        }
        return all;""")
    assert {(name, port): load for name, port, load in told} == dict(wanted)
    assert f"{max(wanted.values()):,}" in page.text("worst")
    bars = page.run("return document.querySelectorAll('#loads .bars rect').length")
    assert bars >= 2, bars


def theme_changes(page, file):
    page.find("fit").click()
    page.drawn()
    light = page.pixel("map", 3, 60)
    page.find("theme").click()
    page.drawn()
    dark = page.pixel("map", 3, 60)
    assert sum(light[:3]) > 600 and sum(dark[:3]) < 150, (light, dark)
    page.photograph(page.pictures / "dark.png")
    page.open(file, scheme="dark")
    assert page.run("return document.documentElement.dataset.theme") == "dark"
    assert page.pixel("map", 3, 60) == dark
    page.open(file)
    assert page.pixel("map", 3, 60) == light


def keyboard_reaches_all(page):
    reached = []
    page.run("document.activeElement.blur()")
    for _ in range(14):
        page.press(Keys.TAB)
        reached.append(page.run("return document.activeElement.id"))
    for wanted in ("search", "theme", "map", "engine", "zoom-in", "fit", "path-from", "path-to"):
        assert wanted in reached, (wanted, reached)
    page.run("document.getElementById('map').focus()")
    camera = "const {scale, x} = heddle.picture.camera; return [scale, x]"
    scale, x = page.run(camera)
    page.press("+")
    assert page.run(camera)[0] > scale
    page.press("0")
    assert abs(page.run(camera)[0] - scale) < 1e-9
    page.press(Keys.ARROW_LEFT)
    assert page.run(camera)[1] > x
    page.press(Keys.ENTER)
    assert page.find("selected").is_displayed()
    page.press(Keys.ESCAPE)
    assert not page.find("selected").is_displayed()
    page.press("t")
    assert page.run("return document.documentElement.dataset.theme") == "dark"


def tree(options, folder):
    file = report(options.heddle, TREE, folder / "tree.html", "--routing", "ftree,updn")
    judge = Judge(options.heddle, TREE, "ftree", folder)
    chance = random.Random(7)
    pairs = [chance.sample(judge.hosts, 2) for _ in range(8)]
    with Page() as page:
        page.pictures = options.pictures
        page.open(file)
        page.photograph(options.pictures / "tree.png")
        levels_are_drawn(page, judge)
        search_finds(page, judge)
        hover_shows_lids(page, judge)
        loads_agree(page, judge)
        ways_agree_with_tables(page, judge, pairs)
        clicks_choose_a_way(page, judge)
        theme_changes(page, file)
        keyboard_reaches_all(page)
        page.expect_no_complaints()


def shapes(options, folder):
    golden = Path(__file__).parent.parent / "golden" / "fabrics"
    fabrics = {**SHAPES, **{str(golden / name): "tree" for name in (
        "selene.ibnetdiscover.txt", "clusters.lst", "ufm_director.ibnetdiscover.txt")}}
    with Page() as page:
        for number, (fabric, kind) in enumerate(fabrics.items()):
            file = report(options.heddle, fabric, folder / f"{number}.html", allowed=(0, 5))
            page.open(file)
            drawn = page.drawn()
            name = Path(re.sub(r"[:,=]", "-", fabric)).name
            page.photograph(options.pictures / f"{name}.png")
            assert page.run("return heddle.data.picture.kind") == kind, fabric
            assert drawn["switches"] == page.run("return heddle.fabric.switchCount"), fabric
            assert drawn["links"] == page.run("return heddle.fabric.links.count"), fabric
            same_place(page, fabric)
            page.expect_no_complaints(fabric)


def same_place(page, fabric):
    """No two switches on one another, everything on the screen."""
    places = page.run("""return Array.from({length: heddle.fabric.switchCount}, (_, s) =>
        heddle.picture.camera.toScreen(heddle.fabric.x[s], heddle.fabric.y[s]));""")
    size = page.find("map").size
    assert all(0 < x < size["width"] and 0 < y < size["height"] for x, y in places), fabric
    assert len({(round(x, 1), round(y, 1)) for x, y in places}) == len(places), fabric


def hostile(options, folder):
    text = run(options.heddle, "sim", "export", "fat-tree:2,2")
    text = text.replace('"leaf-1"', f'"{HOSTILE}"').replace("host-0001 HCA-1", HOSTILE + "2")
    source = folder / "<b>hostile.txt"
    source.write_text(text)
    file = report(options.heddle, source, folder / "hostile.html")
    with Page() as page:
        page.open(file)
        assert page.run("return heddle.fabric.names.includes(arguments[0])", HOSTILE)
        for node in (HOSTILE, HOSTILE + "2"):
            page.type_into("search", node)
            assert node in page.text("selected")
            page.drawn()
            page.move_to(*page.place_of(node))
            assert node in page.text("tip")
        page.type_into("path-from", HOSTILE + "2")
        page.type_into("path-to", "host-0003")
        assert HOSTILE in page.text("path-result")
        assert "<b>hostile.txt" in page.text("title")
        assert page.run("return document.querySelectorAll('img, b').length") == 0
        assert page.run("return window.pwned") is None
        assert page.run("return document.scripts.length") == 2
        page.photograph(options.pictures / "hostile.png")
        page.expect_no_complaints()


def large(options, folder):
    begin = time.monotonic()
    file = report(options.heddle, LARGE, folder / "large.html", "--routing", "ftree,updn,minhop")
    wrote = time.monotonic() - begin
    size = file.stat().st_size
    with Page() as page:
        page.open(file)
        page.photograph(options.pictures / "large.png")
        interactive = page.run("return heddle.interactiveAfter")
        drawn = page.drawn()
        assert (drawn["switches"], drawn["links"]) == (1620, 23328), drawn
        page.type_into("path-from", "host-0001 ")
        page.type_into("path-to", "host-11664")
        assert len(page.run("return heddle.path.way.steps")) == 5
        page.drawn()
        page.photograph(options.pictures / "large-path.png")
        print(json.dumps({"seconds": round(wrote, 2), "bytes": size,
                          "interactive_ms": round(interactive)}))
        assert size <= 10_000_000, size
        assert interactive < 2000, interactive
        page.expect_no_complaints()
    assert wrote < 60, f"{wrote} s"


SITUATIONS = {"tree": tree, "shapes": shapes, "hostile": hostile, "large": large}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--heddle", required=True, type=Path)
    parser.add_argument("--pictures", required=True, type=Path, help="where screenshots go")
    parser.add_argument("situation", choices=SITUATIONS)
    options = parser.parse_args()
    options.pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="heddle-report-") as folder:
        SITUATIONS[options.situation](options, Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
