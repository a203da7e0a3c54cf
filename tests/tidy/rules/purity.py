# SPDX-License-Identifier: BSD-3-Clause
"""What the pure layers may not touch, what only certain rooms may, and what tests share."""

import fnmatch
import re

from rules.layering import OUTSIDE

FORBIDDEN = {
    "clock": r"<ctime>|\b(?:system_clock|steady_clock|high_resolution_clock|clock_gettime"
             r"|gettimeofday|localtime\w*|gmtime\w*)\b|\b(?:std::)?time\(\s*(?:nullptr|NULL|0|&)",
    "random": r"<random>|\bstd::(?:random_device|mt19937\w*|\w+_distribution)\b"
              r"|\b(?:s?rand|random|getrandom)\(",
    "thread": r"<(?:thread|mutex|shared_mutex|condition_variable|future|stop_token|semaphore"
              r"|latch|barrier|pthread\.h|execution)>"
              r"|\bstd::(?:jthread|thread|mutex|async|condition_variable)\b|\bthis_thread\b"
              r"|\bthread_local\b",
    "device": r"<(?:boost/asio|infiniband/|sys/socket|sys/ioctl|sys/epoll|poll\.h|unistd\.h"
              r"|fcntl\.h)|\bumad_\w+\(|\bibv_\w+\(|\bboost::asio\b",
    "files": r"<(?:fstream|filesystem)>|\bstd::(?:[io]?fstream|filesystem)\b"
             r"|\b(?:fopen|freopen|getenv|opendir)\s*\(",
    "output": r"<(?:iostream|print)>|\bstd::(?:cout|cerr|clog)\b"
              r"|(?<!\w)(?:std::)?f?printf\s*\(|\bputs\s*\(|\bfmt::print\b|\bspdlog\b"
              r"|\bsyslog\s*\(",
}
BYTES = (r"\b(?:std::)?mem(?:cpy|move)\s*\(|\b[hn]to[hn](?:s|l|ll)\s*\("
         r"|\b(?:be|le)(?:16|32|64)toh\b"
         r"|\bhto(?:be|le)(?:16|32|64)\b|\b__builtin_bswap\d+\b|\bstd::(?:byteswap|endian)\b"
         r"|\bbswap_\d+\b")
# What gtest gives is one folder for all tests, and tests run side by side.
SHARED_FOLDER = re.compile(r"\bTempDir\s*\(")
UNORDERED = re.compile(r"\bunordered_(?:flat_)?(?:multi)?(?:map|set)\s*<")
RANGE_FOR = re.compile(r"\bfor\s*\([^;()]*?(?:\([^()]*\)[^;()]*?)*:(?!:)\s*(?P<range>[^;{]*?)\)\s*")
BEGIN = re.compile(r"\b(?P<name>\w+)(?:\.|->)c?begin\s*\(")
# Recognising a Set that came in is nobody's privilege.
SET = re.compile(r"(?<![=!]=\s)(?<![=!]=\smad::)(?<!case\s)(?<!case\smad::)"
                 r"\b(?:mad::)?Method::Set\b(?!\s*[=!]=)")


def check(tree):
    layers = tree.layers
    for source in tree.cpp:
        if source.room in layers["pure"]["rooms"]:
            yield from forbidden(source, FORBIDDEN, layers["pure"]["exceptions"])
            yield from unordered(source, tree)
        if source.room in layers["no_logging"]["rooms"]:
            yield from forbidden(source, {"output": FORBIDDEN["output"]}, {})
        if source.room not in (*layers["bytes"]["rooms"], *OUTSIDE):
            yield from forbidden(source, {"bytes": BYTES}, layers["pure"]["exceptions"])
        if source.room == "tests":
            yield from matches(source, "shared-folder", SHARED_FOLDER,
                               "a test's files go to a test::Folder of its own")
        if not any(fnmatch.fnmatch(source.path, pattern) for pattern in layers["sets"]["files"]):
            yield from matches(source, "set", SET, "Set is sent from sm's programming only")


def forbidden(source, families, exceptions):
    allowed = exceptions.get(source.path, {})
    for family, pattern in families.items():
        if family not in allowed:
            yield from matches(source, family, re.compile(pattern),
                               f"{source.room} may not use {family}")


def matches(source, rule, pattern, text):
    for match in pattern.finditer(source.code):
        yield source.finding(rule, source.line_of(match.start()),
                             f"{text}: {match.group(0).strip()}")


def unordered(source, tree):
    """Heuristic: a loop over a name that a file of the same room declares as unordered."""
    names = set()
    for other in tree.cpp:
        if other.room == source.room and (other is source or other.path.endswith(".hpp")):
            names |= unordered_names(other.code)
    for pattern, group in ((RANGE_FOR, "range"), (BEGIN, "name")):
        for match in pattern.finditer(source.code):
            name = re.search(r"(\w+)\W*$", match.group(group))
            line = source.line_of(match.start())
            if name and name.group(1) in names and not source.allows("unordered", line):
                yield source.finding("unordered", line,
                                     f"the order of '{name.group(1)}' is not the same everywhere")


def unordered_names(code):
    found = set()
    for match in UNORDERED.finditer(code):
        depth, end = 1, match.end()
        while end < len(code) and depth:
            depth += {"<": 1, ">": -1}.get(code[end], 0)
            end += 1
        name = re.match(r"[\s&]*(\w+)\s*[;,)={]", code[end:end + 120])
        if name:
            found.add(name.group(1))
    return found
