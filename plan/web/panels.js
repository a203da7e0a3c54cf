// SPDX-License-Identifier: BSD-3-Clause
// The cards beside the picture. Each function makes the content of one from values.
import { table } from "./cards.js";
import { barChart, hopBars, loadBars } from "./charts.js";
import { element } from "./elements.js";
import { brief, counted, duration, grouped } from "./numbers.js";

const WORST_AT_FIRST = 10;

// unit: routes that a host's own cable carries when everyone talks to everyone.
export function engineTable(engines, current, unit, choose) {
  const rows = engines.map((engine, i) => [
    element("button", { type: "button", click: () => choose(i) }, engine.name),
    element("span", { class: engine.certified ? "good" : "bad", title: engine.certified ? "proven" : "not proven" },
      engine.certified ? "✓" : "✗"),
    engine.quality ? brief(engine.quality.weighted.greatest / unit) : "–",
    engine.quality ? brief(engine.quality.mean_hops) : "–",
    engine.patterns ? brief(engine.patterns.weighted_shift_worst) : "–",
    engine.patterns ? `${brief(engine.patterns.ebb * 100)} %` : "–",
    duration(engine.seconds),
  ]);
  return table([["Engine"], ["Proven"], ["Worst", true], ["Hops", true], ["Shift", true], ["EBB", true],
    ["Time", true]], rows, current);
}

export function engineWords(data) {
  const { cable, alike } = data.shades;
  const weighed = alike ? "" : ` Cables are not all as fast: everything is weighed by what a cable carries, and a `
    + `host's own is ${cable}; EBB is of the slower of the two hosts' cables.`;
  return element("details", {}, element("summary", {}, "What the columns say"),
    element("p", { class: "soft" }, "Worst: the most loaded cable when everyone talks to everyone, "
      + "against a host's own. Hops: cables between switches on a route, in the mean. Shift: host i "
      + "sends to host i + k; most packets on one cable, over all k that were tried. EBB: the share of "
      + "its cable that a host gets when random pairs talk. Time: of the engine, without the proof."
      + `${weighed} Chance was dealt by seed ${data.seed}.`));
}

export function engineNotes(engine) {
  const lines = engine.certified ? [] : [element("p", { class: "bad" }, engine.reason)];
  for (const note of engine.notes) lines.push(element("p", { class: "soft" }, note));
  if (engine.vls) lines.push(element("p", { class: "soft" }, counted(engine.vls, "virtual lane", "virtual lanes")));
  return element("div", {}, element("h3", {}, engine.name), ...lines);
}

export function loadChart(engine) {
  const { quality } = engine;
  return element("div", {},
    barChart(loadBars(engine.load_histogram), "Channels by the routes they carry"),
    element("p", { class: "soft" }, `Channels by the routes they carry: ${grouped(quality.least_load)} to `
      + `${grouped(quality.greatest_load)}, ${brief(quality.mean_load)} in the mean; 99 of 100 carry no more `
      + `than ${grouped(quality.p99_load)}`));
}

export function hopChart(engine) {
  const { quality } = engine;
  const lost = quality.lost ? element("p", { class: "bad" }, `${grouped(quality.lost)} routes do not arrive`) : null;
  return element("div", {},
    barChart(hopBars(quality.hops, quality.fewest_hops), "Routes by the cables they pass"),
    element("p", { class: "soft" }, `Routes by the cables between switches that they pass; paler, behind them, `
      + `what the shortest ways would have. ${grouped(quality.routes)} routes, ${brief(quality.mean_hops)} in the mean`),
    lost);
}

export function linkEnds(fabric, link, forward = true) {
  const { links, names } = fabric;
  const a = `${names[links.from[link]]} port ${links.fromPort[link]}`;
  const b = `${names[links.to[link]]} port ${links.toPort[link]}`;
  return forward ? [a, b] : [b, a];
}

export function worstTable(fabric, engine, unit, show, all, more) {
  const shown = all ? engine.worst : engine.worst.slice(0, WORST_AT_FIRST);
  const rows = shown.map((one) => [
    element("button", { type: "button", click: () => show(one.link) },
      linkEnds(fabric, one.link, one.forward).join(" → ")),
    grouped(one.load),
    brief(one.weighted / unit),
  ]);
  const rest = engine.worst.length - shown.length;
  return element("div", {}, table([["From and to"], ["Routes", true], ["Load", true]], rows),
    rest > 0 ? element("button", { type: "button", click: more }, `Show ${rest} more`) : null);
}

export function fabricFacts(data, fabric) {
  const kinds = new Map();
  const count = (kind) => kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  if (data.links.kinds.length > 0) {
    fabric.links.kind.forEach(count);
    const { kind, at } = fabric.endports;
    kind.forEach((one, e) => at[e] < fabric.switchCount && count(one));
  }
  const cables = [...kinds].sort((a, b) => b[1] - a[1])
    .map(([kind, number]) => [data.links.kinds[kind], grouped(number)]);
  const budget = data.budget.map((row) => [
    row.name, row.of === null ? grouped(row.used) : `${grouped(row.used)} of ${grouped(row.of)}`,
  ]);
  return element("div", {},
    data.levels.length > 1 ? levelTable(data.levels) : null,
    element("h3", {}, "Budget"), table([["What"], ["Used", true]], budget),
    cables.length > 0 ? element("h3", {}, "Cables") : null,
    cables.length > 0 ? table([["Kind"], ["Number", true]], cables) : null);
}

// Down to up: 1 is a tree that blocks nobody; 2 has half the cables it would need for that.
function levelTable(levels) {
  const rows = levels.map((level, i) => {
    const down = level.hosts + level.down;
    return [String(i), grouped(level.switches), grouped(level.hosts), grouped(level.down), grouped(level.up),
      level.up === 0 ? "–" : `${brief(down / level.up)} : 1`];
  }).reverse();
  return element("div", {}, element("h3", {}, "Levels"),
    table([["Level"], ["Switches", true], ["Hosts", true], ["Down", true], ["Up", true],
      ["Oversubscribed", true]], rows));
}

export function nodeFacts(fabric, node, engine) {
  const lines = [element("p", { class: "soft" }, `${fabric.kindOf(node)}, GUID ${fabric.guid(node)}`)];
  if (fabric.isSwitch(node)) {
    lines.push(element("p", {}, `LID ${fabric.switchLid[node]}, ${counted(fabric.hostsOf(node).length, "host", "hosts")}`));
    lines.push(portTable(fabric, node, engine));
  }
  for (const e of fabric.endportsOf(node)) {
    const { port, at, out } = fabric.endports;
    const where = at[e] < fabric.switchCount ? `on ${fabric.names[at[e]]} port ${out[e]}` : "on no switch";
    lines.push(element("p", {}, `Port ${port[e]}: ${fabric.lidText(e)}, ${where}${kindText(fabric, fabric.endports.kind[e])}`));
  }
  return lines;
}

function kindText(fabric, kind) {
  const text = fabric.links.kinds[kind];
  return text ? `, ${text}` : "";
}

// Cables of a switch to other switches, with what leaves by them.
function portTable(fabric, at, engine) {
  const rows = [];
  for (let port = 1; port < 255; ++port) {
    const next = fabric.behind(at, port);
    if (!next || next.link === undefined) continue;
    const [, far] = linkEnds(fabric, next.link, next.forward);
    const load = engine?.forward ? (next.forward ? engine.forward : engine.backward)[next.link] : null;
    rows.push([String(port), far, load === null ? "–" : grouped(load)]);
  }
  if (rows.length === 0) return null;
  return element("details", {}, element("summary", {}, counted(rows.length, "cable to a switch", "cables to switches")),
    table([["Port"], ["To"], ["Routes out", true]], rows));
}

// What the tip says of a thing under the pointer: a title and lines.
export function tipOf(fabric, thing, engine, unit) {
  if (thing.kind === "link") {
    const l = thing.index;
    const [a, b] = linkEnds(fabric, l);
    const loads = (list, ends) => `${ends}: ${grouped(list[l])} routes, load ${brief(list[l] / unit / fabric.capacity(l))}`;
    const lines = engine?.forward ? [loads(engine.forward, "there"), loads(engine.backward, "back")] : [];
    const kind = fabric.links.kinds[fabric.links.kind[l]];
    return { title: `${a} – ${b}`, lines: kind ? [kind, ...lines] : lines };
  }
  const node = thing.index;
  if (fabric.isSwitch(node)) {
    return { title: fabric.names[node], lines: [`switch, LID ${fabric.switchLid[node]}`,
      counted(fabric.hostsOf(node).length, "host", "hosts"), fabric.guid(node)] };
  }
  const ports = [...fabric.endportsOf(node)].map((e) => `port ${fabric.endports.port[e]}: ${fabric.lidText(e)}`
    + kindText(fabric, fabric.endports.kind[e]));
  return { title: fabric.names[node], lines: [`${fabric.kindOf(node)}`, ...ports, fabric.guid(node)] };
}
