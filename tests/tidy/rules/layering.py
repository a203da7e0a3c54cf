# SPDX-License-Identifier: BSD-3-Clause
"""Who may include whom: includes and CMake link edges against layers.toml."""

import re

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
ROOM_EDGES = re.compile(r"heddle_room\(\s*(\w+)(.*?)\)", re.S)

OUTSIDE = ("tests", "bench")  # no part of the product


def includes(source):
    """[(line, '<' or '\"', path)]. Reads the text, since the code has its strings blanked."""
    return [(source.line_of(match.start()), match.group(1), match.group(2))
            for match in INCLUDE.finditer(source.text)]


def check(tree):
    rooms = tree.layers["rooms"]
    present = {source.path for source in tree.sources}
    for source in tree.cpp:
        for line, kind, path in includes(source):
            if kind == '"':
                yield from own_include(source, line, path, rooms, present)
            yield from library(source, line, path, tree.layers["libraries"])
        if source.room not in rooms:
            yield source.finding("layering", 1, f"'{source.room}' is no room of layers.toml")
    for source in tree.named("*/CMakeLists.txt"):
        yield from link_edges(source, rooms)


def may_use(room, other, rooms):
    allowed = rooms.get(room, [])
    return room == other or other in allowed or ("*" in allowed and other not in OUTSIDE)


def own_include(source, line, path, rooms, present):
    if path not in present:
        yield source.finding("layering", line,
                             f'"{path}" does not start at the repository root or does not exist')
        return
    other = path.split("/", 1)[0]
    if not may_use(source.room, other, rooms):
        yield source.finding("layering", line, f"{source.room} may not include {other}")


def library(source, line, path, libraries):
    for prefix, users in libraries.items():
        if path.startswith(prefix) and source.room not in users:
            yield source.finding("layering", line, f"{source.room} may not include <{path}>")


def link_edges(source, rooms):
    for match in ROOM_EDGES.finditer(source.text):
        room, body = match.groups()
        for other in re.findall(r"\bheddle_(\w+)", body.partition("USES")[2]):
            if not may_use(room, other, rooms):
                yield source.finding("layering", source.line_of(match.start()),
                                     f"{room} may not link heddle_{other}")
