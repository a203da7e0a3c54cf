# SPDX-License-Identifier: BSD-3-Clause
"""What a NET file says: nodes by name and the cables between them. The truth that judges hold the
tools' answers against."""

import re
from dataclasses import dataclass, field

HEADER = re.compile(r'^(Switch|Hca|Ca|Rt)\s+(\d+)\s+"([^"]+)"(?:\s*#\s*"([^"]*)")?', re.I)
PORT = re.compile(r'^\[(\d+)\](?:\([0-9a-fA-F]+\))?\s*"([^"]+)"\s*\[(\d+)\]')


@dataclass
class Net:
    kinds: dict = field(default_factory=dict)   # name -> "switch" | "ca" | "router"
    ports: dict = field(default_factory=dict)   # name -> number of ports
    links: set = field(default_factory=set)     # {frozenset({(name, port), (name, port)})}

    @property
    def first_host(self):
        return next(name for name, kind in self.kinds.items() if kind == "ca")

    def peers(self):
        """(name, port) -> (name, port) for every cable end; a port cabled to itself is its own."""
        peer = {}
        for link in self.links:
            ends = tuple(link)
            peer[ends[0]] = ends[-1]
            peer[ends[-1]] = ends[0]
        return peer

    def island_of(self, host, port=1):
        """The part that a manager on this port can reach: packets pass through switches alone."""
        peer, reached, links = self.peers(), {host}, set()
        waiting = [(host, port)]
        while waiting:
            end = waiting.pop()
            if end not in peer:
                continue
            links.add(frozenset({end, peer[end]}))
            name = peer[end][0]
            if name not in reached and self.kinds[name] == "switch":
                waiting += [(name, number) for number in range(1, self.ports[name] + 1)]
            reached.add(name)
        part = Net({n: k for n, k in self.kinds.items() if n in reached},
                   {n: p for n, p in self.ports.items() if n in reached}, links)
        return part

    def without(self, *link):
        return Net(self.kinds, self.ports, self.links - {frozenset(link)})


def read_net(path):
    """Names are the descriptions that devices will give: the comment where there is one."""
    net, names, cables, current = Net(), {}, [], None
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if header := HEADER.match(line):
            kind, count, identity, description = header.groups()
            current = identity
            name = names[identity] = description or identity
            net.kinds[name] = {"switch": "switch", "rt": "router"}.get(kind.lower(), "ca")
            net.ports[name] = int(count)
        elif current and (port := PORT.match(line)):
            cables.append(((current, int(port[1])), (port[2], int(port[3]))))
    for (a, a_port), (b, b_port) in cables:
        net.links.add(frozenset({(names[a], a_port), (names[b], b_port)}))
    return net
