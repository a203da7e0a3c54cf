# SPDX-License-Identifier: BSD-3-Clause
"""What the rules share: the files of the tree, and C++ text without comments and strings."""

import fnmatch
import re
import subprocess
import tomllib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

CPP = (".cpp", ".hpp")


@dataclass(frozen=True)
class Finding:
    rule: str
    path: str
    line: int
    text: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.rule}: {self.text}"


@dataclass
class Source:
    """One file of the tree. Line numbers start at 1."""

    path: str
    text: str

    @property
    def room(self):
        return self.path.split("/", 1)[0] if "/" in self.path else ""

    @property
    def is_cpp(self):
        return self.path.endswith(CPP)

    @cached_property
    def lines(self):
        return self.text.splitlines()

    @cached_property
    def _split(self):
        return split_comments(self.text)

    @property
    def code(self):
        """The text with comments and the insides of strings blanked; same lines and columns."""
        return self._split[0]

    @cached_property
    def code_lines(self):
        return self.code.splitlines()

    @property
    def comments(self):
        """[(line, text)], one for each line of a comment, markers removed."""
        return self._split[1]

    def line_of(self, offset):
        return self.text.count("\n", 0, offset) + 1

    def finding(self, rule, line, text):
        return Finding(rule, self.path, line, text)

    def allows(self, rule, line):
        """True where the line, or the one above, says `tidy: allow RULE because ...`."""
        around = self.lines[max(0, line - 2):line]
        return any(re.search(rf"tidy: allow {rule} because \w", text) for text in around)


@dataclass
class Tree:
    root: Path
    sources: list = field(default_factory=list)

    @cached_property
    def layers(self):
        return tomllib.loads((Path(__file__).parent / "layers.toml").read_text())

    @property
    def cpp(self):
        return [source for source in self.sources if source.is_cpp]

    def named(self, pattern):
        return [source for source in self.sources if fnmatch.fnmatch(source.path, pattern)]


def tracked(root):
    """Paths that git tracks or would track; every file where there is no repository."""
    command = ["git", "-C", str(root), "ls-files", "-z", "-co", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, check=False)
    if listed.returncode == 0:
        return sorted({name for name in listed.stdout.decode().split("\0") if name})
    return sorted(str(p.relative_to(root)) for p in Path(root).rglob("*") if p.is_file())


def read_tree(root):
    root = Path(root)
    tree = Tree(root)
    for name in tracked(root):
        path = root / name
        if not path.is_file() or path.is_symlink():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a binary golden or corpus
        tree.sources.append(Source(name, text))
    return tree


TOKEN = re.compile(
    r'R"(?P<tag>[^()\\\s]{0,16})\((?P<raw>.*?)\)(?P=tag)"'
    r'|//[^\n]*'
    r'|/\*.*?\*/'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*'", re.S)


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def split_comments(text):
    comments = []

    def replace(match):
        token = match.group(0)
        if token.startswith(("//", "/*")):
            first = text.count("\n", 0, match.start()) + 1
            for offset, line in enumerate(token.splitlines()):
                comments.append((first + offset, strip_marker(line)))
            return blank(token)
        if token.startswith("R"):
            return 'R"' + blank(token[2:-1]) + '"'
        return token[0] + " " * (len(token) - 2) + token[-1]

    return TOKEN.sub(replace, text), comments


def strip_marker(line):
    line = re.sub(r"^\s*(//[/!]?|/\*+)", "", line)
    return re.sub(r"\*/\s*$", "", line).strip()
