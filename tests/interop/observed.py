# SPDX-License-Identifier: BSD-3-Clause
"""What the outside tools print, read into plain values."""

import re
from dataclasses import dataclass, field

from netfile import Net

KIND = {"Switch": "switch", "Ca": "ca", "Rt": "router"}
NODE = re.compile(r'^(Switch|Ca|Rt)\t(\d+) "([SHR]-[0-9a-f]{16})"\s+# "(.*?)"(.*)$')
END = re.compile(r'^\[(\d+)\](?:\([0-9a-f]+\))?\s+"([SHR]-[0-9a-f]{16})"\[(\d+)\]'
                 r'[^#]*#\s*(?:lid (\d+) lmc (\d+))?')
LFT = re.compile(r"^Unicast lids .*guid 0x([0-9a-f]{16}) \((.*)\):$")
ENTRY = re.compile(r"^0x([0-9a-f]{4}) (\d{3}) :")
LINK = re.compile(r'^0x[0-9a-f]{16} "\s*(.*?)"\s+(\d+)\s+(\d+)\[.*?\] ==\((.*?)\)==>')
HOP = re.compile(r'^\[(\d+)\] -> (?:switch|ca|router) port \{0x[0-9a-f]+\}\[(\d+)\] lid .* "(.*)"$')


@dataclass
class Discovered(Net):
    lids: dict = field(default_factory=dict)    # (name, port) -> (first, last); switches: port 0
    guids: dict = field(default_factory=dict)   # "S-..." -> name

    def owners(self):
        """lid -> [(name, port)]: more than one is a conflict."""
        found = {}
        for end, (first, last) in self.lids.items():
            for lid in range(first, last + 1):
                found.setdefault(lid, []).append(end)
        return found


def discovery(text):
    seen, current, cables = Discovered(), None, []
    for line in text.splitlines():
        if node := NODE.match(line):
            kind, count, guid, current, rest = node.groups()
            seen.kinds[current], seen.ports[current] = KIND[kind], int(count)
            seen.guids[guid] = current
            if kind == "Switch":
                lid, lmc = re.search(r"lid (\d+) lmc (\d+)", rest).groups()
                seen.lids[current, 0] = span(lid, lmc)
        elif current and (end := END.match(line)):
            cables.append(((current, int(end[1])), (end[2], int(end[3]))))
            if end[4] and seen.kinds[current] != "switch":
                seen.lids[current, int(end[1])] = span(end[4], end[5])
    for here, (guid, port) in cables:
        seen.links.add(frozenset({here, (seen.guids.get(guid, guid), port)}))
    return seen


def span(lid, lmc):
    return int(lid), int(lid) + (1 << int(lmc)) - 1


def forwarding_tables(text):
    """name -> {lid: port}, from dump_lfts."""
    tables, current = {}, None
    for line in text.splitlines():
        if head := LFT.match(line):
            current = tables.setdefault(head[2], {})
        elif current is not None and (entry := ENTRY.match(line)):
            current[int(entry[1], 16)] = int(entry[2])
    return tables


def link_states(text):
    """(name, port) -> "Active/LinkUp" and the like, from iblinkinfo -l."""
    states = {}
    for line in text.splitlines():
        if match := LINK.match(line):
            words = match[4].split()
            states[match[1], int(match[3])] = "".join(words[-2:]) if words else ""
    return states


def trace(text):
    """[(port left by, port entered, name entered)] from ibtracert."""
    return [(int(m[1]), int(m[2]), m[3]) for m in map(HOP.match, text.splitlines()) if m]


def fields(text):
    """name -> value of smpquery's dotted lines."""
    return dict(re.findall(r"^(\w+):\.*(.*)$", text, re.M))
