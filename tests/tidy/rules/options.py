# SPDX-License-Identifier: BSD-3-Clause
"""Every configuration option is in the table, in the sample file, in the manual, and read by the
program; and none of these knows one that the others do not."""

import re

TABLE, STRUCT = "config/option_rows.cpp", "config/config.hpp"
SAMPLE, MANUAL = "config/heddle.toml.sample", "docs/configuration.md"
ROW = re.compile(r'\{\s*"(\w+)",\s*"(\w+)",\s*&Config::(\w+)')
MEMBER = re.compile(r"^  (?!friend\b)[\w:<>, ]+[ >](\w+)(?:\s*=[^;]*|\{[^;]*\})?;", re.M)
SAMPLE_SECTION = re.compile(r"^\s*#?\s*\[(\w+)\]\s*$")
SAMPLE_KEY = re.compile(r"^\s*#?\s*(\w+)\s*=")


def check(tree):
    files = {source.path: source for source in tree.sources}
    if TABLE not in files:
        return
    table = files[TABLE]
    rows = [(section, key, member, table.line_of(match.start()))
            for match in ROW.finditer(table.text) for section, key, member in [match.groups()]]
    yield from members(files.get(STRUCT), rows, tree, table)
    named = {(section, key) for section, key, _, _ in rows}
    sampled = sample_keys(files[SAMPLE]) if SAMPLE in files else set()
    manual = files[MANUAL].text if MANUAL in files else ""
    for section, key, _, line in rows:
        if (section, key) not in sampled:
            yield table.finding("option", line, f"{section}.{key} is not in {SAMPLE}")
        if not re.search(rf"`(?:{section}\.)?{key}`", manual):
            yield table.finding("option", line, f"{section}.{key} is not in {MANUAL}")
    for section, key in sorted(sampled - named):
        yield files[SAMPLE].finding("option", 1, f"{section}.{key} is no option")


def members(struct, rows, tree, table):
    """A member that no row fills, and a row that no other room reads."""
    filled = {member: (section, key, line) for section, key, member, line in rows}
    if struct:
        body = struct.code.partition("struct Config {")[2].partition("\n};")[0]
        for match in MEMBER.finditer(body):
            if match.group(1) not in filled:
                yield struct.finding("option", 1, f"no option fills Config::{match.group(1)}")
    readers = "\n".join(source.code for source in tree.cpp if source.room == "app")
    for member, (section, key, line) in filled.items():
        if not re.search(rf"(?:\.|->|::){member}\b", readers):
            yield table.finding("option", line, f"{section}.{key} is read by nobody")


def sample_keys(source):
    found, section = set(), None
    for line in source.lines:
        if head := SAMPLE_SECTION.match(line):
            section = head.group(1)
        elif section and (key := SAMPLE_KEY.match(line)):
            found.add((section, key.group(1)))
    return found
