#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""OpenSM's console, of OpenSM itself and of `heddle opensm`, on one ibsim fabric: the same verbs
get answers of the same form, and where the fabric alone decides of the same content.

  opensm_console.py --heddle build/heddle"""

import argparse
import re
import socket
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "interop"))
from lab import Lab  # noqa: E402
from netfile import read_net  # noqa: E402

PROMPT = b"OpenSM $ "
PATIENCE = 40


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Console:
    def __init__(self, port):
        until = time.monotonic() + PATIENCE
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
                break
            except ConnectionRefusedError:
                assert time.monotonic() < until, "nobody listens"
                time.sleep(0.1)
        self._answer()

    def _answer(self):
        text = b""
        while not text.endswith(PROMPT):
            piece = self.socket.recv(65536)
            assert piece, text
            text += piece
        return text[:-len(PROMPT)].decode()

    def ask(self, verb):
        self.socket.sendall(verb.encode() + b"\n")
        return self._answer()

    def wait_for(self, verb, pattern):
        until = time.monotonic() + PATIENCE
        while not re.search(pattern, text := self.ask(verb), re.M):
            assert time.monotonic() < until, text
            time.sleep(0.2)


def piped(port, text):
    """As `echo portstatus | nc localhost 10000` does it."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as out:
        out.sendall(text.encode())
        out.shutdown(socket.SHUT_WR)
        answer = b""
        while piece := out.recv(65536):
            answer += piece
        return answer.decode()


def without_time(text):
    return re.sub(r"in \d+ us", "in N us", text)


def labels(text):
    """What stands before the colons."""
    return [line.split(":")[0] for line in text.splitlines()]


def without_counts(text):
    return sorted(re.sub(r"^(Port \d+): \d+$", r"\1", line) for line in text.splitlines())


def first_line(text):
    return text.split("\n")[0]


def options_of(text):
    """Without those that have keys."""
    words = {line.split()[0] for line in text.splitlines() if line[:1] not in ("", "#")}
    return {word for word in words if not word.endswith("_key")}


def agree(verb, theirs, ours):
    # The table here is of a later OpenSM, and has what Debian's does not know yet.
    return theirs <= ours if verb == "dump_conf" else theirs == ours


SAME = {
    **{f"querylid {lid}": str for lid in range(1, 20)},
    "querylid 40000": str, "querylid": first_line,
    "portstatus": without_time, "portstatus ca": without_time, "portstatus switch": without_time,
    "portstatus router": without_time,
    "status": labels,
    "switchbalance": str, "switchbalance verbose": without_counts, "switchbalance 0x1": str,
    "lidbalance": str, "lidbalance 0x1": str,
    "dump_portguid .*": lambda text: sorted(text.split()),
    "dump_portguid ^leaf ^host1": lambda text: sorted(text.split()),
    "dump_portguid": str, "dump_portguid [": str,
    "priority": str, "priority 99": str, "priority 5": str,
    "loglevel": lambda text: text.rsplit(" ", 1)[0], "loglevel 0x03": str,
    "resweep": first_line, "resweep light": str, "resweep heavy": str, "reroute": str,
    "update_desc": str, "sweep on": str, "sweep": first_line, "logflush on": str,
    "logflush": first_line,
    "perfmgr": labels, "pm nothing": str,
    "dump_conf": options_of,
    "help": lambda text: [line.split()[0] for line in text.splitlines() if line[:1] != " "],
    "nothing": lambda text: text.split("\n")[:3],
    "": str,
}


def interview(lab, name, *program):
    port = free_port()
    log = lab.folder / f"{name}.log"
    process = lab.start(*program, "--console", "loopback", "--console-port", str(port), "-f", log,
                        log=lab.folder / f"{name}.out")
    console = Console(port)
    console.wait_for("portstatus", r"^   56 active$")
    console.wait_for("status", "SA State +: Ready")
    answers = {verb: form(console.ask(verb)) for verb, form in SAME.items()}
    console.wait_for("priority", "^Current sm-priority is 5$")
    if name == "ours":
        ours_alone(lab, console, port, log)
    console.socket.close()
    process.terminate()
    process.wait(PATIENCE)
    return answers


def ours_alone(lab, console, port, log):
    """What OpenSM's loses: what is piped into it in several lines. And what each verb does."""
    answer = piped(port, "portstatus ca\nversion\nquit\n")
    assert "12 active" in answer and "Heddle" in answer, answer
    for verb in ("resweep heavy", "reroute", "priority 5"):
        assert re.search(f"by a console asks for {verb.split()[0].replace('reroute', 'resweep')}",
                         log.read_text()), verb
    lab.console('Unlink "leaf4"[1]')
    console.ask("resweep heavy")
    console.wait_for("portstatus ca", r"^   11 active$")
    assert "m_key" not in re.sub("# .*|m_key_.*", "", console.ask("dump_conf"))
    assert "sm_priority 0\n" in console.ask("dump_conf")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--heddle", required=True)
    options = parser.parse_args()
    net = Path(__file__).resolve().parent.parent / "interop" / "nets" / "tree.net"
    with Lab(net, read_net(net)) as lab:
        theirs = interview(lab, "theirs", "opensm")
        ours = interview(lab, "ours", Path(options.heddle).resolve(), "opensm")
    wrong = [(verb, theirs[verb], ours[verb]) for verb in SAME
             if not agree(verb, theirs[verb], ours[verb])]
    for verb, one, other in wrong:
        print(f"'{verb}':\n  OpenSM: {one!r}\n  Heddle: {other!r}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
