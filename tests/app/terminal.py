#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The progress line as a person at a terminal sees it, and nothing of it where there is none.

  terminal.py --heddle build/heddle"""

import argparse
import os
import pty
import re
import subprocess
from pathlib import Path

COMMAND = ["sm", "--sim", "fat-tree:18,36", "--once"]
CLEAR = "\r\x1b[K"
# A line is drawn once a phase, and ten times a second in a long one.
BAR = re.compile(r"(LIDs|tables|links) +\[[#.]{24}\] [\d,]+ of [\d,]+ requests")
OPEN = re.compile(r"discovery +[\d,]+ requests")


def on_terminal(program, term):
    """(exit code, standard output, what the terminal got)"""
    master, slave = pty.openpty()
    process = subprocess.Popen([program, *COMMAND], stdout=subprocess.PIPE, stderr=slave,
                               stdin=subprocess.DEVNULL, env={**os.environ, "TERM": term})
    os.close(slave)
    seen = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # how Linux tells that the other end is closed
            break
        if not piece:
            break
        seen += piece
    output = process.stdout.read().decode()
    return process.wait(), output, seen.decode()


def shown_at_the_end(seen):
    """What is left on the line after the last clearing."""
    return seen.rpartition(CLEAR)[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", type=Path, required=True)
    program = parser.parse_args().heddle.resolve()

    code, output, seen = on_terminal(program, "xterm")
    assert code == 0 and "The fabric is up." in output, output
    assert OPEN.search(seen), seen
    bars = [match.group(0) for match in BAR.finditer(seen)]
    assert bars, seen
    for line in seen.split(CLEAR):
        assert "\n" not in line and len(line) < 80, f"more than a line of a terminal: {line!r}"
        shown = re.search(r"([\d,]+) of ([\d,]+)", line)
        if shown:
            done, expected = (int(each.replace(",", "")) for each in shown.groups())
            assert done <= expected, line
    assert seen.endswith(CLEAR) and not shown_at_the_end(seen), repr(seen[-200:])
    print("\n".join(bars))

    assert not on_terminal(program, "dumb")[2], "a terminal that cannot redraw a line"
    plain = subprocess.run([program, *COMMAND], capture_output=True, text=True, check=True)
    assert "\x1b" not in plain.stdout + plain.stderr and not plain.stderr, plain.stderr


if __name__ == "__main__":
    main()
