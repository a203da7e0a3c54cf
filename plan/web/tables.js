// SPDX-License-Identifier: BSD-3-Clause
// Forwarding tables as plan/compact_tables packs them, and the ways that packets take by them.
import { NOBODY } from "./fabric.js";
import { u32, u8 } from "./numbers.js";

const NO_PORT = 255;

export class Tables {
  constructor(data) {
    this.engine = data.engine;
    this.rowSize = data.row_size;
    this.packed = data;
    this.rows = new Map();
  }

  // Out ports of a switch by LID.
  row(at) {
    if (!this.rows.has(at)) this.rows.set(at, this.#expand(at));
    return this.rows.get(at);
  }

  #expand(at) {
    if (!this.bytes) {
      this.bytes = u8(this.packed.bytes);
      this.first = u32(this.packed.first);
      this.base = u32(this.packed.base);
    }
    const base = this.base[at] === NOBODY ? new Uint8Array(0) : this.row(this.base[at]);
    const window = new Uint8Array(base.length + this.rowSize);
    window.set(base);
    let read = this.first[at];
    const number = () => {
      let value = 0;
      for (let shift = 0; ; shift += 7) {
        const digit = this.bytes[read++];
        value |= (digit & 127) << shift;
        if (digit < 128) return value;
      }
    };
    for (let write = base.length; write < window.length;) {
      const literals = number();
      window.set(this.bytes.subarray(read, read + literals), write);
      read += literals;
      write += literals;
      if (write >= window.length) break;
      const length = number();
      const distance = number();
      for (let i = 0; i < length; ++i, ++write) window[write] = window[write - distance];
    }
    return window.subarray(base.length);
  }
}

// The way from one endport to a LID: {ok, reason, steps: [{at, out, link, forward}], last}.
// `last` is the endport at which it ends.
export function wayTo(fabric, tables, from, lid) {
  const steps = [];
  const failed = (reason) => ({ ok: false, reason, steps, last: null });
  let at = fabric.endports.at[from];
  if (at === NOBODY) return failed("the host hangs on no switch");
  const passed = new Set();
  for (;;) {
    if (passed.has(at)) return failed(`the way turns in a circle at ${fabric.names[at]}`);
    passed.add(at);
    const out = lid < tables.rowSize ? tables.row(at)[lid] : NO_PORT;
    if (out === NO_PORT) return failed(`${fabric.names[at]} has no entry for LID ${lid}`);
    const next = out === 0 ? null : fabric.behind(at, out);
    if (!next) return failed(`${fabric.names[at]} sends it to port ${out}, where nobody is`);
    if (next.endport !== undefined) {
      steps.push({ at, out, link: null, forward: true });
      return { ok: true, reason: "", steps, last: next.endport };
    }
    steps.push({ at, out, link: next.link, forward: next.forward });
    at = next.forward ? fabric.links.to[next.link] : fabric.links.from[next.link];
  }
}
