// A run from its input to its terminal event, through everything that can happen to the socket in between.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  attached, assistant, Bench, close, delta, failed, finished, interrupt, live, messages, open, run, settle, shown,
  started, state, stream, user, type Frame,
} from "./fake";

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(console, "warn").mockImplementation(() => {});
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** An agent that has asked for run r1, on a socket that has greeted. */
async function asked(bench = new Bench()) {
  const agent = bench.agent();
  const events: Frame[] = [];
  agent.subscribe({ onEvent: ({ event }) => void events.push(event as Frame) });
  agent.addMessage({ id: "u1", role: "user", content: "hi" });
  let outcome: unknown = "pending";
  const promise = agent.runAgent({ runId: "r1" }).then(
    () => (outcome = "resolved"),
    (error) => (outcome = error),
  );
  await settle();
  bench.socket.hello();
  await settle();
  const input = bench.socket.next();
  return { bench, agent, events, promise, input, outcome: () => outcome };
}

describe("a run", () => {
  it("offers the subprotocol, sends the input after the greeting and ends with the terminal event", async () => {
    const { bench, agent, input, outcome } = await asked();
    expect(bench.socket.protocols).toEqual(["agui.v1.json"]);
    expect(input).toMatchObject({ threadId: "t", runId: "r1", messages: [user("u1", "hi")] });
    expect(input.type).toBeUndefined();
    bench.socket.say(run("r1", "started"), stream(0), started("r1"), open("a"), delta("a", "Hel"), delta("a", "lo"));
    await settle();
    expect(shown(agent)).toEqual(["user:hi", "assistant:Hello"]);
    expect(outcome()).toBe("pending");
    bench.socket.say(close("a"), finished("r1"));
    await settle();
    expect(outcome()).toBe("resolved");
    expect(agent.isRunning).toBe(false);
    expect(bench.socket.next()).toMatchObject({ type: "ws.detach", threadId: "t" });
  });

  it("carries the credential as a subprotocol", async () => {
    const bench = new Bench({ token: async () => "tökén" });
    await asked(bench);
    expect(bench.socket.protocols).toEqual(["agui.v1.json", "agui.bearer.dMO2a8Opbg"]);
  });

  it("leaves events before its own RUN_STARTED to the thread's followers", async () => {
    const { bench, agent, events } = await asked();
    bench.socket.say(
      run("r1", "queued"), stream(4), delta("x", "foreign"), close("x"), finished("r0"),
      started("r1"), open("a"), delta("a", "mine"), close("a"), finished("r1"),
    );
    await settle();
    expect(shown(agent)).toEqual(["user:hi", "assistant:mine"]);
    expect(events.map((event) => event.type)[0]).toBe("RUN_STARTED");
  });

  it("goes on after a lost socket as if nothing had happened", async () => {
    const { bench, agent, events, outcome } = await asked();
    bench.socket.say(run("r1", "started"), stream(7), started("r1"), open("a"), delta("a", "Hel"));
    await settle();
    const socket = await bench.reconnect();
    const attach = socket.next();
    expect(attach).toMatchObject({ type: "ws.attach", threadId: "t", after: { epoch: "e", seq: 10 } });
    socket.say(attached(10, true, { id: attach.id }), stream(10), delta("a", "lo"), live(11), close("a"), finished("r1"));
    await settle();
    expect(shown(agent)).toEqual(["user:hi", "assistant:Hello"]);
    expect(outcome()).toBe("resolved");
    expect(events.filter((event) => event.type === "RUN_STARTED")).toHaveLength(1);
  });

  it("ignores what is sent twice and asks for what is missing", async () => {
    const { bench, agent } = await asked();
    const { socket } = bench;
    socket.say(run("r1", "started"), stream(0), started("r1"), open("a"), delta("a", "x"));
    socket.say(stream(1), open("a"), delta("a", "x"), delta("a", "y"));
    await settle();
    expect(shown(agent)).toEqual(["user:hi", "assistant:xy"]);
    socket.say(stream(6), delta("a", "far"));
    const attach = socket.next();
    expect(attach).toMatchObject({ type: "ws.attach", after: { seq: 4 } });
    socket.say(delta("a", "farther"), attached(4, true, { id: attach.id }), stream(4), delta("a", "z"), live(5));
    await settle();
    expect(shown(agent)).toEqual(["user:hi", "assistant:xyz"]);
    expect(socket.silent()).toBe(true);
  });

  it("asks for what is missing when a pong or ws.live shows a higher position", async () => {
    const { bench } = await asked();
    const { socket } = bench;
    socket.say(run("r1", "started"), stream(0), started("r1"));
    socket.say({ type: "ws.pong", positions: { t: 1 } });
    expect(socket.silent()).toBe(true);
    socket.say({ type: "ws.pong", positions: { t: 3 } });
    const attach = socket.next();
    expect(attach).toMatchObject({ type: "ws.attach", after: { epoch: "e", seq: 1 } });
    socket.say(attached(1, true, { id: attach.id }), live(2));
    expect(socket.next()).toMatchObject({ type: "ws.attach", after: { seq: 1 } });
  });
});

describe("an input whose answer was lost", () => {
  it("is sent again, and the run that had begun is told from its beginning", async () => {
    const { bench, agent, input, outcome } = await asked();
    const socket = await bench.reconnect();
    const again = socket.next();
    expect({ ...again, id: 0 }).toEqual({ ...input, id: 0 });
    socket.say(
      run("r1", "repeat", { id: again.id }), stream(3, 4), started("r1"), state({ n: 1 }),
      messages(user("u1", "hi"), assistant("a", "Hel")), open("a"),
      delta("a", "lo"), close("a"), finished("r1"),
    );
    await settle();
    expect(shown(agent)).toEqual(["user:hi", "assistant:Hello"]);
    expect(agent.state).toEqual({ n: 1 });
    expect(outcome()).toBe("resolved");
  });

  it("is sent again when the socket is lost between the answer's announcement and the answer", async () => {
    const { bench, agent, outcome } = await asked();
    let socket = await bench.reconnect();
    expect(socket.next()).toMatchObject({ runId: "r1" });
    socket.say(run("r1", "repeat", { of: "r1" }), stream(4, 4));
    await settle();
    // Attached without a position it is told the thread as it is, and has to ask what became of its run.
    socket = await bench.reconnect();
    expect(socket.next()).toMatchObject({ type: "ws.attach" });
    socket.say(attached(4, false), stream(4, 4), started("r0", { metadata: { aguiws: { restated: true } } }), state({}),
      messages(user("u1", "hi"), assistant("a", "Hello")), finished("r0"), live(4));
    await settle();
    expect(socket.next()).toMatchObject({ runId: "r1" });
    // Lost again before the answer: the earlier acceptance answers nothing.
    socket = await bench.reconnect();
    expect(socket.next()).toMatchObject({ type: "ws.attach", after: { seq: 4 } });
    socket.say(attached(4, true), live(4));
    await settle();
    expect(socket.next()).toMatchObject({ runId: "r1" });
    socket.say(run("r1", "repeat", { of: "r1" }), stream(4, 4), started("r1"), state({}),
      messages(user("u1", "hi"), assistant("a", "Hello")), finished("r1"));
    await settle();
    expect(outcome()).toBe("resolved");
    expect(shown(agent)).toEqual(["user:hi", "assistant:Hello"]);
  });

  it("ends at once when the run has ended, with the interrupts that are open", async () => {
    const { bench, agent, outcome } = await asked();
    const socket = await bench.reconnect();
    socket.next();
    socket.say(
      run("r1", "repeat"), stream(9, 4), started("r1"), state({}), messages(user("u1", "hi"), assistant("a", "ask")),
      finished("r1", { type: "interrupt", interrupts: [interrupt("i1")] }),
    );
    await settle();
    expect(outcome()).toBe("resolved");
    expect(agent.pendingInterrupts.map((one) => one.id)).toEqual(["i1"]);
  });

  it("takes the end of the run that answers it for its own", async () => {
    const { bench, events, outcome } = await asked();
    const socket = await bench.reconnect();
    socket.next();
    socket.say(
      run("r1", "repeat", { of: "r9" }), stream(9, 3), started("r1"), state({}), messages(user("u1", "hi")),
      open("a"), close("a"), finished("r9"),
    );
    await settle();
    expect(outcome()).toBe("resolved");
    expect(events.at(-1)).toMatchObject({ type: "RUN_FINISHED", runId: "r1" });
  });

  it("waits on when it is still queued", async () => {
    const { bench, agent, outcome } = await asked();
    const socket = await bench.reconnect();
    socket.next();
    socket.say(run("r1", "repeat"), stream(5), finished("r0"), started("r1"), open("a"), delta("a", "done"), close("a"), finished("r1"));
    await settle();
    expect(shown(agent)).toEqual(["user:hi", "assistant:done"]);
    expect(outcome()).toBe("resolved");
  });

  it("is sent again when the store cannot say whether it took it", async () => {
    const { bench, outcome } = await asked();
    const { socket } = bench;
    socket.say(run("r1", "refused"), stream(0, 1), { ...failed("store_unavailable"), metadata: { aguiws: { retryAfterMs: 300 } } });
    await settle(299);
    expect(socket.silent()).toBe(true);
    await settle(1);
    expect(socket.next()).toMatchObject({ runId: "r1" });
    socket.say(run("r1", "started"), stream(0), started("r1"), finished("r1"));
    await settle();
    expect(outcome()).toBe("resolved");
  });
});

describe("a refusal", () => {
  it("is a RUN_ERROR that leaves the pending interrupts open and attaches nothing", async () => {
    const { bench, agent, events, outcome } = await asked();
    agent.pendingInterrupts = [interrupt("i1") as never];
    bench.socket.say(run("r1", "refused"), stream(0, 1), failed("interrupts_pending"));
    await settle();
    expect(outcome()).toBe("resolved");
    expect(events.map((event) => event.code)).toEqual(["interrupts_pending"]);
    expect(agent.pendingInterrupts).toHaveLength(1);
    expect(bench.socket.silent()).toBe(true);
  });

  it("of an unreadable input rejects", async () => {
    const { bench, input, outcome } = await asked();
    bench.socket.say({ type: "ws.error", code: "invalid_input", message: "/messages: wrong", id: input.id });
    await settle(1);
    expect(outcome()).toMatchObject({ name: "TransportError", code: "invalid_input" });
  });

  it("of a frame that came too fast is not the run's: it is sent again, a few times", async () => {
    const { bench, input, outcome } = await asked();
    const { socket } = bench;
    const slowDown = (id: string) => socket.say({ type: "ws.error", code: "rate_limited", message: "slow down", id });
    slowDown(input.id);
    await settle(500);
    for (const wait of [1_000, 2_000, 4_000]) {
      slowDown(socket.next().id);
      await settle(wait);
    }
    expect(outcome()).toBe("pending");
    slowDown(socket.next().id);
    await settle(1);
    expect(outcome()).toMatchObject({ code: "rate_limited" });
  });

  it("of an input larger than the server takes happens before it is sent", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    agent.addMessage({ id: "u1", role: "user", content: "x".repeat(500) });
    const result = agent.runAgent().catch((error) => error);
    await settle();
    bench.socket.hello({ maxFrameBytes: 300 });
    await settle(1);
    expect(await result).toMatchObject({ code: "input_too_large" });
    expect(bench.socket.sent).toEqual([]);
  });

  it("by a close that would repeat itself ends everything, until it is retried", async () => {
    const { bench, outcome } = await asked();
    bench.socket.break(4400);
    await settle(60_000);
    expect(outcome()).toMatchObject({ code: "4400" });
    expect(bench.sockets).toHaveLength(1);
    expect(bench.connection.state).toBe("idle");
  });
});

describe("restated into an open pipeline", () => {
  const begun = async () => {
    const all = await asked();
    all.bench.socket.say(
      run("r1", "started"), stream(0), started("r1"),
      { type: "STEP_STARTED", stepName: "s" }, open("a"), delta("a", "Hel"),
      { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "f", parentMessageId: "a" },
      { type: "REASONING_START", messageId: "th" }, { type: "SUBAGENT_STARTED", subagentRunId: "sub", name: "helper" },
    );
    await settle();
    const socket = await all.bench.reconnect();
    const attach = socket.next();
    return { ...all, socket, attach };
  };

  it("drops the RUN_STARTED, ends what is closed, opens what is new, and doubles nothing", async () => {
    const { agent, events, outcome, socket, attach } = await begun();
    socket.say(
      attached(40, false, { id: attach.id, reason: "trimmed", activeRunId: "r1" }), stream(40, 5),
      started("r1", { metadata: { aguiws: { restated: true } } }), state({ n: 2 }),
      messages(user("u1", "hi"), assistant("a", "Hello"), assistant("b", "wor")), open("a"), open("b"),
      live(40), delta("a", "!"), delta("b", "ld"), close("a"), close("b"), finished("r1"),
    );
    await settle();
    expect(outcome()).toBe("resolved");
    expect(shown(agent)).toEqual(["user:hi", "assistant:Hello!", "assistant:world"]);
    expect(agent.state).toEqual({ n: 2 });
    const types = events.map((event) => event.type);
    expect(types.filter((type) => type === "RUN_STARTED")).toHaveLength(1);
    expect(types.filter((type) => type === "TEXT_MESSAGE_START")).toHaveLength(2);
    expect(types).toEqual(expect.arrayContaining(["TOOL_CALL_END", "REASONING_END", "STEP_FINISHED", "SUBAGENT_FINISHED"]));
  });

  it("takes the restated end of its own run", async () => {
    const { agent, outcome, socket, attach } = await begun();
    socket.say(
      attached(60, false, { id: attach.id, interrupts: [interrupt("i1")] }), stream(60, 4), started("r1"), state({}),
      messages(user("u1", "hi"), assistant("a", "Hello")),
      finished("r1", { type: "interrupt", interrupts: [interrupt("i1")] }), live(60),
    );
    await settle();
    expect(outcome()).toBe("resolved");
    expect(agent.pendingInterrupts.map((one) => one.id)).toEqual(["i1"]);
    expect(shown(agent)).toEqual(["user:hi", "assistant:Hello"]);
  });

  it("does not take another run's end for its own but asks", async () => {
    const { agent, events, outcome, socket, attach } = await begun();
    socket.say(
      attached(90, false, { id: attach.id }), stream(90, 4), started("r2"), state({}),
      messages(user("u1", "hi"), assistant("a", "Hello"), user("u2", "more"), assistant("b", "later")), finished("r2"), live(90),
    );
    await settle();
    expect(outcome()).toBe("pending");
    expect(socket.next()).toMatchObject({ runId: "r1" });
    socket.say(
      run("r1", "repeat"), stream(90, 4), started("r1"), state({}),
      messages(user("u1", "hi"), assistant("a", "Hello"), user("u2", "more"), assistant("b", "later")), failed("agent_error"),
    );
    await settle();
    expect(outcome()).toBe("resolved");
    expect(events.at(-1)).toMatchObject({ type: "RUN_ERROR", code: "agent_error" });
    expect(shown(agent)).toEqual(["user:hi", "assistant:Hello", "user:more", "assistant:later"]);
  });

  it("goes on with its own run when the server, which had forgotten it, begins it anew", async () => {
    const { agent, events, outcome, socket, attach } = await begun();
    socket.say(
      attached(4, false, { id: attach.id, epoch: "e2" }), stream(4, 4, "t", "e2"), started("rx"), state({}),
      messages(user("ux", "x")), finished("rx"), live(4),
    );
    expect(socket.next()).toMatchObject({ runId: "r1" });
    socket.say(run("r1", "started"), started("r1"), open("b"), delta("b", "again"), close("b"), finished("r1"));
    await settle();
    expect(outcome()).toBe("resolved");
    expect(shown(agent).at(-1)).toBe("assistant:again");
    expect(events.filter((event) => event.type === "RUN_STARTED")).toHaveLength(1);
  });

  it("does not begin a subagent anew that it has seen the end of", async () => {
    const { agent, outcome, socket, attach, events } = await begun();
    const sub = { subagentRunId: "sub" };
    socket.say(
      attached(7, true, { id: attach.id }), stream(7), { type: "SUBAGENT_FINISHED", ...sub },
      attached(30, false, { epoch: "e2", reason: "epoch" }), stream(30, 5, "t", "e2"), started("r1"), state({}),
      messages(user("u1", "hi")), { type: "SUBAGENT_STARTED", ...sub, name: "helper" }, { ...open("z"), ...sub }, live(30),
      { ...delta("z", "from it"), ...sub }, { ...close("z"), ...sub }, { type: "SUBAGENT_FINISHED", ...sub }, finished("r1"),
    );
    await settle();
    expect(outcome()).toBe("resolved");
    expect(shown(agent)).toEqual(["user:hi", "assistant:from it"]);
    expect(events.filter((event) => event.type === "SUBAGENT_STARTED")).toHaveLength(1);
  });
});

describe("stopping", () => {
  it("cancels at the server and ends with the server's word", async () => {
    const { bench, agent, events, outcome } = await asked();
    bench.socket.say(run("r1", "started"), stream(0), started("r1"), open("a"), delta("a", "par"));
    agent.abortRun();
    expect(bench.socket.next()).toMatchObject({ type: "ws.cancel", threadId: "t", runId: "r1" });
    bench.socket.say({ type: "ws.cancelled", threadId: "t", runId: "r1", stopped: true }, close("a"), finished("r1", { type: "cancelled" }));
    await settle();
    expect(outcome()).toBe("resolved");
    expect(shown(agent)).toEqual(["user:hi", "assistant:par"]);
    expect(events.at(-1)).toMatchObject({ outcome: { type: "cancelled" } });
  });

  it("before the answer is kept until there is one, through a lost socket", async () => {
    const { bench, agent } = await asked();
    agent.abortRun();
    expect(bench.socket.silent()).toBe(true);
    const socket = await bench.reconnect();
    socket.next();
    socket.say(run("r1", "queued"));
    expect(socket.next()).toMatchObject({ type: "ws.cancel", runId: "r1" });
  });

  it("before anything was sent ends the run here", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    const result = agent.runAgent();
    await settle();
    agent.abortRun();
    await settle(1);
    await expect(result).resolves.toBeDefined();
    bench.socket.hello();
    await settle();
    expect(bench.socket.sent).toEqual([]);
  });

  it("a subscription detaches and cancels nothing", async () => {
    const { bench, agent, outcome } = await asked();
    bench.socket.say(run("r1", "started"), stream(0), started("r1"), open("a"), delta("a", "par"));
    await settle();
    await agent.detachActiveRun();
    await settle();
    expect(outcome()).toBe("resolved");
    expect(shown(agent)).toEqual(["user:hi", "assistant:par"]);
    expect(bench.socket.next()).toMatchObject({ type: "ws.detach" });
    expect(bench.socket.silent()).toBe(true);
  });
});

describe("a failed continuation", () => {
  it("ends only when it is known whether its interrupts are open again", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    agent.pendingInterrupts = [interrupt("i1") as never];
    let done = false;
    void agent.runAgent({ runId: "r2", resume: [{ interruptId: "i1", status: "resolved" }] }).then(() => (done = true));
    await settle();
    const { socket } = bench;
    socket.hello();
    await settle();
    socket.next();
    socket.say(run("r2", "started"), stream(20), started("r2"), failed("worker_lost"));
    await settle();
    expect(done).toBe(false);
    const attach = socket.next();
    expect(attach).toMatchObject({ type: "ws.attach", after: { seq: 22 } });
    socket.say(attached(22, true, { id: attach.id, interrupts: [interrupt("i1")] }), live(22));
    await settle();
    expect(done).toBe(true);
    expect(agent.pendingInterrupts.map((one) => one.id)).toEqual(["i1"]);
  });
});
