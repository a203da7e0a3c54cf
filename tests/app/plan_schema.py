#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds what `heddle plan export --format json` writes against the published schema."""
import argparse
import json
import pathlib
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed")
    sys.exit(77)

FABRICS = ["fat-tree:4,6", "torus:3x3", "rail:4,2,1,2", "pair:"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--schema", required=True)
    arguments = parser.parse_args()
    schema = json.loads(pathlib.Path(arguments.schema).read_text())
    validator = jsonschema.Draft202012Validator(schema)
    for fabric in FABRICS:
        out = subprocess.run(
            [arguments.heddle, "plan", "export", fabric, "--format", "json", "--lmc", "1"],
            capture_output=True, text=True, check=True, timeout=60).stdout
        document = json.loads(out)
        validator.validate(document)
        names = {node["name"] for node in document["nodes"]}
        assert len(names) == len(document["nodes"]), "names are not unique"
        assert all(cable[end]["node"] in names for cable in document["cables"] for end in "ab")
        # The schema is worth something only if it refuses something.
        document["nodes"][0]["guid"] = "7"
        assert not validator.is_valid(document)


if __name__ == "__main__":
    main()
