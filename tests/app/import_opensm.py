#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""OpenSM itself says which options it has and what their defaults are (`opensm --create-config`):
`heddle config import` must know every one of them, and find each at its default."""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--heddle", type=Path, required=True)
    heddle = parser.parse_args().heddle.resolve()
    opensm = shutil.which("opensm") or shutil.which("opensm", path="/usr/sbin")
    if opensm is None:
        print("opensm is not installed")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        theirs, ours = Path(folder) / "opensm.conf", Path(folder) / "heddle.toml"
        subprocess.run([opensm, "-f", str(Path(folder) / "log"), "-c", str(theirs)], timeout=60,
                       check=True, stdout=subprocess.DEVNULL)
        options = [line for line in theirs.read_text().splitlines()
                   if line.strip() and not line.startswith("#")]
        assert len(options) > 150, f"opensm wrote {len(options)} options"
        told = subprocess.run([heddle, "config", "import", theirs, "-o", ours], timeout=60,
                              capture_output=True, text=True, check=False)
        print(told.stderr, end="")
        assert told.returncode == 0, told.returncode
        # But for the log file, which was named above.
        assert "\n1 taken over, 0 not needed, 0 lost, 0 unknown, 0 wrong;" in told.stderr
        assert " log_file is now " in told.stderr
        subprocess.run([heddle, "config", "check", ours], timeout=60, check=True)

        # And one that is not: the same option, moved from its default, must be heard of.
        theirs.write_text(theirs.read_text().replace("\nlmc 0\n", "\nlmc 3\n"))
        subprocess.run([heddle, "config", "import", theirs, "-o", ours], timeout=60, check=True,
                       capture_output=True)
        assert "[lids]\nlmc = 3\n" in ours.read_text(), ours.read_text()
    return 0


if __name__ == "__main__":
    sys.exit(main())
