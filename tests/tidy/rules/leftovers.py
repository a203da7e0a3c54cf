# SPDX-License-Identifier: BSD-3-Clause
"""Notes to self, commented-out code, and paths of somebody's machine."""

import re

# Spelled so that this file does not find itself.
NOTE = re.compile(r"\b(?:TO[D]O|FI[X]ME|X[X]X)\b")
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:wor[k]|hom[e]|far[m]|roo[t]|Use[r]s)/\w")
CODE = [re.compile(pattern) for pattern in (
    r"^#\s*(?:include|define|if|ifdef|ifndef|endif|pragma|else)\b",
    r"^(?:return|break|continue|goto|throw|delete)\b[^.]*;$",
    r"^(?:\}\s*)?(?:else\s+)?(?:if|for|while|switch)\s*(?:constexpr\s*)?\(.*\)\s*\{?$",
    r"^(?:\}\s*else\s*\{?|\{|\}|\};)$",
    r"^[\w.:>\[\]()-]+\s*(?:[-+*/|&^]|<<|>>)?=\s*[^=].*;$",
    r"^(?:const\s+|static\s+|constexpr\s+|auto\s+)*[\w:<>,]+[&*\s]+\w+\s*"
    r"(?:=\s*.+|\{.*\}|\(.*\))?;$",
    r"^[\w:.]+(?:->\w+)*\(.*\);$",
)]
# "... of one;" ends a clause, not a statement.
PROSE = re.compile(r"^[A-Za-z'-]+(?: [A-Za-z'-]+)*;$")


def check(tree):
    for source in tree.sources:
        if source.path.endswith(".md"):
            continue
        for number, line in enumerate(source.lines, 1):
            if match := NOTE.search(line):
                yield source.finding("note-to-self", number, match.group(0))
            if match := MACHINE_PATH.search(line):
                yield source.finding("machine-path", number, line.strip())
        if source.is_cpp:
            yield from commented_out(source)


def commented_out(source):
    for line, text in source.comments:
        looks = any(pattern.search(text) for pattern in CODE) and not PROSE.match(text)
        if looks and not source.allows("commented-code", line):
            yield source.finding("commented-code", line, text)
