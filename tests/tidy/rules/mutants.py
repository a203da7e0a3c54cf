# SPDX-License-Identifier: BSD-3-Clause
"""Every mutant changes a line that is there, once: one that changes none would seem to survive."""

import tomllib

LIST = "tests/mutants.toml"


def check(tree):
    files = {source.path: source for source in tree.sources}
    if LIST not in files:
        return
    mutants = files[LIST]
    for mutant in tomllib.loads(mutants.text).get("mutant", []):
        name, source = mutant["name"], files.get(mutant["file"])
        count = source.text.count(mutant["find"]) if source else 0
        if count != 1:
            where = mutants.line_of(mutants.text.find(f'"{name}"'))
            yield mutants.finding("mutant", where, f"{name}: its text stands {count} times in "
                                                   f"{mutant['file']}")
