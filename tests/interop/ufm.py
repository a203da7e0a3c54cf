#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Clients of UFM before `heddle sm`: the calls of ib-kubernetes, of a scheduler's prolog and of an
inventory, over TCP with a password, and then what the ports' own P_Key tables hold. Started by
inside.py on star:5 with the manager's host."""

import base64
import http.client
import json
import re
import socket
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "doors" / "device"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "app"))
from managed import bring_up  # noqa: E402
from tools import expect, run, wait_for  # noqa: E402

WRITER, READER = "fedcba9876543210fedc", "0123456789abcdef0123"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Ufm:
    """As http.NewRequest with SetBasicAuth does it."""

    def __init__(self, port, password, user="admin"):
        self.port = port
        pair = base64.b64encode(f"{user}:{password}".encode()).decode()
        self.headers = {"Authorization": "Basic " + pair, "Content-Type": "application/json"}

    def call(self, method, path, body=None, status=200):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=90)
        text = None if body is None else json.dumps(body)
        connection.request(method, path, text, self.headers)
        answer = connection.getresponse()
        content = answer.read().decode()
        expect(f"the status of {method} {path} ({content[:200]})", answer.status, status)
        return json.loads(content) if content else None


class IbKubernetes:
    """The five calls of its plugin for UFM."""

    def __init__(self, ufm):
        self.ufm = ufm

    def validate(self):
        self.ufm.call("GET", "/ufmRest/app/ufm_version")

    def add_guids_to_pkey(self, pkey, guids):
        self.ufm.call("POST", "/ufmRest/resources/pkeys",
                      {"pkey": f"0x{pkey:04X}", "index0": True, "ip_over_ib": True,
                       "membership": "full", "guids": guids})

    def remove_guids_from_pkey(self, pkey, guids):
        self.ufm.call("POST", "/ufmRest/actions/remove_guids_from_pkey",
                      {"pkey": f"0x{pkey:04X}", "guids": guids})

    def list_guids_in_use(self):
        told = self.ufm.call("GET", "/ufmRest/resources/pkeys/?guids_data=true")
        return {each["guid"]: pkey for pkey, data in told.items() for each in data["guids"]}


def programmed(ufm):
    """Waits until the fabric holds what was asked for, as a client of ours would."""
    told = ufm.call("GET", "/v1/partitions/managed?wait=30")
    expect("the partitions' being programmed", told["done"], True)
    return told["generation"]


def keys_of(lid):
    """What the port's own table holds, by index."""
    rows = re.findall(r"^\s*\d+:((?: +0x[0-9a-f]{4})+)", run("smpquery", "pkeys", str(lid)), re.M)
    keys = [key for row in rows for key in row.split()]
    return [key for key in keys if key != "0x0000"]


def hosts(ufm):
    told = ufm.call("GET", "/ufmRest/resources/ports?sys_type=Computer")
    for port in told:
        expect("the state of a port", (port["logical_state"], port["physical_state"]),
               ("Active", "Link Up"))
    return {port["system_name"]: port for port in told}


def kubernetes(ufm):
    plugin = IbKubernetes(ufm)
    plugin.validate()
    expect("GUIDs in use at first", plugin.list_guids_in_use(), {})
    known = hosts(ufm)
    second, third = known["host-0002"], known["host-0003"]
    for _ in range(2):  # it repeats what it is not sure of
        plugin.add_guids_to_pkey(0x12, [second["guid"], third["guid"]])
    expect("one generation for one change", programmed(ufm), 1)
    for host in (second, third):
        expect("the keys of a member", keys_of(host["lid"]), ["0x8012", "0xffff"])
    expect("those of another", keys_of(known["host-0004"]["lid"]), ["0xffff"])
    expect("GUIDs in use", plugin.list_guids_in_use(),
           {second["guid"]: "0x12", third["guid"]: "0x12"})
    plugin.remove_guids_from_pkey(0x12, [third["guid"]])
    programmed(ufm)
    expect("the keys of who was removed", keys_of(third["lid"]), ["0xffff"])
    expect("of who was not", keys_of(second["lid"]), ["0x8012", "0xffff"])
    # GUIDs of virtual functions that no port has yet do no harm.
    plugin.add_guids_to_pkey(0x12, ["0200000000000001"])
    programmed(ufm)


def prolog(ufm):
    known = hosts(ufm)
    ufm.call("POST", "/ufmRest/resources/pkeys/hosts",
             {"pkey": "0x21", "hosts_names": "host-0003,host-0004", "membership": "limited"})
    programmed(ufm)
    expect("the keys of a job's host", keys_of(known["host-0004"]["lid"]), ["0xffff", "0x0021"])
    ufm.call("DELETE", "/ufmRest/resources/pkeys/0x21/hosts/host-0003,host-0004")
    programmed(ufm)
    expect("its keys after the job", keys_of(known["host-0004"]["lid"]), ["0xffff"])
    ufm.call("POST", "/ufmRest/resources/pkeys/hosts", {"pkey": "0x21", "hosts_names": "nobody"},
             status=404)


def inventory(ufm):
    ufm.call("POST", "/ufmRest/resources/pkeys/add", {"pkey": "0x31", "partition_name": "tenant"})
    ufm.call("PUT", "/ufmRest/resources/pkeys/qos_conf",
             {"pkey": "0x31", "mtu_limit": 4, "service_level": 2, "rate_limit": 100})
    told = ufm.call("GET", "/ufmRest/resources/pkeys/0x31?qos_conf=true")
    expect("quality of service", told["qos_conf"],
           {"mtu_limit": 4, "service_level": 2, "rate_limit": 100.0})
    keys = ufm.call("GET", "/ufmRest/app/smconf")
    expect("the keys as set or not", [keys["m_key"], keys["sm_key"]], ["0x0", "0x1"])


def unhealthy(ufm):
    """As a plugin that watches ports does it: no route uses the port until it is healthy again."""
    switch = next(port for port in ufm.call("GET", "/v1/ports")["ports"]
                  if port["port"] == 0)
    known = hosts(ufm)
    name = known["host-0005"]["name"]
    order = {"ports": [name], "ports_policy": "UNHEALTHY", "action": "isolate"}
    ufm.call("PUT", "/ufmRestV2/app/unhealthy_ports", order)

    def row():
        return [each for each in ufm.call("GET", "/ufmRestV2/app/unhealthy_ports")
                if each["GUID"] == switch["guid"][2:]]
    wait_for("the outcome of an order", row)
    expect("its status, for no host is cut off without force", row()[0]["Status"], "PENDING")
    expect("isolated ports", ufm.call("GET", "/ufmRestV2/resources/isolated_ports"),
           {"isolated_ports": []})
    ufm.call("PUT", "/ufmRestV2/app/unhealthy_ports?force_set=true", order)
    wait_for("a host's being led around", lambda: ufm.call(
        "GET", "/ufmRestV2/resources/isolated_ports")["isolated_ports"])
    ufm.call("PUT", "/ufmRestV2/app/unhealthy_ports", {"ports": [
        row()[0]["Name"]], "ports_policy": "HEALTHY"})
    wait_for("its return", lambda: not row())


def strangers(port):
    Ufm(port, "a wrong password 123").call("GET", "/ufmRest/app/ufm_version", status=401)
    reader = Ufm(port, READER)
    reader.call("GET", "/ufmRest/resources/pkeys/?guids_data=true")
    reader.call("POST", "/ufmRest/resources/pkeys", {"pkey": "0x12", "guids": []}, status=403)
    reader.call("PUT", "/v1/partitions/managed/0x12", {}, status=403)


def main():
    port = free_port()
    Path("tokens").write_text(f"write operator {WRITER}\nread looker {READER}\n", encoding="utf-8")
    Path("heddle.toml").write_text(
        f'[partitions]\nmanaged = true\n[api]\nsocket = "api"\nlisten = "127.0.0.1:{port}"\n'
        'tokens = "tokens"\n', encoding="utf-8")
    manager = bring_up("--config", "heddle.toml")
    ufm = Ufm(port, WRITER)
    wait_for("the fabric's being up", lambda: subprocess.run(
        ["saquery", "CPI"], capture_output=True, check=False).returncode == 0)
    kubernetes(ufm)
    prolog(ufm)
    inventory(ufm)
    unhealthy(ufm)
    strangers(port)
    before = ufm.call("GET", "/v1/partitions/managed")
    # What was answered is there again after the worst of ends.
    manager.kill()
    manager.wait()
    manager = bring_up("--config", "heddle.toml")
    after = ufm.call("GET", "/v1/partitions/managed")
    expect("partitions after a crash", after["partitions"], before["partitions"])
    expect("their generation", programmed(ufm), before["generation"])
    manager.terminate()
    return manager.wait()


if __name__ == "__main__":
    sys.exit(main())
