#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The progress line as a person at a terminal sees it, and nothing of it where there is none.

  terminal.py --heddle build/heddle"""

import argparse
import os
import pty
import re
import signal
import subprocess
import tempfile
from pathlib import Path

COMMAND = ["sm", "--sim", "fat-tree:18,36", "--once"]
CLEAR = "\r\x1b[K"
# A line is drawn once a phase, and ten times a second in a long one.
BAR = re.compile(r"(LIDs|tables|links) +\[[#.]{24}\] [\d,]+ of [\d,]+ requests")
OPEN = re.compile(r"discovery +[\d,]+ requests")


def on_terminal(program, term, command=COMMAND, until=None):
    """(exit code, standard output, what the terminal got). Ctrl-C once the terminal got `until`."""
    master, slave = pty.openpty()
    process = subprocess.Popen([program, *command], stdout=subprocess.PIPE, stderr=slave,
                               stdin=subprocess.DEVNULL, env={**os.environ, "TERM": term})
    os.close(slave)
    seen = b""
    while True:
        if until and until in seen:
            process.send_signal(signal.SIGINT)
            until = None
        try:
            piece = os.read(master, 65536)
        except OSError:  # how Linux tells that the other end is closed
            break
        if not piece:
            break
        seen += piece
    output = process.stdout.read().decode()
    os.close(master)
    return process.wait(), output, seen.decode()


def shown_at_the_end(seen):
    """What is left on the line after the last clearing."""
    return seen.rpartition(CLEAR)[2]


def plans(program):
    """heddle plan: a bar for what takes long, and Ctrl-C leaves a sentence and no file."""
    losses = ["plan", "what-if", "fat-tree:4,6", "--each", "links=5", "-o", "csv"]
    code, output, seen = on_terminal(program, "xterm", losses)
    assert code == 0 and output.count("\n") == 6, output
    assert "asking of losses [########################] 5 of 5" in seen, seen
    assert not shown_at_the_end(seen), seen
    with tempfile.TemporaryDirectory() as folder:
        plot = Path(folder) / "plot.svg"
        plot.write_text("as it was")
        long = ["plan", "what-if", "fat-tree:18,36", "--series", "links=1..600", "--plot", plot]
        code, output, seen = on_terminal(program, "xterm", long, until=b"asking of losses [")
        assert code == -signal.SIGINT, code
        assert not output and shown_at_the_end(seen).startswith(
            "heddle: interrupted while asking of losses; nothing was written"), seen[-300:]
        assert plot.read_text() == "as it was" and len(list(Path(folder).iterdir())) == 1


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
    plans(program)
    plain = subprocess.run([program, *COMMAND], capture_output=True, text=True, check=True)
    assert "\x1b" not in plain.stdout + plain.stderr and not plain.stderr, plain.stderr


if __name__ == "__main__":
    main()
