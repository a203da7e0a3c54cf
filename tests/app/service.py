#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`heddle sm` as a service, before a service manager and a journal that are played here, and the
unit before systemd's own judges.

  service.py --heddle build/heddle notify|journal|unit"""

import argparse
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

UNITS = Path(__file__).resolve().parent.parent.parent / "packaging" / "systemd"
SKIPPED = 77
MOST_EXPOSED = 20  # tenths, as systemd-analyze has it: 0 is locked up, 100 is open
NEW_MOUNTS = 0x20000


def settings(folder):
    path = Path(folder, "heddle.toml")
    path.write_text(f'[api]\nsocket = "{folder}/api"\n')
    return path


class Listener:
    """Datagrams at a path, each as the lines of it."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(path))
        self.socket.settimeout(20)

    def next(self):
        return self.socket.recv(65536).decode()

    def until(self, wanted):
        """Everything up to and with the first that begins so."""
        heard = []
        while not (heard and heard[-1].startswith(wanted)):
            heard.append(self.next())
        return heard


def notify(heddle, folder):
    manager = Listener(f"{folder}/notify")
    environment = {**os.environ, "NOTIFY_SOCKET": f"{folder}/notify", "WATCHDOG_USEC": "400000"}
    file = settings(folder)
    with subprocess.Popen([heddle, "sm", "--sim", "fat-tree:2,4", "--config", file],
                          env=environment, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        assert "READY=1" in manager.until("READY=1")[0], "ready before anything else"
        status = manager.until("STATUS=Master: 6 switches, 8 hosts")[-1]
        assert "16 links" in status, status
        begin = time.monotonic()
        for _ in range(4):
            manager.until("WATCHDOG=1")
        # Less and it would be no rest, more and the service would be killed; a slow machine has
        # its say here, too.
        assert 0.4 < time.monotonic() - begin < 5, "a sign of life each 200 ms"
        process.send_signal(signal.SIGHUP)
        told = manager.until("READY=1")
        reloading = [text for text in told if text.startswith("RELOADING=1\nMONOTONIC_USEC=")]
        assert len(reloading) == 1, told
        at = int(reloading[0].split("=")[-1]) / 1e6
        assert abs(at - time.monotonic()) < 5, reloading
        # A file that is wrong does not leave it reloading for ever.
        file.write_text("[sm]\npriority = 99\n")
        process.send_signal(signal.SIGHUP)
        assert manager.until("READY=1")[-2].startswith("RELOADING=1")
        # A process that stands still gives no sign: that is what the watchdog is for.
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.5)
        manager.socket.setblocking(False)
        try:
            while True:
                manager.next()
        except BlockingIOError:
            pass
        time.sleep(0.6)
        try:
            raise AssertionError(manager.next())
        except BlockingIOError:
            pass
        manager.socket.settimeout(20)
        process.send_signal(signal.SIGCONT)
        process.terminate()
        manager.until("STOPPING=1")
        assert process.wait(20) == 0
    # A name that nobody listens on, and no name: both are no trouble.
    done = subprocess.run([heddle, "sm", "--sim", "pair", "--once"], check=False, timeout=60,
                          env={**os.environ, "NOTIFY_SOCKET": f"{folder}/nobody"},
                          stdout=subprocess.DEVNULL)
    assert done.returncode == 0
    return 0


def entry(text):
    """A journal entry as the native protocol has it, of values without line ends."""
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def journal(heddle, folder):
    library = ctypes.CDLL(None, use_errno=True)
    if library.unshare(NEW_MOUNTS) != 0:
        print("skipped: this user may not make mount namespaces")
        return SKIPPED
    for command in (["mount", "--make-rprivate", "/"], ["mount", "-t", "tmpfs", "none", "/run"]):
        subprocess.run(command, check=True)
    os.makedirs("/run/systemd/journal")
    listener = Listener("/run/systemd/journal/socket")
    told, says = os.pipe()
    pipe = os.fstat(says)
    command = [heddle, "sm", "--sim", "fat-tree:2,4", "--once", "--config", settings(folder)]

    def run(stream):
        subprocess.run(command, check=True, timeout=60, stderr=says, stdout=subprocess.DEVNULL,
                       env={**os.environ, "JOURNAL_STREAM": stream})

    run(f"{pipe.st_dev}:{pipe.st_ino}")
    os.set_blocking(told, False)
    try:
        raise AssertionError(os.read(told, 65536))
    except BlockingIOError:
        pass  # nothing was said twice
    listener.socket.setblocking(False)
    entries = []
    try:
        while True:
            entries.append(entry(listener.next()))
    except BlockingIOError:
        pass
    up = next(each for each in entries if each["HEDDLE_EVENT"] == "SubnetUp")
    assert up["PRIORITY"] == "6" and up["SYSLOG_IDENTIFIER"] == "heddle", up
    assert up["HEDDLE_ENGINE"] == "ftree" and "The subnet is up" in up["MESSAGE"], up
    # Standard error is something else than the journal that the environment tells of.
    run(f"{pipe.st_dev}:{pipe.st_ino + 1}")
    assert b"SubnetUp" in os.read(told, 65536)
    return 0


def run_judge(*command):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, timeout=60)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}"
    return done.stdout


def unit(heddle, folder):
    if not shutil.which("systemd-analyze"):
        raise SystemExit("systemd-analyze is not installed (scripts/install-deps --test)")
    text = (UNITS / "heddle@.service").read_text()
    assert text.count("=/usr/sbin/heddle ") == 2
    copy = Path(folder, "heddle@.service")
    # The judge wants the program to be there.
    copy.write_text(text.replace("/usr/sbin/heddle", os.path.abspath(heddle)))
    said = run_judge("systemd-analyze", "verify", "--man=no", copy)
    assert said == "", said
    run_judge("systemd-analyze", "security", "--offline=true", f"--threshold={MOST_EXPOSED}", copy)
    # What the unit hands over is a command line that the program understands.
    start = next(line for line in text.splitlines() if line.startswith("ExecStart="))
    words = start.split("=", 1)[1].replace("${STATE_DIRECTORY}", folder).replace("%i", "nobody_0:1")
    words = words.replace("/etc/heddle/heddle.toml", str(settings(folder))).split()
    done = subprocess.run([heddle, *words[1:], "--once"], text=True, stderr=subprocess.PIPE,
                          check=False, timeout=60)
    assert done.returncode == 4, (done.returncode, done.stderr)  # there is no such port
    os.mkdir(f"{folder}/etc")
    run_judge("systemd-sysusers", f"--root={folder}", UNITS / "heddle.sysusers")
    assert "heddle:x:" in Path(folder, "etc/passwd").read_text()
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--heddle", required=True)
    parser.add_argument("situation", choices=("notify", "journal", "unit"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="heddle-service-") as folder:
        return globals()[options.situation](os.path.abspath(options.heddle), folder)


if __name__ == "__main__":
    sys.exit(main())
