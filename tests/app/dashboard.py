#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The dashboard of a running subnet manager in headless Chromium, used as a person would.

  dashboard.py --heddle build/heddle --pictures FOLDER click|token|large|guests"""

import argparse
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "doors" / "device"), str(TESTS / "interop")]
from browser import Keys, Page  # noqa: E402
from by_path import ByPath  # noqa: E402
from inside import SKIPPED, without_door  # noqa: E402

FABRIC = "fat-tree:4,8"
LARGE = "fat-tree:18,18,36"
TOKEN = "only-to-look-0123456789"
# 95 of 100 frames while somebody drags the picture of 11,664 hosts. A screen shows one in 17 ms; a
# busy machine without a graphics card may miss one now and then.
MOST_FRAME_MS = 51


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Manager:
    """A subnet manager whose API listens on TCP."""

    def __init__(self, heddle, folder, fabric=None, tokens=None):
        self.heddle, self.port, self.folder = heddle, free_port(), Path(folder)
        settings = (f'[api]\nsocket = "{folder}/api"\nlisten = "127.0.0.1:{self.port}"\n'
                    f'[sweep]\ninterval = "1s"\n[lids]\nmemory_file = "{folder}/lids"\n'
                    '[partitions]\nmanaged = true\n')
        if tokens:
            (self.folder / "tokens").write_text(tokens)
            settings = settings.replace("[api]\n", f'[api]\ntokens = "{folder}/tokens"\n')
        (self.folder / "heddle.toml").write_text(settings)
        command = [heddle, "sm", "--config", self.folder / "heddle.toml"]
        if fabric:
            command += ["--sim", fabric]
        self.log = open(self.folder / "log", "wb")
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log)

    def __enter__(self):
        end = time.monotonic() + 60
        while True:
            try:
                with urllib.request.urlopen(f"{self.url}readyz", timeout=5):
                    return self
            except OSError as failure:
                alive = self.process.poll() is None
                assert alive and time.monotonic() < end, (failure, self.said())
                time.sleep(0.1)

    def __exit__(self, *_):
        self.process.terminate()
        try:
            ended = self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGKILL)
            raise
        self.log.close()
        assert ended == 0, (ended, self.said())

    def said(self):
        return (self.folder / "log").read_text(errors="replace")[-2000:]

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/"

    def ask(self, target):
        with urllib.request.urlopen(self.url + target, timeout=20) as answer:
            return json.load(answer)


def open_page(page, manager, scheme="light"):
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "features": [{"name": "prefers-color-scheme", "value": scheme}]})
    page.driver.get(manager.url)


def await_picture(page):
    page.wait_until("return Boolean(window.heddle?.picture && heddle.state.ready)")
    return page.drawn()


def cable(heddle, up, at="spine-1", port="1"):
    subprocess.run([heddle, "sim", "ctl", os.environ["HEDDLE_SIM"], "link", "up" if up else "down",
                    at, port], check=True, stdout=subprocess.DEVNULL, timeout=30)


def picture_is_the_fabric(page, manager):
    fabric = manager.ask("v1/fabric")
    drawn = await_picture(page)
    assert drawn["switches"] == fabric["switches"], drawn
    switches = {node["name"] for node in manager.ask("v1/nodes?type=switch")["nodes"]}
    between = [link for link in manager.ask("v1/links")["links"]
               if link["a"]["node"] in switches and link["b"]["node"] in switches]
    assert drawn["links"] == len(between), (drawn, len(between))
    tops = {name: page.place_of(name)[1] for name in switches}
    spines = [y for name, y in tops.items() if name.startswith("spine")]
    leaves = [y for name, y in tops.items() if name.startswith("leaf")]
    assert max(spines) < min(leaves), "spines stand above leaves"
    for name in switches:
        assert page.ink(*page.place_of(name)) > 4, f"nothing is drawn at {name}"
    page.wait_until("return document.getElementById('status').textContent.includes('All is well')"
                    " && document.getElementById('role').textContent.includes('master')")
    page.wait_until("return document.getElementById('heard').textContent === 'live'")
    # Everyone to everyone over these tables: no cable has more than a host's own.
    assert page.find("legend").is_displayed()
    page.wait_until("return heddle.live.load?.forward.length > 0")
    loads = page.run("return [...heddle.live.load.forward]")
    assert len(loads) == len(between) and min(loads) > 0, loads


def ends_of(page):
    return page.run("""return heddle.ways.path.hops.map(
        hop => [hop.out.node, hop.out.port, hop.in.node])""")


def paths_are_told(page, manager):
    page.type_into("path-from", "host-0001")
    page.type_into("path-to", "host-0032")
    page.wait_until("return Boolean(heddle.ways.path)")
    wanted = manager.ask("v1/path?from=host-0001&to=host-0032")
    told = [(hop["out"]["node"], hop["out"]["port"], hop["in"]["node"]) for hop in wanted["hops"]]
    assert [tuple(hop) for hop in ends_of(page)] == told
    text = page.text("path-result")
    assert "on SL 0" in text and "VL 0" in text and "P_Key 0xffff" in text, text
    page.drawn()
    for node, _, _ in told:
        assert page.pixel("over", *page.place_of(node))[3] == 255, f"{node} is not highlighted"
    page.photograph(page.pictures / "path.png")
    page.find("path-why").click()
    page.wait_until("return document.getElementById('path-reasons').textContent.length > 0")
    text = page.text("path-reasons")
    for answer in manager.ask("v1/explain/path?from=host-0001&to=host-0032")["answers"]:
        assert answer["question"] in text and answer["answer"] in text, (answer, text)
    return told


def losses_are_foreseen(page, heddle, told):
    """What the page says of a cut must be what comes true when the cable is pulled."""
    leaf, port, spine = told[1]
    page.click(".what-if")
    page.wait_until("return document.getElementById('loss').textContent.includes('would change')")
    text = page.text("loss")
    assert "Every host would still reach every other" in text, text
    assert "This path would be" in text and f"{leaf}:{port}" in text, text
    page.run("document.getElementById('path').scrollIntoView()")
    page.photograph(page.pictures / "dashboard-path.jpg")
    foreseen = re.findall(r"(\S+)(?: HCA-1)? out of port (\d+)",
                          text.split("This path would be")[1])
    cable(heddle, up=False, at=leaf, port=str(port))
    page.wait_until(f"return heddle.ways.path?.hops[1]?.out.port !== {port}")
    now = [(node.split()[0], str(out)) for node, out, _ in ends_of(page)]
    assert now == foreseen, (now, foreseen)
    return leaf, port, spine


def loss_is_shown(page, heddle, lost):
    leaf, port, spine = lost
    page.wait_until("return heddle.live.goneLinks.length === 1")
    assert not page.find("lost").get_attribute("hidden")
    text = page.text("lost")
    assert f"{leaf}/{port}" in text and spine in text, text
    assert "ill" in page.find("verdict").get_attribute("class")
    page.wait_until("return document.getElementById('recent').textContent.includes('is gone')")
    # The middle of the cable is marked on the picture, in the colour of what is lost.
    page.find("path-clear").click()
    page.drawn()
    page.wait_until("return heddle.picture.troubles?.links.length === 1")
    assert page.run("return heddle.picture.troubles.links.map(one => one[1])") == ["lost"]
    red = page.run("""const {data} = document.getElementById("over").getContext("2d")
        .getImageData(0, 0, 3000, 2000); let count = 0;
        for (let i = 0; i < data.length; i += 4)
          count += data[i + 3] > 128 && data[i] > 150 && data[i + 1] < 60;
        return count;""")
    assert red > 60, f"{red} pixels tell of the loss"
    page.photograph(page.pictures / "dashboard-loss.jpg")
    # Whoever comes now sees it too, although the fabric holds it no more.
    page.driver.refresh()
    await_picture(page)
    page.wait_until("return heddle.picture.troubles?.ghosts.length === 1")
    cable(heddle, up=True, at=leaf, port=str(port))
    page.wait_until("return heddle.state.status.well && "
                    "heddle.picture.troubles?.ghosts.length === 0")
    page.drawn()


def views_show_what_is(page, manager):
    page.run("document.activeElement.blur()")
    page.press("2")
    page.wait_until("return document.querySelectorAll('#event-rows tr').length > 3")
    page.find("event-words").send_keys("LinkDisappeared")
    page.wait_until("""const rows = [...document.querySelectorAll('#event-rows tr')];
        return rows.length > 0 && rows.every(row => row.textContent.includes('LinkDisappeared'))""")
    page.photograph(page.pictures / "events.png")
    for key, view, wanted in (("3", "partitions", "0x7fff"), ("5", "sweeps", "full")):
        page.find(f"tab-{view}").click()
        page.wait_until(f"return document.getElementById('{view}').textContent"
                        f".includes('{wanted}')")
        page.photograph(page.pictures / f"{view}.png")
    page.find("tab-groups").click()
    groups = manager.ask("v1/groups")["groups"]
    page.wait_until("return document.querySelectorAll('#groups tbody tr').length === "
                    f"{len(groups)}")
    assert all(group["mgid"] in page.text("groups") for group in groups)


def change_partitions(manager, changes):
    """By the socket, for by TCP nobody may without a token."""
    connection = ByPath(manager.folder / "api")
    connection.request("POST", "/v1/partitions/managed?wait=20", json.dumps({"changes": changes}))
    answer = connection.getresponse()
    told = json.load(answer)
    connection.close()
    assert answer.status == 200, told
    return told["generation"]


def partitions_of_programs_are_shown(page, manager):
    """While somebody looks: what a program makes appears, and what it takes away goes."""
    page.find("tab-partitions").click()
    page.wait_until("return document.getElementById('partitions').textContent"
                    ".includes('Generation 0')")
    guid = manager.ask("v1/ports?node=host-0001")["ports"][0]["port_guid"]
    generation = change_partitions(manager, [{"set": {
        "p_key": "0x0021", "name": "<b>blue</b>",
        "members": [{"guid": guid, "membership": "limited"}]}}])
    page.wait_until(f"""const text = document.getElementById('partitions').textContent;
        return text.includes('Generation {generation}: the fabric has it')
          && text.includes('0x0021') && text.includes('<b>blue</b>')
          && text.includes('{guid} limited');""")
    page.click("#partitions details summary")
    page.photograph(page.pictures / "dashboard-partitions.jpg")
    change_partitions(manager, [{"remove": "0x0021"}])
    page.wait_until("return !document.getElementById('partitions').textContent.includes('0x0021')")
    they_are_asked_for_when_they_change(page)


def they_are_asked_for_when_they_change(page):
    """All of them once more only if the status says that they are others."""
    def asked(what):
        return page.run("return performance.getEntriesByType('resource')"
                        ".filter((one) => one.name.includes(arguments[0])).length", what)

    for _ in range(10):
        page.run("performance.clearResourceTimings()")
        before = page.run("return heddle.state.partitions")
        # One round of questions follows the other, so the third begins when two are over.
        for rounds in (1, 2, 3):
            page.find("tab-partitions").click()
            page.wait_for(lambda wanted=rounds: asked("/v1/status") >= wanted)
        again = asked("/v1/partitions")
        if page.run("return heddle.state.partitions") == before:
            assert again == 0, f"asked {again} times for the same"
            return
    raise AssertionError("the partitions do not come to rest")


def keys_are_enough(page):
    page.find("tab-fabric").click()
    reached = []
    page.run("document.activeElement.blur()")
    for _ in range(16):
        page.press(Keys.TAB)
        reached.append(page.run("return document.activeElement.id"))
    for wanted in ("search", "theme", "tab-fabric", "map", "colour", "zoom-in", "path-from"):
        assert wanted in reached, (wanted, reached)
    page.run("document.getElementById('tab-fabric').focus()")
    page.press(Keys.ARROW_RIGHT)
    assert page.run("return document.activeElement.id") == "tab-events"
    page.press("1")
    page.press("/")
    page.press("leaf-3", Keys.ENTER)
    assert "leaf-3" in page.text("selected"), page.text("selected")
    page.press("0", "+", Keys.ENTER)
    assert page.find("selected").is_displayed()
    page.press("t")
    assert page.run("return document.documentElement.dataset.theme") == "dark"
    page.drawn()
    assert sum(page.pixel("map", 3, 60)[:3]) < 150, "dark paper"
    page.press("0", Keys.ESCAPE)
    page.drawn()
    page.photograph(page.pictures / "dashboard-dark.jpg")


def click(options, folder):
    with Manager(options.heddle, folder) as manager, Page() as page:
        page.pictures = options.pictures
        open_page(page, manager)
        picture_is_the_fabric(page, manager)
        page.photograph(page.pictures / "fabric.png")
        told = paths_are_told(page, manager)
        loss_is_shown(page, options.heddle, losses_are_foreseen(page, options.heddle, told))
        views_show_what_is(page, manager)
        partitions_of_programs_are_shown(page, manager)
        keys_are_enough(page)
        own = page.run("return performance.getEntriesByType('resource').map(one => one.name)")
        assert own and all(name.startswith(manager.url) for name in own), own
        page.expect_no_complaints()


def token(options, folder):
    tokens = f"read dashboard {TOKEN}\n"
    with Manager(options.heddle, folder, FABRIC, tokens) as manager, Page() as page:
        open_page(page, manager)
        page.wait_until("return document.getElementById('token-dialog').open")
        assert page.run("return heddle.state.status") is None
        page.find("token").send_keys("wrong", Keys.ENTER)
        page.wait_until("return !document.getElementById('token-wrong').hidden")
        page.find("token").send_keys(TOKEN, Keys.ENTER)
        await_picture(page)
        page.wait_until("return document.getElementById('heard').textContent === 'live'")
        page.driver.refresh()
        await_picture(page)
        assert not page.run("return document.getElementById('token-dialog').open")


def guests(options, folder):
    """A host that is selected shows its virtual ports, as the API has them."""
    with Manager(options.heddle, folder, "star:3,vports=2,vport-lids=1") as manager, Page() as page:
        open_page(page, manager)
        await_picture(page)
        page.run("heddle.stage.choose(heddle.stage.finder.find('host-0002')[0])")
        page.wait_until("return document.getElementById('guests')?"
                        ".textContent.includes('2 virtual')")
        text = page.text("guests")
        host = page.run("return heddle.fabric.guid(heddle.stage.selected.index)")
        rows = manager.ask(f"v1/virtual-ports?node={host}")["virtual_ports"]
        assert len(rows) == 2, rows
        for row in rows:
            assert row["port_guid"] in text and str(row["lid"]) in text, (row, text)
            assert all(key in text for key in row["p_keys"]), (row, text)
        page.run("heddle.stage.choose(heddle.stage.finder.find('switch-1')[0])")
        assert page.run("return document.getElementById('guests')") is None
        page.expect_no_complaints()


FRAMES = """const [kind, milliseconds, done] = arguments;
const frames = [], begin = performance.now();
let last = begin;
const step = (now) => {
  frames.push(now - last);
  last = now;
  const turn = (now - begin) / 400;
  if (kind === "drag") heddle.picture.move(14 * Math.cos(turn), 9 * Math.sin(turn));
  else heddle.picture.zoom(Math.sin(turn) > 0 ? 1.03 : 1 / 1.03);
  if (now - begin < milliseconds) requestAnimationFrame(step);
  else done(frames.slice(1));
};
requestAnimationFrame(step);"""


def large(options, folder):
    with Manager(options.heddle, folder, LARGE) as manager, Page() as page:
        begin = time.monotonic()
        open_page(page, manager)
        drawn = await_picture(page)
        seconds = time.monotonic() - begin
        assert (drawn["switches"], drawn["links"]) == (1620, 23328), drawn
        page.photograph(options.pictures / "large.png")
        told = {"picture_seconds": round(seconds, 2)}
        page.driver.set_script_timeout(60)
        for kind in ("drag", "zoom"):
            frames = sorted(page.driver.execute_async_script(FRAMES, kind, 4000))
            told[kind] = {"frames": len(frames), "median_ms": round(frames[len(frames) // 2], 1),
                          "p95_ms": round(frames[len(frames) * 95 // 100], 1),
                          "worst_ms": round(frames[-1], 1)}
            page.find("fit").click()
            page.drawn()
        page.type_into("path-from", "host-0001")
        page.type_into("path-to", "host-11664")
        page.wait_until("return heddle.ways.path?.hops.length === 6")
        page.drawn()
        begin = time.monotonic()
        page.click(".what-if")
        page.wait_until("return document.getElementById('loss').textContent"
                        ".includes('would change')")
        told["what_if_seconds"] = round(time.monotonic() - begin, 2)
        page.run("document.getElementById('path').scrollIntoView()")
        page.photograph(options.pictures / "dashboard-large.jpg")
        print(json.dumps(told))
        page.expect_no_complaints()
    assert seconds < 30, seconds
    for kind in ("drag", "zoom"):
        assert told[kind]["p95_ms"] < MOST_FRAME_MS, told


SITUATIONS = {"click": click, "token": token, "large": large, "guests": guests}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--pictures", required=True, type=Path, help="where screenshots go")
    parser.add_argument("--inside", action="store_true")
    parser.add_argument("situation", choices=SITUATIONS)
    options = parser.parse_args()
    options.heddle = os.path.abspath(options.heddle)
    options.pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="heddle-dashboard-") as folder:
        # Only the first wants cables to pull, and with them device files.
        if options.situation != "click" or options.inside:
            SITUATIONS[options.situation](options, folder)
            return 0
        if reason := without_door():
            print(f"skipped: {reason}")
            return SKIPPED
        door = [options.heddle, "sim", "run", FABRIC, "--", sys.executable,
                os.path.abspath(__file__), "--heddle", options.heddle, "--pictures",
                options.pictures.resolve(), "--inside", "click"]
        return subprocess.run(door, env={**os.environ, "XDG_RUNTIME_DIR": folder}, timeout=280,
                              check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
