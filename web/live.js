// SPDX-License-Identifier: BSD-3-Clause
// The fabric on the picture while it changes. As long as nothing new appears everything keeps its
// place, and what is gone is marked where it was; only a fabric with something new is drawn anew.
import { Fabric } from "./fabric.js";
import { u32, u8 } from "./numbers.js";

const ACTIVE = 2;

export class Live {
  constructor() {
    this.shape = null; // of the newest picture; the one shown may be an older, larger one
    this.fabric = null;
    this.data = null;
    this.load = null; // {unit, hottest, forward, backward}, by link shown
    this.states = null;
    this.counted = null; // {hot, forward, backward, ill}: what the links really carry, in 1/10000
  }

  // A picture that the server drew. True if it must be drawn anew.
  take({ shape, report }) {
    const next = new Fabric(report);
    this.shape = shape;
    const map = this.fabric ? placesIn(this.fabric, next) : null;
    if (map) {
      Object.assign(this, map);
      return false;
    }
    this.data = report;
    this.fabric = next;
    this.nodeHere = Uint32Array.from(next.names, (_, node) => node);
    this.linkHere = Uint32Array.from({ length: next.links.count }, (_, link) => link);
    this.goneNodes = [];
    this.goneLinks = [];
    this.nodeByGuid = new Map(Array.from(next.guids, (guid, node) => [guid, node]));
    return true;
  }

  // States and loads of the same shape. What is gone carries nothing.
  takeLoad({ states, load, counted }) {
    const { count } = this.fabric.links;
    const spread = (values) => {
      const all = new values.constructor(count);
      values.forEach((value, i) => { all[this.linkHere[i]] = value; });
      return all;
    };
    this.states = spread(u8(states.links));
    this.counted = counted && { hot: counted.hot, ill: spread(u8(counted.ill)),
      forward: spread(u32(counted.forward)), backward: spread(u32(counted.backward)) };
    this.load = load && { ...load, forward: spread(u32(load.forward)), backward: spread(u32(load.backward)) };
  }

  // What the counters say, where 1 is all that a link can carry; null when they were not read.
  traffic() {
    if (!this.counted) return null;
    const { forward, backward } = this.counted;
    return Float32Array.from(forward, (there, link) => Math.min(1, Math.max(there, backward[link]) / 10000));
  }

  // Against what is hot: 0..1 by link; null when nothing is known.
  shades() {
    if (!this.load) return null;
    const { forward, backward, unit, hottest } = this.load;
    return Float32Array.from(forward, (there, link) => Math.min(1,
      Math.max(there, backward[link]) / this.fabric.capacity(link) / unit / hottest));
  }

  // What Picture.setTroubles takes. lost: rows of /v1/status.
  troubles(lost) {
    const links = this.goneLinks.map((link) => [link, "lost"]);
    const gone = new Set(this.goneLinks);
    this.counted?.ill.forEach((ill, link) => ill && !gone.has(link) && links.push([link, "waiting"]));
    this.states?.forEach((state, link) => state < ACTIVE && !gone.has(link) && links.push([link, "waiting"]));
    const ghosts = [];
    for (const { a, b } of lost) {
      const [from, to] = [this.node(a.guid), this.node(b.guid)];
      if (from === undefined || to === undefined) continue;
      const known = this.#isDrawn(from, a.port) || this.#isDrawn(to, b.port);
      if (!known) ghosts.push([from, to]);
    }
    return { links, nodes: this.goneNodes, ghosts };
  }

  // By the GUID as the API writes it; undefined when it is not on the picture.
  node(guid) { return this.nodeByGuid.get(BigInt(guid)); }

  isGone(node) { return this.goneNodes.includes(node); }

  #isDrawn(node, port) { return this.fabric.isSwitch(node) && this.fabric.behind(node, port) !== null; }
}

// Where the nodes and links of `next` are in `before`, and what of `before` is gone; null when
// something of `next` is new, or is called or addressed otherwise.
function placesIn(before, next) {
  const byGuid = new Map(Array.from(before.guids, (guid, node) => [guid, node]));
  const nodeHere = new Uint32Array(next.nodeCount);
  const nodes = new Set();
  for (let node = 0; node < next.nodeCount; ++node) {
    const here = byGuid.get(next.guids[node]);
    if (here === undefined || before.names[here] !== next.names[node]) return null;
    if (next.isSwitch(node) !== before.isSwitch(here)) return null;
    if (next.isSwitch(node) && before.switchLid[here] !== next.switchLid[node]) return null;
    nodeHere[node] = here;
    nodes.add(here);
  }
  const linkHere = new Uint32Array(next.links.count);
  const links = new Set();
  for (let link = 0; link < next.links.count; ++link) {
    const { from, fromPort, to, toPort } = next.links;
    if (!next.isSwitch(from[link])) return null;
    const there = before.behind(nodeHere[from[link]], fromPort[link]);
    if (there?.link === undefined) return null;
    const end = there.forward ? [before.links.to, before.links.toPort] : [before.links.from, before.links.fromPort];
    if (end[0][there.link] !== nodeHere[to[link]] || end[1][there.link] !== toPort[link]) return null;
    linkHere[link] = there.link;
    links.add(there.link);
  }
  const { endports } = next;
  for (let e = 0; e < endports.count; ++e) {
    if (endports.at[e] >= next.switchCount) return null;
    const there = before.behind(nodeHere[endports.at[e]], endports.out[e]);
    if (there?.endport === undefined) return null;
    if (before.endports.node[there.endport] !== nodeHere[endports.node[e]]) return null;
    if (before.endports.lid[there.endport] !== endports.lid[e]) return null;
  }
  const missing = (count, have) => Array.from({ length: count }, (_, i) => i).filter((i) => !have.has(i));
  return {
    nodeHere, linkHere,
    goneNodes: missing(before.nodeCount, nodes), goneLinks: missing(before.links.count, links),
  };
}
