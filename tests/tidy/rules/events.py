# SPDX-License-Identifier: BSD-3-Clause
"""Every event that the program tells is in the manual, by its name, and the manual has no other."""

import re

MANUAL = "docs/events.md"
OF_MACHINE = re.compile(r'static constexpr std::string_view name = "(\w+)"')
OF_PROGRAM = re.compile(
    r'(?:\bsay\([^;"]*?|\bSeverity::\w+,\s*|\.(?:refused|kept|lacking) = )"([A-Z]\w+)"')


def check(tree):
    files = {source.path: source for source in tree.sources}
    if MANUAL not in files:
        return
    manual = files[MANUAL]
    rows = [line.split("|")[1] for line in manual.lines if line.startswith("| `")]
    documented = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    told = set()
    for source in tree.cpp:
        pattern = {"sm": OF_MACHINE, "app": OF_PROGRAM}.get(source.room)
        for match in pattern.finditer(source.text) if pattern else ():
            told.add(match.group(1))
            if match.group(1) not in documented:
                yield source.finding("event", source.line_of(match.start()),
                                     f"{match.group(1)} is not in {MANUAL}")
    for name in sorted(documented - told):
        yield manual.finding("event", 1, f"{name} is told by nobody")
