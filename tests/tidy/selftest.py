#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plants one violation of each house rule in a clean tree; the checks must find exactly it."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from check import findings  # noqa: E402
from house import read_tree  # noqa: E402
from rules.sizes import function_spans  # noqa: E402

LICENCE = "// SPDX-License-Identifier: BSD-3-Clause\n"
HEADER = LICENCE + "#pragma once\n\nint f();\n"

# The words a rule looks for, spelled so that the checks of this tree do not find them here.
NOTE, PATH = "TO" + "DO", "/ho" + "me/somebody/file"

CLEAN = {
    "fabric/CMakeLists.txt": "heddle_room(fabric\n  SOURCES good.cpp\n  USES heddle_mad)\n",
    "fabric/good.hpp": HEADER,
    "fabric/good.cpp": LICENCE + '#include "fabric/good.hpp"\n#include "mad/smp.hpp"\n'
                       "// Why, as prose: the first wins;\nint f() { return 1; }\n",
    "mad/smp.hpp": HEADER,
    "sm/core.hpp": HEADER,
    "app/CMakeLists.txt": "add_executable(heddle main.cpp)\n",
    "app/main.cpp": LICENCE + '#include "sm/core.hpp"\nint p(C config) { return config.pace; }\n',
    "config/config.hpp": LICENCE + "#pragma once\n\nstruct Config {\n  int pace = 1;\n};\n",
    "config/option_rows.cpp": LICENCE + '#include "config/config.hpp"\n'
                              'Option rows[] = {{"sweep", "pace", &Config::pace}};\n',
    "config/CMakeLists.txt": "heddle_room(config\n  SOURCES option_rows.cpp)\n",
    "config/heddle.toml.sample": "[sweep]\n# How fast.\n# pace = 1\n",
    "docs/configuration.md": "| `sweep.pace` | how fast |\n",
    "docs/events.md": "| Event | Level | |\n|---|---|---|\n",
}


def room(text):
    """A change of the clean tree: this text added to fabric/good.cpp."""
    return {"fabric/good.cpp": CLEAN["fabric/good.cpp"] + text}


def long_function(lines):
    return "int g(int x) {\n" + "  ++x;\n" * (lines - 2) + "}\n"


# name -> (change of the clean tree, the rule that must speak)
PLANTS = {
    "a lower room includes a higher one": (room('#include "sm/core.hpp"\n'), "layering"),
    "product includes a test": (
        {"tests/t.hpp": HEADER, **room('#include "tests/t.hpp"\n')}, "layering"),
    "an include that does not start at the root": (room('#include "good.hpp"\n'), "layering"),
    "a room links what it may not": (
        {"fabric/CMakeLists.txt": "heddle_room(fabric\n  SOURCES good.cpp\n  USES heddle_sm)\n"},
        "layering"),
    "a room nobody declared": (
        {"attic/old.hpp": HEADER, "app/main.cpp": CLEAN["app/main.cpp"] +
         '#include "attic/old.hpp"\n'}, "layering"),
    "a library outside its rooms": (room("#include <infiniband/umad.h>\n"), "device"),
    "Asio in the SM": (room("#include <boost/asio.hpp>\n"), "device"),
    "a clock": (room("auto t = std::chrono::steady_clock::now();\n"), "clock"),
    "a random device": (room("#include <random>\n"), "random"),
    "a thread": (room("std::thread worker;\n"), "thread"),
    "a lock": (room("std::mutex lock;\n"), "thread"),
    "a file": (room("std::ifstream in;\n"), "files"),
    "printing": (room('void p() { std::printf("x"); }\n'), "output"),
    "copying bytes": (room("void c(char* a) { std::memcpy(a, a + 1, 1); }\n"), "bytes"),
    "byte order": (room("int o(int x) { return ntohl(x); }\n"), "bytes"),
    "a loop over an unordered map": (
        room("std::unordered_map<int, std::vector<int>> names_;\n"
             "void l() {\n  for (const auto& [a, b] : names_) use(a, b);\n}\n"), "unordered"),
    "begin of an unordered set": (
        room("std::unordered_set<int> seen;\nint b() { return *seen.begin(); }\n"), "unordered"),
    "Set outside programming": (room("auto m = mad::Method::Set;\n"), "set"),
    "a folder of all tests": (
        {"tests/t.cpp": LICENCE + "auto f = testing::TempDir();\n",
         "tests/CMakeLists.txt": "add_executable(t t.cpp)\n"}, "shared-folder"),
    "a long file": (room("int a;\n" * 800), "file-length"),
    "a long function": (room(long_function(71)), "function-length"),
    "a long line": (room("// " + "x" * 98 + "\n"), "line-length"),
    "a note to self": (room(f"// {NOTE}: later\n"), "note-to-self"),
    "a path of a machine": (room(f'auto p = "{PATH}";\n'), "machine-path"),
    "a statement in a comment": (room("// f(a, b);\n"), "commented-code"),
    "an assignment in a comment": (room("// count = count + 1;\n"), "commented-code"),
    "a branch in a comment": (room("/* if (x) {\n  g();\n} */\n"), "commented-code"),
    "no licence": ({"fabric/good.hpp": "#pragma once\n"}, "licence"),
    "no guard": ({"fabric/good.hpp": LICENCE + "int f();\n"}, "pragma-once"),
    "a header nobody includes": ({"fabric/lost.hpp": HEADER}, "dead-file"),
    "a source that does not begin with its header": (
        {"fabric/good.cpp": CLEAN["fabric/good.cpp"].replace(
            LICENCE, LICENCE + "#include <vector>\n")}, "own-header"),
    "a source nobody builds": ({"fabric/lost.cpp": LICENCE}, "dead-file"),
    "a source built only in a comment": (
        {"fabric/lost.cpp": LICENCE,
         "fabric/CMakeLists.txt": CLEAN["fabric/CMakeLists.txt"] + "# lost.cpp\n"}, "dead-file"),
}
OPTION_ROW = CLEAN["config/option_rows.cpp"].replace("}};", '}, {"sweep", "size", &Config::size}};')
PLANTS |= {
    "an option that the sample file lacks": (
        {"config/heddle.toml.sample": "[sweep]\n"}, "option"),
    "an option that the manual lacks": ({"docs/configuration.md": "# Options\n"}, "option"),
    "a sample of no option": (
        {"config/heddle.toml.sample": CLEAN["config/heddle.toml.sample"] + "size = 3\n"}, "option"),
    "an option that nobody reads": (
        {"config/option_rows.cpp": OPTION_ROW,
         "config/heddle.toml.sample": CLEAN["config/heddle.toml.sample"] + "size = 3\n",
         "docs/configuration.md": "`sweep.pace` `sweep.size`\n"}, "option"),
    "a member that no option fills": (
        {"config/config.hpp": CLEAN["config/config.hpp"].replace("\n};", "\n  int size{};\n};")},
        "option"),
}

EVENT = ('#include "mad/smp.hpp"\nvoid f(Log& log) {\n'
         '  log.say(sm::Severity::Info, "ConfigRead",\n          "words");\n}\n')
PLANTS |= {
    "an event that the manual lacks": (
        {"app/main.cpp": CLEAN["app/main.cpp"] + EVENT}, "event"),
    "a manual of no event": (
        {"docs/events.md": CLEAN["docs/events.md"] + "| `Nothing` | info | x |\n"}, "event"),
    "a mutant of a line that is not there": (
        {"tests/mutants/life.toml": '[[mutant]]\nname = "none"\nfile = "fabric/good.cpp"\n'
                               'find = "no such line"\nput = ""\n'}, "mutant"),
}

# What looks like a violation and is none.
INNOCENT = {
    "words inside strings and comments": room(
        '// The std::mutex of others.\nauto s = "ntohl(x)";\n'),
    "a loop over an ordered map": room(
        "std::map<int, int> m;\nvoid l() { for (auto& x : m) u(x); }\n"),
    "a loop that says why it may": room(
        "std::unordered_set<int> s;\nint n() {\n  int sum = 0;\n"
        "  // tidy: allow unordered because a sum has no order\n"
        "  for (int x : s) sum += x;\n  return sum;\n}\n"),
    "a function of 70 lines": room(long_function(70)),
    "prose that ends in a semicolon": room("// Both ends agree on width;\n// then the speed.\n"),
    "recognising a Set": room("bool s(M m) { return m == mad::Method::Set; }\n"),
    "a digit separator": room("int big = 1'000'000; int more = 2'000;\n"),
}


def found_in(change):
    with tempfile.TemporaryDirectory() as folder:
        for path, text in {**CLEAN, **change}.items():
            file = Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return findings(read_tree(folder))


class Tidy(unittest.TestCase):
    def test_a_clean_tree_has_no_findings(self):
        self.assertEqual([], [str(finding) for finding in found_in({})])

    def test_every_plant_is_found(self):
        for name, (change, rule) in PLANTS.items():
            with self.subTest(name):
                self.assertIn(rule, {finding.rule for finding in found_in(change)})

    def test_no_plant_makes_another_family_speak(self):
        together = {"device": {"layering"}, "commented-code": set(), "dead-file": {"layering"}}
        for name, (change, rule) in PLANTS.items():
            with self.subTest(name):
                rules = {finding.rule for finding in found_in(change)}
                self.assertLessEqual(rules, {rule} | together.get(rule, set()))

    def test_the_innocent_go_free(self):
        for name, change in INNOCENT.items():
            with self.subTest(name):
                self.assertEqual([], [str(finding) for finding in found_in(change)])


class CountingFunctions(unittest.TestCase):
    def spans(self, text):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "a.cpp").write_text(text)
            return function_spans(read_tree(folder).sources[0])

    def test_heads_of_every_shape(self):
        self.assertEqual([("A::A", 1, 3)], self.spans("A::A(int x)\n    : a_(x), b_{2} {\n}\n"))
        self.assertEqual([("g", 1, 2)], self.spans("template <class T>\nT g(T x) { return x; }\n"))
        self.assertEqual([("h", 1, 1)], self.spans("auto h() const -> int { return 1; }\n"))
        self.assertEqual([("f", 2, 2)], self.spans("struct S {\n  int f(A a = {}) { g(a); }\n};"))
        self.assertEqual([("operator_", 1, 1)], self.spans("bool operator==(A a) { return a.x; }"))

    def test_what_is_no_function(self):
        self.assertEqual([], self.spans("namespace a {\nstruct B {\n  int x_{1};\n};\n}\n"))
        self.assertEqual([], self.spans("constexpr auto rows = std::tuple{\n  row<1>(2),\n};\n"))

    def test_a_lambda_belongs_to_its_function(self):
        text = "int f() {\n  auto g = [](int x) {\n    return x;\n  };\n  return g(1);\n}\n"
        self.assertEqual([("f", 1, 6)], self.spans(text))


if __name__ == "__main__":
    unittest.main()
