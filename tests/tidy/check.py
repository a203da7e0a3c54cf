#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the house rules: check.py [--root DIR] [FAMILY ...]. Exit code 1 on a finding."""

import argparse
import importlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from house import read_tree  # noqa: E402

FAMILIES = ("layering", "purity", "sizes", "leftovers", "files", "options", "events",
            "mutants")


def findings(tree, families=FAMILIES):
    found = []
    for family in families:
        found += importlib.import_module(f"rules.{family}").check(tree)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", default=Path(__file__).resolve().parents[2])
    parser.add_argument("families", nargs="*", choices=[*FAMILIES, []], default=[])
    options = parser.parse_args()
    families = options.families or FAMILIES
    tree = read_tree(options.root)
    found = findings(tree, families)
    for finding in found:
        print(finding)
    print(f"{len(tree.sources)} files, {', '.join(families)}: {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
