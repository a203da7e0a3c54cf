// SPDX-License-Identifier: BSD-3-Clause
// Colours of the picture. What carries little recedes into the page, on light as on dark.

const LIGHT = {
  page: "#f4f6f9", frame: "#ffffff", frameLine: "#c6d1de", label: "#5b6877",
  box: "#ffffff", boxLine: "#47617f", boxText: "#17202b", host: "#6d87a6", hostText: "#ffffff",
  router: "#8a5fc0", link: "#9fb0c4", veil: "rgb(244 246 249 / 72%)", path: "#1f5fbf",
  mark: "#1f5fbf", lost: "#b3123b", waiting: "#c77700",
  ramp: ["#ccd6e2", "#b0cddc", "#87bad2", "#5a9fc4", "#f0bc4e", "#e5692f", "#a90f38"],
};
const DARK = {
  page: "#0e131a", frame: "#141b24", frameLine: "#2e3b49", label: "#97a4b4",
  box: "#1e2833", boxLine: "#8aa6c8", boxText: "#e6ebf2", host: "#6f8db3", hostText: "#0e131a",
  router: "#b08be0", link: "#475668", veil: "rgb(14 19 26 / 72%)", path: "#7fb0ff",
  mark: "#7fb0ff", lost: "#ff6f8b", waiting: "#f0b040",
  ramp: ["#2a3542", "#28506a", "#2b6686", "#3a86ad", "#d9a441", "#f2772f", "#ff5476"],
};
export const SHADES = 24;

export function coloursOf(theme) {
  const colours = theme === "dark" ? DARK : LIGHT;
  const shades = [];
  for (let i = 0; i < SHADES; ++i) shades.push(blend(colours.ramp, i / (SHADES - 1)));
  return { ...colours, shades };
}

// The legend of the shades, on a canvas as high as a line of them.
export function paintRamp(canvas, theme) {
  const context = canvas.getContext("2d");
  const width = canvas.width / SHADES;
  coloursOf(theme).shades.forEach((shade, i) => {
    context.fillStyle = shade;
    context.fillRect(i * width, 0, width + 1, canvas.height);
  });
}

function blend(ramp, part) {
  const place = part * (ramp.length - 1);
  const left = Math.min(Math.floor(place), ramp.length - 2);
  const [a, b] = [channels(ramp[left]), channels(ramp[left + 1])];
  const mixed = a.map((value, i) => Math.round(value + (b[i] - value) * (place - left)));
  return `rgb(${mixed.join(" ")})`;
}

function channels(hex) {
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
}
