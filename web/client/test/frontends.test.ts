// The traps that lie between a transport and the frontends built on AbstractAgent, each by its name.

import { describe, expect, it } from "vitest";
import { WebSocketAgent } from "../index";
import {
  attached, Bench, close, delta, finished, interrupt, live, messages, open, recorded, run, settle, shown, started,
  stream, user, type Frame,
} from "./fake";
import { asked, asking, atRest, outcomeOf, quietly, told, watch } from "./scenes";

quietly();

describe("CopilotKit", () => {
  it("publishes a question when connecting is over: it is, as soon as the thread is at rest", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    const calls = watch(agent);
    const outcome = await told(agent, bench, atRest(9, [user("u0", "q")], asking("r0", "i1")), {
      interrupts: [interrupt("i1")],
    });
    expect(outcome.value).toBe("resolved");
    expect(calls).toEqual(["started", "finished interrupt", "finalized i1"]);
    expect(agent.isRunning).toBe(false);
  });

  it("answers under the interrupted run's own runId: that is another run", async () => {
    const { bench, agent, calls } = await asked();
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
    await told(agent, bench, atRest(9, [user("u0", "q")], asking("r0", "i1")), { interrupts: [interrupt("i1")] });
    expect(bench.socket.next()).toMatchObject({ type: "ws.detach" });
    const outcome = outcomeOf(agent.runAgent({ runId: connectId, resume: [{ interruptId: "i1", status: "resolved" }] }));
    await settle();
    expect(bench.socket.next()).toMatchObject({ runId: connectId });
    bench.socket.say(run(connectId, "started"), stream(9), started(connectId), finished(connectId));
    await settle();
    expect(outcome.value).toBe("resolved");
  });

  it("adds a tool message that echoes the answer: the real result is what stays", async () => {
    const { bench, agent } = await asked();
    const begun = { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "pay", parentMessageId: "m" };
    bench.socket.say(run("r1", "started"), stream(0), started("r1"), begun, { type: "TOOL_CALL_END", toolCallId: "c" }, asking("r1", "i1"));
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
    const { bench, agent } = await asked();
    agent.follow();
    bench.socket.say(attached(3, false, { id: bench.socket.next().id }), live(3));
    await settle();
    agent.clearReconnectCursor("t");
    agent.clearReconnectCursor("never seen");
    const socket = await bench.reconnect();
    const attach = socket.next();
    expect(attach).toEqual({ type: "ws.attach", id: attach.id, threadId: "t" });
    agent.setMessages([]);
    socket.say(attached(3, false, { id: attach.id }), ...atRest(3, [user("u0", "q")], finished("r0")));
    await settle();
    expect(shown(agent)).toEqual(["user:q"]);
  });

  it("switches the thread of an instance that holds questions: each thread has its own", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    await told(agent, bench, atRest(9, [user("u0", "q")], asking("r0", "i1")), { interrupts: [interrupt("i1")] });
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
    await visit("t", atRest(9, [user("u0", "q")], asking("r0", "i1")), { interrupts: [interrupt("i1")] });
    expect(agent.pendingInterrupts.map(({ id }) => id)).toEqual(["i1"]);
  });

  it("has no way to write another message while one is asked: the option has it cancel the question", async () => {
    const { bench, agent } = await asked({ runId: "r1" }, { unanswered: "cancel" });
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
    const { sockets, WebSocket } = recorded();
    const options = { url: "ws://shared/agui/ws", WebSocket };
    const agents = ["a", "b", "c"].map((threadId) => new WebSocketAgent({ ...options, threadId }));
    for (const agent of [...agents, agents[0]!.clone()]) void agent.connectAgent().catch(() => {});
    await settle();
    expect(sockets.map(({ url }) => url)).toEqual(["ws://shared/agui/ws"]);
    agents[0]!.connection.close();
  });
});

describe("assistant-ui", () => {
  it("aborts when it unmounts: the option has that leave the run alone", async () => {
    const { bench, agent, outcome } = await asked({ runId: "r1" }, { abort: "detach" });
    bench.socket.say(run("r1", "started"), stream(0), started("r1"));
    await settle();
    agent.abortRun();
    await settle();
    expect(outcome.value).toBe("resolved");
    expect(bench.socket.next()).toMatchObject({ type: "ws.detach" });
    agent.stopRun("r1");
    expect(bench.socket.next()).toMatchObject({ type: "ws.cancel", runId: "r1" });
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
