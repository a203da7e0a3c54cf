// SPDX-License-Identifier: BSD-3-Clause
// The log of events: the newest first, by level and by any part of their words.
import { byId, element } from "./elements.js";

const MOST_KEPT = 4096;
const MOST_SHOWN = 400;
const LEVELS = ["info", "warning", "error"];

export class Events {
  constructor() {
    this.events = []; // the oldest first
    this.scheduled = false;
    byId("event-level").addEventListener("change", () => this.#request());
    byId("event-words").addEventListener("input", () => this.#request());
  }

  take(event) {
    this.events.push(event);
    if (this.events.length > MOST_KEPT) this.events.splice(0, this.events.length - MOST_KEPT);
    this.#request();
  }

  // The newest that are worth a look, for the card beside the picture.
  recent(count) { return this.events.slice(-count).reverse(); }

  // Many may come at once; they are shown together.
  #request() {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.#show();
      this.onshown?.();
    });
  }

  #show() {
    const least = LEVELS.indexOf(byId("event-level").value);
    const words = byId("event-words").value.trim().toLowerCase();
    const rows = [];
    for (let i = this.events.length - 1; i >= 0 && rows.length < MOST_SHOWN; --i) {
      const event = this.events[i];
      if (LEVELS.indexOf(event.level) < least) continue;
      if (words && !`${event.event} ${event.message}`.toLowerCase().includes(words)) continue;
      rows.push(row(event));
    }
    byId("event-rows").replaceChildren(...rows);
    byId("event-count").textContent = rows.length === MOST_SHOWN ? `the newest ${MOST_SHOWN}` : `${rows.length}`;
  }
}

function row(event) {
  return element("tr", { class: event.level },
    element("td", { class: "time" }, clock(event.time)), element("td", {}, event.level),
    element("td", {}, event.event), element("td", {}, event.message));
}

// "2026-11-22T09:12:44.102Z" in the hours of whoever looks.
export function clock(time) {
  const date = new Date(time);
  const two = (number) => String(number).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
