#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Other people's programs inside the device door, each against the others: tools.py SCENARIO.
Run by inside.py on a fabric that nobody has brought up; OpenSM does it here."""

import os
import re
import signal
import subprocess
import sys
import time

PATIENCE = 40


class Failed(Exception):
    pass


def run(*command, good=(0,), patience=PATIENCE):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", timeout=patience, check=False)
    if done.returncode not in good:
        raise Failed(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout[-3000:]}")
    return done.stdout


def start(*command, log):
    return subprocess.Popen(command, stdout=open(log, "w", encoding="utf-8"),
                            stderr=subprocess.STDOUT)


def elsewhere(node, *command):
    """The command line that runs this one on another node of the fabric."""
    return [os.environ["HEDDLE"], "sim", "enter", os.environ["HEDDLE_SIM"], "--at", node, "--",
            *command]


def wait_for(what, question):
    for _ in range(PATIENCE * 5):
        if question():
            return
        time.sleep(0.1)
    raise Failed(f"{what} did not happen")


def expect(what, have, want):
    if have != want:
        raise Failed(f"{what}: {have!r}, not {want!r}")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read().strip()


def own_lid():
    return int(read("/sys/class/infiniband/mlx5_0/ports/1/lid"), 16)


def inactive_links():
    """What iblinkinfo says of links that are not Active."""
    links = re.findall(r"==\((.*?)\)==>", run("iblinkinfo"))
    return [link for link in links if "Active" not in link] if links else ["none at all"]


def open_subnet():
    """OpenSM's log comes late, so the fabric itself must say when it is up."""
    sm = start("opensm", "-f", os.path.abspath("osm.log"), log="osm.out")
    wait_for("the subnet's coming up", lambda: sm.poll() is not None or (
        "ACTIVE" in read("/sys/class/infiniband/mlx5_0/ports/1/state") and not inactive_links()))
    expect("OpenSM's exit", sm.poll(), None)


# --- scenarios ----------------------------------------------------------------------------------

def tools():
    """Discovery, subnet administration in full tables, single attributes, routes."""
    expect("state before", read("/sys/class/infiniband/mlx5_0/ports/1/state"), "2: INIT")
    open_subnet()
    expect("state after", read("/sys/class/infiniband/mlx5_0/ports/1/state"), "4: ACTIVE")
    lid = own_lid()
    topology = run("ibnetdiscover")
    nodes = len(re.findall(r"^(?:Switch|Ca)\t", topology, re.M))
    if nodes < 10:
        raise Failed("ibnetdiscover sees too little:\n" + topology)
    expect("NodeRecords", run("saquery", "NR").count("NodeRecord dump"), nodes)
    expect("PathRecords", run("saquery", "PR").count("PathRecord dump"), nodes ** 2)
    expect("links not Active", inactive_links(), [])
    expect("SM LID", int(re.search(r"sm lid (\d+)", run("sminfo")).group(1)), lid)
    expect("ibstat's LID", f"Base lid: {lid}\n" in run("ibstat"), True)
    expect("ibstatus", "4: ACTIVE" in run("ibstatus"), True)
    other = max(int(word) for word in re.findall(r"lid (\d+)", topology))
    by_lid = run("smpquery", "nodeinfo", str(other))
    guid = re.search(r"^Guid:\.*(0x\w+)", by_lid, re.M).group(1)
    expect("its NodeRecord", guid in run("saquery", "NR", str(other)), True)
    for attribute in (("portinfo", str(lid), "1"), ("-D", "nodedesc", "0,1"), ("pkeys", str(other)),
                      ("guidinfo", str(other)), ("sl2vl", str(other)), ("vlarb", str(other))):
        run("smpquery", *attribute)
    run("perfquery", str(other), "1")
    run("perfquery", "-x", str(other), "1")
    told = re.search(r"^PortXmitPkts:\.*(\d+)$", run("perfquery", "-x", str(lid), "1"), re.M)
    counted = int(read("/sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_packets"))
    expect("packets counted so far", 0 < int(told.group(1)) <= counted, True)
    expect("the route's end", "To " in run("ibtracert", str(lid), str(other)), True)
    switch = re.search(r'^Switch\t.*lid (\d+)', topology, re.M).group(1)
    expect("its table", f"{other:#06x}" in run("ibroute", switch), True)


def field(text, name):
    return re.search(rf"^{re.escape(name)}:\.*(.*)$", text, re.M).group(1)


def first_switch():
    return re.search(r'^Switch\t.*lid (\d+)', run("ibnetdiscover"), re.M).group(1)


def counters():
    """Every form of perfquery and ibccquery; packets count, a reset clears."""
    open_subnet()
    lid, switch = str(own_lid()), first_switch()
    both = ("-x", "-l", "-a", "-X", "-S", "-D", "-E", "-T", "-c", "--oprcvcounters",
            "--flowctlcounters", "--vloppackets", "--vlopdata", "--vlxmitflowctlerrors",
            "--vlxmitcounters", "--rcvcc", "--slrcvfecn", "--slrcvbecn", "--xmitcc",
            "--vlxmittimecc")
    for form in both:
        run("perfquery", form, lid, "1")
    for form in (*both, "--swportvlcong"):
        run("perfquery", form, switch, "2")
    for words in (("-a", switch, "1-4"), ("-l", switch, "1,3"), ("-r", switch, "1"),
                  ("-R", switch, "2", "0x0fff"), ("-R", "-a", switch)):
        run("perfquery", *words)
    lanes = run("perfquery", "-X", lid, "1")
    expect("data by service level", int(field(lanes, "XmtDataSL0")) > 0, True)
    before = int(field(run("perfquery", "-x", lid, "1"), "PortXmitPkts"))
    run("saquery", "NR")
    wait_for("packets' counting", lambda: int(
        field(run("perfquery", "-x", lid, "1"), "PortXmitPkts")) > before)
    run("perfquery", "-x", "-R", lid, "1")
    expect("packets after a reset", int(field(run("perfquery", "-x", lid, "1"), "PortXmitPkts"))
           < before, True)
    run("perfquery", "-a", switch)
    expect("errors of a clean fabric", re.findall("Errors for .*", run("ibqueryerrors")), [])
    for operation in ("ClassPortInfo", "CongestionInfo", "CongestionKeyInfo", "CongestionLog",
                      "Timestamp"):
        run("ibccquery", operation, lid)
        run("ibccquery", operation, switch)
    for operation in ("SwitchCongestionSetting", "SwitchPortCongestionSetting"):
        run("ibccquery", operation, switch)
    for operation in ("CACongestionSetting", "CongestionControlTable"):
        run("ibccquery", operation, lid)


def congestion():
    """ibccconfig sets switches and hosts, traffic crowds a port, ibccquery and perfquery tell."""
    open_subnet()
    # Our own switch, where the second host is as well.
    switch, own = field(run("smpquery", "-D", "portinfo", "0,1", "0"), "Lid"), str(own_lid())

    def crowd():
        return run(os.environ["HEDDLE"], "sim", "ctl", os.environ["HEDDLE_SIM"], "traffic",
                   "incast", "1000", "2")

    expect("marks without settings", " 0 are marked" in crowd(), True)
    waited = int(field(run("perfquery", own, "1"), "PortXmitWait"))
    expect("waiting of a sender that is held back", waited > 0, True)
    # Threshold and packet size, and a mark for every packet.
    run("ibccconfig", "SwitchCongestionSetting", switch, "0x14", "0", "0", "15", "1", "0", "0:0",
        "0")
    expect("the threshold", field(run("ibccquery", "SwitchCongestionSetting", switch),
                                  "Threshold"), "0x0f")
    # CCTI by one for each notification, logged from 5 on; a table that waits one packet's time.
    run("ibccconfig", "CACongestionSetting", own, "1", "1", "1000", "1", "5", "0")
    run("ibccconfig", "CongestionControlTable", own, "63", "0", *["0:1"] * 64)
    marked = re.search(r", (\d+) are marked", crowd())
    expect("marks", int(marked.group(1)) > 0, True)
    log = run("ibccquery", "CongestionLog", switch)
    expect("the switch's events", int(field(log, "LogEventsCounter")) > 0, True)
    expect("of a host", own in re.findall(r"^SLID:\.*(\d+)$", log, re.M), True)
    log = run("ibccquery", "CongestionLog", own)
    expect("our events", int(field(log, "ThresholdEventCounter")), 1)
    expect("are ours", own in re.findall(r"^Local_LID_CN:\.*(\d+)$", log, re.M), True)
    told = field(run("perfquery", "--rcvcc", own, "1"), "PortPktRcvBECN")
    expect("notifications that we got", int(told) >= 5, True)
    log = run("ibccquery", "CongestionLog", switch)
    expect("what was told once", int(field(log, "LogEventsCounter")), 0)


def links():
    """Ports that are disabled, enabled, reset and slowed down train again."""
    open_subnet()
    leaf = field(run("smpquery", "-D", "portinfo", "0,1", "0"), "Lid")
    # A host on our own switch, but not ourselves, whose port is 1.
    port = next(number for number in ("2", "3", "4") if "Channel Adapter" in run(
        "smpquery", "-D", "nodeinfo", f"0,1,{number}", good=(0, 255)))
    run("ibportstate", leaf, port, "query")
    run("smpquery", "mepi", leaf, port)

    def info(name):
        return field(run("smpquery", "portinfo", leaf, port), name)

    def state():
        return info("LinkState")

    run("ibportstate", leaf, port, "disable")
    expect("a disabled port", (state(), info("PhysLinkState")), ("Down", "Disabled"))
    run("ibportstate", leaf, port, "enable")
    wait_for("the enabled port's coming up", lambda: state() == "Active")
    run("ibportstate", leaf, port, "reset")
    wait_for("the reset port's coming up", lambda: state() == "Active")
    run("ibportstate", leaf, port, "width", "1")
    run("ibportstate", leaf, port, "reset")
    wait_for("the narrow link", lambda: (state(), info("LinkWidthActive")) == ("Active", "1X"))
    run("ibportstate", leaf, port, "width", "17")  # 1x or 2x
    run("ibportstate", leaf, port, "espeed", "30")  # none but the standard's older ones
    run("ibportstate", leaf, port, "speed", "1")
    run("ibportstate", leaf, port, "reset")
    wait_for("the slow link", lambda: (state(), info("LinkWidthActive"), info(
        "LinkSpeedActive")) == ("Active", "2X", "2.5 Gbps"))
    # What our own driver reads of our own cable.
    rate = "/sys/class/infiniband/mlx5_0/ports/1/rate"
    expect("our rate", read(rate), "200 Gb/sec (4X HDR)")
    run(os.environ["HEDDLE"], "sim", "ctl", os.environ["HEDDLE_SIM"], "link", "degrade",
        "host-0001", "1", "1x", "EDR")
    wait_for("our slower rate", lambda: read(rate) == "25 Gb/sec (1X EDR)")
    downs = int(field(run("perfquery", leaf, port), "LinkDownedCounter"))
    expect("times that the link went down", downs >= 3, True)
    expect("ibqueryerrors' word of it", "LinkDownedCounter" in run("ibqueryerrors", good=(0, 1)),
           True)


def ping():
    """Vendor classes with an OUI, between two hosts."""
    open_subnet()
    far = "host-0007"
    servers = [start(*elsewhere(far, "ibping", "-S"), log="ibping.out"),
               start(*elsewhere(far, "ibsysstat", "-S"), log="ibsysstat.out")]
    lid = int(run(*elsewhere(far, "cat", "/sys/class/infiniband/mlx5_0/ports/1/lid")), 16)
    if lid == own_lid():
        raise Failed("both hosts have one LID")
    wait_for("ibping's server", lambda: "0% packet loss" in run(
        "ibping", "-c", "1", str(lid), good=(0, 1, 255)))
    # To ping alone a refusal is an answer, and so it is a host where no server runs.
    wait_for("ibsysstat's server", lambda: "cpu 0:" in run(
        "ibsysstat", str(lid), "cpu", good=(0, 1, 255)))
    expect("what ibsysstat pings", "ping succeeded" in run("ibsysstat", str(lid)), True)
    for server in servers:
        expect("a server's exit", server.poll(), None)
        server.send_signal(signal.SIGKILL)
        server.wait()
    answer = run("ibping", "-c", "1", str(lid), good=(0, 1, 255))
    expect("pings of a dead server", "100% packet loss" in answer, True)


def ibdiagnet():
    """ibutils, which crashes only after its verdict (a defect of its own, exit code 139)."""
    open_subnet()
    os.mkdir("diag")
    told = run("ibdiagnet", "-r", "-o", os.path.abspath("diag"), good=(0, -signal.SIGSEGV, 139))
    expect("errors", re.findall(r"^-E-.*", told, re.M), [])
    for verdict in (r"-I- Scanned:\d+ CA to CA paths", r"-I- Scanning all multicast groups",
                    r"-I- Bad Guids/LIDs Info", r"-I- Checking credit loops"):
        if not re.search(verdict, told):
            raise Failed(f"ibdiagnet does not come to '{verdict}':\n{told[-3000:]}")


def osmtest():
    """OpenSM's own test of its subnet administration."""
    open_subnet()
    for flow in ("c", "v", "s", "m"):
        told = run("osmtest", "-f", flow, "-i", os.path.abspath("osmtest.dat"))
        if "PASS" not in told or "FAIL" in told:
            raise Failed(f"osmtest -f {flow}:\n{told[-3000:]}")


def heddle():
    """Our own subnet manager on a true umad device; then OpenSM's tools look."""
    told = run(os.environ["HEDDLE"], "sm", "--once")
    expect("what heddle says", "The fabric is up." in told, True)
    expect("links not Active", inactive_links(), [])
    expect("its ports", "chosen by heddle sm" in run(os.environ["HEDDLE"], "ports"), True)


def killed():
    """Who dies in the midst of thousands of requests is forgotten, and nobody else notices."""
    open_subnet()
    # Each asks for tables of all pairs without pause; its own kernel cuts and acknowledges them.
    ask = 'while :; do saquery PR > /dev/null; done'
    clients = [subprocess.Popen(["sh", "-c", ask], start_new_session=True) for _ in range(3)]
    for client in clients:
        time.sleep(0.3)
        os.killpg(client.pid, signal.SIGKILL)
        client.wait()
        expect("PathRecords", run("saquery", "PR").count("PathRecord dump"),
               run("saquery", "NR").count("NodeRecord dump") ** 2)
    told = run(os.environ["HEDDLE"], "sim", "ctl", os.environ["HEDDLE_SIM"], "status")
    expect("the fabric's word", "world:" in told, True)
    expect("links not Active", inactive_links(), [])


SCENARIOS = {one.__name__: one
             for one in (tools, counters, congestion, links, ping, ibdiagnet, osmtest, heddle,
                         killed)}


def main():
    try:
        SCENARIOS[sys.argv[1]]()
    except (Failed, subprocess.TimeoutExpired) as failure:
        print(f"{sys.argv[1]}: {failure}")
        if os.path.exists("osm.out"):
            print("--- OpenSM said:", read("osm.out")[-2000:], sep="\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
