// SPDX-License-Identifier: BSD-3-Clause
// The page: takes the report's values, makes the picture and the cards, and ties them together.
import { card, fill } from "./cards.js";
import { paintRamp } from "./colours.js";
import { byId, element } from "./elements.js";
import { Fabric } from "./fabric.js";
import { listenToMapKeys, listenToPageKeys, listenToPointers, placeTip } from "./hands.js";
import { brief, counted, u32 } from "./numbers.js";
import {
  engineNotes, engineTable, engineWords, fabricFacts, hopChart, linkEnds, loadChart, nodeFacts, tipOf, worstTable,
} from "./panels.js";
import { PathCard } from "./paths.js";
import { Picture } from "./picture.js";
import { Finder, offer } from "./search.js";
import { Tables } from "./tables.js";

const data = JSON.parse(byId("heddle-data").textContent);
const fabric = new Fabric(data);
const finder = new Finder(fabric);
const picture = new Picture(byId("map"), byId("over"), fabric, data.picture);
const state = { engine: 0, theme: "light", selected: null, allWorst: false };

// What a host's own cable carries when everyone talks to everyone, and the load of the last shade.
const { unit, hottest } = data.shades;

const engines = data.engines.map((engine) => ({
  ...engine,
  forward: engine.load_forward ? u32(engine.load_forward) : null,
  backward: engine.load_backward ? u32(engine.load_backward) : null,
}));
const cards = {
  warnings: card("What the file left open", "warnings"),
  selected: card("Selected", "selected"),
  engines: card("Routing engines", "engines"),
  loads: card("Loads", "loads"),
  hops: card("Hops", "hops"),
  worst: card("Most loaded cables", "worst"),
  fabric: card("Fabric", "facts"),
};
const tables = data.tables.left_out === undefined ? new Tables(data.tables) : null;
const path = new PathCard(fabric, finder, tables, tables ? engines[tables.engine].name : "",
  data.tables.left_out, (way) => picture.setWay(way), (nodes) => picture.showAll(nodes));

function say(text) { byId("said").textContent = text; }

function chooseEngine(index) {
  state.engine = index;
  byId("engine").value = String(index);
  const engine = engines[index];
  const measured = Boolean(engine?.forward);
  picture.setShades(measured
    ? Float32Array.from(engine.forward, (there, l) => Math.min(1, Math.max(there, engine.backward[l]) / fabric.capacity(l) / unit / hottest))
    : null);
  fill(cards.engines, engineTable(engines, index, unit, chooseEngine), engineWords(data),
    engine ? engineNotes(engine) : null);
  for (const one of [cards.loads, cards.hops, cards.worst]) one.hidden = !measured;
  byId("legend").hidden = !measured;
  if (measured) {
    fill(cards.loads, loadChart(engine));
    fill(cards.hops, hopChart(engine));
    showWorst(false);
  }
  if (state.selected) select(state.selected);
}

function showWorst(all) {
  fill(cards.worst, worstTable(fabric, engines[state.engine], unit, showLink, all, () => showWorst(true)));
}

function showLink(link) {
  select({ kind: "link", index: link });
  picture.showAll([fabric.links.from[link], fabric.links.to[link]]);
}

function select(thing) {
  state.selected = thing;
  picture.setSelected(thing);
  cards.selected.hidden = thing === null;
  if (thing === null) return;
  const engine = engines[state.engine];
  if (thing.kind === "link") {
    const tip = tipOf(fabric, thing, engine, unit);
    const [a, b] = linkEnds(fabric, thing.index);
    fill(cards.selected, element("h3", {}, `${a} – ${b}`), ...tip.lines.map((line) => element("p", {}, line)));
    say(`${a} to ${b}`);
    return;
  }
  const node = thing.index;
  const end = (which, text) => element("button", { type: "button", click: () => path.set(which, node) }, text);
  const routable = path.usable && fabric.endportsOf(node).length > 0;
  fill(cards.selected, element("h3", {}, fabric.names[node]), ...nodeFacts(fabric, node, engine),
    routable ? element("div", { class: "row" }, end("from", "Path from here"), end("to", "Path to here")) : null);
  say(`${fabric.names[node]}, ${finder.describe(node)}`);
}

// What was searched is shown, and the keys move the picture around it.
function choose(node) {
  select({ kind: "node", index: node });
  picture.show(node);
  byId("map").focus();
}

function setTheme(theme) {
  state.theme = theme;
  document.documentElement.dataset.theme = theme;
  byId("theme-name").textContent = theme === "dark" ? "Change to light" : "Change to dark";
  picture.setTheme(theme);
  paintRamp(byId("ramp"), theme);
}

function hover(event) {
  const thing = picture.at(event.offsetX, event.offsetY);
  picture.setHovered(thing);
  byId("map").classList.toggle("over-node", thing !== null);
  const tip = byId("tip");
  tip.hidden = thing === null;
  if (thing === null) return;
  const { title, lines } = tipOf(fabric, thing, engines[state.engine], unit);
  tip.replaceChildren(element("strong", {}, title), ...lines.map((line) => element("span", {}, line)));
  placeTip(tip, byId("map"), event);
}

function click(event) {
  const thing = picture.at(event.offsetX, event.offsetY);
  const before = state.selected;
  if (event.shiftKey && thing?.kind === "node" && before?.kind === "node") {
    path.set("from", before.index);
    path.set("to", thing.index);
  }
  select(thing);
}

function begin() {
  const { counts } = data;
  byId("title").textContent = data.fabric;
  byId("title").title = data.fabric;
  byId("subtitle").textContent = [
    data.picture.title, counted(counts.switches, "switch", "switches"), counted(counts.hosts, "host", "hosts"),
    counted(counts.links, "cable", "cables"), data.made_by,
  ].join(" · ");
  byId("map").setAttribute("aria-label", `Picture of the fabric: ${byId("subtitle").textContent}`);
  byId("ramp-low").textContent = "0";
  byId("ramp-middle").textContent = brief(hottest / 2);
  const hotter = engines.some((engine) => engine.quality && engine.quality.weighted.greatest / unit > hottest * 1.001);
  byId("ramp-high").textContent = `${brief(hottest)}${hotter ? "+" : ""}`;
  engines.forEach((engine, i) => byId("engine").append(element("option", { value: i }, engine.name)));
  byId("engine").addEventListener("change", (event) => chooseEngine(Number(event.target.value)));
  byId("zoom-in").addEventListener("click", () => picture.zoom(1.5));
  byId("zoom-out").addEventListener("click", () => picture.zoom(1 / 1.5));
  byId("fit").addEventListener("click", () => picture.fit());
  byId("theme").addEventListener("click", () => setTheme(state.theme === "dark" ? "light" : "dark"));
  offer(finder, byId("search"), byId("found"), choose);
  listenToPointers(byId("map"), picture, { hover, click, leave: () => { byId("tip").hidden = true; } });
  listenToMapKeys(byId("map"), picture, select);
  listenToPageKeys({
    "/": () => byId("search").focus(),
    t: () => setTheme(state.theme === "dark" ? "light" : "dark"),
  });

  fill(cards.fabric, fabricFacts(data, fabric));
  fill(cards.warnings, ...data.warnings.map((warning) => element("p", {}, warning)));
  cards.warnings.classList.add("warning");
  cards.warnings.hidden = data.warnings.length === 0;
  cards.selected.hidden = true;
  cards.engines.hidden = engines.length === 0;
  byId("engine").parentElement.hidden = engines.length === 0;
  byId("side").append(cards.warnings, cards.selected, path.card, cards.engines, cards.loads, cards.hops,
    cards.worst, cards.fabric);

  const preferred = window.matchMedia("(prefers-color-scheme: dark)");
  let chosen = false;
  byId("theme").addEventListener("click", () => { chosen = true; });
  preferred.addEventListener("change", () => chosen || setTheme(preferred.matches ? "dark" : "light"));
  setTheme(preferred.matches ? "dark" : "light");
  const firstMeasured = engines.findIndex((engine) => engine.forward);
  chooseEngine(Math.max(0, firstMeasured));
  new ResizeObserver(() => picture.resize(50, 40)).observe(byId("map"));
}

begin();

// For tests, and for whoever is curious.
window.heddle = {
  data, engines, fabric, picture, path, state,
  find: (text) => finder.find(text).map((node) => fabric.names[node]),
  // Where a node of this name is on the page's picture, in CSS pixels.
  placeOf(name) {
    const node = fabric.names.indexOf(name);
    return picture.camera.toScreen(fabric.x[node], fabric.y[node]);
  },
  interactiveAfter: performance.now(),
};
