# SPDX-License-Identifier: BSD-3-Clause
"""Every source carries its licence, every header its guard, and nothing lies around unused."""

import posixpath
import re
from pathlib import PurePosixPath

from rules.layering import includes

LICENCE = "SPDX-License-Identifier: BSD-3-Clause"


def check(tree):
    included = {path for source in tree.cpp for _, _, path in includes(source)}
    built = built_sources(tree)
    headers = {source.path for source in tree.cpp if source.path.endswith(".hpp")}
    for source in tree.cpp:
        if not source.text.startswith(f"// {LICENCE}\n"):
            yield source.finding("licence", 1, f"the first line is not // {LICENCE}")
        if source.path.endswith(".hpp"):
            if not re.search(r"^#pragma once$", source.text, re.M):
                yield source.finding("pragma-once", 1, "no #pragma once")
            if source.path not in included:
                yield source.finding("dead-file", 1, "no file includes this header")
            continue
        if source.path not in built:
            yield source.finding("dead-file", 1, "no CMakeLists.txt names this source")
        own = source.path.removesuffix("cpp") + "hpp"
        if own in headers and [path for _, _, path in includes(source)][:1] != [own]:
            yield source.finding("own-header", 1,
                                 f'the first include is not "{own}", so nobody sees whether that '
                                 "header compiles alone")
    for source in tree.sources:
        if source.path.endswith(".py") and LICENCE not in "\n".join(source.lines[:2]):
            yield source.finding("licence", 1, f"the first two lines lack {LICENCE}")


def built_sources(tree):
    """Paths named in a CMakeLists.txt, relative to it. A name built from a loop variable
    (fuzz_${name}.cpp) counts for every file of that shape beside it."""
    built = set()
    cpp = [source.path for source in tree.cpp]
    for lists in tree.sources:
        if PurePosixPath(lists.path).name != "CMakeLists.txt":
            continue
        folder = str(PurePosixPath(lists.path).parent)
        text = re.sub(r"^\s*#.*$", "", lists.text, flags=re.M)
        for word in re.findall(r"[^\s()\"]+\.cpp", text):
            word = re.sub(r"^\$\{CMAKE_CURRENT_SOURCE_DIR\}/", "", word)
            rooted = re.sub(r"^\$\{(?:PROJECT|CMAKE)_SOURCE_DIR\}/", "", word)
            full = rooted if rooted != word else posixpath.normpath(f"{folder}/{word}")
            pattern = re.compile(re.sub(r"\\\$\\\{\w+\\\}", r"[^/]+", re.escape(full)))
            built |= {path for path in cpp if pattern.fullmatch(path)}
    return built
