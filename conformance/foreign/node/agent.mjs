// The agent of binding.mjs, and what its events build: messages, state, and what is open.
import { randomUUID as uuid } from "node:crypto";
import { setImmediate as turn, setTimeout as pause } from "node:timers/promises";
import { read } from "./reading.mjs";

const text = ({ content = "" } = {}) => (typeof content === "string" ? content : content.map((part) => part.text ?? "").join(""));

/** The events of a run between its start and its end. */
export async function* act({ messages }, signal) {
  const [, command, rest] = /^\/(\w+) ?(.*)$/s.exec(text(messages.findLast(({ role }) => role === "user"))) ?? [];
  const words = rest?.split(/(?<= )/);
  if (command === "say") yield* speak(words);
  if (command === "slow") {
    const [n, ms] = words.map(Number);
    const numbers = Array.from({ length: Math.min(n, 100_000) }, (_, i) => `${i + 1} `);
    yield* speak(numbers, () => (ms ? pause(ms, null, { signal }) : turn(null, { signal })));
  }
  if (command === "state") {
    yield { type: "STATE_SNAPSHOT", snapshot: read(rest) };
    yield { type: "STATE_DELTA", delta: [{ op: "add", path: "/steps", value: ["snapshot", "delta"] }] };
  }
  if (command === "delegate") {
    const of = { subagentRunId: uuid() };
    yield { type: "SUBAGENT_STARTED", ...of, name: "helper" };
    yield { type: "STEP_STARTED", ...of, stepName: "speaking" };
    yield* speak(words, () => pause(5, null, { signal }), of);
    yield { type: "STEP_FINISHED", ...of, stepName: "speaking" };
    yield { type: "SUBAGENT_FINISHED", ...of };
  }
  if (command === "fail") throw new Error(rest);
}

async function* speak(deltas, between = () => {}, of = {}) {
  const messageId = uuid();
  yield { type: "TEXT_MESSAGE_START", messageId, role: "assistant", ...of };
  for (const delta of deltas.filter(Boolean)) {
    await between();
    yield { type: "TEXT_MESSAGE_CONTENT", messageId, delta, ...of };
  }
  yield { type: "TEXT_MESSAGE_END", messageId, ...of };
}

// The member that names what an event opens, and the type of the event that closes it.
const nameOf = { TEXT_MESSAGE_START: "messageId", STEP_STARTED: "stepName", SUBAGENT_STARTED: "subagentRunId" };
const endOf = (type) => type.replace(/STARTED$/, "FINISHED").replace(/START$/, "END");

/** Fold is what the events of a thread build. */
export class Fold {
  messages = [];
  byId = new Map();
  state = {};
  open = []; // the events that opened what is open, in their order

  add(message) {
    if (!this.byId.has(message.id)) this.messages.push(message), this.byId.set(message.id, message);
  }

  apply(e) {
    if (nameOf[e.type]) this.open.push(e);
    this.open = this.open.filter((o) => endOf(o.type) !== e.type || o[nameOf[o.type]] !== e[nameOf[o.type]]);
    const { type, messageId: id, role, subagentRunId } = e;
    if (type === "RUN_STARTED") for (const message of e.input.messages) this.add(message);
    if (type === "TEXT_MESSAGE_START") this.add({ id, role, content: "", subagentRunId });
    if (type === "TEXT_MESSAGE_CONTENT") this.byId.get(id).content += e.delta;
    if (type === "STATE_SNAPSHOT") this.state = e.snapshot;
    if (type === "STATE_DELTA") for (const { path, value } of e.delta) this.state = { ...this.state, [path.slice(1)]: value };
    if (type === "RUN_FINISHED" || type === "RUN_ERROR") this.open = [];
  }

  /** closing are the events that close what is open, innermost first. */
  closing() {
    return this.open.toReversed().map((e) => ({ type: endOf(e.type), subagentRunId: e.subagentRunId, [nameOf[e.type]]: e[nameOf[e.type]] }));
  }
}
