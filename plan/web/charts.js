// SPDX-License-Identifier: BSD-3-Clause
// Bar charts as SVG, readable also by those who do not see them: each bar has a title.
import { drawing } from "./elements.js";
import { brief, grouped } from "./numbers.js";

const WIDTH = 372;
const HEIGHT = 130;
const BOTTOM = 22;
const TOP = 16;

// As near to where it belongs as a text of that half width can be.
function edge(x, half) { return Math.min(WIDTH - half, Math.max(half, x)).toFixed(1); }

// bars: [{label, title, value, behind}]; every so many labels are shown as there is room for.
export function barChart(bars, name) {
  const most = Math.max(1, ...bars.map((bar) => Math.max(bar.value, bar.behind ?? 0)));
  const step = WIDTH / bars.length;
  const width = Math.min(step * 0.82, 54);
  const height = (value) => (value === 0 ? 0 : Math.max(1.5, (value / most) * (HEIGHT - TOP - BOTTOM)));
  const rect = (bar, i, value, scale) => drawing("rect", {
    x: (step * (i + 0.5) - (width * scale) / 2).toFixed(1),
    y: (HEIGHT - BOTTOM - height(value)).toFixed(1),
    width: (width * scale).toFixed(1), height: height(value).toFixed(1), rx: 1.5,
  }, drawing("title", {}, bar.title));
  const longest = Math.max(...bars.map((bar) => bar.label.length));
  const every = Math.max(1, Math.ceil((longest * 6.2 + 8) / step));
  const labels = bars.map((bar, i) => (i % every !== 0 ? null : drawing("text", {
    x: edge(step * (i + 0.5), bar.label.length * 3.1), y: HEIGHT - 7, "text-anchor": "middle",
  }, bar.label)));
  return drawing("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": name },
    drawing("g", { class: "behind" }, ...bars.map((bar, i) => (bar.behind ? rect(bar, i, bar.behind, 1.12) : null))),
    drawing("g", { class: "bars" }, ...bars.map((bar, i) => rect(bar, i, bar.value, 1))),
    drawing("line", { class: "axis", x1: 0, x2: WIDTH, y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM }),
    drawing("text", { x: 2, y: 11 }, grouped(most)),
    ...labels);
}

export function loadBars(histogram) {
  const { least, step, counts } = histogram;
  return counts.map((value, i) => {
    const from = least + i * step;
    const range = step === 1 ? grouped(from) : `${grouped(from)} to ${grouped(from + step - 1)}`;
    return { label: brief(from), value, title: `${range} routes: ${grouped(value)} channels` };
  });
}

// Hops of the routes before those that the shortest ways would have.
export function hopBars(hops, fewest) {
  const bars = [];
  for (let i = 0; i < Math.max(hops.length, fewest.length); ++i) {
    const [value, behind] = [hops[i] ?? 0, fewest[i] ?? 0];
    if (i === 0 && value === 0 && behind === 0) continue;
    bars.push({
      label: String(i), value, behind,
      title: `${i} cables: ${grouped(value)} routes, ${grouped(behind)} by shortest ways`,
    });
  }
  return bars;
}
