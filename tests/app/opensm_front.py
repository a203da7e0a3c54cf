#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`heddle opensm` where OpenSM was started, by the same command lines, on the same simulated
fabric; what both leave behind is compared: opensm_front.py --heddle H."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "doors" / "device"))
from inside import run_inside  # noqa: E402

PATIENCE = 40


def start(program, folder, name, *words):
    """In a place of its own for what it writes."""
    place = Path(folder, name)
    place.mkdir(exist_ok=True)
    environment = {**os.environ, "OSM_CACHE_DIR": str(place), "OSM_TMP_DIR": str(place)}
    return subprocess.Popen([*program, "-f", str(place / "log"), *words], env=environment,
                            stdout=subprocess.DEVNULL, stderr=open(place / "told", "wb"))


def wait_for(what, question):
    end = time.monotonic() + PATIENCE
    while not question():
        assert time.monotonic() < end, what + " did not happen"
        time.sleep(0.1)


def log_of(folder, name):
    file = Path(folder, name, "log")
    return file.read_text(errors="replace") if file.exists() else ""


def lids_of(folder, name):
    text = Path(folder, name, "guid2lid").read_text()
    return set(re.findall(r"^(0x\w+) (0x\w+) (0x\w+)$", text, re.M))


def one_sweep(program, folder, name):
    """As a script does that brings a fabric up and goes."""
    process = start(program, folder, name, "-o", "-maxsmps", "8", "--prio", "9", "-l", "1")
    assert process.wait(PATIENCE) == 0, Path(folder, name, "told").read_text()
    log = log_of(folder, name)
    layout = r"^[A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d \d{6} \[[0-9A-F]{4,}\] 0x[0-9a-f]{2} -> "
    for line in ("Entering MASTER state", "SUBNET UP", "Exiting SM"):
        assert re.search(layout + line, log, re.M), (name, line, log)


def signals(heddle, folder):
    process = start([heddle, "opensm"], folder, "signals", "-p", "3", "--lm", "1")
    pid = process.pid
    wait_for("the subnet's coming up", lambda: "SUBNET UP" in log_of(folder, "signals"))
    log = Path(folder, "signals", "log")
    log.rename(log.with_suffix(".1"))
    os.kill(pid, signal.SIGUSR1)
    wait_for("a new log", log.exists)
    os.kill(pid, signal.SIGHUP)
    wait_for("reading again", lambda: "read again" in log_of(folder, "signals"))
    process.terminate()
    assert process.wait(PATIENCE) == 0


def comparable(folder, name):
    """What the dumps of both say of one fabric: all but the ways chosen, blank lines, LIDs that
    nobody has (OpenSM calls them unreachable, and counts them), how many digits a vendor's number
    has, and the bytes of a peer's DevID, which OpenSM turns around."""
    def lines(dump, *changes):
        text = Path(folder, name, dump).read_text()
        for pattern, change in changes:
            text = re.sub(pattern, change, text, flags=re.M)
        return sorted(line for line in text.splitlines() if line.strip())
    return {
        "subnet": lines("opensm-subnet.lst", (r"VenID:0*([0-9A-F]{6})\b", r"VenID:\1"),
                        (r"DevID:\w+", "DevID:")),
        "fdbs": lines("opensm.fdbs", (r"^(0x\w+ :) \d+ ", r"\1"), (r"^0x\w+ : UNREACHABLE$", "")),
        "lfts": lines("opensm-lfts.dump", (r"^(0x\w+) \d+ ", r"\1"), (r"^\d+ lids", "lids")),
    }


def give_names(folder):
    """Other names than their own to a host and a switch: what says so to both managers."""
    known = Path(folder, "ours", "opensm-subnet.lst").read_text()
    names = {kind: re.search(r"\{ " + kind + r"\S* .*?NodeGUID:(\w+)", known)[1]
             for kind in ("CA", "SW")}
    Path(folder, "names").write_text("# ours\n" + "".join(
        f'0x{guid} "the {kind} of row 7"\n' for kind, guid in names.items()))
    config = Path(folder, "names.conf")
    config.write_text(f"node_name_map_name {folder}/names\n")
    return str(config)


def dumps(heddle, folder):
    """Of the fabric as it is, where both choose shortest ways."""
    config = give_names(folder)
    for name, program in (("theirs", ["opensm"]), ("ours", [heddle, "opensm"])):
        process = start(program, folder, name, "-F", config, "-o", "-D", "0x43", "-R", "minhop",
                        "-l", "1")
        assert process.wait(PATIENCE) == 0, Path(folder, name, "told").read_text()
    theirs, ours = comparable(folder, "theirs"), comparable(folder, "ours")
    for dump, text in theirs.items():
        assert text, dump
        if dump != "fdbs":
            assert any("the SW of row 7" in line for line in text), (dump, text)
        assert text == ours[dump], (dump, set(text) ^ set(ours[dump]))


def mistakes(heddle, folder):
    def told(*words):
        done = subprocess.run([heddle, "opensm", *words], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=30, check=False)
        return done.returncode, done.stdout
    code, text = told("--routing_engin0", "x")
    assert code == 2 and "did you mean --routing_engine?" in text, text
    wrong = Path(folder, "wrong.conf")
    wrong.write_text("# a comment\nlmc seven\n")
    code, text = told("-F", str(wrong))
    assert code == 3 and f"{wrong}:2: lmc is wrong" in text, text
    code, text = told("-F", str(Path(folder, "nowhere.conf")))
    assert code == 3 and "cannot be read" in text, text
    assert told("-p", "16")[0] == 3
    written = Path(folder, "written.conf")
    assert told("-c", str(written), "-p", "9")[0] == 0
    assert "sm_priority 9\n" in written.read_text() and "\nlmc 0\n" in written.read_text()


def inside(heddle, folder):
    mistakes(heddle, folder)
    one_sweep(["opensm"], folder, "theirs")
    # From another beginning: its own memory, and a fabric that still has its LIDs.
    shutil.copytree(Path(folder, "theirs"), Path(folder, "ours"))
    Path(folder, "ours", "log").unlink()
    one_sweep([heddle, "opensm"], folder, "ours")
    assert lids_of(folder, "ours") == lids_of(folder, "theirs")
    for name in ("theirs", "ours"):
        assert Path(folder, name, "opensm-subnet.lst").exists(), name
    dumps(heddle, folder)
    signals(heddle, folder)


if __name__ == "__main__":
    sys.exit(run_inside(__file__, __doc__, inside, 160,
                        without=lambda: None if shutil.which("opensm") else "there is no opensm"))
