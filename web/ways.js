// SPDX-License-Identifier: BSD-3-Clause
// How one host reaches another, hop by hop, as the subnet manager tells it; and what would become
// of that, and of everybody, if something died.
import { card, fill } from "./cards.js";
import { element } from "./elements.js";
import { brief, counted, grouped } from "./numbers.js";
import { hostField } from "./search.js";

const port = ({ node, port: number }) => `${node} port ${number}`;

export class Ways {
  // finder: of search.js. live: of live.js. told(way): what to highlight, or null. show(nodes).
  constructor(server, finder, live, told, show) {
    Object.assign(this, { server, live, told, show });
    this.ends = { from: null, to: null };
    this.path = null; // the answer of /v1/path
    this.asked = 0;
    this.card = card("Path between two hosts", "path");
    this.lossCard = card("What if it dies?", "loss");
    this.lossCard.hidden = true;
    const field = (end, label) => {
      const { input, parts } = hostField(finder, `path-${end}`, label, (node) => this.set(end, node));
      this[`${end}Input`] = input;
      return parts;
    };
    this.result = element("div", { id: "path-result", "aria-live": "polite" });
    this.reasons = element("div", { id: "path-reasons", "aria-live": "polite" });
    fill(this.card,
      element("div", { class: "pair" }, ...field("from", "From"), ...field("to", "To")),
      element("div", { class: "row" },
        element("button", { type: "button", id: "path-swap", click: () => this.swap() }, "Turn round"),
        element("button", { type: "button", id: "path-clear", click: () => this.clear() }, "Clear"),
        element("button", { type: "button", id: "path-why", click: () => this.why() }, "Why?")),
      this.result, this.reasons);
    this.refresh();
  }

  set(end, node) {
    if (this.live.fabric.endportsOf(node).length === 0) return;
    this.ends[end] = node;
    this[`${end}Input`].value = this.live.fabric.names[node];
    this.refresh(true);
  }

  swap() {
    [this.ends.from, this.ends.to] = [this.ends.to, this.ends.from];
    [this.fromInput.value, this.toInput.value] = [this.toInput.value, this.fromInput.value];
    this.refresh();
  }

  clear() {
    this.ends = { from: null, to: null };
    this.fromInput.value = this.toInput.value = "";
    this.lossCard.hidden = true;
    this.refresh();
  }

  // Nodes have other numbers now.
  forget() { this.clear(); }

  // Asks again: the tables may have changed.
  async refresh(show = false) {
    const { from, to } = this.ends;
    const asked = ++this.asked;
    this.reasons.replaceChildren(); // they were about another path
    if (from === null || to === null || from === to) {
      this.path = null;
      this.told(null);
      this.result.replaceChildren(element("p", { class: "soft" }, from !== null && from === to
        ? "That is the same host twice."
        : "As the switches forward now. Choose hosts here, or click one and then, with Shift, another."));
      return;
    }
    try {
      const path = await this.server.get(`/v1/path?from=${this.#lid(from)}&to=${this.#lid(to)}`);
      if (asked !== this.asked) return;
      this.path = path;
      this.result.replaceChildren(...this.#tell(path));
      const way = this.#way(path.hops);
      this.told(way);
      if (show) this.show([...way.hosts, ...way.switches]);
    } catch (refused) {
      if (asked !== this.asked) return;
      this.path = null;
      this.told(null);
      this.result.replaceChildren(element("p", { class: "bad" }, refused.message));
    }
  }

  // Why it is this way, level and key, in sentences.
  async why() {
    const { path, asked } = this;
    if (!path) return;
    const rows = [];
    try {
      const { answers } = await this.server.get(`/v1/explain/path?from=${path.from.lid}&to=${path.to.lid}`);
      answers.forEach(({ question, answer }, i) => {
        if (question !== answers[i - 1]?.question) rows.push(element("dt", {}, question));
        rows.push(element("dd", {}, answer));
      });
    } catch (refused) {
      rows.push(element("dd", { class: "bad" }, refused.message));
    }
    if (asked === this.asked) this.reasons.replaceChildren(element("dl", { class: "reasons" }, ...rows));
  }

  // cut: as /v1/what-if takes it; title: for a person.
  async whatIf(cut, title) {
    this.lossCard.hidden = false;
    fill(this.lossCard, element("p", { class: "soft" }, `${title}: being worked out …`));
    this.lossCard.scrollIntoView({ block: "nearest" });
    const { path } = this;
    const ends = path ? `&from=${path.from.lid}&to=${path.to.lid}` : "";
    const asked = this.askedLoss = {};
    try {
      const answer = await this.server.get(`/v1/what-if?cut=${encodeURIComponent(cut)}${ends}`);
      if (asked !== this.askedLoss) return;
      fill(this.lossCard, ...this.#tellLoss(answer));
    } catch (refused) {
      if (asked === this.askedLoss) fill(this.lossCard, element("p", { class: "bad" }, refused.message));
    }
  }

  #lid(node) {
    const { endports } = this.live.fabric;
    const [first, ...others] = this.live.fabric.endportsOf(node);
    return endports.lid[[first, ...others].find((e) => endports.lid[e] !== 0) ?? first];
  }

  #tell(path) {
    const cables = Math.max(0, path.hops.length - 2);
    const record = path.path_record;
    const terms = record
      ? `Clients are told: SL ${record.service_level}, P_Key ${record.p_key}, MTU ${record.mtu}`
        + `${record.gigabits === null ? "" : `, ${brief(record.gigabits)} Gb/s`}${record.reversible ? ", reversible" : ""}`
      : "Clients are told of no path: these two may not talk.";
    return [
      element("p", { class: path.arrives ? "" : "bad" }, path.arrives
        ? `LID ${path.from.lid} to LID ${path.to.lid} on SL ${path.service_level}, over `
          + `${counted(cables, "cable", "cables")} between switches`
        : `LID ${path.to.lid} is not reached: ${path.trouble}`),
      element("p", { class: "soft" }, terms),
      this.#list(path.hops, true),
    ];
  }

  #list(hops, asks) {
    const rows = hops.map((hop, i) => {
      const last = i === hops.length - 1;
      const loss = asks && !last && i > 0 && hop.in
        ? element("button", { type: "button", class: "plain what-if",
          title: `${port(hop.out)} – ${port(hop.in)}`,
          click: () => this.whatIf(`${hop.out.guid}:${hop.out.port}`, `${port(hop.out)} – ${port(hop.in)}`) },
        "What if this link dies?")
        : null;
      const lane = hop.vl === undefined ? "" : `, VL ${hop.vl}`;
      return element("li", { class: i === 0 ? "host" : null }, `${hop.out.node} `,
        element("small", {}, `out of port ${hop.out.port}${lane} `), loss);
    });
    const end = hops.at(-1)?.in;
    if (end) rows.push(element("li", { class: "host" }, end.node));
    return element("ol", { class: "hops" }, ...rows);
  }

  #tellLoss(answer) {
    const lines = [element("h3", {}, answer.cut)];
    if (answer.error !== null) return [...lines, element("p", { class: "bad" }, answer.error)];
    const parted = answer.pairs_before - answer.pairs_after;
    lines.push(element("p", { class: parted > 0 ? "bad" : "good" }, parted > 0
      ? `${grouped(parted)} of ${grouped(answer.pairs_before)} pairs of hosts would part`
      : "Every host would still reach every other"));
    lines.push(element("p", {}, `${counted(answer.entries, "table entry", "table entries")} in `
      + `${counted(answer.switches, "switch", "switches")} would change, for ${counted(answer.lids, "LID", "LIDs")}; `
      + `${answer.repaired ? "the tables would be repaired" : "the tables would be computed anew"}`));
    lines.push(element("p", {}, "Most loaded cable, against a host's own: "
      + `${brief(answer.greatest_before)} now, ${brief(answer.greatest_after)} then`));
    if (answer.path) lines.push(...this.#tellPathAfter(answer.path));
    else if (this.path) lines.push(element("p", { class: "bad" }, "One end of the path would be gone"));
    return lines;
  }

  #tellPathAfter(path) {
    if (!path.arrives) return [element("p", { class: "bad" }, `This path would end: ${path.trouble}`)];
    const out = (hops) => hops.map((hop) => `${hop.out.guid}/${hop.out.port}`).join(" ");
    if (this.path && out(this.path.hops) === out(path.hops)) return [element("p", {}, "This path would stay as it is")];
    const way = this.#way(path.hops);
    return [
      element("p", {}, "This path would be"), this.#list(path.hops, false),
      element("div", { class: "row" },
        element("button", { type: "button", id: "show-after", click: () => this.told(way) }, "Show it"),
        element("button", { type: "button", click: () => this.path && this.told(this.#way(this.path.hops)) },
          "Show the one of now")),
    ];
  }

  // For the picture.
  #way(hops) {
    const { live } = this;
    const way = { hosts: [], switches: [], links: [], feet: [] };
    for (const hop of hops) {
      const [at, next] = [live.node(hop.out.guid), hop.in ? live.node(hop.in.guid) : undefined];
      if (at === undefined) continue;
      (live.fabric.isSwitch(at) ? way.switches : way.hosts).push(at);
      if (next === undefined) continue;
      if (!live.fabric.isSwitch(at) || !live.fabric.isSwitch(next)) way.feet.push([at, next]);
      else if (live.fabric.behind(at, hop.out.port)?.link !== undefined) {
        way.links.push(live.fabric.behind(at, hop.out.port).link);
      }
      if (!live.fabric.isSwitch(next)) way.hosts.push(next);
    }
    return way;
  }
}
