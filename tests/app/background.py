#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`heddle sim FABRIC &` in an interactive shell: it must not be stopped because it would read from
a terminal that is the shell's.

  background.py --heddle build/heddle"""

import argparse
import os
import pty
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PATIENCE = 30


class Job:
    """A job of a shell that has job control; this process is the shell."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, process_group=0)

    def is_stopped(self):
        pid, status = os.waitpid(self.process.pid, os.WNOHANG | os.WUNTRACED)
        assert pid == 0 or os.WIFSTOPPED(status), f"it has ended: {status}"
        return pid != 0

    def watch(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            assert not self.is_stopped(), "it was stopped"
            time.sleep(0.05)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.send_signal(signal.SIGCONT)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()  # it was stopped once more
            self.process.wait()


def answers(*command):
    try:
        return subprocess.run(command, check=False, timeout=5, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode in (0, 5)
    except subprocess.TimeoutExpired:
        return False


def await_answer(job, *command):
    end = time.monotonic() + PATIENCE
    while not answers(*command):
        assert not job.is_stopped(), "it was stopped"
        assert time.monotonic() < end, "it does not answer"
        time.sleep(0.1)


def simulator(heddle, folder):
    job = Job(heddle, "sim", "pair", "--name", "lab", "--dir", folder)
    ask = heddle, "sim", "ctl", "--dir", folder, "lab", "status"
    try:
        await_answer(job, *ask)
        job.watch(1)
        print("TYPE", flush=True)
        job.watch(1)
    finally:
        job.end()


def put_there_later(heddle, folder):
    """`fg` and Ctrl-Z and `bg`: it had a console."""
    job = Job("sh", "-c", 'kill -STOP $$; exec "$@"', "sh",
              heddle, "sim", "pair", "--name", "lab", "--dir", folder)
    ask = heddle, "sim", "ctl", "--dir", folder, "lab", "status"
    try:
        while not job.is_stopped():
            time.sleep(0.01)
        os.tcsetpgrp(0, job.process.pid)
        job.process.send_signal(signal.SIGCONT)
        await_answer(job, *ask)
        print("TYPE", flush=True)
        job.watch(1)
        os.tcsetpgrp(0, os.getpgrp())
        print("TYPE", flush=True)
        job.watch(1)
        await_answer(job, *ask)
    finally:
        job.end()


def manager(heddle, folder):
    settings = Path(folder, "heddle.toml")
    settings.write_text('[api]\nconsole = "local"\n')
    socket = Path(folder, "sm.sock")
    with open(settings, "a", encoding="utf-8") as text:
        text.write(f'socket = "{socket}"\n')
    job = Job(heddle, "sm", "--sim", "pair", "--config", settings)
    try:
        await_answer(job, heddle, "status", "--socket", socket)
        print("TYPE", flush=True)
        job.watch(1)
    finally:
        job.end()


def shell(heddle, situation):
    # As shells do: to give the terminal away and take it back stops nobody.
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    with tempfile.TemporaryDirectory() as folder:
        situation(heddle, folder)
    print("ALL IS WELL", flush=True)


def on_terminal(heddle, situation):
    """What a terminal shows on which somebody types a line whenever it says TYPE."""
    pid, terminal = pty.fork()
    if pid == 0:
        try:
            shell(heddle, situation)
        except BaseException as error:  # whatever it is, this is not the place to go on
            print("FAILED:", repr(error), flush=True)
        os._exit(0)
    seen, typed = b"", 0
    while True:
        try:
            seen += os.read(terminal, 65536)
        except OSError:  # how Linux tells that the other end is closed
            break
        while typed < seen.count(b"TYPE\r\n"):
            typed += 1
            os.write(terminal, b"help\n")
    os.waitpid(pid, 0)
    return seen.decode(errors="replace")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", type=Path, required=True)
    heddle = parser.parse_args().heddle.resolve()
    failed = 0
    for situation in (simulator, put_there_later, manager):
        seen = on_terminal(heddle, situation)
        well = "ALL IS WELL" in seen
        # In front it is asked for help, and gives it.
        if situation is put_there_later:
            well = well and "status" in seen
        print(f"{situation.__name__}: {'fine' if well else seen}")
        failed += not well
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
