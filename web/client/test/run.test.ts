// A run from its input to its terminal event, and through a lost socket in between.

import { describe, expect, it } from "vitest";
import {
  attached, Bench, close, delta, failed, finished, interrupt, live, open, run, settle, shown, started, stream, user,
} from "./fake";
import { asked, quietly } from "./scenes";

quietly();

describe("a run", () => {
  it("offers the subprotocol, sends the input after the greeting and ends with the terminal event", async () => {
    const { bench, agent, input, outcome } = await asked();
    expect(bench.socket.protocols).toEqual(["agui.v1.json"]);
    expect(input).toMatchObject({ threadId: "t", runId: "r1", messages: [user("u1", "hi")] });
    expect(input.type).toBeUndefined();
    bench.socket.say(run("r1", "started"), stream(0), started("r1"), open("a"), delta("a", "Hel"), delta("a", "lo"));
    await settle();
    expect(shown(agent)).toEqual(["user:hi", "assistant:Hello"]);
    expect(outcome.value).toBe("pending");
    bench.socket.say(close("a"), finished("r1"));
    await settle();
    expect(outcome.value).toBe("resolved");
    expect(agent.isRunning).toBe(false);
    expect(bench.socket.next()).toMatchObject({ type: "ws.detach", threadId: "t" });
  });

  it("carries the credential as a subprotocol", async () => {
    const bench = new Bench({ token: async () => "tökén" });
    await asked(undefined, { bench });
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
    expect(outcome.value).toBe("resolved");
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

describe("stopping", () => {
  it("cancels at the server and ends with the server's word", async () => {
    const { bench, agent, events, outcome } = await asked();
    bench.socket.say(run("r1", "started"), stream(0), started("r1"), open("a"), delta("a", "par"));
    agent.abortRun();
    expect(bench.socket.next()).toMatchObject({ type: "ws.cancel", threadId: "t", runId: "r1" });
    bench.socket.say({ type: "ws.cancelled", threadId: "t", runId: "r1", stopped: true }, close("a"), finished("r1", { type: "cancelled" }));
    await settle();
    expect(outcome.value).toBe("resolved");
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
    expect(outcome.value).toBe("resolved");
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
