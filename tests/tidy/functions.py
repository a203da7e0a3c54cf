# SPDX-License-Identifier: BSD-3-Clause
"""Finds the functions of a C++ file by counting braces.

A function is counted from the first line of its head (template line included) to its closing brace.
A brace opens a function when it does not stand inside one and the text since the last ; { or } has
a parameter list and is no type, namespace, control statement or assignment. Lambdas and local types
belong to the function around them; a lambda at namespace scope is not counted."""

import re
from dataclasses import dataclass

NO_FUNCTION = re.compile(
    r"(?:inline\s+)?(?:namespace|class|struct|enum|union|concept|if|else|for|while|switch|do|try"
    r"|catch|return|case)\b")


@dataclass(frozen=True)
class Function:
    name: str
    first: int
    last: int

    @property
    def length(self):
        return self.last - self.first + 1


@dataclass
class Brace:
    name: str = ""        # of the function it opens
    offset: int = 0       # where that function's head begins
    initialises: bool = False  # a member in a constructor's list: the head goes on behind it


def functions(source):
    code = re.sub(r"^[ \t]*#.*$", lambda m: " " * len(m.group(0)), source.code, flags=re.M)
    found, open_braces = [], []
    head, parens = 0, 0
    for match in re.finditer(r"[(){};]", code):
        character, offset = match.group(0), match.start()
        inside = any(brace.name for brace in open_braces)
        if character == "(":
            parens += 1
        elif character == ")":
            parens -= 1
        elif character == "{":
            brace = Brace() if inside or parens else opened_by(code[head:offset], head)
            open_braces.append(brace)
            if not inside and not parens and not brace.initialises:
                head = offset + 1
        elif character == "}" and open_braces:
            brace = open_braces.pop()
            if brace.name:
                found.append(Function(brace.name, source.line_of(brace.offset),
                                      source.line_of(offset)))
            if not parens and not brace.initialises:
                head = offset + 1
        elif character == ";" and not parens and not inside:
            head = offset + 1
    return found


def opened_by(head, offset):
    begin = offset + len(head) - len(head.lstrip())
    text = without_template(re.sub(r"\[\[.*?\]\]", "", head, flags=re.S).strip())
    text = re.sub(r"^(?:(?:public|private|protected)\s*:\s*)+", "", text)
    text = without_template(text)
    signature = re.sub(r"operator\s*(\(\)|[^\s\w(]+)", "operator_", text)
    before = signature.split("(", 1)[0]
    if "(" not in signature or NO_FUNCTION.match(signature) or "=" in before:
        return Brace()
    if re.search(r"\)[^()]*[^:]:[^:]", signature) and re.search(r"[\w>]$", signature):
        return Brace(initialises=not re.search(r"\b(?:const|noexcept|override|final)$", signature))
    name = re.search(r"(~?[\w:]+)\s*$", before)
    return Brace(name.group(1) if name else "", begin)


def without_template(text):
    while match := re.match(r"template\s*<", text):
        depth, end = 1, match.end()
        while end < len(text) and depth:
            depth += {"<": 1, ">": -1}.get(text[end], 0)
            end += 1
        text = re.sub(r"^requires\s+[^()\s]+\s", "", text[end:].lstrip())
    return text
