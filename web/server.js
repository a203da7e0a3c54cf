// SPDX-License-Identifier: BSD-3-Clause
// The API of the subnet manager, with the token of whoever looks. The token stays in this tab.
const KEY = "heddle-token";
const AGAIN_MS = 250; // until what is under way is asked for once more
const RECONNECT_MS = 2000;

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });

export class Server {
  // askToken(): a promise of a token, called when one is needed or was wrong.
  constructor(askToken) {
    this.askToken = askToken;
    this.asking = null;
    this.token = sessionStorage.getItem(KEY) ?? "";
  }

  // The answer as an object. Throws Refused, or what fetch throws when nobody answers.
  async get(path) {
    for (;;) {
      const response = await this.#fetch(path);
      if (response.status === 202) {
        await pause(AGAIN_MS);
        continue;
      }
      const answer = await response.json();
      if (!response.ok) throw new Refused(response.status, answer.error?.message ?? response.statusText);
      return answer;
    }
  }

  // Follows the events behind number `after` for as long as the page lives. take(event) gets each,
  // connected(yes) whether there is somebody to hear from.
  async follow(after, take, connected) {
    let last = after;
    for (;;) {
      try {
        const response = await this.#fetch(`/v1/events/stream?after=${last}`);
        if (!response.ok) throw new Refused(response.status, response.statusText);
        connected(true);
        for await (const [name, data] of messages(response.body)) {
          if (name === "Missed") continue;
          const event = JSON.parse(data);
          last = event.number;
          take(event);
        }
      } catch {
        // It ended, or never began: try again below.
      }
      connected(false);
      await pause(RECONNECT_MS);
    }
  }

  async #fetch(path) {
    for (;;) {
      const used = this.token;
      const headers = used ? { Authorization: `Bearer ${used}` } : {};
      const response = await fetch(path, { headers, cache: "no-store" });
      if (response.status !== 401) return response;
      // Several requests may find out at once; one question is enough.
      if (this.token === used) {
        this.asking ??= this.askToken(used !== "").finally(() => { this.asking = null; });
        this.token = await this.asking;
        sessionStorage.setItem(KEY, this.token);
      }
    }
  }
}

// [name, data] of server-sent events.
async function* messages(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      const fields = new Map(rest.slice(0, end).split("\n").map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon), line.slice(colon + 1).trimStart()];
      }));
      rest = rest.slice(end + 2);
      if (fields.has("data")) yield [fields.get("event") ?? "", fields.get("data")];
    }
  }
}
