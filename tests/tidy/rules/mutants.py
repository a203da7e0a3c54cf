# SPDX-License-Identifier: BSD-3-Clause
"""Every mutant changes a line that is there, once: one that changes none would seem to survive."""

import tomllib

FOLDER = "tests/mutants/"


def check(tree):
    files = {source.path: source for source in tree.sources}
    for path, mutants in files.items():
        if path.startswith(FOLDER):
            yield from check_list(mutants, files)


def check_list(mutants, files):
    for mutant in tomllib.loads(mutants.text).get("mutant", []):
        name, source = mutant["name"], files.get(mutant["file"])
        count = source.text.count(mutant["find"]) if source else 0
        if count != 1:
            where = mutants.line_of(mutants.text.find(f'"{name}"'))
            yield mutants.finding("mutant", where, f"{name}: its text stands {count} times in "
                                                   f"{mutant['file']}")
