// SPDX-License-Identifier: BSD-3-Clause
// The fabric of the report: nodes, the ports of hosts, cables, and who is behind which port.
// Nodes are numbers: switches first, then hosts.
import { f32, u16, u32, u64, u8 } from "./numbers.js";

export const NOBODY = 0xffffffff;

export class Fabric {
  constructor(data) {
    this.switchCount = data.counts.switches;
    this.names = data.nodes.names;
    this.nodeCount = this.names.length;
    this.guids = u64(data.nodes.guid);
    this.x = f32(data.nodes.x);
    this.y = f32(data.nodes.y);
    this.rank = u32(data.nodes.rank);
    this.hostSize = f32(data.nodes.host_size);
    this.switchLid = u16(data.nodes.switch_lid);
    this.routers = new Set(data.nodes.routers);
    const ports = data.endports;
    this.endports = {
      count: 0, node: u32(ports.node), port: u8(ports.port), at: u32(ports.switch),
      out: u8(ports.switch_port), kind: u8(ports.kind), lid: u16(ports.lid), lmc: u8(ports.lmc),
    };
    this.endports.count = this.endports.node.length;
    const links = data.links;
    this.links = {
      count: 0, from: u32(links.from), to: u32(links.to), fromPort: u8(links.from_port),
      toPort: u8(links.to_port), kind: u8(links.kind), bend: f32(links.bend), kinds: links.kinds,
      capacities: links.capacities,
    };
    this.links.count = this.links.from.length;
    this.#index();
  }

  // What a cable carries, against the usual cable of a host.
  capacity(link) { return this.links.capacities[this.links.kind[link]] ?? 1; }

  isSwitch(node) { return node < this.switchCount; }

  kindOf(node) {
    if (this.isSwitch(node)) return "switch";
    return this.routers.has(node) ? "router" : "host";
  }

  guid(node) { return "0x" + this.guids[node].toString(16).padStart(16, "0"); }

  // Indices of endports, in the order of their port numbers.
  endportsOf(node) {
    const host = node - this.switchCount;
    return host < 0 ? [] : this.endportOrder.subarray(this.firstEndport[host], this.firstEndport[host + 1]);
  }

  // Hosts drawn with a switch.
  hostsOf(at) { return this.hostOrder.subarray(this.firstHost[at], this.firstHost[at + 1]); }

  // What is behind a port of a switch: {link, forward}, {endport}, or null.
  behind(at, port) {
    const entry = this.peers[at * 256 + port];
    if (entry === 0) return null;
    if (entry < 0) return { endport: -entry - 1 };
    return { link: (entry - 1) >> 1, forward: ((entry - 1) & 1) === 0 };
  }

  // "host-1 port 1" only where a host has several.
  endportName(endport) {
    const node = this.endports.node[endport];
    const name = this.names[node];
    return this.endportsOf(node).length > 1 ? `${name} port ${this.endports.port[endport]}` : name;
  }

  lidText(endport) {
    const lid = this.endports.lid[endport];
    const last = lid + (1 << this.endports.lmc[endport]) - 1;
    if (lid === 0) return "no LID";
    return last > lid ? `LIDs ${lid} to ${last}` : `LID ${lid}`;
  }

  #index() {
    this.peers = new Int32Array(this.switchCount * 256);
    const { links, endports } = this;
    for (let l = 0; l < links.count; ++l) {
      if (!this.isSwitch(links.from[l])) continue;
      this.peers[links.from[l] * 256 + links.fromPort[l]] = 1 + 2 * l;
      this.peers[links.to[l] * 256 + links.toPort[l]] = 2 + 2 * l;
    }
    const hosts = this.nodeCount - this.switchCount;
    const hostKey = new Uint32Array(endports.count);
    const home = new Uint32Array(hosts).fill(NOBODY);
    for (let e = 0; e < endports.count; ++e) {
      hostKey[e] = endports.node[e] - this.switchCount;
      if (endports.at[e] === NOBODY) continue;
      this.peers[endports.at[e] * 256 + endports.out[e]] = -1 - e;
      if (home[hostKey[e]] === NOBODY || endports.at[e] < home[hostKey[e]]) {
        home[hostKey[e]] = endports.at[e];
      }
    }
    [this.firstEndport, this.endportOrder] = sortedByKey(hostKey, hosts);
    const [first, order] = sortedByKey(home, this.switchCount);
    this.firstHost = first;
    this.hostOrder = order.map((host) => host + this.switchCount);
  }
}

// Counting sort: where the items of each key begin, and the items. Keys too large are left out.
function sortedByKey(keys, count) {
  const first = new Uint32Array(count + 1);
  for (const key of keys) if (key < count) ++first[key + 1];
  for (let k = 0; k < count; ++k) first[k + 1] += first[k];
  const next = first.slice(0, count);
  const order = new Uint32Array(first[count]);
  for (let i = 0; i < keys.length; ++i) if (keys[i] < count) order[next[keys[i]]++] = i;
  return [first, order];
}
