// SPDX-License-Identifier: BSD-3-Clause
// The page: asks the subnet manager, follows its events, and shows the view that was chosen.
import { card, fill } from "./cards.js";
import { byId } from "./elements.js";
import { Events } from "./events.js";
import { listenToPageKeys } from "./hands.js";
import { Live } from "./live.js";
import { counted } from "./numbers.js";
import { Refused, Server } from "./server.js";
import { Stage } from "./stage.js";
import {
  groupsBody, lostBody, managedBody, partitionsBody, peersBody, recentBody, statusBody, sweepsBody,
} from "./views.js";
import { Ways } from "./ways.js";

const TABS = ["fabric", "events", "partitions", "groups", "sweeps"];
const ASK_EVERY_MS = 10000; // when no event says that something changed
const SETTLE_MS = 250; // after an event, for others that come with it
const LOADS_AGAIN_MS = 400;

const live = new Live();
const server = new Server(askToken);
const stage = new Stage(live, server);
const events = new Events();
const ways = new Ways(server, stage.finder, live, (way) => stage.picture?.setWay(way),
  (nodes) => stage.picture.showAll(nodes));
stage.ways = ways;
const cards = {
  status: card("State", "status"), lost: card("Lost links", "lost"), peers: card("Other subnet managers", "peers"),
  recent: card("Newest events", "recent"),
};
const state = {
  tab: "fabric", theme: "light", sweep: null, counted: null, status: null, heard: false, ready: false,
  partitions: null, // what those are that the page shows
};

async function askToken(wasWrong) {
  byId("token-wrong").hidden = !wasWrong;
  byId("token").value = "";
  const dialog = byId("token-dialog");
  if (!dialog.open) dialog.showModal();
  return new Promise((done) => {
    byId("token-form").onsubmit = (event) => {
      event.preventDefault();
      dialog.close();
      done(byId("token").value.trim());
    };
  });
}

// --- what is known ------------------------------------------------------------------------------

let asking = false;
let askAgain = false;

// One round of questions at a time; whoever wants another meanwhile gets it afterwards.
async function refresh() {
  if (asking) {
    askAgain = true;
    return;
  }
  asking = true;
  try {
    await ask();
    byId("trouble").hidden = true;
  } catch (failure) {
    byId("trouble").hidden = false;
    byId("trouble").textContent = failure instanceof Refused ? failure.message : "The subnet manager does not answer";
  }
  asking = false;
  if (askAgain) {
    askAgain = false;
    refresh();
  }
}

async function ask() {
  const status = await server.get("/v1/status");
  state.status = status;
  showStatus(status);
  const sweep = status.fabric?.sweep ?? null;
  const counted = status.counter_sweep;
  const isOther = sweep !== state.sweep || !live.load;
  if (sweep !== null && (isOther || counted !== state.counted)) {
    await askPicture();
    state.counted = counted;
    state.sweep = sweep;
    if (isOther) ways.refresh();
  }
  if (live.fabric) stage.paintTroubles(status.lost_links);
  await askTab();
}

async function askPicture() {
  let load = live.fabric ? await server.get("/v1/picture/load") : null;
  if (load?.shape !== live.shape || load === null) {
    const drawn = await server.get("/v1/picture");
    if (live.take(drawn)) stage.adopt();
    load = await server.get("/v1/picture/load");
    // Another sweep in between; the next round has it.
    if (load.shape !== live.shape) return;
  }
  live.takeLoad(load);
  stage.paintLoads();
  if (load.under_way) setTimeout(refresh, LOADS_AGAIN_MS);
  else state.ready = true;
}

// There may be 32,000, each with its members: they are asked for when they are others.
async function askPartitions() {
  const { sm, fabric, managed_partitions: made, managed_programmed: programmed } = state.status;
  const these = JSON.stringify([sm.state, fabric?.sweep, made, programmed]);
  if (these === state.partitions) return;
  const all = (await server.get("/v1/partitions")).partitions;
  const managed = made === null ? [] : managedBody(await server.get("/v1/partitions/managed"));
  fill(byId("partitions"), ...partitionsBody(all), ...managed);
  state.partitions = these;
}

async function askTab() {
  if (state.tab === "partitions") {
    await askPartitions();
  } else if (state.tab === "groups") {
    fill(byId("groups"), ...groupsBody((await server.get("/v1/groups")).groups));
  } else if (state.tab === "sweeps") {
    fill(byId("sweeps"), ...sweepsBody((await server.get("/v1/sweeps")).sweeps));
  }
}

function showStatus(status) {
  byId("title").textContent = status.on;
  const { sm, fabric } = status;
  byId("subtitle").textContent = [
    fabric && counted(fabric.switches, "switch", "switches"),
    fabric && counted(fabric.channel_adapters, "host", "hosts"),
    fabric && counted(fabric.links, "link", "links"), `heddle ${status.version}`,
  ].filter(Boolean).join(" · ");
  byId("role").textContent = `${sm.state}${sm.shadow ? ", only watching" : ""}${sm.sweeping ? ", sweeping" : ""}`;
  byId("role").dataset.role = sm.state;
  byId("verdict").textContent = status.verdict;
  byId("verdict").className = status.well ? "pill well" : "pill ill";
  fill(cards.status, ...statusBody(status));
  fill(cards.peers, ...peersBody(sm));
  cards.lost.hidden = status.lost_links.length === 0;
  fill(cards.lost, ...lostBody(status.lost_links));
}

// --- the page -----------------------------------------------------------------------------------

function chooseTab(tab, focus = false) {
  state.tab = tab;
  for (const each of TABS) {
    const button = byId(`tab-${each}`);
    button.setAttribute("aria-selected", String(each === tab));
    button.tabIndex = each === tab ? 0 : -1;
    byId(each).hidden = each !== tab;
  }
  if (focus) byId(`tab-${tab}`).focus();
  if (location.hash !== `#${tab}`) history.replaceState(null, "", `#${tab}`);
  refresh();
}

function setTheme(theme) {
  state.theme = theme;
  document.documentElement.dataset.theme = theme;
  byId("theme-name").textContent = theme === "dark" ? "Change to light" : "Change to dark";
  stage.setTheme(theme);
}

function listen() {
  TABS.forEach((tab, i) => {
    byId(`tab-${tab}`).addEventListener("click", () => chooseTab(tab));
    byId(`tab-${tab}`).addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: TABS.length - 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      chooseTab(TABS[(i + step) % TABS.length], true);
    });
  });
  const toggle = () => setTheme(state.theme === "dark" ? "light" : "dark");
  const keys = { t: toggle, "/": () => { chooseTab("fabric"); byId("search").focus(); } };
  TABS.forEach((tab, i) => { keys[String(i + 1)] = () => chooseTab(tab, true); });
  // On the picture itself 0 shows all; 1 to 5 choose a view everywhere.
  listenToPageKeys(keys);
  const preferred = window.matchMedia("(prefers-color-scheme: dark)");
  let chosen = false;
  byId("theme").addEventListener("click", () => { chosen = true; toggle(); });
  preferred.addEventListener("change", () => chosen || setTheme(preferred.matches ? "dark" : "light"));
  setTheme(preferred.matches ? "dark" : "light");
}

async function followEvents() {
  const { events: old, next } = await server.get("/v1/events");
  old.forEach((event) => events.take(event));
  let settling = null;
  await server.follow(next - 1, (event) => {
    events.take(event);
    settling ??= setTimeout(() => {
      settling = null;
      refresh();
    }, SETTLE_MS);
  }, (heard) => {
    state.heard = heard;
    byId("heard").textContent = heard ? "live" : "not connected";
    byId("heard").className = heard ? "pill well" : "pill ill";
    state.partitions = null; // it may be another subnet manager
    if (heard) refresh();
  });
}

function begin() {
  byId("side").append(cards.status, cards.lost, stage.card, ways.card, ways.lossCard, cards.recent, cards.peers);
  cards.lost.hidden = true;
  events.onshown = () => fill(cards.recent, ...recentBody(events.recent(8)));
  listen();
  const wanted = location.hash.slice(1);
  chooseTab(TABS.includes(wanted) ? wanted : "fabric");
  followEvents();
  setInterval(refresh, ASK_EVERY_MS);
}

begin();

// For tests, and for whoever is curious.
window.heddle = {
  live, stage, ways, events, state, server,
  get picture() { return stage.picture; },
  get fabric() { return live.fabric; },
  find: (text) => stage.finder.find(text).map((node) => live.fabric.names[node]),
  // Where a node of this name is on the page's picture, in CSS pixels.
  placeOf(name) {
    const node = live.fabric.names.indexOf(name);
    return stage.picture.camera.toScreen(live.fabric.x[node], live.fabric.y[node]);
  },
};
