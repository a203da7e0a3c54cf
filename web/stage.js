// SPDX-License-Identifier: BSD-3-Clause
// The picture with what belongs to it: hands, tips, the selected thing, search, the legend.
import { card, fill, table } from "./cards.js";
import { paintRamp } from "./colours.js";
import { byId, element } from "./elements.js";
import { listenToMapKeys, listenToPointers, placeTip } from "./hands.js";
import { brief, counted, grouped } from "./numbers.js";
import { Picture } from "./picture.js";
import { Finder, offer } from "./search.js";
import { andMore } from "./views.js";

const FEW_GUESTS = 8; // virtual ports that are listed without being asked for
const MOST_GUESTS = 200;

export class Stage {
  constructor(live, server) {
    this.live = live;
    this.server = server;
    this.guests = { node: null, shown: null }; // the virtual ports that the card shows
    this.picture = null;
    this.selected = null;
    this.colouring = "load";
    this.card = card("Selected", "selected");
    this.card.hidden = true;
    this.ways = null; // set by whoever makes it
    // Always of the fabric that is shown.
    this.finder = {
      find: (...words) => this.current?.find(...words) ?? [],
      describe: (node) => this.current.describe(node),
      get fabric() { return live.fabric; },
    };
    offer(this.finder, byId("search"), byId("found"), (node) => this.choose(node));
    byId("colour").addEventListener("change", (event) => {
      this.colouring = event.target.value;
      this.paintLoads();
    });
    byId("zoom-in").addEventListener("click", () => this.picture?.zoom(1.5));
    byId("zoom-out").addEventListener("click", () => this.picture?.zoom(1 / 1.5));
    byId("fit").addEventListener("click", () => this.picture?.fit());
  }

  // The fabric of `live` is another one.
  adopt() {
    const { live } = this;
    this.current = new Finder(live.fabric);
    if (this.picture) {
      this.picture.adopt(live.fabric, live.data.picture);
    } else {
      this.picture = new Picture(byId("map"), byId("over"), live.fabric, live.data.picture);
      this.picture.setTheme(document.documentElement.dataset.theme);
      const leave = () => { byId("tip").hidden = true; };
      listenToPointers(byId("map"), this.picture,
        { hover: (event) => this.#hover(event), click: (event) => this.#click(event), leave });
      listenToMapKeys(byId("map"), this.picture, (thing) => this.select(thing));
      new ResizeObserver(() => this.picture.resize(50, 40)).observe(byId("map"));
    }
    this.select(null);
    this.ways?.forget();
    byId("map").setAttribute("aria-label", `Picture of the fabric: ${live.data.picture.title}`);
  }

  setTheme(theme) {
    this.picture?.setTheme(theme);
    paintRamp(byId("ramp"), theme);
  }

  paintLoads() {
    const counted = this.colouring === "traffic";
    const shades = counted ? this.live.traffic() : this.colouring === "load" ? this.live.shades() : null;
    this.picture.setShades(shades);
    byId("legend").hidden = shades === null;
    byId("legend-load").hidden = counted;
    byId("legend-traffic").hidden = !counted;
    if (shades === null) return;
    if (counted) {
      byId("ramp-low").textContent = "0";
      byId("ramp-middle").textContent = "50 %";
      byId("ramp-high").textContent = "100 %";
      return;
    }
    byId("ramp-low").textContent = "0";
    byId("ramp-middle").textContent = brief(this.live.load.hottest / 2);
    byId("ramp-high").textContent = `${brief(this.live.load.hottest)}`
      + `${this.live.load.greatest > this.live.load.hottest * 1.001 ? "+" : ""}`;
  }

  paintTroubles(lost) {
    this.picture.setTroubles(this.live.troubles(lost));
    if (this.selected) this.select(this.selected);
  }

  choose(node) {
    this.select({ kind: "node", index: node });
    this.picture.show(node);
    byId("map").focus();
  }

  select(thing) {
    this.selected = thing;
    this.picture.setSelected(thing);
    this.card.hidden = thing === null;
    if (thing === null) return;
    const { title, lines } = this.#tell(thing);
    fill(this.card, element("h3", {}, title), ...lines.map((line) => element("p", {}, line)),
      ...this.#offers(thing), thing.kind === "node" ? this.#cables(thing.index) : null,
      this.#guestsOf(thing));
    byId("said").textContent = `${title}, ${lines[0] ?? ""}`;
  }

  #offers({ kind, index }) {
    const { live, ways } = this;
    const { fabric } = live;
    const button = (text, click) => element("button", { type: "button", click }, text);
    if (kind === "link") {
      const { from, fromPort } = fabric.links;
      if (live.goneLinks.includes(index)) return [];
      return [element("div", { class: "row" }, button("What if this link dies?", () => ways.whatIf(
        `${fabric.guid(from[index])}:${fromPort[index]}`, this.#ends(index).join(" – "))))];
    }
    if (live.isGone(index)) return [];
    if (fabric.isSwitch(index)) {
      return [element("div", { class: "row" }, button("What if this switch dies?",
        () => ways.whatIf(fabric.guid(index), fabric.names[index])))];
    }
    return [element("div", { class: "row" }, button("Path from here", () => ways.set("from", index)),
      button("Path to here", () => ways.set("to", index)))];
  }

  // Virtual ports behind a host: those known from the last answer, while they are asked for again.
  #guestsOf({ kind, index }) {
    const { fabric } = this.live;
    if (kind !== "node" || fabric.isSwitch(index) || this.live.isGone(index)) return null;
    if (this.guests.node !== index) this.guests = { node: index, shown: element("div", { id: "guests" }) };
    this.#askGuests(index, this.guests.shown);
    return this.guests.shown;
  }

  async #askGuests(node, shown) {
    const path = `/v1/virtual-ports?node=${this.live.fabric.guid(node)}`;
    let rows = [];
    try {
      rows = (await this.server.get(path)).virtual_ports;
    } catch {
      return; // another refresh tells what is wrong
    }
    const open = shown.querySelector("details")?.open ?? rows.length <= FEW_GUESTS;
    shown.replaceChildren(...(rows.length === 0 ? [] : [element("details", { open },
      element("summary", {}, counted(rows.length, "virtual port", "virtual ports")),
      table([["Port"], ["Index", true], ["GUID"], ["LID", true], ["P_Keys"]],
        rows.slice(0, MOST_GUESTS).map((row) => [String(row.port), String(row.index), row.port_guid,
          row.own_lid ? String(row.lid) : `${row.lid}, shared`, row.p_keys.join(" ")])),
      andMore(rows, MOST_GUESTS))]));
  }

  // Of a switch, to other switches.
  #cables(node) {
    const { fabric, load } = this.live;
    if (!fabric.isSwitch(node)) return null;
    const rows = [];
    for (let port = 1; port < 255; ++port) {
      const next = fabric.behind(node, port);
      if (next?.link === undefined) continue;
      const out = load ? (next.forward ? load.forward : load.backward)[next.link] : null;
      rows.push([String(port), this.#ends(next.link, next.forward)[1], this.#state(next.link),
        out === null ? "–" : brief(out / load.unit / fabric.capacity(next.link))]);
    }
    if (rows.length === 0) return null;
    return element("details", {}, element("summary", {}, counted(rows.length, "cable to a switch", "cables to switches")),
      table([["Port"], ["To"], ["State"], ["Load out", true]], rows));
  }

  #state(link) {
    if (this.live.goneLinks.includes(link)) return "lost";
    return ["down", "not ACTIVE", "ACTIVE"][this.live.states?.[link] ?? 2];
  }

  #ends(link, forward = true) {
    const { links, names } = this.live.fabric;
    const a = `${names[links.from[link]]} port ${links.fromPort[link]}`;
    const b = `${names[links.to[link]]} port ${links.toPort[link]}`;
    return forward ? [a, b] : [b, a];
  }

  // {title, lines} of a thing, for tips and the card.
  #tell({ kind, index }) {
    const { live } = this;
    const { fabric, load } = live;
    if (kind === "link") {
      const of = (list) => `${grouped(list[index])} routes, load ${brief(list[index] / load.unit / fabric.capacity(index))}`;
      const cable = fabric.links.kinds[fabric.links.kind[index]];
      const lines = [this.#state(index) + (cable ? `, ${cable}` : "")];
      const { counted } = live;
      if (counted) {
        const share = (list) => `${brief(list[index] / 100)} %`;
        lines.push(`carries ${share(counted.forward)} there, ${share(counted.backward)} back`);
        if (counted.ill[index]) lines.push("errors grow too fast");
      }
      if (load) lines.push(`there: ${of(load.forward)}`, `back: ${of(load.backward)}`);
      return { title: this.#ends(index).join(" – "), lines };
    }
    const gone = live.isGone(index) ? ", GONE" : "";
    if (fabric.isSwitch(index)) {
      return { title: fabric.names[index], lines: [`switch, LID ${fabric.switchLid[index]}${gone}`,
        counted(fabric.hostsOf(index).length, "host", "hosts"), fabric.guid(index)] };
    }
    const ports = [...fabric.endportsOf(index)].map((e) => {
      const { port, at, out, kind: cable } = fabric.endports;
      const where = at[e] < fabric.switchCount ? ` on ${fabric.names[at[e]]} port ${out[e]}` : "";
      const speed = fabric.links.kinds[cable[e]];
      return `port ${port[e]}: ${fabric.lidText(e)}${where}${speed ? `, ${speed}` : ""}`;
    });
    return { title: fabric.names[index], lines: [`${fabric.kindOf(index)}${gone}`, ...ports, fabric.guid(index)] };
  }

  #hover(event) {
    const thing = this.picture.at(event.offsetX, event.offsetY);
    this.picture.setHovered(thing);
    byId("map").classList.toggle("over-node", thing !== null);
    const tip = byId("tip");
    tip.hidden = thing === null;
    if (thing === null) return;
    const { title, lines } = this.#tell(thing);
    tip.replaceChildren(element("strong", {}, title), ...lines.map((line) => element("span", {}, line)));
    placeTip(tip, byId("map"), event);
  }

  #click(event) {
    const thing = this.picture.at(event.offsetX, event.offsetY);
    const before = this.selected;
    if (event.shiftKey && thing?.kind === "node" && before?.kind === "node") {
      this.ways.set("from", before.index);
      this.ways.set("to", thing.index);
    }
    this.select(thing);
  }
}
