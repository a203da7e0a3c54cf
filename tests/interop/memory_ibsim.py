#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Two managers that tell each other what they remember, on Debian's ibsim: the master is killed at
rest, in a sweep, while it programs and in a storm of joins, and the two are cut off from each other
by their network or by the fabric. Each time there is one master, the outside judges find nothing
wrong, and what hosts were promised is there.

  memory_ibsim.py SCENARIO --heddle build/gcc/heddle --sa-host build/gcc/tests/interop/sa_host"""

import argparse
import re
import secrets
import signal
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "app"))
from daemon_ibsim import Daemon, write_net  # noqa: E402
from lab import Lab  # noqa: E402
from netfile import read_net  # noqa: E402
from run import settled  # noqa: E402

PLACES = "host0x0", "host5x5"
MEMBERS = "host1x1", "host5x6", "host9x9"
SERVER = "host3x3"  # registers services
PATIENCE = 60


class Wrong(Exception):
    pass


class StoodStill(Exception):
    """The machine did, for longer than a promise waits for the disk or the standby."""


class Way:
    """The network to a manager: what comes to `port` goes on to that one's. While it is cut nothing
    passes, and nobody is told."""

    def __init__(self, target):
        self.target, self.passes = target, threading.Event()
        self.passes.set()
        self.door = socket.create_server(("127.0.0.1", 0))
        self.port = self.door.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            near, _ = self.door.accept()
            threading.Thread(target=self._serve, args=(near,), daemon=True).start()

    def _serve(self, near):
        self.passes.wait()
        try:
            far = socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            return near.close()
        for source, sink in ((near, far), (far, near)):
            threading.Thread(target=self._pass_on, args=(source, sink), daemon=True).start()
        return None

    def _pass_on(self, source, sink):
        try:
            while data := source.recv(65536):
                self.passes.wait()
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Pair:
    """A master and its standby, whichever of the two that is now."""

    def __init__(self, lab, net, heddle, sa_host):
        self.lab, self.net, self.heddle, self.sa_host = lab, net, heddle, sa_host
        self.ports = [free_port(), free_port()]
        self.ways = [Way(port) for port in self.ports]
        (lab.folder / "secret").write_text(secrets.token_hex(32))
        self.members, self.services = [], []
        self.life = 15  # of the head of a queue: what a new value makes the master write
        self.daemons = [self.start(0), None]
        self.daemons[0].await_event("SubnetUp")
        self.daemons[1] = self.start(1)
        self.master = 0
        self.await_standby()

    # One request at a time, so that a sweep and its programming last.
    def configure(self, which):
        file = self.lab.folder / f"{PLACES[which]}.toml"
        file.write_text(
            f'[sm]\npriority = {9 - which}\npoll_interval = "300ms"\nsticky_master = true\n'
            '[mads]\nwindow = 1\nwindow_per_device = 1\n[sweep]\ninterval = "1s"\n'
            f'[links]\nsubnet_timeout = 31\nhead_of_queue_life = {self.life}\n'
            '[performance]\nenabled = false\n'
            f'[standby]\nlisten = "127.0.0.1:{self.ports[which]}"\n'
            f'peer = "127.0.0.1:{self.ways[1 - which].port}"\n'
            f'secret_file = "{self.lab.folder}/secret"\n')
        return file

    def start(self, which):
        return Daemon(self.lab, self.heddle, PLACES[which], "--config", self.configure(which))

    def await_standby(self, before=0):
        self.daemons[1 - self.master].await_state("standby")
        self.daemons[self.master].await_event("StandbyListens", before + 1, PATIENCE)
        time.sleep(0.5)

    def client(self, host, *words):
        return self.lab.run(self.sa_host, words[0], "ibsim0", words[1], host=host)[0] == 0

    def join(self, host):
        if self.client(host, "ipoib", "0xffff"):
            self.members.append(host)

    def serve(self):
        number = 0x5000 + len(self.services)
        if not self.client(SERVER, "service", hex(number)):
            return False
        self.services.append(number)
        return True

    def register(self):
        for host in MEMBERS:
            self.join(host)
        if not self.serve() or len(self.members) != len(MEMBERS):
            raise Wrong(f"only these could register: {self.members}, {self.services}")

    def kill(self):
        """The master; the other is one then, and knows all that was promised."""
        self.daemons[self.master].end(signal.SIGKILL)
        self.expect_promises_kept()
        began = time.monotonic()
        self.master = 1 - self.master
        self.expect_one_master(self.master)
        print(f"{PLACES[self.master]} is master {time.monotonic() - began:.2f} s later")
        self.expect_all()

    def expect_promises_kept(self):
        """Up to the end of the master, who would have said otherwise. A busy machine can stop a
        process for half a second; what it shows then is nothing about that."""
        dead, heir = self.daemons[self.master], self.daemons[1 - self.master]
        if dead.events("MemoryFails") or heir.events("MemoryFails"):
            raise StoodStill("the disk took longer than it is waited for")
        if len(dead.events("StandbyGone")) >= len(dead.events("StandbyListens")):
            raise StoodStill("the standby took longer than it is waited for")

    # A host may still ask the one before, and nobody here registers a second time: so asking again
    # is no help to what was forgotten.
    def expect_all(self):
        asked = [(host, "member", "0xffff") for host in self.members]
        asked += [(SERVER, "served", hex(number)) for number in self.services]
        for question in asked:
            self.lab.wait(lambda words=question: self.client(*words), 20,
                          f"an answer to {question}")
        if not self.services:
            raise Wrong("nothing was registered")
        if any(self.daemons[self.master].events("RegistrationsLost")):
            raise Wrong("what the standby was told was not believed")

    def come_back(self):
        """Who was killed, as standby."""
        which = 1 - self.master
        before = len(self.daemons[self.master].events("StandbyListens"))
        self.daemons[which].log.unlink()
        self.daemons[which] = self.start(which)
        self.await_standby(before)

    def guid(self, host):
        told = self.lab.run("smpquery", "-D", "NodeInfo", "0", host=host)[1]
        found = re.search(r"PortGuid:\.*(0x[0-9a-f]+)", told)
        return found and int(found[1], 16)

    def master_of(self, host):
        """The GUID of the master by whose LID this port calls its own, if that answers as one."""
        told = self.lab.run("sminfo", host=host, seconds=20)[1]
        found = re.search(r"sm guid (0x[0-9a-f]+),.* state 3 ", told)
        return found and int(found[1], 16)

    def expect_one_master(self, which, hosts=(*PLACES, SERVER)):
        wanted = self.guid(PLACES[which])
        self.lab.wait(lambda: {self.master_of(host) for host in hosts} == {wanted}, PATIENCE,
                      f"{PLACES[which]} to be master")

    def expect_right(self):
        self.lab.host = PLACES[self.master]  # the judges ask the manager there
        if found := settled(self.lab, self.net, 1):
            raise Wrong(f"the fabric is not right: {found}")


# --- scenarios ----------------------------------------------------------------------------------

def idle(pair):
    pair.kill()


class Tail:
    """What a log says from now on."""

    def __init__(self, path):
        self.file = path.open("rb")
        self.file.seek(0, 2)
        self.text = b""

    def has(self, words):
        self.text += self.file.read()
        return all(word in self.text for word in words)


def strike(pair, phase):
    """Kills the master when it says that it has begun with this; True if it has not ended that."""
    pair.life = 10 + (pair.life - 9) % 10  # what neither of them has
    daemon = pair.daemons[pair.master]
    pair.configure(pair.master)
    tail = Tail(daemon.log)
    daemon.process.send_signal(signal.SIGHUP)
    until = time.monotonic() + PATIENCE
    while not tail.has((b'"PhaseStarted"', phase)):
        if time.monotonic() > until:
            raise Wrong("no sweep after a SIGHUP")
    pair.kill()
    return not tail.has((b'"SubnetUp"',))


def strike_until_it_hits(pair, phase):
    for _ in range(6):
        if strike(pair, phase):
            return
        pair.come_back()
    raise Wrong(f"each time {phase} was over before the master was killed")


def sweep(pair):
    strike_until_it_hits(pair, b'"discovery"')


def programming(pair):
    strike_until_it_hits(pair, b'"links"')


def storm(pair):
    ends = threading.Event()

    def register():
        while not ends.is_set():
            pair.serve()

    def join():
        for leaf in range(2, 9):
            for host in range(3):
                if not ends.is_set():
                    pair.join(f"host{leaf}x{host}")

    clients = [threading.Thread(target=each) for each in (register, join)]
    for client in clients:
        client.start()
    time.sleep(3)
    pair.daemons[pair.master].end(signal.SIGKILL)
    ends.set()
    for client in clients:
        client.join()
    print(f"{len(pair.services)} services and {len(pair.members)} members in the storm")
    pair.kill()


def network_cut(pair):
    """The two do not hear each other, and the fabric is whole: nobody's office changes, clients are
    answered, and the standby has caught up when it hears again."""
    before = pair.master
    listened = len(pair.daemons[before].events("StandbyListens"))
    for way in pair.ways:
        way.passes.clear()
    pair.daemons[before].await_event("StandbyGone")
    pair.daemons[1 - before].await_event("PartnerGone")
    if not pair.serve():
        raise Wrong("a client is not answered")
    time.sleep(2)
    pair.expect_one_master(before)
    if any(event["to"] == "master" for event in pair.daemons[1 - before].events("StateChanged")):
        raise Wrong("the standby took over from a master that lives")
    for way in pair.ways:
        way.passes.set()
    pair.daemons[before].await_event("StandbyListens", count=listened + 1)
    time.sleep(1)
    pair.kill()


def fabric_cut(pair):
    """The fabric is cut in two, and not the network: each side has a master; when the sides are
    joined again one of them is left."""
    # The first one's leaf.
    for port in (11, 12):
        pair.lab.console(f'Unlink "leaf0"[{port}]')
    pair.expect_one_master(0, (PLACES[0], "host0x7"))
    pair.expect_one_master(1, (PLACES[1], SERVER))
    for spine, port in ((0, 11), (1, 12)):
        pair.lab.console(f'Link "leaf0"[{port}] "spine{spine}"[1]')
    hosts = (*PLACES, SERVER, "host0x7")
    pair.lab.wait(lambda: len({pair.master_of(host) for host in hosts} - {None}) == 1, PATIENCE,
                  "one master")
    time.sleep(3)
    masters = {pair.master_of(host) for host in hosts}
    if masters not in ({pair.guid(PLACES[0])}, {pair.guid(PLACES[1])}):
        raise Wrong(f"masters: {masters}")
    pair.master = int(masters == {pair.guid(PLACES[1])})
    if not pair.serve():
        raise Wrong("a client is not answered")


SCENARIOS = {one.__name__: one for one in (idle, sweep, programming, storm, network_cut,
                                           fabric_cut)}


def play(scenario, options, net, path):
    """0 if all was right."""
    with Lab(path, net) as lab:
        try:
            pair = Pair(lab, net, options.heddle.resolve(), options.sa_host.resolve())
            pair.register()
            SCENARIOS[scenario](pair)
            pair.expect_right()
        except (Wrong, TimeoutError) as wrong:
            print(f"{scenario}: {wrong}")
            for log in lab.folder.glob("*/log"):
                print(f"--- {log.parent.name}", log.read_text(errors="replace")[-3000:], sep="\n")
            return 1
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenario", choices=SCENARIOS)
    parser.add_argument("--heddle", type=Path, required=True)
    parser.add_argument("--sa-host", type=Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="heddle-memory-") as folder:
        path = Path(folder) / "hundred.net"
        write_net(path)
        net = read_net(path)
        for _ in range(3):
            try:
                return play(options.scenario, options, net, path)
            except StoodStill as still:
                print(f"{options.scenario}: {still}; once more")
    return 1


if __name__ == "__main__":
    sys.exit(main())
