#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A subnet manager on a simulated fabric, and the commands of an operator: operate.py --heddle H.
Inside the device door a cable is cut, and all must tell of it."""

import json
import os
import subprocess
import sys
import tarfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "doors" / "device"))
from inside import run_inside  # noqa: E402

SPINE, PORT = "spine-1", "1"


class Operator:
    """Asks the subnet manager of one socket."""

    def __init__(self, heddle, folder):
        self.heddle, self.folder = heddle, folder
        self.socket = f"{folder}/api"
        self.manager = None

    def start(self):
        settings = Path(self.folder, "heddle.toml")
        settings.write_text(f'[api]\nsocket = "{self.socket}"\n[sweep]\ninterval = "1s"\n'
                            f'[lids]\nmemory_file = "{self.folder}/lids"\n')
        self.log = open(f"{self.folder}/log", "wb")
        self.manager = subprocess.Popen([self.heddle, "sm", "--config", settings],
                                        stdout=self.log, stderr=self.log)

    def run(self, *words, code=0):
        """What it prints; with another exit code than this the test ends."""
        done = subprocess.run([self.heddle, *words, "--socket", self.socket], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60,
                              check=False)
        if code is not None and done.returncode != code:
            raise AssertionError(f"{words}: exit code {done.returncode}, not {code}\n{done.stdout}")
        return done.stdout if code is not None else (done.returncode, done.stdout)

    def await_status(self, code, text, seconds=30):
        end = time.monotonic() + seconds
        while True:
            have, out = self.run("status", code=None)
            if have == code and text in out:
                return out
            if time.monotonic() > end:
                log = Path(self.folder, "log").read_text(errors="replace")[-2000:]
                raise AssertionError(f"status says {have}, not {code} with '{text}':\n{out}\n{log}")
            time.sleep(0.1)


def cable(heddle, up):
    verb = "up" if up else "down"
    subprocess.run([heddle, "sim", "ctl", os.environ["HEDDLE_SIM"], "link", verb, SPINE, PORT],
                   check=True, stdout=subprocess.DEVNULL, timeout=30)


def looking(operator):
    """What is shown of a fabric that is up."""
    nodes = json.loads(operator.run("show", "nodes", "-o", "json"))["nodes"]
    table = operator.run("show", "nodes").splitlines()
    assert len(table) == len(nodes) + 1, table
    assert table[0].split()[:3] == ["NAME", "TYPE", "GUID"], table[0]
    links = operator.run("show", "links", "-o", "csv").splitlines()
    assert links[0].startswith("NODE,PORT,PEER,"), links[0]
    assert any(line.startswith("leaf-1,") for line in links), links
    path = operator.run("show", "path", "host-0001", "host-0008")
    assert "host-0001 HCA-1/1 -> leaf-1/1" in path and "-> host-0008 HCA-1/1" in path, path
    for what in ("ports", "partitions", "groups", "events", "sweeps", "peers"):
        assert operator.run("show", what).strip(), what
    assert "there is no 'host-12'" in operator.run("show", "path", "host-12", "host-0002", code=5)
    operator.run("show", "dreams", code=2)


def traced(operator):
    """Debian's ibtracert asks the switches themselves: the same hops."""
    ours = json.loads(operator.run("show", "path", "host-0001", "host-0008", "-o", "json"))
    asked = ["ibtracert", str(ours["from"]["lid"]), str(ours["to"]["lid"])]
    out = subprocess.run(asked, text=True, stdout=subprocess.PIPE, timeout=60, check=True).stdout
    theirs = [int(line.split("[")[1].split("]")[0]) for line in out.splitlines()
              if line.startswith("[")]
    assert theirs == [hop["out"]["port"] for hop in ours["hops"]], out


def standing_routes(operator):
    """What stands after a loss is judged as it is, before what would be computed."""
    done = subprocess.run([operator.heddle, "plan", "route", f"live:{operator.socket}", "--metrics",
                           "-o", "json"], text=True, stdout=subprocess.PIPE, timeout=60, check=True)
    engines = json.loads(done.stdout)["engines"]
    assert [engine["engine"] for engine in engines] == ["standing", "auto"], done.stdout
    assert engines[0]["certified"] and engines[0]["lost_routes"] == 0, done.stdout


def cutting(operator):
    watch = subprocess.Popen([operator.heddle, "watch", "--socket", operator.socket], text=True,
                             stdout=subprocess.PIPE)
    try:
        time.sleep(0.5)
        cable(operator.heddle, up=False)
        out = operator.await_status(5, "1 link between switches lost")
        assert f"{SPINE}/{PORT}" in out, out
        standing_routes(operator)
        line = next(line for line in watch.stdout if "LinkDisappeared" in line)
        assert SPINE in line, line
    finally:
        watch.terminate()
        watch.wait(10)
    cable(operator.heddle, up=True)
    operator.await_status(0, "All is well")
    cable(operator.heddle, up=False)
    operator.await_status(5, "1 link between switches lost")
    operator.run("ctl", "accept-losses")
    operator.await_status(0, "All is well")
    cable(operator.heddle, up=True)


def sminfo():
    """What Debian's sminfo hears from the subnet manager itself, without blanks."""
    out = subprocess.run(["sminfo"], text=True, stdout=subprocess.PIPE, timeout=60,
                         check=True).stdout
    return "".join(out.replace("priority ", "priority:").split())


def bundling(operator):
    """What is handed to others holds the fabric, and no key."""
    secrets = ["0x1122334455667788", "0x00000000feedc0de"]
    settings = Path(operator.folder, "secret.toml")
    settings.write_text(f'[sm]\nm_key = "{secrets[0]}"\nformer_m_keys = ["{secrets[1]}"]\n')
    file = f"{operator.folder}/bundle.tar"
    operator.run("support-bundle", "--file", file, "--config", settings, "--tables")
    assert os.stat(file).st_mode & 0o077 == 0, "others may read it"
    with tarfile.open(file) as bundle:
        texts = {Path(member.name).name: bundle.extractfile(member).read().decode()
                 for member in bundle.getmembers()}
    wanted = {"about.txt", "status.json", "nodes.json", "links.json", "events.json", "metrics.txt",
              "fabric.ibnetdiscover", "tables.lft", "heddle.toml", "local-ports.json"}
    assert wanted <= set(texts), wanted - set(texts)
    assert json.loads(texts["status.json"])["well"] is True
    assert "missing" not in texts["about.txt"], texts["about.txt"]
    assert "m_key is set" in texts["heddle.toml"], texts["heddle.toml"]
    for secret in secrets:
        number = int(secret, 16)
        for form in (f"{number:x}", f"{number:X}", str(number)):
            assert not [name for name, text in texts.items() if form in text], form
    settings.write_text(f'[sm]\nm_key = "{secrets[0]}zz"\n')  # wrong, and no less a secret
    out = operator.run("support-bundle", "--file", file, "--config", settings)
    assert "1 problem in it" in out and secrets[0] not in out, out
    assert secrets[0].encode() not in Path(file).read_bytes()


def examining(operator):
    """The host is sound, until another manager runs on it and its file is open."""
    settings = Path(operator.folder, "heddle.toml")
    found = operator.run("doctor", "--config", settings)
    assert "is ACTIVE at" in found and "is master, and all is well" in found, found
    settings = Path(operator.folder, "open.toml")
    settings.write_text('[sm]\nm_key = "0x1234567812345678"\n')
    settings.chmod(0o644)
    found = json.loads(operator.run("doctor", "--config", settings, "-o", "json", code=5))
    wrong = [one for one in found["findings"] if one["health"] == "wrong"]
    assert len(wrong) == 1 and "everybody on this host can read" in wrong[0]["what"], wrong


def commanding(operator):
    before = json.loads(operator.run("status", "-o", "json"))["last_sweep"]["number"]
    operator.run("ctl", "resweep", "--reason", "the test asks")
    end = time.monotonic() + 20
    while True:
        sweeps = json.loads(operator.run("show", "sweeps", "-o", "json"))["sweeps"]
        if any(s["number"] > before and s["reason"] == "the test asks" for s in sweeps):
            break
        assert time.monotonic() < end, sweeps
        time.sleep(0.1)
    operator.run("ctl", "log-level", "debug")
    operator.run("ctl", "log-level", "loud", code=2)
    operator.run("ctl", "priority", "16", code=2)
    for written, meant in (("0xf", 15), ("010", 10), ("11", 11)):
        operator.run("ctl", "priority", written)
        end = time.monotonic() + 20
        while f"priority:{meant}" not in (said := sminfo()):
            assert time.monotonic() < end, said
            time.sleep(0.1)
    assert json.loads(operator.run("status", "-o", "json"))["sm"]["priority"] == 11
    log = Path(operator.folder, "log").read_text(errors="replace")
    assert f"user {os.geteuid()} asks for resweep" in log, log


def planning(operator):
    """`heddle plan` on the fabric that runs: the same nodes, and the LIDs that they hold."""
    done = subprocess.run([operator.heddle, "plan", "export", f"live:{operator.socket}", "--format",
                           "json"], text=True, stdout=subprocess.PIPE, timeout=60, check=True)
    planned = {node["guid"]: node for node in json.loads(done.stdout)["nodes"]}
    shown = json.loads(operator.run("show", "nodes", "-o", "json"))["nodes"]
    assert set(planned) == {node["guid"] for node in shown}, done.stdout
    for node in shown:
        lids = [port["lid"] for port in planned[node["guid"]]["ports"] if port.get("lid")]
        assert set(node["lids"]) == set(lids), (node, planned[node["guid"]])


def inside(heddle, folder):
    operator = Operator(heddle, folder)
    operator.run("status", code=8)
    operator.start()
    try:
        operator.await_status(0, "All is well")
        for part in (looking, traced, commanding, cutting, planning, bundling, examining):
            part(operator)
    finally:
        operator.manager.terminate()
        ended = operator.manager.wait(30)
    assert ended == 0, f"exit code {ended}"
    assert not os.path.exists(operator.socket), "its socket is still there"
    operator.run("status", code=8)


if __name__ == "__main__":
    sys.exit(run_inside(__file__, __doc__, inside, 150, at=()))
