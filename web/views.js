// SPDX-License-Identifier: BSD-3-Clause
// Answers of the API as cards and tables. What comes from a fabric becomes text, never markup.
import { table } from "./cards.js";
import { barChart } from "./charts.js";
import { element } from "./elements.js";
import { clock } from "./events.js";
import { brief, counted, duration, grouped } from "./numbers.js";

export function andMore(all, shown) {
  return all.length > shown ? element("p", { class: "soft" }, `and ${grouped(all.length - shown)} more`) : null;
}

function facts(rows) {
  return element("dl", { class: "facts" }, ...rows.filter(([, value]) => value !== null)
    .flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}

const end = ({ node, port }) => `${node}/${port}`;

export function statusBody(status) {
  const { sm, fabric, last_sweep: sweep } = status;
  const reasons = status.reasons.map((reason) => element("p", { class: "bad" }, reason));
  return [
    element("p", { class: status.well ? "good verdict" : "bad verdict" }, status.verdict), ...reasons,
    facts([
      ["Manager", `${sm.state}, priority ${sm.priority}${sm.at ? `, at ${end(sm.at)}` : ""}`],
      ["Up", uptime(status.uptime_seconds)],
      ["Fabric", fabric && `${counted(fabric.switches, "switch", "switches")}, `
        + `${counted(fabric.channel_adapters, "host port", "hosts")}, ${counted(fabric.links, "link", "links")}`],
      ["Ports", fabric && `${grouped(fabric.ports_active)} ACTIVE`
        + (fabric.ports_not_active ? `, ${grouped(fabric.ports_not_active)} not` : "")],
      ["LIDs", fabric && `${grouped(fabric.lids)}, LMC ${fabric.lmc}`],
      ["Routing", fabric?.routing ? routingText(fabric.routing) : null],
      ["Sweep", sweep && `number ${sweep.number}, ${duration(sweep.seconds)}, `
        + `${grouped(sweep.gets)} Get, ${grouped(sweep.sets)} Set`],
    ]),
  ];
}

function routingText(routing) {
  const proof = routing.faulty_routes > 0 ? `${grouped(routing.faulty_routes)} routes do not arrive` : "all proven";
  return `${routing.engine}, at most ${counted(routing.most_hops, "hop", "hops")}, ${proof}, `
    + `${routing.deadlock_free ? "no credit loop" : "CREDIT LOOP"}`;
}

export function uptime(seconds) {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172800 ? `${brief(seconds / 3600)} h` : `${brief(seconds / 86400)} days`;
}

export function lostBody(lost) {
  return [table([["From"], ["To"], ["Since"]],
    lost.slice(0, 100).map((link) => [end(link.a), end(link.b), clock(link.since)])), andMore(lost, 100)];
}

export function peersBody(sm) {
  if (sm.peers.length === 0) return [element("p", { class: "soft" }, "There is no other subnet manager.")];
  return [table([["At"], ["State"], ["Priority", true]],
    sm.peers.map((peer) => [peer.at ? end(peer.at) : peer.guid, peer.state, String(peer.priority)]))];
}

export function recentBody(events) {
  if (events.length === 0) return [element("p", { class: "soft" }, "None yet.")];
  return [element("ul", { class: "recent" }, ...events.map((event) => element("li", { class: event.level },
    element("time", { datetime: event.time }, clock(event.time).slice(11)), ` ${event.message}`)))];
}

export function partitionsBody(rows) {
  return [table([["P_Key"], ["Name"], ["SL", true], ["IPoIB"], ["Full members", true], ["Limited", true]],
    rows.slice(0, MOST_ROWS).map((row) => [row.p_key, row.name, String(row.service_level),
      row.ipoib ? "yes" : "no", grouped(row.full_members), grouped(row.limited_members)])),
  andMore(rows, MOST_ROWS)];
}

const MOST_SHOWN = 200; // partitions of programs, and members of one
const MOST_ROWS = 1000;

// Those that programs made, by /v1/partitions/managed.
export function managedBody({ generation, programmed, done, changed, partitions }) {
  const standing = done ? "the fabric has it" : `the fabric has ${programmed ?? "none of it"} yet`;
  const members = ({ members: all }) => {
    if (all.length === 0) return "none";
    const rest = all.length > MOST_SHOWN ? `, and ${grouped(all.length - MOST_SHOWN)} more` : "";
    return element("details", {}, element("summary", {}, grouped(all.length)),
      all.slice(0, MOST_SHOWN).map((member) => `${member.guid} ${member.membership}`).join(", ") + rest);
  };
  return [
    element("h2", { id: "managed" }, "Made by programs"),
    element("p", { class: "soft" }, `Generation ${generation}: ${standing}`
      + `${changed ? `, changed ${clock(changed)}` : ""}`),
    partitions.length === 0 ? element("p", { class: "soft" }, "None.")
      : table([["P_Key"], ["Name"], ["SL", true], ["IPoIB"], ["Members"]],
        partitions.slice(0, MOST_SHOWN).map((one) => [one.p_key, one.name, String(one.service_level),
          one.ipoib ? "yes" : "no", members(one)])),
    andMore(partitions, MOST_SHOWN),
  ];
}

export function groupsBody(rows) {
  return [table([["MGID"], ["MLID"], ["P_Key"], ["MTU", true], ["SL", true], ["Members", true]],
    rows.slice(0, MOST_ROWS).map((row) => [row.mgid, row.mlid, row.p_key, String(row.mtu),
      String(row.service_level), grouped(row.member_count)])),
  andMore(rows, MOST_ROWS)];
}

export function sweepsBody(sweeps) {
  const newest = sweeps.slice(-60);
  const bars = newest.map((sweep) => ({ label: String(sweep.number), value: sweep.seconds * 1000,
    title: `Sweep ${sweep.number}: ${duration(sweep.seconds)}, ${sweep.reason}` }));
  return [
    bars.length > 1 ? barChart(bars, "Milliseconds that sweeps took") : null,
    element("p", { class: "soft" }, "Milliseconds by sweep"),
    table([["Sweep", true], ["Finished"], ["Kind"], ["Reason"], ["Took", true], ["Get", true], ["Set", true],
      ["Repeated", true], ["Unanswered", true]],
    sweeps.slice().reverse().map((sweep) => [String(sweep.number), clock(sweep.finished),
      sweep.full ? "full" : "what changed", sweep.reason, duration(sweep.seconds), grouped(sweep.gets),
      grouped(sweep.sets), grouped(sweep.retries), grouped(sweep.unanswered)])),
  ];
}
