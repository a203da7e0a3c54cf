// SPDX-License-Identifier: BSD-3-Clause
// Finding nodes by what people know of them: a piece of the name, a GUID, a LID. And the list that
// offers what was found, for mouse and keyboard.
import { element } from "./elements.js";

const MOST = 40;

export class Finder {
  constructor(fabric) {
    this.fabric = fabric;
    this.lower = fabric.names.map((name) => name.toLowerCase());
    this.byLid = new Map();
    for (let s = 0; s < fabric.switchCount; ++s) this.byLid.set(fabric.switchLid[s], s);
    const { endports } = fabric;
    for (let e = 0; e < endports.count; ++e) {
      for (let i = 0; endports.lid[e] && i < 1 << endports.lmc[e]; ++i) {
        this.byLid.set(endports.lid[e] + i, endports.node[e]);
      }
    }
  }

  // Nodes: the LID, the whole name, names that begin so, names that hold it, GUIDs.
  find(text, hostsOnly = false) {
    const wanted = text.trim().toLowerCase();
    if (wanted === "") return [];
    const ranked = [[], [], [], [], []];
    const lid = wanted.match(/^(?:lid\s*)?(\d{1,5})$/);
    if (lid && this.byLid.has(Number(lid[1]))) ranked[0].push(this.byLid.get(Number(lid[1])));
    const guid = /^(0x)?[0-9a-f]{4,16}$/.test(wanted) ? wanted.replace(/^0x/, "") : null;
    for (let node = 0; node < this.lower.length && ranked[1].length + ranked[2].length < MOST; ++node) {
      const name = this.lower[node];
      const place = name.indexOf(wanted);
      if (place === 0) ranked[name.length === wanted.length ? 1 : 2].push(node);
      else if (place > 0 && ranked[3].length < MOST) ranked[3].push(node);
      else if (guid && ranked[4].length < MOST && this.fabric.guid(node).includes(guid)) ranked[4].push(node);
    }
    return [...new Set(ranked.flat())]
      .filter((node) => !hostsOnly || this.fabric.endportsOf(node).length > 0)
      .slice(0, MOST);
  }

  // "host, LID 17"
  describe(node) {
    const { fabric } = this;
    if (fabric.isSwitch(node)) return `switch, LID ${fabric.switchLid[node]}`;
    const ports = fabric.endportsOf(node);
    return `${fabric.kindOf(node)}, ${ports.length === 1 ? fabric.lidText(ports[0]) : `${ports.length} ports`}`;
  }
}

// A labelled field for a host, as its parts: what to put on the page, and the input in it.
export function hostField(finder, id, label, chosen) {
  const input = element("input", { id, type: "text", role: "combobox", "aria-expanded": "false",
    "aria-controls": `${id}-found`, autocomplete: "off", spellcheck: "false", placeholder: "host" });
  const list = element("ul", { id: `${id}-found`, role: "listbox", "aria-label": label, hidden: "" });
  offer(finder, input, list, chosen, true);
  return { input, parts: [element("label", { for: id }, label), element("div", { class: "field" }, input, list)] };
}

// Turns an input and a list into a combobox; chosen(node) is told what was taken.
export function offer(finder, input, list, chosen, hostsOnly = false) {
  let found = [];
  let active = -1;
  let entered = false; // since then nothing was changed
  const close = () => {
    list.hidden = true;
    active = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const take = (node) => {
    input.value = finder.fabric.names[node];
    input.select();
    entered = true;
    close();
    chosen(node);
  };
  const mark = (next) => {
    active = next;
    [...list.children].forEach((row, i) => row.setAttribute("aria-selected", String(i === active)));
    const row = list.children[active];
    if (row) {
      input.setAttribute("aria-activedescendant", row.id);
      row.scrollIntoView({ block: "nearest" });
    }
  };
  const refresh = () => {
    found = finder.find(input.value, hostsOnly);
    if (input.value.trim() === "") return close();
    list.replaceChildren(...found.map((node, i) => {
      const row = element("li", { role: "option", id: `${list.id}-${i}` },
        element("span", { class: "name" }, finder.fabric.names[node]),
        element("span", { class: "what" }, finder.describe(node)));
      row.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        take(node);
      });
      return row;
    }));
    if (found.length === 0) list.append(element("li", { class: "none" }, "Nothing of that name"));
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    mark(found.length > 0 ? 0 : -1);
  };
  input.addEventListener("input", refresh);
  // The first click selects what is there, so that typing replaces it; further ones set the caret.
  input.addEventListener("focus", () => {
    input.select();
    entered = true;
  });
  input.addEventListener("click", () => {
    if (entered) input.select();
    entered = false;
  });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" && list.hidden) refresh();
    else if (event.key === "ArrowDown") mark(Math.min(active + 1, found.length - 1));
    else if (event.key === "ArrowUp") mark(Math.max(active - 1, 0));
    else if (event.key === "Enter" && found[active] !== undefined) take(found[active]);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}
