// The traps that lie between a transport and the frontends built on AbstractAgent, each by its name. They run on every
// base class that is promised.

import * as agui from "@ag-ui/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Connection, WebSocketAgent } from "../index";
import {
  attached, assistant, Bench, close, delta, failed, finished, interrupt, live, messages, open, run, settle, shown,
  started, state, stream, user, type Frame,
} from "./fake";

/** 0.0.59 has no checks of its own for what goes out. */
const is1 = "enforceOutgoingInput" in agui;

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(console, "warn").mockImplementation(() => {});
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const restated = (seq: number, runId: string, list: Frame[], end: Frame): Frame[] => [
  stream(seq, 4), started(runId, { metadata: { aguiws: { restated: true } } }), state({}), messages(...list), end, live(seq),
];
const asking = (runId: string, ...ids: string[]) =>
  finished(runId, { type: "interrupt", interrupts: ids.map((id) => interrupt(id)) });

/** Records what a subscriber sees, and the promise of a call. */
function watch(agent: WebSocketAgent) {
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

function outcomeOf(promise: Promise<unknown>) {
  const held: { value: unknown } = { value: "pending" };
  promise.then(
    () => (held.value = "resolved"),
    (error) => (held.value = error),
  );
  return held;
}

/** An agent whose input was sent on a socket that has greeted. */
async function sent(parameters: agui.RunAgentParameters = { runId: "r1" }, config = {}) {
  const bench = new Bench();
  const agent = new WebSocketAgent({ url: "unused", threadId: "t", connection: bench.connection, ...config });
  agent.addMessage({ id: "u1", role: "user", content: "hi" });
  const calls = watch(agent);
  const outcome = outcomeOf(agent.runAgent(parameters));
  await settle();
  bench.socket.hello();
  await settle();
  return { bench, agent, calls, outcome, input: bench.socket.next() };
}

/** Connects, and is told a thread. */
async function told(agent: WebSocketAgent, bench: Bench, frames: Frame[], more: Frame = {}) {
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

describe("AbstractAgent", () => {
  it("does not settle on RUN_FINISHED: the Observable completes on the terminal event", async () => {
    for (const end of [finished("r1"), finished("r1", { type: "success" }), failed("agent_error"), asking("r1", "i1")]) {
      const { bench, agent, outcome, calls } = await sent();
      bench.socket.say(run("r1", "started"), stream(0), started("r1"), end);
      await settle();
      expect(outcome.value).toBe("resolved");
      expect(agent.isRunning).toBe(false);
      expect(calls.at(-1)).toMatch(/^finalized/);
    }
  });

  it("reads maxProtocolVersion in its constructor, as the version of a package and not of the protocol", async () => {
    const { agent, input } = await sent();
    expect(agent.maxProtocolVersion).toBe("1.0.0");
    expect(input.protocolVersion).toBe(is1 ? "1.0" : undefined);
  });

  it("clones without a constructor: the clone works, on the same socket, beside the original", async () => {
    const { bench, agent } = await sent();
    bench.socket.say(run("r1", "started"), stream(0), started("r1"), open("a"), delta("a", "one"));
    await settle();
    const clone = agent.clone();
    expect(clone).toBeInstanceOf(WebSocketAgent);
    expect([clone.connection, clone.isRunning, clone.threadId]).toEqual([agent.connection, false, "t"]);
    clone.threadId = "t2";
    clone.setMessages([]);
    const other = outcomeOf(clone.runAgent({ runId: "r2" }));
    await settle();
    expect(bench.socket.next()).toMatchObject({ threadId: "t2", runId: "r2" });
    bench.socket.say(
      { ...run("r2", "started"), threadId: "t2" }, stream(0, undefined, "t2"), { ...started("r2"), threadId: "t2" },
      open("b"), delta("b", "two"), close("b"), { ...finished("r2"), threadId: "t2" },
      stream(3), close("a"), finished("r1"),
    );
    await settle();
    expect(other.value).toBe("resolved");
    expect(shown(clone)).toEqual(["assistant:two"]);
    expect(shown(agent)).toEqual(["user:hi", "assistant:one"]);
  });

  it("does not guard against two runs at once on one instance: both are told whole", async () => {
    const { bench, agent, outcome } = await sent();
    agent.addMessage({ id: "u2", role: "user", content: "more" });
    const second = outcomeOf(agent.runAgent({ runId: "r2" }));
    await settle();
    bench.socket.next();
    bench.socket.say(run("r1", "started"), stream(0), started("r1"), open("a"), delta("a", "one"), run("r2", "queued"));
    bench.socket.say(close("a"), finished("r1"));
    await settle();
    expect([outcome.value, second.value, agent.isRunning]).toEqual(["resolved", "pending", true]);
    bench.socket.say(started("r2"), open("b"), delta("b", "two"), close("b"), finished("r2"));
    await settle();
    expect([second.value, agent.isRunning]).toEqual(["resolved", false]);
    expect(shown(agent).filter((line) => line.startsWith("assistant"))).toEqual(["assistant:one", "assistant:two"]);
  });

  it("wraps run in middleware", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    agent.use((input, next) => next.run({ ...input, forwardedProps: { seen: true } }));
    void agent.runAgent({ runId: "r1" });
    await settle();
    bench.socket.hello();
    await settle();
    expect(bench.socket.next()).toMatchObject({ runId: "r1", forwardedProps: { seen: true } });
  });

  it("lets nulls out that AG-UI does not have, and keeps those that are values", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    agent.setMessages([{ id: "u1", role: "user", content: "hi", name: null, metadata: { kept: null } } as never]);
    agent.state = null;
    void agent.runAgent({
      runId: "r1",
      forwardedProps: { kept: null },
      tools: [{ name: "f", description: "f", parameters: { default: null }, metadata: null } as never],
      resume: [{ interruptId: "i", status: "cancelled", payload: null }],
    }).catch(() => {});
    await settle();
    bench.socket.hello();
    await settle();
    const { id, protocolVersion, ...input } = bench.socket.next();
    expect(input).toEqual({
      threadId: "t", runId: "r1", context: [], forwardedProps: { kept: null },
      messages: [{ id: "u1", role: "user", content: "hi", metadata: { kept: null } }],
      tools: [{ name: "f", description: "f", parameters: { default: null } }],
      resume: [{ interruptId: "i", status: "cancelled" }],
    });
  });

  it("takes a stream that just stops for a success: here it rejects, and what was delivered stays", async () => {
    const { bench, agent, outcome, calls } = await sent();
    bench.socket.say(run("r1", "started"), stream(0), started("r1"), open("a"), delta("a", "half"));
    // In the same tick: an error that overtakes the reducer would drop what is queued in it.
    bench.socket.break(1009);
    await settle(1);
    expect(outcome.value).toMatchObject({ name: "TransportError", code: "1009" });
    expect(calls).toContain("failed TransportError");
    expect(shown(agent)).toEqual(["user:hi", "assistant:half"]);
  });

  it("is told of a stop by the server's word: no failure follows it", async () => {
    const { bench, agent, outcome, calls } = await sent();
    bench.socket.say(run("r1", "started"), stream(0), started("r1"));
    agent.abortRun();
    bench.socket.say(finished("r1", { type: "cancelled" }));
    await settle();
    expect(outcome.value).toBe("resolved");
    expect(calls.filter((call) => call.startsWith("failed") || call.startsWith("error"))).toEqual([]);
    expect(agent.pendingInterrupts).toEqual([]);
  });

  it("swallows an AbortError: a run given up before it was sent does not reject", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    const outcome = outcomeOf(agent.runAgent());
    await settle();
    agent.abortRun();
    await settle(1);
    expect(outcome.value).toBe("resolved");
  });

  it("keeps pending interrupts across a refusal, so that a corrected answer can follow", async () => {
    const { bench, agent } = await sent();
    bench.socket.say(run("r1", "started"), stream(0), started("r1"), asking("r1", "i1"));
    await settle();
    const resume = [{ interruptId: "i1", status: "resolved" as const, payload: "wrong" }];
    const outcome = outcomeOf(agent.runAgent({ runId: "r2", resume }));
    await settle();
    bench.socket.say(run("r2", "refused"), stream(2, 1), failed("interrupt_payload_invalid"));
    await settle();
    expect(outcome.value).toBe("resolved");
    expect(agent.pendingInterrupts.map(({ id }) => id)).toEqual(["i1"]);
  });

  it("checks coverage before anything is sent", async () => {
    const { bench, agent, calls } = await sent();
    bench.socket.say(run("r1", "started"), stream(0), started("r1"), asking("r1", "i1"));
    await settle();
    expect(bench.socket.next()).toMatchObject({ type: "ws.detach" });
    const before = calls.length;
    await expect(agent.runAgent()).rejects.toThrow(/not addressed by resume: i1/);
    expect(bench.socket.silent()).toBe(true);
    expect(calls).toHaveLength(before);
    expect(agent.isRunning).toBe(false);
  });

  it("does not let an expired question be given up on 0.0.59: here it can be", async () => {
    const { bench, agent } = await sent();
    agent.pendingInterrupts = [{ ...interrupt("i1"), expiresAt: "2020-01-01T00:00:00Z" } as never];
    bench.socket.say(run("r1", "started"), stream(0), started("r1"), finished("r1"));
    await settle();
    bench.socket.next();
    agent.pendingInterrupts = [{ ...interrupt("i1"), expiresAt: "2020-01-01T00:00:00Z" } as never];
    await expect(agent.runAgent({ resume: [{ interruptId: "i1", status: "resolved" }] })).rejects.toThrow(/expired/);
    void agent.runAgent({ runId: "r2", resume: [{ interruptId: "i1", status: "cancelled" }] });
    await settle();
    expect(bench.socket.next()).toMatchObject({ runId: "r2", resume: [{ interruptId: "i1", status: "cancelled" }] });
    expect(agent.pendingInterrupts.map(({ id }) => id)).toEqual(["i1"]);
  });

  it("throws on connecting while questions are open: here the thread says which are", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    agent.pendingInterrupts = [interrupt("old") as never];
    const outcome = await told(agent, bench, restated(9, "r0", [user("u0", "q")], asking("r0", "new")), {
      interrupts: [interrupt("new")],
    });
    expect(outcome.value).toBe("resolved");
    expect(agent.pendingInterrupts.map(({ id }) => id)).toEqual(["new"]);
  });

  it("appends what is streamed again: connecting with messages held doubles nothing", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    agent.setMessages([user("u0", "q"), assistant("a0", "answer")] as never);
    await told(agent, bench, restated(9, "r0", [user("u0", "q"), assistant("a0", "answer")], finished("r0")));
    expect(shown(agent)).toEqual(["user:q", "assistant:answer"]);
  });

  it("takes an empty stream for a thread on which nothing has run", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    expect((await told(agent, bench, [live(9)])).value).toBe("resolved");
  });

  it("is detached by unsubscribing, quietly: nothing is cancelled, nothing fails", async () => {
    const { bench, agent, outcome, calls } = await sent();
    bench.socket.say(run("r1", "started"), stream(0), started("r1"), open("a"), delta("a", "half"));
    await settle();
    await agent.detachActiveRun();
    await settle();
    expect(outcome.value).toBe("resolved");
    expect(calls.filter((call) => /failed|error/.test(call))).toEqual([]);
    expect(bench.socket.next()).toMatchObject({ type: "ws.detach" });
    expect(bench.socket.silent()).toBe(true);
  });

  it("detaches nothing that has not begun: connecting twice at once does not wait for a run's end", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    const first = outcomeOf(agent.connectAgent());
    const detached = outcomeOf(agent.detachActiveRun());
    await settle();
    expect([first.value, detached.value]).toEqual(["resolved", "resolved"]);
    const second = await told(agent, bench, [
      stream(9, 4), started("r0"), state({}), messages(user("u0", "q"), assistant("a", "par")), open("a"), live(9),
    ]);
    expect(second.value).toBe("pending");
    bench.socket.say(delta("a", "tial"), close("a"), finished("r0"));
    await settle();
    expect(second.value).toBe("resolved");
    expect(shown(agent)).toEqual(["user:q", "assistant:partial"]);
  });

  it("detaches nothing that has not begun: what is asked is sent all the same", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    agent.addMessage({ id: "u1", role: "user", content: "hi" });
    void agent.runAgent({ runId: "r1" });
    await agent.detachActiveRun();
    await settle();
    bench.socket.hello();
    await settle();
    expect(bench.socket.next()).toMatchObject({ runId: "r1", messages: [user("u1", "hi")] });
  });

  it("knows less than AG-UI 1.0 on 0.0.59: what it does not know does not end the run", async () => {
    const { bench, agent, outcome, calls } = await sent();
    const call = (id: string): Frame => ({ type: "TOOL_CALL_START", toolCallId: id, toolCallName: "f" });
    bench.socket.say(
      run("r1", "started"), stream(0), started("r1", { protocolVersion: "1.0" }),
      { type: "SUBAGENT_STARTED", subagentRunId: "s", name: "helper" }, { ...open("a"), subagentRunId: "s" },
      { ...delta("a", "from a helper"), subagentRunId: "s" }, { ...close("a"), subagentRunId: "s" },
      { type: "SUBAGENT_FINISHED", subagentRunId: "s" },
      call("c1"), { type: "TOOL_CALL_END", toolCallId: "c1" },
      { type: "TOOL_CALL_RESULT", messageId: "t1", toolCallId: "c1", content: [{ type: "text", text: "a part" }], role: "tool" },
      call("c2"), { type: "TOOL_CALL_END", toolCallId: "c2" },
      { type: "SOMETHING_NEW", value: 1 },
      finished("r1", { type: "success", pendingToolCallIds: ["c2"] }),
    );
    await settle();
    expect(outcome.value).toBe("resolved");
    expect(calls).toEqual(["started", "finished success", "finalized "]);
    expect(agent.messages.map(({ role }) => role)).toEqual(["user", "assistant", "assistant", "tool", "assistant"]);
  });
});

describe("CopilotKit", () => {
  it("publishes a question when connecting is over: it is, as soon as the thread is at rest", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    const calls = watch(agent);
    const outcome = await told(agent, bench, restated(9, "r0", [user("u0", "q")], asking("r0", "i1")), {
      interrupts: [interrupt("i1")],
    });
    expect(outcome.value).toBe("resolved");
    expect(calls).toEqual(["started", "finished interrupt", "finalized i1"]);
    expect(agent.isRunning).toBe(false);
  });

  it("answers under the interrupted run's own runId: that is another run", async () => {
    const { bench, agent, calls } = await sent();
    bench.socket.say(run("r1", "started"), stream(0), started("r1"), asking("r1", "i1"));
    await settle();
    bench.socket.next();
    const outcome = outcomeOf(agent.runAgent({ runId: "r1", resume: [{ interruptId: "i1", status: "resolved" }] }));
    await settle();
    expect(bench.socket.next()).toMatchObject({ runId: "r1", resume: [{ interruptId: "i1" }] });
    bench.socket.say(run("r1", "started"), stream(2), started("r1"), open("a"), delta("a", "done"), close("a"), finished("r1"));
    await settle();
    expect(outcome.value).toBe("resolved");
    expect(shown(agent).at(-1)).toBe("assistant:done");
    expect(calls).toEqual(["started", "finished interrupt", "finalized i1", "started", "finished success", "finalized "]);
  });

  it("answers after a reload under the runId of its connect, which nobody has announced", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    let connectId = "";
    agent.subscribe({ onRunInitialized: ({ input }) => void (connectId ||= input.runId) });
    await told(agent, bench, restated(9, "r0", [user("u0", "q")], asking("r0", "i1")), { interrupts: [interrupt("i1")] });
    expect(bench.socket.next()).toMatchObject({ type: "ws.detach" });
    const outcome = outcomeOf(agent.runAgent({ runId: connectId, resume: [{ interruptId: "i1", status: "resolved" }] }));
    await settle();
    expect(bench.socket.next()).toMatchObject({ runId: connectId });
    bench.socket.say(run(connectId, "started"), stream(9), started(connectId), finished(connectId));
    await settle();
    expect(outcome.value).toBe("resolved");
  });

  it("adds a tool message that echoes the answer: the real result is what stays", async () => {
    const { bench, agent } = await sent();
    const asked = { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "pay", parentMessageId: "m" };
    bench.socket.say(run("r1", "started"), stream(0), started("r1"), asked, { type: "TOOL_CALL_END", toolCallId: "c" }, asking("r1", "i1"));
    await settle();
    agent.addMessage({ id: "echo", role: "tool", toolCallId: "c", content: '{"approved":true}' });
    void agent.runAgent({ runId: "r1", resume: [{ interruptId: "i1", status: "resolved", payload: { approved: true } }] });
    await settle();
    const call = { id: "c", type: "function", function: { name: "pay", arguments: "" } };
    bench.socket.say(
      run("r1", "started"), stream(4), started("r1"),
      { type: "TOOL_CALL_RESULT", messageId: "real", toolCallId: "c", content: "paid", role: "tool" },
      messages(user("u1", "hi"), { id: "m", role: "assistant", toolCalls: [call] }, { id: "real", role: "tool", toolCallId: "c", content: "paid" }),
      finished("r1"),
    );
    await settle();
    expect(agent.messages.filter(({ role }) => role === "tool").map(({ id }) => id)).toEqual(["real"]);
  });

  it("calls clearReconnectCursor before it clears a thread: the next attach is without a position", async () => {
    const { bench, agent } = await sent();
    agent.follow();
    bench.socket.say(attached(3, false, { id: bench.socket.next().id }), live(3));
    await settle();
    agent.clearReconnectCursor("t");
    agent.clearReconnectCursor("never seen");
    const socket = await bench.reconnect();
    const attach = socket.next();
    expect(attach.type).toBe("ws.attach");
    agent.setMessages([]);
    socket.say(attached(3, false, { id: attach.id }), ...restated(3, "r0", [user("u0", "q")], finished("r0")));
    await settle();
    expect(shown(agent)).toEqual(["user:q"]);
  });

  it("switches the thread of an instance that holds questions: each thread has its own", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    await told(agent, bench, restated(9, "r0", [user("u0", "q")], asking("r0", "i1")), { interrupts: [interrupt("i1")] });
    bench.socket.next();
    const visit = async (threadId: string, frames: Frame[], more: Frame = {}) => {
      agent.threadId = threadId;
      await agent.detachActiveRun();
      agent.setMessages([]);
      agent.clearReconnectCursor(threadId);
      const outcome = await told(agent, bench, frames, more);
      expect(outcome.value).toBe("resolved");
      bench.socket.next();
    };
    await visit("t2", [{ ...live(9), threadId: "t2" }]);
    expect(agent.pendingInterrupts).toEqual([]);
    expect(agent.messages).toEqual([]);
    await visit("t", restated(9, "r0", [user("u0", "q")], asking("r0", "i1")), { interrupts: [interrupt("i1")] });
    expect(agent.pendingInterrupts.map(({ id }) => id)).toEqual(["i1"]);
  });

  it("has no way to write another message while one is asked: the option has it cancel the question", async () => {
    const { bench, agent } = await sent({ runId: "r1" }, { unanswered: "cancel" });
    bench.socket.say(run("r1", "started"), stream(0), started("r1"), asking("r1", "i1", "i2"));
    await settle();
    bench.socket.next();
    agent.addMessage({ id: "u2", role: "user", content: "something else" });
    const outcome = outcomeOf(agent.runAgent({ runId: "r2" }));
    await settle();
    expect(bench.socket.next()).toMatchObject({
      runId: "r2",
      resume: [{ interruptId: "i1", status: "cancelled" }, { interruptId: "i2", status: "cancelled" }],
    });
    bench.socket.say(run("r2", "started"), stream(2), started("r2"), finished("r2"));
    await settle();
    expect(outcome.value).toBe("resolved");
    expect(agent.pendingInterrupts).toEqual([]);
  });

  it("shares a page with other agents: one socket carries them all", async () => {
    const sockets: string[] = [];
    class Counted {
      readyState = 0;
      onopen = null;
      onmessage = null;
      onclose = null;
      onerror = null;
      constructor(url: string) {
        sockets.push(url);
      }
      send() {}
      close() {}
    }
    const options = { url: "ws://shared/agui/ws", WebSocket: Counted as never };
    const agents = ["a", "b", "c"].map((threadId) => new WebSocketAgent({ ...options, threadId }));
    for (const agent of [...agents, agents[0]!.clone()]) void agent.connectAgent().catch(() => {});
    await settle();
    expect(sockets).toEqual(["ws://shared/agui/ws"]);
    agents[0]!.connection.close();
  });
});

describe("assistant-ui", () => {
  it("aborts when it unmounts: the option has that leave the run alone", async () => {
    const { bench, agent, outcome } = await sent({ runId: "r1" }, { abort: "detach" });
    bench.socket.say(run("r1", "started"), stream(0), started("r1"));
    await settle();
    agent.abortRun();
    await settle();
    expect(outcome.value).toBe("resolved");
    expect(bench.socket.next()).toMatchObject({ type: "ws.detach" });
    agent.stopRun("r1");
    expect(bench.socket.silent()).toBe(true);
  });

  it("sets messages, thread and state on the instance and passes its input and a signal along", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    Object.assign(agent, { threadId: "mine", messages: [user("u1", "hi")], state: null });
    const input = { threadId: "mine", runId: "its-own", messages: [user("u1", "hi")], state: null, tools: [], context: [], forwardedProps: {} };
    const runAgent = agent.runAgent.bind(agent) as (...all: unknown[]) => Promise<unknown>;
    const seen: string[] = [];
    const outcome = outcomeOf(runAgent(input, { onEvent: ({ event }: { event: Frame }) => void seen.push(event.type) }, { signal: new AbortController().signal }));
    await settle();
    bench.socket.hello();
    await settle();
    expect(bench.socket.next()).toMatchObject({ threadId: "mine", runId: "its-own", messages: [user("u1", "hi")] });
    const mine = { threadId: "mine" };
    bench.socket.say({ ...run("its-own", "started"), ...mine }, stream(0, undefined, "mine"), { ...started("its-own"), ...mine }, { ...finished("its-own"), ...mine });
    await settle();
    expect(outcome.value).toBe("resolved");
    expect(seen).toEqual(["RUN_STARTED", "RUN_FINISHED"]);
  });
});

describe("a browser", () => {
  const refused = (status: number, body: unknown) => vi.fn(async () => ({ status, json: async () => body }));

  it("tells a page nothing of a refused handshake: the server is asked why", async () => {
    const fetch = refused(401, { code: "unauthenticated", message: "a valid credential is needed" });
    const bench = new Bench({ fetch, token: "wrong" });
    const outcome = outcomeOf(bench.agent().runAgent());
    await settle();
    bench.socket.break();
    await settle(1);
    expect(fetch).toHaveBeenCalledWith("http://test/agui/capabilities", {
      headers: { Authorization: "Bearer wrong" }, credentials: "include", cache: "no-store",
    });
    expect(outcome.value).toMatchObject({ name: "TransportError", code: "unauthenticated", message: "a valid credential is needed" });
    await settle(60_000);
    expect(bench.sockets).toHaveLength(1);
  });

  it("lets a credential be renewed once before it gives up", async () => {
    const fetch = refused(401, { code: "unauthenticated", message: "no" });
    const token = vi.fn(async () => "x");
    const bench = new Bench({ fetch, token });
    const outcome = outcomeOf(bench.agent().runAgent());
    await settle();
    bench.socket.break();
    await settle(1_000);
    expect(bench.sockets).toHaveLength(2);
    expect(token).toHaveBeenCalledTimes(2);
    bench.socket.break();
    await settle(1);
    expect(outcome.value).toMatchObject({ code: "unauthenticated" });
  });

  it("goes on trying where the server is away, busy, or says nothing that it understands", async () => {
    for (const fetch of [
      vi.fn(() => Promise.reject(new Error("refused"))), refused(503, { code: "overloaded", message: "later" }),
      refused(404, "a proxy's page"), refused(200, {}),
    ]) {
      const bench = new Bench({ fetch });
      const outcome = outcomeOf(bench.agent().runAgent());
      await settle();
      bench.socket.break();
      await settle(5_000);
      expect(fetch).toHaveBeenCalledTimes(1);
      expect(outcome.value).toBe("pending");
      expect(bench.sockets).toHaveLength(2);
      bench.connection.close();
    }
  });

  it("resolves an address against the page, and speaks to http as to ws", async () => {
    vi.stubGlobal("location", { href: "https://app.example/chat?x=1" });
    const urls: string[] = [];
    class Recorded {
      readyState = 0;
      onopen = null;
      onmessage = null;
      onclose = null;
      onerror = null;
      constructor(url: string) {
        urls.push(url);
      }
      send() {}
      close() {}
    }
    for (const url of ["/agui/ws", "http://127.0.0.1:8080/agui/ws", "wss://other.example/agui/ws"]) {
      const connection = new Connection({ url, WebSocket: Recorded as never });
      connection.use();
      connection.close();
    }
    vi.unstubAllGlobals();
    expect(urls).toEqual(["wss://app.example/agui/ws", "ws://127.0.0.1:8080/agui/ws", "wss://other.example/agui/ws"]);
  });
});
