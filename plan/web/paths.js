// SPDX-License-Identifier: BSD-3-Clause
// The card that asks for two hosts and tells the way between them.
import { card, fill } from "./cards.js";
import { element } from "./elements.js";
import { NOBODY } from "./fabric.js";
import { counted } from "./numbers.js";
import { hostField } from "./search.js";
import { wayTo } from "./tables.js";

export class PathCard {
  // told(way): what to highlight, or null. show(nodes): all of them shall be seen.
  constructor(fabric, finder, tables, engineName, leftOut, told, show) {
    Object.assign(this, { fabric, tables, told, show });
    this.ends = { from: null, to: null };
    this.way = null;
    this.card = card("Path between two hosts", "path");
    if (!tables) {
      fill(this.card, element("p", { class: "soft" }, leftOut));
      return;
    }
    const field = (end, label) => {
      const { input, parts } = hostField(finder, `path-${end}`, label, (node) => this.set(end, node));
      this[`${end}Input`] = input;
      return parts;
    };
    this.lids = element("select", { id: "path-lid", "aria-label": "LID of the destination",
      change: () => this.#refresh() });
    this.lids.hidden = true;
    this.result = element("div", { id: "path-result", "aria-live": "polite" });
    fill(this.card,
      element("div", { class: "pair" }, ...field("from", "From"), ...field("to", "To")),
      element("div", { class: "row" },
        element("button", { type: "button", id: "path-swap", click: () => this.swap() }, "Turn round"),
        element("button", { type: "button", id: "path-clear", click: () => this.clear() }, "Clear"), this.lids),
      this.result);
    this.engineName = engineName;
    this.#refresh();
  }

  get usable() { return Boolean(this.tables); }

  set(end, node) {
    if (!this.tables || this.fabric.endportsOf(node).length === 0) return;
    this.ends[end] = node;
    this[`${end}Input`].value = this.fabric.names[node];
    this.#offerLids();
    this.#refresh();
    if (this.way?.ok) this.show(this.#nodes());
  }

  swap() {
    const { from, to } = this.ends;
    this.ends = { from: to, to: from };
    this.fromInput.value = to === null ? "" : this.fabric.names[to];
    this.toInput.value = from === null ? "" : this.fabric.names[from];
    this.#offerLids();
    this.#refresh();
  }

  clear() {
    this.ends = { from: null, to: null };
    this.fromInput.value = this.toInput.value = "";
    this.#offerLids();
    this.#refresh();
  }

  // The first ports of both that are in one island, else the first ones.
  #ports() {
    const { fabric } = this;
    const [a, b] = [fabric.endportsOf(this.ends.from), fabric.endportsOf(this.ends.to)];
    for (const from of a) {
      for (const to of b) {
        if (fabric.endports.at[from] === NOBODY || fabric.endports.lid[to] === 0) continue;
        if (wayTo(fabric, this.tables, from, fabric.endports.lid[to]).ok) return [from, to];
      }
    }
    return [a[0], b[0]];
  }

  #offerLids() {
    const { to } = this.ends;
    const lids = [];
    for (const e of to === null ? [] : this.fabric.endportsOf(to)) {
      for (let i = 0; i < 1 << this.fabric.endports.lmc[e]; ++i) lids.push(this.fabric.endports.lid[e] + i);
    }
    this.lids.hidden = lids.length < 2;
    this.lids.replaceChildren(element("option", { value: "" }, "first LID"),
      ...lids.map((lid) => element("option", { value: lid }, `LID ${lid}`)));
  }

  #refresh() {
    const { from, to } = this.ends;
    this.way = null;
    if (from === null || to === null) {
      this.result.replaceChildren(element("p", { class: "soft" },
        `By the tables of ${this.engineName}. Choose hosts here, or click one and then, with Shift, another.`));
    } else if (from === to) {
      this.result.replaceChildren(element("p", { class: "soft" }, "That is the same host twice."));
    } else {
      const [a, b] = this.#ports();
      const lid = Number(this.lids.value) || this.fabric.endports.lid[b];
      this.way = { ...wayTo(this.fabric, this.tables, a, lid), from: a, lid };
      this.result.replaceChildren(...this.#tell());
    }
    this.told(this.way ? this.#highlight() : null);
  }

  #tell() {
    const { fabric, way } = this;
    const cables = way.steps.filter((step) => step.link !== null).length;
    const first = element("p", { class: way.ok ? "" : "bad" }, way.ok
      ? `To LID ${way.lid} over ${counted(cables, "cable", "cables")} between switches`
      : `LID ${way.lid} is not reached: ${way.reason}`);
    const rows = [element("li", { class: "host" }, fabric.endportName(way.from))];
    for (const step of way.steps) {
      rows.push(element("li", {}, fabric.names[step.at], " ",
        element("small", {}, `out of port ${step.out}`)));
    }
    if (way.last !== null) rows.push(element("li", { class: "host" }, fabric.endportName(way.last)));
    return [first, element("ol", { class: "hops" }, ...rows)];
  }

  #nodes() {
    const { fabric, way } = this;
    const hosts = [way.from, way.last].filter((e) => e !== null).map((e) => fabric.endports.node[e]);
    return [...hosts, ...way.steps.map((step) => step.at)];
  }

  #highlight() {
    const { fabric, way } = this;
    const feet = [way.from, way.last].filter((e) => e !== null && fabric.endports.at[e] !== NOBODY)
      .map((e) => [fabric.endports.node[e], fabric.endports.at[e]]);
    return {
      hosts: feet.map(([host]) => host),
      switches: way.steps.map((step) => step.at),
      links: way.steps.filter((step) => step.link !== null).map((step) => step.link),
      feet,
    };
  }
}
