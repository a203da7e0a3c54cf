// SPDX-License-Identifier: BSD-3-Clause
// The picture of a fabric on a canvas: it knows places, names and a shade for each cable, nothing
// of reports. What is large is painted in small portions, so that the page never stops answering;
// meanwhile the last finished picture is shown, moved and scaled.
import { Camera } from "./camera.js";
import { SHADES, coloursOf } from "./colours.js";
import { addCurve, distanceTo } from "./curves.js";

const PORTION_MS = 9; // of painting, until the page may do something else
const CHEAP_MS = 6; // of painting all of it: it can be done anew for each step of a movement
const CALM_MS = 120; // without movement, until what is not cheap is painted anew
const LINKS_AT_ONCE = 256;
const FOLDED_BELOW = 2.2; // pixels of a host's square, under which hosts are one strip
const HOST_NAMES_FROM = 30; // pixels
const SWITCH_NAMES_FROM = 30;
const FONT = 'system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif';

// "node17 HCA-1", "node17 mlx5_0": who it is comes first.
function hostName(name) { return name.split(" ", 1)[0] || name; }

// Without what is left of a word at its beginning, if that is less than half of it.
function fromWord(text) {
  const word = text.search(/[-_./ ]/) + 1;
  return word > 0 && word <= text.length / 2 ? text.slice(word) : text;
}

export class Picture {
  // fabric: see fabric.js. plan: {kind, width, height, frames, box: [half width, half height]}.
  constructor(canvas, overlay, fabric, plan) {
    this.canvas = canvas;
    this.overlay = overlay;
    this.colours = coloursOf("light");
    this.painted = { bitmap: document.createElement("canvas"), camera: null };
    this.spare = document.createElement("canvas");
    this.scheduled = false;
    this.calmAt = 0; // until then the view moves
    this.waiting = null; // for calm
    this.#begin(fabric, plan);
  }

  // Another fabric in the same place.
  adopt(fabric, plan) {
    const { width, height, top, bottom } = this.camera.room;
    this.#begin(fabric, plan);
    this.camera.setRoom(width, height, top, bottom);
    this.camera.fit();
    this.painted.camera = null;
    this.setShades(null);
  }

  #begin(fabric, plan) {
    this.fabric = fabric;
    this.plan = plan;
    this.tree = plan.kind === "tree";
    this.camera = new Camera(plan.width, plan.height);
    this.shades = null; // by link: 0..1, or nothing known
    this.order = null; // of links: what is loaded most is painted last
    this.hovered = null;
    this.selected = null;
    this.way = null;
    this.troubles = null;
    this.loose = undefined;
    this.drawn = { links: 0, switches: 0, hosts: 0, names: 0, frames: 0, finished: false };
    this.job = null;
    this.cost = 0; // of the last painting, in milliseconds
    this.touched = false; // the view was moved by somebody
  }

  setTheme(theme) {
    this.colours = coloursOf(theme);
    this.#repaint();
  }

  // shades: by link 0..1; null for none.
  setShades(shades) {
    this.shades = shades;
    const order = Uint32Array.from({ length: this.fabric.links.count }, (_, l) => l);
    if (shades) order.sort((a, b) => shades[a] - shades[b] || a - b);
    this.order = order;
    this.#repaint();
  }

  // {kind: "node" | "link" | "endport", index}, or null.
  setHovered(thing) { this.hovered = thing; this.#request(); }
  setSelected(thing) { this.selected = thing; this.#request(); }
  // {hosts: [node], switches: [node], links: [link], feet: [[host, switch]]}, or null.
  setWay(way) { this.way = way; this.#request(); }

  // {links: [[link, "lost" | "waiting"]], ghosts: [[node, node]], nodes: [node]}: cables that are not
  // as they should be, lost ones that the fabric does not hold any more, and nodes that are gone;
  // null for none. They stand out, however far away the picture is.
  setTroubles(troubles) { this.troubles = troubles; this.#request(); }

  resize(top, bottom) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    this.ratio = Math.min(window.devicePixelRatio || 1, 2);
    for (const canvas of [this.canvas, this.overlay, this.painted.bitmap, this.spare]) {
      canvas.width = Math.round(width * this.ratio);
      canvas.height = Math.round(height * this.ratio);
    }
    this.painted.camera = null;
    this.camera.setRoom(width, height, top, bottom);
    if (!this.touched) this.camera.fit();
    this.#repaint();
  }

  fit() { this.touched = false; this.camera.fit(); this.#moved(); }
  zoom(factor, x, y) {
    const { width, height } = this.camera.room;
    this.touched = true;
    this.camera.zoom(factor, x ?? width / 2, y ?? height / 2);
    this.#moved();
  }
  move(dx, dy) { this.touched = true; this.camera.move(dx, dy); this.#moved(); }

  // Brings a node into the middle, near enough to be read.
  show(node) {
    const host = !this.fabric.isSwitch(node);
    const near = host ? this.#hostScale(node) : 90;
    this.touched = true;
    this.camera.show(this.fabric.x[node], this.fabric.y[node], Math.max(this.camera.scale, near));
    this.#moved();
  }

  // All of these nodes on the screen; if they are there already, nothing moves.
  showAll(nodes) {
    const margin = { x: 70, y: 46 };
    const xs = nodes.map((node) => this.fabric.x[node]);
    const ys = nodes.map((node) => this.fabric.y[node]);
    const [left, right] = [Math.min(...xs), Math.max(...xs)];
    const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
    const { width, height, top: above, bottom: below } = this.camera.room;
    const inside = { x: width - 2 * margin.x, y: height - above - below - 2 * margin.y };
    const [[x0, y0], [x1, y1]] = [this.camera.toScreen(left, top), this.camera.toScreen(right, bottom)];
    if (x0 >= margin.x / 2 && x1 <= width - margin.x / 2 && y0 >= above && y1 <= height - below) return;
    const scale = Math.min(inside.x / Math.max(right - left, 1), inside.y / Math.max(bottom - top, 1), 160);
    this.touched = true;
    this.camera.show((left + right) / 2, (top + bottom) / 2, scale);
    this.#moved();
  }

  // What is under a point of the screen.
  at(px, py) {
    const { fabric, plan, camera } = this;
    const [x, y] = camera.toPlane(px, py);
    const slack = 3 / camera.scale;
    for (let s = 0; s < fabric.switchCount; ++s) {
      const dx = Math.abs(x - fabric.x[s]);
      const dy = y - fabric.y[s];
      if (dx > 0.7 || dy < -0.5 || dy > 0.6) continue;
      const size = fabric.hostSize[s];
      if (dy > plan.box[1] && size * camera.scale >= FOLDED_BELOW) {
        for (const host of fabric.hostsOf(s)) {
          const reach = size / 2 + slack;
          if (Math.abs(x - fabric.x[host]) <= reach && Math.abs(y - fabric.y[host]) <= reach) {
            return { kind: "node", index: host };
          }
        }
      }
      if (dx <= plan.box[0] + slack && Math.abs(dy) <= plan.box[1] + slack) {
        return { kind: "node", index: s };
      }
    }
    for (let node = fabric.switchCount; node < fabric.nodeCount && this.loose; ++node) {
      if (!this.loose.has(node)) continue;
      if (Math.hypot(x - fabric.x[node], y - fabric.y[node]) < 0.25) return { kind: "node", index: node };
    }
    return this.#linkAt(x, y, 4.5 / camera.scale);
  }

  #linkAt(x, y, reach) {
    const { links, x: xs, y: ys } = this.fabric;
    let best = null;
    let nearest = reach;
    for (let l = 0; l < links.count; ++l) {
      const a = links.from[l];
      const b = links.to[l];
      const room = reach + Math.abs(links.bend[l]) * 1.4;
      if (x < Math.min(xs[a], xs[b]) - room || x > Math.max(xs[a], xs[b]) + room) continue;
      if (y < Math.min(ys[a], ys[b]) - room || y > Math.max(ys[a], ys[b]) + room) continue;
      const away = distanceTo(this.tree, xs[a], ys[a], xs[b], ys[b], links.bend[l], x, y);
      if (away < nearest) [best, nearest] = [{ kind: "link", index: l }, away];
    }
    return best;
  }

  // The node nearest to the middle of what is shown; null where there is none.
  middle() {
    const { fabric, camera } = this;
    const [x, y] = camera.toPlane(camera.room.width / 2, camera.room.height / 2);
    let best = null;
    let nearest = Infinity;
    for (let node = 0; node < fabric.nodeCount; ++node) {
      const away = Math.hypot(fabric.x[node] - x, fabric.y[node] - y);
      if (away < nearest) [best, nearest] = [{ kind: "node", index: node }, away];
    }
    return best;
  }

  // Pixels per unit at which a host is large enough for its name.
  #hostScale(host) {
    const [endport] = this.fabric.endportsOf(host);
    const at = endport === undefined ? 0 : this.fabric.endports.at[endport];
    return at < this.fabric.switchCount ? Math.max(120, 34 / this.fabric.hostSize[at]) : 60;
  }

  #repaint() {
    this.job = null;
    this.painted.stale = true;
    this.drawn.finished = false;
    this.#request();
  }

  // The finished picture moves along; a new one of many cables waits until the view stands still.
  #moved() {
    if (this.cost > CHEAP_MS) this.calmAt = performance.now() + CALM_MS;
    this.#repaint();
    this.onmove?.();
  }

  #request() {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.#frame();
    });
  }

  #frame() {
    if (!this.camera.room || this.canvas.width === 0) return;
    const now = performance.now();
    if (this.painted.stale && !this.job && now < this.calmAt) {
      this.waiting ??= setTimeout(() => {
        this.waiting = null;
        this.#request();
      }, this.calmAt - now);
    } else if (this.painted.stale && !this.job) {
      this.painted.stale = false;
      this.drawn.finished = false;
      this.jobCamera = this.camera.copy();
      this.jobCost = 0;
      this.job = this.#paint(this.spare.getContext("2d"));
    }
    if (this.job) {
      const end = now + PORTION_MS;
      let done = false;
      while (!done && performance.now() < end) done = this.job.next().done;
      this.jobCost += performance.now() - now;
      if (done) {
        this.cost = this.jobCost;
        [this.painted.bitmap, this.spare] = [this.spare, this.painted.bitmap];
        this.painted.camera = this.jobCamera;
        this.job = null;
        this.drawn.finished = true;
      } else {
        this.#request();
      }
    }
    this.#show();
    this.#paintOverlay();
  }

  // The last finished picture, where it belongs by now.
  #show() {
    const context = this.canvas.getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = this.colours.page;
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    const before = this.painted.camera;
    if (!before) return;
    const grown = this.camera.scale / before.scale;
    context.setTransform(grown, 0, 0, grown,
      (this.camera.x - before.x * grown) * this.ratio, (this.camera.y - before.y * grown) * this.ratio);
    context.drawImage(this.painted.bitmap, 0, 0);
  }

  * #paint(context) {
    const { width, height } = this.camera.room;
    const drawn = { links: 0, switches: 0, hosts: 0, names: 0, frames: 0, finished: false };
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.fillStyle = this.colours.page;
    context.fillRect(0, 0, width, height);
    this.#paintFrames(context, drawn);
    context.setTransform(this.ratio * this.jobCamera.scale, 0, 0, this.ratio * this.jobCamera.scale,
      this.ratio * this.jobCamera.x, this.ratio * this.jobCamera.y);
    yield* this.#paintLinks(context, drawn);
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    yield* this.#paintSwitches(context, drawn);
    this.#paintLoose(context, drawn);
    this.#paintLabels(context);
    this.drawn = drawn;
  }

  #paintFrames(context, drawn) {
    const { scale, x, y } = this.jobCamera;
    for (const frame of this.plan.frames) {
      const [left, top] = [frame.x * scale + x, frame.y * scale + y];
      const [width, height] = [frame.width * scale, frame.height * scale];
      context.beginPath();
      if (frame.kind === "group") {
        context.ellipse(left + width / 2, top + height / 2, width / 2, height / 2, 0, 0, 7);
      } else {
        context.roundRect(left, top, width, height, Math.min(10, width / 4, height / 4));
      }
      context.fillStyle = this.colours.frame;
      context.strokeStyle = this.colours.frameLine;
      context.lineWidth = 1;
      if (frame.kind !== "block" || scale > 6) context.stroke();
      if (frame.kind !== "island") context.fill();
      ++drawn.frames;
    }
  }

  // On top of everything, with a border of the page's colour.
  #paintLabels(context) {
    const { scale, x, y } = this.jobCamera;
    context.textBaseline = "bottom";
    context.lineJoin = "round";
    context.lineWidth = 4;
    context.strokeStyle = this.colours.page;
    context.fillStyle = this.colours.label;
    for (const frame of this.plan.frames) {
      if (!frame.label) continue;
      const round = frame.kind === "group";
      if (round && frame.width * scale < 60) continue;
      context.font = `600 12px ${FONT}`;
      context.textAlign = round ? "center" : "left";
      const left = (round ? frame.x + frame.width / 2 : frame.x) * scale + x + (round ? 0 : 4);
      const middle = (frame.y + frame.height / 2) * scale + y + 7;
      const bottom = round ? middle : frame.y * scale + y - 3;
      context.strokeText(frame.label, left, bottom);
      context.fillText(frame.label, left, bottom);
    }
  }

  // In the coordinates of the plane, by shade: what carries much lies on top.
  * #paintLinks(context, drawn) {
    const { links, x, y } = this.fabric;
    const scale = this.jobCamera.scale;
    const visible = this.#visible(1.5);
    const order = this.order;
    if (!order) return;
    const crowd = Math.min(links.count, 40000) / Math.max(1, scale / 8);
    const faint = Math.min(1, Math.max(0.16, 24 / Math.sqrt(crowd)));
    const thin = Math.min(2.4, Math.max(0.5, scale * 0.016));
    context.lineCap = "round";
    let shade = -1;
    let waiting = 0;
    const flush = () => {
      if (waiting > 0) context.stroke();
      waiting = 0;
      context.beginPath();
    };
    for (let i = 0; i < order.length; ++i) {
      const l = order[i];
      const [a, b] = [links.from[l], links.to[l]];
      const slack = Math.abs(links.bend[l]) * 1.4;
      if (Math.max(x[a], x[b]) + slack < visible.left || Math.min(x[a], x[b]) - slack > visible.right ||
          Math.max(y[a], y[b]) + slack < visible.top || Math.min(y[a], y[b]) - slack > visible.bottom) {
        if (i % 4096 === 0) yield;
        continue;
      }
      const own = this.shades ? Math.min(SHADES - 1, Math.floor(this.shades[l] * SHADES)) : -2;
      if (own !== shade || waiting >= LINKS_AT_ONCE) {
        flush();
        yield;
        shade = own;
        const hot = Math.max(0, own / (SHADES - 1));
        context.strokeStyle = own < 0 ? this.colours.link : this.colours.shades[own];
        context.globalAlpha = faint + (1 - faint) * Math.max(0, hot * 2 - 1);
        context.lineWidth = (thin * (1 + 1.1 * hot)) / scale;
      }
      addCurve(context, this.tree, x[a], y[a], x[b], y[b], links.bend[l]);
      ++waiting;
      ++drawn.links;
    }
    flush();
    context.globalAlpha = 1;
  }

  #visible(slack) {
    const { width, height } = this.camera.room;
    const { scale, x, y } = this.jobCamera;
    return {
      left: -x / scale - slack, right: (width - x) / scale + slack,
      top: -y / scale - slack, bottom: (height - y) / scale + slack,
    };
  }

  * #paintSwitches(context, drawn) {
    const { fabric, plan } = this;
    const { scale, x, y } = this.jobCamera;
    const visible = this.#visible(1);
    const half = [Math.max(plan.box[0] * scale, 1.2), Math.max(plan.box[1] * scale, 1.2)];
    for (let s = 0; s < fabric.switchCount; ++s) {
      if (fabric.x[s] < visible.left || fabric.x[s] > visible.right) continue;
      if (fabric.y[s] < visible.top || fabric.y[s] > visible.bottom) continue;
      const [px, py] = [fabric.x[s] * scale + x, fabric.y[s] * scale + y];
      this.#paintBox(context, px, py, half, scale);
      if (half[0] * 2 >= SWITCH_NAMES_FROM) {
        const size = Math.min(13, Math.max(9, half[1] * 0.9));
        this.#paintName(context, fabric.names[s], px, py, half[0] * 2 - 6, size, this.colours.boxText);
        ++drawn.names;
      }
      this.#paintHosts(context, s, px, py, half, drawn);
      if (++drawn.switches % 64 === 0) yield;
    }
  }

  #paintBox(context, px, py, half, scale) {
    if (scale < 9) {
      context.fillStyle = this.colours.boxLine;
      context.fillRect(px - half[0], py - half[1], half[0] * 2, half[1] * 2);
      return;
    }
    context.beginPath();
    context.roundRect(px - half[0], py - half[1], half[0] * 2, half[1] * 2, Math.min(6, half[1] * 0.5));
    context.fillStyle = this.colours.box;
    context.fill();
    context.strokeStyle = this.colours.boxLine;
    context.lineWidth = Math.min(1.6, Math.max(0.6, scale * 0.02));
    context.stroke();
  }

  #paintHosts(context, s, px, py, half, drawn) {
    const { fabric } = this;
    const hosts = fabric.hostsOf(s);
    if (hosts.length === 0) return;
    const { scale, x, y } = this.jobCamera;
    const side = fabric.hostSize[s] * scale;
    context.fillStyle = this.colours.host;
    if (side < FOLDED_BELOW) {
      if (scale > 4) context.fillRect(px - half[0], py + 0.22 * scale, half[0] * 2, Math.max(1, 0.12 * scale));
      return;
    }
    for (const host of hosts) {
      const [hx, hy] = [fabric.x[host] * scale + x, fabric.y[host] * scale + y];
      context.fillStyle = fabric.routers.has(host) ? this.colours.router : this.colours.host;
      if (side < 8) {
        context.fillRect(hx - side / 2, hy - side / 2, side, side);
      } else {
        context.beginPath();
        context.roundRect(hx - side / 2, hy - side / 2, side, side, side * 0.2);
        context.fill();
      }
      if (side >= HOST_NAMES_FROM) {
        this.#paintName(context, hostName(fabric.names[host]), hx, hy, side - 4, Math.min(12, side * 0.26),
          this.colours.hostText);
        ++drawn.names;
      }
      ++drawn.hosts;
    }
  }

  // Hosts that hang on no switch.
  #paintLoose(context, drawn) {
    this.loose ??= new Set();
    const { fabric } = this;
    const { scale, x, y } = this.jobCamera;
    if (fabric.hostOrder.length === fabric.nodeCount - fabric.switchCount) return;
    const housed = new Set(fabric.hostOrder);
    for (let node = fabric.switchCount; node < fabric.nodeCount; ++node) {
      if (housed.has(node)) continue;
      this.loose.add(node);
      const [px, py] = [fabric.x[node] * scale + x, fabric.y[node] * scale + y];
      const half = [0.36 * scale, 0.17 * scale];
      context.beginPath();
      context.roundRect(px - half[0], py - half[1], half[0] * 2, half[1] * 2, half[1]);
      context.fillStyle = this.colours.host;
      context.fill();
      this.#paintName(context, fabric.names[node], px, py, half[0] * 2 - 6, 12, this.colours.hostText);
      ++drawn.hosts;
    }
  }

  // The end of a name tells more than its beginning.
  #paintName(context, name, px, py, room, size, colour) {
    context.font = `${size}px ${FONT}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillStyle = colour;
    let text = name;
    if (context.measureText(text).width > room) {
      const letters = Math.max(1, Math.floor((room / context.measureText(text).width) * text.length) - 1);
      text = "…" + fromWord(text.slice(-letters));
    }
    context.fillText(text, px, py + size * 0.06, room + 4);
  }

  #paintOverlay() {
    const context = this.overlay.getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.overlay.width, this.overlay.height);
    const unit = this.ratio * this.camera.scale;
    context.setTransform(unit, 0, 0, unit, this.ratio * this.camera.x, this.ratio * this.camera.y);
    if (this.troubles) this.#paintTroubles(context);
    if (this.way) this.#paintWay(context);
    if (this.selected) this.#mark(context, this.selected, 3);
    if (this.hovered) this.#mark(context, this.hovered, 2);
  }

  #paintWay(context) {
    const { x, y, links } = this.fabric;
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = this.colours.veil;
    context.fillRect(0, 0, this.overlay.width, this.overlay.height);
    context.restore();
    context.strokeStyle = this.colours.path;
    context.lineWidth = 3.5 / this.camera.scale;
    context.lineCap = "round";
    context.beginPath();
    for (const l of this.way.links) {
      addCurve(context, this.tree, x[links.from[l]], y[links.from[l]], x[links.to[l]], y[links.to[l]],
        links.bend[l]);
    }
    for (const [host, at] of this.way.feet) {
      context.moveTo(x[host], y[host]);
      context.lineTo(x[at], y[at]);
    }
    context.stroke();
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    for (const node of [...this.way.switches, ...this.way.hosts]) this.#paintOnWay(context, node);
    const unit = this.ratio * this.camera.scale;
    context.setTransform(unit, 0, 0, unit, this.ratio * this.camera.x, this.ratio * this.camera.y);
  }

  #paintTroubles(context) {
    const { x, y, links } = this.fabric;
    const { scale } = this.camera;
    context.lineCap = "butt";
    const stroke = (kind, from, to, bend) => {
      const lost = kind === "lost";
      context.strokeStyle = lost ? this.colours.lost : this.colours.waiting;
      context.lineWidth = (lost ? 2.6 : 2) / scale;
      context.setLineDash(lost ? [7 / scale, 4 / scale] : []);
      context.beginPath();
      addCurve(context, this.tree, x[from], y[from], x[to], y[to], bend);
      context.stroke();
    };
    for (const [l, kind] of this.troubles.links) stroke(kind, links.from[l], links.to[l], links.bend[l]);
    for (const [from, to] of this.troubles.ghosts) stroke("lost", from, to, 0);
    context.setLineDash([]);
    context.strokeStyle = this.colours.lost;
    context.lineWidth = 2.4 / scale;
    for (const node of this.troubles.nodes) {
      const size = Math.max(this.fabric.isSwitch(node) ? this.plan.box[1] : 0, 5 / scale);
      context.beginPath();
      context.moveTo(x[node] - size, y[node] - size);
      context.lineTo(x[node] + size, y[node] + size);
      context.moveTo(x[node] - size, y[node] + size);
      context.lineTo(x[node] + size, y[node] - size);
      context.stroke();
    }
  }

  // A node on the way keeps its name, however far away the picture is.
  #paintOnWay(context, node) {
    const { fabric, camera, colours } = this;
    const [px, py] = camera.toScreen(fabric.x[node], fabric.y[node]);
    const host = !fabric.isSwitch(node);
    const name = fabric.names[node];
    context.font = `600 12px ${FONT}`;
    const shown = name.length > 26 ? "…" + name.slice(-25) : name;
    const half = [Math.max(context.measureText(shown).width / 2 + 8, host ? 0 : this.plan.box[0] * camera.scale),
      Math.max(11, host ? 0 : this.plan.box[1] * camera.scale)];
    const down = host ? half[1] + 6 : 0;
    if (host) {
      context.beginPath();
      context.arc(px, py, Math.max(4, 0.03 * camera.scale), 0, 7);
      context.fillStyle = colours.path;
      context.fill();
    }
    context.beginPath();
    context.roundRect(px - half[0], py + down - half[1], half[0] * 2, half[1] * 2, host ? 11 : 6);
    context.fillStyle = host ? colours.path : colours.box;
    context.fill();
    context.strokeStyle = colours.path;
    context.lineWidth = 1.6;
    context.stroke();
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillStyle = host ? colours.hostText : colours.boxText;
    context.fillText(shown, px, py + down + 1);
  }

  #mark(context, thing, width) {
    const { x, y, links } = this.fabric;
    context.strokeStyle = this.colours.mark;
    context.lineWidth = width / this.camera.scale;
    context.beginPath();
    if (thing.kind === "link") {
      const l = thing.index;
      context.lineWidth *= 1.6;
      addCurve(context, this.tree, x[links.from[l]], y[links.from[l]], x[links.to[l]], y[links.to[l]],
        links.bend[l]);
    } else if (this.fabric.isSwitch(thing.index) || this.loose?.has(thing.index)) {
      const [w, h] = this.plan.box;
      const grown = 3 / this.camera.scale;
      const at = thing.index;
      context.roundRect(x[at] - w - grown, y[at] - h - grown, 2 * (w + grown), 2 * (h + grown), 0.06);
    } else {
      const radius = Math.max(0.06, 7 / this.camera.scale);
      context.arc(x[thing.index], y[thing.index], radius, 0, 7);
    }
    context.stroke();
  }
}
