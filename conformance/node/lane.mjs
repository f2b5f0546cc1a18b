// What the tests share: clients made of the real @ag-ui/client on the project's WebSocketAgent, and what is asked of
// them. The client's warnings count as failures: a stream that it has to repair is a stream it should not have got.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { afterEach, test as nodeTest } from "node:test";
import WebSocket from "ws";
import { Connection, TransportError, WebSocketAgent } from "./build/client.mjs";
import { keepFrame } from "./frames.mjs";

export { TransportError };

const PATIENCE_MS = 60_000;
const POLL_MS = 2;

/** The servers' WebSocket addresses; with one server, all the same. */
export const urls = process.env.AGUIWS_URLS.split(",");
const effectsFile = process.env.AGUIWS_EFFECTS;

const open = new Set();
const warnings = [];
for (const level of ["warn", "error"]) {
  const before = console[level];
  console[level] = (...what) => {
    warnings.push(what.map(String).join(" "));
    before(...what);
  };
}

afterEach(() => {
  const closing = [...open];
  open.clear();
  for (const client of closing) client.close();
  assert.deepEqual(warnings.splice(0), [], "the client has warned");
});

/** Takes away the one warning that was due. */
export function warned(what) {
  const due = warnings.filter((warning) => what.test(warning));
  assert.equal(due.length, 1, `one warning of ${what}`);
  warnings.splice(warnings.indexOf(due[0]), 1);
}

/** A socket that keeps its control frames. */
export class KeptSocket extends WebSocket {
  constructor(url, protocols) {
    super(url, protocols);
    this.on("message", (data) => keepFrame("server", data));
  }

  send(data) {
    keepFrame("client", data);
    super.send(data);
  }
}

/** A browser tab: one agent on a socket of its own. `server` chooses among the servers, `token` is the connection's. */
export class Client {
  sockets = [];
  events = [];
  /** What was sent and received, for when something is wrong. */
  frames = [];

  constructor(threadId, { server = 0, token } = {}) {
    const { sockets, frames } = this;
    class Recorded extends KeptSocket {
      constructor(url, protocols) {
        super(url, protocols);
        sockets.push(this);
        const name = sockets.length;
        this.on("message", (data) => frames.push(`${name} < ${data.toString().slice(0, 300)}`));
        this.on("close", (code) => frames.push(`${name} closed ${code}`));
      }

      send(data) {
        frames.push(`${sockets.indexOf(this) + 1} > ${String(data).slice(0, 300)}`);
        super.send(data);
      }
    }
    const url = urls[server % urls.length];
    this.connection = new Connection({ url, WebSocket: Recorded, token, lingerMs: 0, backoff: { baseMs: 20, capMs: 100 } });
    this.agent = new WebSocketAgent({ url, threadId, connection: this.connection });
    this.agent.subscribe({
      onEvent: ({ event }) => void this.events.push(event),
      onRunFailed: ({ error }) => void (this.failure = error),
    });
    open.add(this);
  }

  /** Follows the thread, and waits until it is told. */
  async follow() {
    this.agent.follow();
    await until(() => this.agent.status.synced, "the thread is told to a follower");
    return this;
  }

  /** Is told the thread, to the end of the run in progress. */
  connect() {
    return this.ended(this.agent.connectAgent(), "a connect");
  }

  /** Asks for a run, and waits for its end. */
  run(parameters, what = JSON.stringify(parameters)) {
    return this.ended(this.agent.runAgent(parameters), what);
  }

  /** Asks for a run with a message. */
  say(text, parameters) {
    this.agent.addMessage({ id: randomUUID(), role: "user", content: text });
    return this.run(parameters, text);
  }

  /** Answers all open interrupts, in order. */
  answer(...answers) {
    const resume = this.agent.pendingInterrupts.map((interrupt, i) => ({ interruptId: interrupt.id, ...answers[i] }));
    return this.run({ resume });
  }

  /** Waits for a run, but not for ever. */
  ended(run, what) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`a run does not end: ${what}`)), PATIENCE_MS);
    });
    const end = Promise.race([run, late]).finally(() => clearTimeout(timer));
    end.catch(() => {}); // a test may be waiting for something else as yet
    return end;
  }

  describe() {
    const { hello, ...status } = this.agent.status;
    const sockets = this.sockets.map((socket) => socket.readyState).join("");
    return JSON.stringify({ status, sockets, frames: this.frames.slice(-30), picture: this.picture }, null, 1);
  }

  /** Cuts the socket under the client, as a network does. */
  cut() {
    for (const socket of this.sockets) socket.terminate();
  }

  close() {
    this.connection.close();
    assert.equal(this.failure, undefined, "the client refused a run's events");
    assert.equal(this.agent.status.failure, undefined, "the client is in failure");
  }

  get text() {
    const last = this.agent.messages.at(-1);
    return last?.role === "assistant" ? (last.content ?? "") : "";
  }

  /** The last run's RUN_ERROR code, if it failed. */
  get error() {
    const last = this.events.at(-1);
    return last?.type === "RUN_ERROR" ? last.code : undefined;
  }

  count(type) {
    return this.events.filter((event) => event.type === type).length;
  }

  /** What a person would see. */
  get picture() {
    const { messages, state, pendingInterrupts } = this.agent;
    return JSON.parse(JSON.stringify({ messages, state, pendingInterrupts }));
  }
}

export const resolved = (payload) => ({ status: "resolved", ...(payload !== undefined && { payload }) });
export const cancelled = { status: "cancelled" };
export const approve = resolved({ approved: true });

/** Polls a condition that other processes bring about. */
export async function until(holds, what) {
  for (const deadline = Date.now() + PATIENCE_MS; !holds(); ) {
    if (Date.now() > deadline) assert.fail(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** All clients, and one that comes in fresh, show the same; returns what. */
export async function same(first, ...others) {
  const fresh = new Client(first.agent.threadId, { server: 1 });
  await fresh.connect();
  const { picture } = fresh;
  for (const client of [first, ...others]) {
    await until(() => JSON.stringify(client.picture) === JSON.stringify(picture), "all clients show the same").catch((error) => {
      assert.deepEqual(client.picture, picture);
      throw error;
    });
  }
  return picture;
}

/** A test that tells, when it fails, where its clients stand. */
export function test(name, body) {
  return nodeTest(name, async () => {
    try {
      await body();
    } catch (cause) {
      throw new Error(["the clients of a test that failed", ...[...open].map((client) => client.describe())].join("\n"), { cause });
    }
  });
}

/** What has really happened to a tool of this name, in the order in which it happened. */
export async function effects(tool) {
  const text = await readFile(effectsFile, "utf8").catch(() => "");
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .filter((line) => line.tool === tool)
    .map((line) => line.args);
}

/** Names of threads and tools that no other test has. */
export const unique = (name) => `${name}_${randomUUID().slice(0, 8)}`;
export const numbers = (n) => Array.from({ length: n }, (_, i) => `${i + 1} `).join("");
export const contents = (picture, role) => picture.messages.filter((m) => m.role === role).map((m) => m.content);
