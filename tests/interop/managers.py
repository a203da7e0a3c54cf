# SPDX-License-Identifier: BSD-3-Clause
"""The subnet managers that can be put into the laboratory, behind one face: once() sweeps and ends,
start() stays. `dumps` is where opensm-subnet.lst and opensm.fdbs are afterwards."""

import json
import signal


class ManagerFailed(Exception):
    """The subnet manager itself failed, before any judge spoke."""


class OpenSm:
    name = "opensm"

    def __init__(self, lab, options=()):
        self.lab, self.options, self.dumps = lab, list(options), lab.folder
        self.log = lab.folder / "osm.log"

    def command(self, *more):
        # -d 2: without it the log of a running OpenSM lags behind what it does
        return ["opensm", "-D", "0x43", "-d", "2", "-f", self.log, *self.options, *more]

    def once(self):
        code, output, errors = self.lab.run(*self.command("-o"))
        if code != 0:
            raise ManagerFailed(f"opensm ended with {code}\n{output[-2000:]}{errors[-2000:]}")

    def start(self):
        self.process = self.lab.start(*self.command(), log=self.lab.folder / "out")
        self.lab.wait(lambda: self.log.exists() and "SUBNET UP" in self.log.read_text(), 60,
                      "opensm to bring the subnet up")

    def watch_closely(self):
        self.options += ["-s", "1"]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)


class Heddle:
    name = "heddle"

    def __init__(self, lab, program, options=()):
        self.lab, self.program, self.options = lab, program, list(options)
        self.dumps = lab.folder / "dumps"
        self.dumps.mkdir()
        self.log = lab.folder / "heddle.log"

    def command(self, *more):
        return [self.program, "sm", "--port", "ibsim0:1", "--dump-dir", self.dumps,
                "--log-format", "json", "--lid-memory", self.lab.folder / "lids",
                *self.options, *more]

    def once(self):
        code, output, errors = self.lab.run(*self.command("--once"))
        self.log.write_text(output + errors)
        if code != 0:
            raise ManagerFailed(f"heddle ended with {code}\n{output[-3000:]}{errors[-3000:]}")

    def start(self):
        self.process = self.lab.start(*self.command(), log=self.log)
        self.lab.wait(lambda: self.events("SubnetUp") or self.ended(), 60,
                      "heddle to bring the subnet up")
        if self.ended():
            raise ManagerFailed(f"heddle ended with {self.process.returncode}\n"
                                f"{self.log.read_text()[-3000:]}")

    def ended(self):
        return self.process.poll() is not None

    def watch_closely(self):
        """Looks for changes every second: ibsim tells an SM of a change once and never again."""
        self.options += ["--sweep-interval", "1s"]

    def events(self, name):
        """The log's events of this name, fields in one dictionary."""
        found = []
        for line in self.log.read_text(errors="replace").splitlines():
            try:
                event = json.loads(line)
            except ValueError:
                continue  # a line of the preload library, or one that is being written
            if isinstance(event, dict) and name in event.values():
                nested = [value for value in event.values() if isinstance(value, dict)]
                found.append({key: value for part in [event, *nested]
                              for key, value in part.items()})
        return found

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(30)
        if code != 0:
            raise ManagerFailed(f"heddle ended with {code} on SIGTERM\n"
                                f"{self.log.read_text()[-3000:]}")
