// Where many tests begin: an agent that has asked, one that follows, one that was told a thread.

import type { RunAgentParameters } from "@ag-ui/client";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { WebSocketAgent, type WebSocketAgentConfig } from "../index";
import { assistant, attached, Bench, finished, interrupt, live, messages, settle, started, state, stream, user, type Frame } from "./fake";

/** Time passes when a test says so, and what is logged is not shown. */
export function quietly(): void {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(console, "error").mockImplementation(() => {});
    vi.spyOn(console, "warn").mockImplementation(() => {});
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });
}

/** A thread at rest, restated uncounted. */
export const atRest = (seq: number, list: Frame[], end: Frame = finished("r0")): Frame[] => [
  stream(seq, 4), started("r0", { metadata: { aguiws: { restated: true } } }), state({ n: 1 }), messages(...list), end, live(seq),
];

/** A run's end that asks. */
export const asking = (runId: string, ...ids: string[]): Frame =>
  finished(runId, { type: "interrupt", interrupts: ids.map((id) => interrupt(id)) });

/** Records what a subscriber is called with. */
export function watch(agent: WebSocketAgent): string[] {
  const calls: string[] = [];
  agent.subscribe({
    onRunStartedEvent: () => void calls.push("started"),
    onRunFinishedEvent: ({ outcome }) => void calls.push(`finished ${outcome}`),
    onRunErrorEvent: ({ event }) => void calls.push(`error ${event.code}`),
    onRunFailed: ({ error }) => void calls.push(`failed ${error.name}`),
    onRunFinalized: () => void calls.push(`finalized ${agent.pendingInterrupts.map(({ id }) => id)}`),
  });
  return calls;
}

/** What has become of a call: "pending", "resolved", or the error that it rejected with. */
export function outcomeOf(promise: Promise<unknown>): { value: unknown } {
  const held: { value: unknown } = { value: "pending" };
  promise.then(
    () => (held.value = "resolved"),
    (error) => (held.value = error),
  );
  return held;
}

/** An agent whose input, of run r1 unless it says otherwise, was sent on a socket that has greeted. */
export async function asked(
  parameters: RunAgentParameters = { runId: "r1" },
  { bench = new Bench(), ...config }: Partial<WebSocketAgentConfig> & { bench?: Bench } = {},
) {
  const agent = new WebSocketAgent({ url: "unused", threadId: "t", connection: bench.connection, ...config });
  const events: Frame[] = [];
  agent.subscribe({ onEvent: ({ event }) => void events.push(event as Frame) });
  agent.addMessage({ id: "u1", role: "user", content: "hi" });
  const calls = watch(agent);
  const outcome = outcomeOf(agent.runAgent(parameters));
  await settle();
  bench.socket.hello();
  await settle();
  return { bench, agent, events, calls, outcome, input: bench.socket.next() };
}

/** Connects, and is told a thread: `frames` after an answer at position 9, unless `more` says another. */
export async function told(agent: WebSocketAgent, bench: Bench, frames: Frame[], more: Frame = {}) {
  const outcome = outcomeOf(agent.connectAgent());
  await settle();
  if (bench.connection.state !== "connected") bench.socket.hello();
  await settle();
  const attach = bench.socket.next();
  expect(attach).toEqual({ type: "ws.attach", id: attach.id, threadId: agent.threadId });
  bench.socket.say(attached(9, false, { id: attach.id, threadId: agent.threadId, ...more }), ...frames);
  await settle();
  return outcome;
}

/** An agent that follows a thread at rest at position 10. */
export async function following(list: Frame[] = [user("u0", "q"), assistant("a0", "answer")], end?: Frame) {
  const bench = new Bench();
  const agent = bench.agent();
  const events: Frame[] = [];
  agent.subscribe({ onEvent: ({ event }) => void events.push(event as Frame) });
  const stop = agent.follow();
  bench.socket.hello();
  const attach = bench.socket.next();
  const interrupts = (end?.outcome as Frame | undefined)?.interrupts ?? [];
  bench.socket.say(attached(10, false, { id: attach.id, interrupts }), ...atRest(10, list, end));
  await settle();
  return { bench, agent, events, stop, attach };
}

/** Says something under this runId. */
export const say = (agent: WebSocketAgent, id: string, content: string, runId: string) => {
  agent.addMessage({ id, role: "user", content });
  return agent.runAgent({ runId });
};
