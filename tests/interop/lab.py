# SPDX-License-Identifier: BSD-3-Clause
"""One server of a simulated fabric, Debian's ibsim or our own, with a folder of its own, and
programs that run on its fabric through libumad2sim."""

import ctypes
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

PR_SET_PDEATHSIG = 1
READY = "Network simulator ready"


class LabError(Exception):
    """The laboratory itself failed: nothing can be said about the subnet manager."""


def preload_library():
    """Where the package manager put umad2sim."""
    listed = subprocess.run(["dpkg", "-L", "libumad2sim0"], capture_output=True, text=True,
                            check=False)
    for line in listed.stdout.splitlines():
        if line.endswith("/libumad2sim.so"):
            return line
    raise LabError("libumad2sim0 is not installed (scripts/install-deps --test)")


class Lab:
    """On ibsim."""
    server_name = "ibsim"

    def __init__(self, net_path, net, host=None):
        self.net, self.host = net, host or net.first_host
        self.folder = Path(tempfile.mkdtemp(prefix="heddle-interop-"))
        self.socket = f"heddle-{os.getpid()}-{self.folder.name[-8:]}"
        self.processes = []
        try:
            self._start_server(net_path)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _start_server(self, net_path):
        ports = sum(self.net.ports.values()) + len(self.net.ports)
        switches = sum(kind == "switch" for kind in self.net.kinds.values())
        # The limits of one server; a switch keeps a table of -L entries, so -S is not generous.
        limits = ["-N", max(64, len(self.net.kinds) + 8), "-S", max(16, switches + 8),
                  "-P", max(256, ports + 64), "-L", 49152]
        self._launch_server("ibsim", "-s", *limits, Path(net_path).resolve())

    def _launch_server(self, *command):
        self.log = self.folder / "server.log"
        with self.log.open("wb") as log:
            self.server = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT,
                cwd=self.folder, env={**os.environ, "IBSIM_SOCKNAME": self.socket},
                start_new_session=True, preexec_fn=die_with_parent)
        self.processes.append(self.server)
        # ibsim looks for each name of a file among all: 45,056 hosts take it a minute or more.
        self.wait(self._listens, 60 + len(self.net.kinds) ** 2 // 10**7,
                  f"{self.server_name} to be ready")

    def _listens(self):
        # It says that it is ready before its sockets are there, and a client that comes too early
        # sleeps for two seconds.
        return (READY in self.log.read_text(errors="replace") and
                all(f"@{self.socket}:out{index}" in Path("/proc/net/unix").read_text()
                    for index in range(10)))

    def wait(self, true, seconds, what):
        """Polls until true() or the time is up; the server's end is the lab's end."""
        until = time.monotonic() + seconds
        while not true():
            if self.server.poll() is not None:
                raise LabError(f"{self.server_name} ended: "
                               f"{self.log.read_text(errors='replace')[-800:]}")
            if time.monotonic() > until:
                raise TimeoutError(f"waited {seconds} s for {what}")
            time.sleep(0.02)

    def console(self, command):
        """Says something to the server's console, in ibsim's words, such as `Unlink "sw"[3]`."""
        self.server.stdin.write(command.encode() + b"\n")
        self.server.stdin.flush()

    def environment(self, host=None):
        return {**os.environ, "IBSIM_SOCKNAME": self.socket, "SIM_HOST": host or self.host,
                "LD_PRELOAD": preload_library(), "OSM_TMP_DIR": str(self.folder),
                "OSM_CACHE_DIR": str(self.folder), "LC_ALL": "C"}

    def start(self, *command, log, host=None):
        """Runs in the background; both outputs go to the file `log`."""
        with Path(log).open("wb") as output:
            return self._launch(command, host, output, subprocess.STDOUT)

    def _launch(self, command, host, output, errors):
        process = subprocess.Popen(
            [str(word) for word in command], cwd=self.folder, env=self.environment(host),
            stdin=subprocess.DEVNULL, stdout=output, stderr=errors, start_new_session=True,
            preexec_fn=die_with_parent)
        self.processes.append(process)
        return process

    def run(self, *command, host=None, seconds=60):
        """Runs to the end: (exit code, standard output, standard error). A program that does not
        end in time is killed and counts as exit code 124: a client without a server waits for
        ever and does not hear SIGTERM."""
        process = self._launch(command, host, subprocess.PIPE, subprocess.PIPE)
        try:
            output, errors = process.communicate(timeout=seconds)
            code = process.returncode
        except subprocess.TimeoutExpired:
            kill_group(process)
            output, errors = process.communicate()
            code, errors = 124, errors + f"\nkilled after {seconds} s".encode()
        return code, output.decode(errors="replace"), errors.decode(errors="replace")

    def close(self):
        for process in reversed(self.processes):
            kill_group(process)
            process.communicate()
        shutil.rmtree(self.folder, ignore_errors=True)


class HeddleLab(Lab):
    """On `heddle sim`, by its socket door; the console understands ibsim's words."""
    server_name = "heddle sim"

    def __init__(self, heddle, net_path, net, host=None):
        self.heddle = heddle
        super().__init__(net_path, net, host)

    def _start_server(self, net_path):
        self._launch_server(self.heddle, "sim", Path(net_path).resolve(), "--name", self.socket,
                            "--dir", self.folder, "--console")

    def _listens(self):
        return (self.folder / f"{self.socket}.ctl").exists()


def die_with_parent():
    """Run in the child before it becomes the program: when ctest kills a test at its time limit,
    nobody is left to clean up."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def kill_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
