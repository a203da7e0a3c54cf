#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the shells offer after `heddle completion`: completion.py --heddle H bash|zsh"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Words before the one that is completed, that word, and some of what must be offered.
QUESTIONS = [
    ([], "", {"sm", "status", "show", "plan", "sim", "completion"}),
    ([], "st", {"status"}),
    (["show"], "", {"nodes", "links", "path", "events"}),
    (["show", "links"], "--", {"--output", "--socket", "--help"}),
    (["show", "links", "-o"], "", {"table", "json", "csv"}),
    (["ctl"], "", {"resweep", "reload", "log-level", "accept-losses"}),
    (["ctl", "log-level"], "w", {"warning"}),
    (["plan"], "", {"route", "what-if", "check", "report", "export"}),
    (["sm", "--config", "show"], "--ro", {"--routing"}),
    (["completion"], "", {"bash", "zsh"}),
]
# Hidden from --help, and so from here.
SECRET = {"replay"}

BASH = """
source "$1"; shift
COMP_WORDS=(heddle "$@"); COMP_CWORD=$#
_heddle
printf '%s\\n' "${COMPREPLY[@]}"
"""
# zsh's own functions, as far as the script uses them.
ZSH = """
compdef() { }
_describe() { local each; for each in "${(@P)2}"; do print -r -- "${each%%:*}"; done }
compadd() { shift; print -rl -- "$@" }
_files() { print -r -- "FILES" }
source "$1"; shift
words=(heddle "$@"); CURRENT=${#words}
_heddle
"""


def offered(shell, script, before, word):
    code = BASH if shell == "bash" else ZSH
    done = subprocess.run([shutil.which(shell), "-c", code, shell, script, *before, word],
                          text=True, capture_output=True, check=False, timeout=20)
    assert done.stderr == "", done.stderr
    words = set(done.stdout.split())
    # What does not begin so is left out by zsh itself.
    return words if shell == "bash" else {each for each in words if each.startswith(word)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--heddle", required=True)
    parser.add_argument("shell", choices=("bash", "zsh"))
    options = parser.parse_args()
    if not shutil.which(options.shell):
        raise SystemExit(f"{options.shell} is not installed (scripts/install-deps --test)")
    with tempfile.TemporaryDirectory(prefix="heddle-completion-") as folder:
        script = Path(folder, "script")
        made = subprocess.run([options.heddle, "completion", options.shell], check=True, text=True,
                              capture_output=True)
        script.write_text(made.stdout)
        for before, word, wanted in QUESTIONS:
            have = offered(options.shell, script, before, word)
            assert wanted <= have, (before, word, wanted - have, have)
            assert not have & SECRET, have & SECRET
        assert offered(options.shell, script, ["show", "links", "-o"], "j") == {"json"}
        # Nothing of ours where a file is wanted: the shell offers files.
        have = offered(options.shell, script, ["sm", "--config"], "")
        assert have == ({"FILES"} if options.shell == "zsh" else set()), have
    return 0


if __name__ == "__main__":
    sys.exit(main())
