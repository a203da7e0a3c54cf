# SPDX-License-Identifier: BSD-3-Clause
"""File <= 800 lines, function <= 70, line <= 100."""

import ast

from functions import functions

FILE_LINES, FUNCTION_LINES, LINE_COLUMNS = 800, 70, 100
WIDTH_CHECKED = (".cpp", ".hpp", ".py", ".sh", ".cmake", "CMakeLists.txt", ".toml")


def is_script(source):
    return source.text.startswith("#!") or source.path.endswith((".py", ".sh"))


def check(tree):
    for source in tree.sources:
        if not (source.path.endswith(WIDTH_CHECKED) or is_script(source)):
            continue
        if len(source.lines) > FILE_LINES:
            yield source.finding("file-length", FILE_LINES + 1, f"{len(source.lines)} lines")
        for number, line in enumerate(source.lines, 1):
            if len(line) > LINE_COLUMNS:
                yield source.finding("line-length", number, f"{len(line)} columns")
        for name, first, last in function_spans(source):
            if last - first + 1 > FUNCTION_LINES:
                yield source.finding("function-length", first, f"{name}: {last - first + 1} lines")


def function_spans(source):
    """[(name, first line, last line)] of a C++ or Python file."""
    if source.is_cpp:
        return [(f.name, f.first, f.last) for f in functions(source)]
    if not source.path.endswith(".py") and not source.text.startswith("#!/usr/bin/env python"):
        return []
    spans = []
    for node in ast.walk(ast.parse(source.text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            spans.append((node.name, node.lineno, node.end_lineno))
    return spans
