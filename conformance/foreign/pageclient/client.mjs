// A client of agui.v1.json, with the profiles resume, interrupts and queue, written from docs/binding alone.
import { createRequire } from "node:module";
import { Fold, isEnd, keyOf, track } from "./fold.mjs";

export const WebSocket = createRequire(new URL("../../node/package.json", import.meta.url))("ws");
const forGood = new Set([1003, 1007, 1008, 1009, 4400, 4401]);

export class Client {
  threads = new Map();
  #asked = new Map(); // id -> what waits for the answer with this id
  #ids = 0;
  #tries = 0;

  constructor(url, { patience = 10_000, silence } = {}) {
    Object.assign(this, { url, patience, silence, problems: [], stopped: false });
    this.#connect();
  }

  thread(id) {
    if (!this.threads.has(id)) this.threads.set(id, new Thread(this, id));
    return this.threads.get(id);
  }

  // ask sends a frame now and on each later socket, in the order of asking, until drop(id).
  ask(frame, got) {
    const id = String(++this.#ids);
    this.#asked.set(id, { frame: { id, ...frame }, got });
    this.send(id);
    return id;
  }
  drop(id) { this.#asked.delete(id); }
  send(id) { if (this.#asked.has(id)) this.once(this.#asked.get(id).frame); }
  once(frame) { if (this.open) this.ws.send(JSON.stringify(frame)); }
  later(ms, id) { const { ws } = this; setTimeout(() => ws === this.ws && this.send(id), ms); }

  cancel(threadId, runId) {
    return new Promise((resolve) => {
      const id = this.ask({ type: "ws.cancel", threadId, runId }, (f) => {
        if (f.retryAfterMs) return this.later(f.retryAfterMs, id);
        this.drop(id);
        resolve(f);
      });
    });
  }

  fail(why) { this.problems.push(why); this.stopped = true; }
  stop() { this.stopped = true; clearInterval(this.watch); this.ws.terminate(); }

  #again(ms) {
    clearInterval(this.watch);
    this.open = false;
    for (const t of this.threads.values()) t.lost();
    if (!this.stopped) setTimeout(() => this.#connect(), ms);
  }

  #connect() {
    if (this.stopped) return;
    const ws = (this.ws = new WebSocket(this.url, "agui.v1.json", { perMessageDeflate: false }));
    let after = 0;
    ws.on("unexpected-response", (_, r) => {
      after = 1000 * (r.headers["retry-after"] ?? 0);
      if (r.statusCode !== 429 && r.statusCode < 500) this.fail(`refused with ${r.statusCode}`);
      ws.terminate();
    });
    ws.on("error", () => {});
    ws.on("close", (code) => {
      if (forGood.has(code)) this.fail(`closed with ${code}`);
      const bound = Math.min(15_000, 250 * 2 ** this.#tries++);
      this.#again(Math.max(after, Math.random() * Math.min(bound, 2000)));
    });
    ws.on("message", (data) => {
      if (ws !== this.ws) return;
      this.heard = Date.now();
      const text = data.toString(), f = JSON.parse(text);
      if (f.type === "ws.hello") this.#hello(f);
      else if (f.type === "ws.goaway") after = f.retryAfterMs;
      else if (f.type.startsWith("ws.")) this.#control(f);
      else this.here.event(f, text);
    });
  }
  #hello(f) {
    this.#tries = 0;
    this.open = true;
    for (const t of this.threads.values()) if (t.wanted) t.attach();
    for (const id of this.#asked.keys()) this.send(id);
    const silence = this.silence ?? f.heartbeatMs;
    this.watch = setInterval(() => {
      const quiet = Date.now() - this.heard;
      if (quiet > silence + this.patience) this.ws.terminate();
      else if (quiet > silence) this.once({ type: "ws.ping" });
    }, Math.min(silence, this.patience) / 4);
  }

  #control(f) {
    if (f.type === "ws.stream") this.here = this.thread(f.threadId);
    if (f.type === "ws.pong") for (const t of this.threads.values()) t.pong(f);
    else if (f.threadId && !["ws.cancelled", "ws.error"].includes(f.type)) this.thread(f.threadId)[f.type]?.(f);
    if (f.type === "ws.error") for (const t of this.threads.values()) t.refusedAttach(f);
    if (f.id) this.#asked.get(f.id)?.got(f);
  }
}

// Thread is the loop of resume.md, with its names.
class Thread {
  fold = new Fold();
  events = []; // what was counted and applied: {epoch, seq, text}
  told = []; // the positions to which it was restated, or at which holding began
  queued = [];
  mine = null;
  inputs = new Set();
  wanted = false; // attach on each new socket

  constructor(client, id) { Object.assign(this, { client, id }); this.lost(); }

  lost() {
    Object.assign(this, { follows: false, attaching: null, restating: false, at: null, left: 0, group: [], refused: null, repeated: null });
    for (const i of this.inputs) i.disposition = null;
  }

  // forget is what the reload of a page does.
  forget() { Object.assign(this, { mine: null, fold: new Fold(), events: [], told: [] }); }

  attach() {
    this.wanted = true;
    if (this.attaching || !this.client.open) return;
    this.attaching = `a${Math.random()}`;
    this.client.once({ type: "ws.attach", id: this.attaching, threadId: this.id, ...(this.mine && { after: { ...this.mine } }) });
  }
  refusedAttach(f) {
    if (!f.id || f.id !== this.attaching) return;
    if (!f.retryAfterMs) return this.client.fail(`attach: ${f.code}`);
    setTimeout(() => { if (f.id === this.attaching) { this.attaching = null; this.attach(); } }, f.retryAfterMs);
  }

  // input resolves to its answer: the event that ended its run, or refused it.
  input(input) {
    return new Promise((resolve) => {
      const i = { run: input.runId, disposition: null, ends: [] };
      i.id = this.client.ask({ threadId: this.id, ...input }, (f) => {
        if (f.type === "ws.error") f.retryAfterMs ? this.client.later(f.retryAfterMs, i.id) : i.done(f);
      });
      i.done = (end) => { this.inputs.delete(i); this.client.drop(i.id); resolve({ end, run: i.run, first: i.first }); };
      this.inputs.add(i);
    });
  }
  "ws.run"(f) {
    const i = [...this.inputs].find((x) => x.id === f.id) ?? { done() {} }; // or one whose end was read before
    i.first ??= f.disposition;
    i.disposition = f.disposition;
    i.run = f.of ?? f.runId;
    if (f.disposition === "refused") return void (this.refused = i);
    if (f.disposition === "repeat") {
      this.repeated = i;
      if (!this.follows) this.mine = null;
    }
    this.follows = this.wanted = true;
  }

  "ws.attached"(f) {
    this.follows = true;
    if (f.id) this.attaching = null; // without, it comes unasked, and the answer is still to come
    this.queued = f.queued;
    this.fold.interrupts = f.interrupts;
    this.at = { epoch: f.epoch, seq: f.seq };
    this.restating = !f.recovered;
    if (this.restating) this.mine = null;
  }
  "ws.detached"() { this.follows = this.wanted = false; }
  "ws.stream"(f) {
    this.at = { epoch: f.epoch, seq: f.seq };
    this.left = f.uncounted ?? 0;
    this.group = [];
  }
  "ws.live"(f) {
    if (this.restating) { this.fold = new Fold(); this.#holds(); }
    if (this.mine && f.seq > this.mine.seq) this.attach();
  }
  pong(f) { if (this.mine && f.positions[this.id] > this.mine.seq) this.attach(); }
  #holds() { this.mine = { ...this.at }; this.restating = false; this.told.push(this.mine); }

  event(e, text) {
    if (this.left > 0) {
      this.group.push(e);
      if (--this.left === 0) this.#grouped(this.group);
      return;
    }
    if (!this.at.epoch) return this.#apply(e);
    if (!this.mine && !this.attaching) this.#holds();
    this.at.seq++;
    if (this.attaching) return;
    if (this.at.epoch !== this.mine.epoch || this.at.seq > this.mine.seq + 1) return this.attach();
    if (this.at.seq <= this.mine.seq) return;
    this.mine = { ...this.at };
    this.events.push({ ...this.at, text });
    this.#apply(e);
  }

  #apply(e) {
    const run = e.runId ?? this.fold.run;
    this.fold.apply(e);
    if (isEnd(e)) for (const i of this.inputs) if (i.run === run) i.done(e);
    if (e.type === "RUN_ERROR" && this.mine) this.attach(); // which questions are open again, only the server knows
  }

  #grouped(group) {
    const end = group.find(isEnd), first = group[0];
    if (this.restating) return this.#splice(group), this.#holds();
    if (first.type === "RUN_STARTED" && first.metadata?.aguiws?.restated) {
      if (!this.mine) { this.#splice(group, this.repeated?.run); this.#holds(); }
      if (end) this.repeated?.done(end);
    } else if (first.type === "RUN_ERROR") {
      const i = this.refused, wait = end.metadata?.aguiws?.retryAfterMs;
      wait ? this.client.later(wait, i.id) : i.done(end);
    } else for (const i of this.inputs) if (i.run === first.runId) i.done(end);
  }

  // run is what live events call it: a repeat is restated under the name that it was asked with.
  #splice(group, run = group[0].runId) {
    const { fold } = this, still = new Map();
    for (const e of group) track(still, e);
    for (const [key, end] of [...fold.open].reverse()) if (!still.has(key)) fold.apply(end);
    if (fold.run !== run) fold.run = null; // its end is not told here
    for (const e of group) {
      if ((e.type === "RUN_STARTED" && fold.run !== null) || fold.open.has(keyOf(e))) continue;
      if (isEnd(e)) for (const i of this.inputs) if (i.run === run) i.done(e);
      fold.apply(e.runId ? { ...e, runId: run } : e);
    }
    for (const i of this.inputs) if (i.disposition && i.run !== run) this.client.send(i.id);
  }
}
