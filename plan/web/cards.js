// SPDX-License-Identifier: BSD-3-Clause
// Cards, and tables on them.
import { element } from "./elements.js";

export function card(title, id) {
  return element("section", { class: "card", id, "aria-labelledby": `${id}-title` },
    element("h2", { id: `${id}-title` }, title), element("div", { class: "body" }));
}

// Puts new content under the title of a card.
export function fill(of, ...content) {
  of.querySelector(".body").replaceChildren(...content.filter((one) => one !== null));
}

// heads: [title, is a number]. rows: of texts and elements; the one at `current` is marked.
export function table(heads, rows, current = -1) {
  const numbers = heads.map(([, number]) => number);
  const cells = (tag, values) => values.map((value, i) => element(tag,
    { class: numbers[i] ? "number" : null, scope: tag === "th" ? "col" : null }, value));
  return element("div", { class: "scroll" }, element("table", {},
    element("thead", {}, element("tr", {}, ...cells("th", heads.map(([head]) => head)))),
    element("tbody", {}, ...rows.map((row, i) => element("tr", { "aria-current": i === current ? "true" : null },
      ...cells("td", row))))));
}
