// Following: a page that shows runs it did not begin.

import { describe, expect, it } from "vitest";
import {
  attached, assistant, close, delta, failed, finished, interrupt, live, messages, open, run, settle, shown, started,
  state, stream, user, type Frame,
} from "./fake";
import { atRest, following, quietly, say } from "./scenes";

quietly();

describe("a follower", () => {
  it("shows runs that others begin, questions included, each once", async () => {
    const { bench, agent } = await following();
    expect(shown(agent)).toEqual(["user:q", "assistant:answer"]);
    expect(agent.status).toMatchObject({ connection: "connected", synced: true });
    bench.socket.say(
      started("r1", { input: { threadId: "t", runId: "r1", messages: [user("u1", "more")], tools: [], context: [] } }),
      open("a1"), delta("a1", "first"), close("a1"), finished("r1"),
      started("r2"), open("a2"), delta("a2", "sec"),
    );
    await settle();
    expect(shown(agent)).toEqual(["user:q", "assistant:answer", "user:more", "assistant:first", "assistant:sec"]);
    expect(agent.status.activeRunId).toBe("r2");
    expect(agent.isRunning).toBe(true);
    bench.socket.say(delta("a2", "ond"), close("a2"), finished("r2", { type: "interrupt", interrupts: [interrupt("i1")] }));
    await settle();
    expect(shown(agent).at(-1)).toBe("assistant:second");
    expect(agent.pendingInterrupts.map((one) => one.id)).toEqual(["i1"]);
    expect(agent.status.interrupts.map((one) => one.id)).toEqual(["i1"]);
    expect(agent.isRunning).toBe(false);
  });

  it("clears what was asked when another tab answers", async () => {
    const { bench, agent } = await following([user("u0", "q")], finished("r0", { type: "interrupt", interrupts: [interrupt("i1")] }));
    expect(agent.pendingInterrupts).toHaveLength(1);
    bench.socket.say(started("r1"));
    await settle();
    expect(agent.status.interrupts).toEqual([]);
    bench.socket.say(open("a"), delta("a", "done"), close("a"), finished("r1"));
    await settle();
    expect(agent.pendingInterrupts).toEqual([]);
    expect(shown(agent)).toEqual(["user:q", "assistant:done"]);
  });

  it("asks nothing any more when the thread is deleted, and says that it is", async () => {
    const { bench, agent } = await following([user("u0", "q")], finished("r0", { type: "interrupt", interrupts: [interrupt("i1")] }));
    bench.socket.say({ type: "ws.detached", threadId: "t", reason: "deleted" });
    await settle();
    expect(agent.pendingInterrupts).toEqual([]);
    expect(agent.status).toMatchObject({ interrupts: [], waitingRunId: undefined, failure: { code: "detached", message: "the thread was deleted" } });
  });

  it("asks again after a failure whether interrupts are open", async () => {
    const { bench, agent } = await following([user("u0", "q")], finished("r0", { type: "interrupt", interrupts: [interrupt("i1")] }));
    bench.socket.say(started("r1"), failed("worker_lost"));
    await settle();
    expect(agent.pendingInterrupts).toEqual([]);
    const attach = bench.socket.next();
    expect(attach).toMatchObject({ type: "ws.attach", after: { seq: 12 } });
    bench.socket.say(attached(12, true, { id: attach.id, interrupts: [interrupt("i1")] }), live(12));
    await settle();
    expect(agent.pendingInterrupts.map((one) => one.id)).toEqual(["i1"]);
    expect(agent.status.interrupts.map((one) => one.id)).toEqual(["i1"]);
  });

  it("takes its own run's events once, and others' before and after", async () => {
    const { bench, agent, events } = await following();
    const { socket } = bench;
    socket.say(started("rf"), open("f"), delta("f", "for"));
    await settle();
    const done = say(agent, "u1", "mine", "r1");
    await settle();
    expect(socket.next()).toMatchObject({ runId: "r1" });
    socket.say(run("r1", "queued"));
    await settle();
    expect(agent.status.queued).toEqual([{ runId: "r1", messages: [expect.objectContaining({ content: "mine" })] }]);
    socket.say(
      delta("f", "eign"), close("f"), finished("rf"),
      started("r1", { input: { threadId: "t", runId: "r1", messages: [user("u1", "mine")], tools: [], context: [] } }),
      open("m"), delta("m", "my answer"), close("m"), finished("r1"), started("rg"), open("g"), delta("g", "later"),
    );
    await settle();
    await done;
    expect(shown(agent)).toEqual([
      "user:q", "assistant:answer", "assistant:foreign", "user:mine", "assistant:my answer", "assistant:later",
    ]);
    expect(agent.status.queued).toEqual([]);
    expect(events.filter((event) => event.type === "RUN_STARTED")).toHaveLength(4);
  });

  it("has queued with an input what that alone brings", async () => {
    const { bench, agent } = await following([user("u0", "q")], failed("agent_error"));
    const { socket } = bench;
    void say(agent, "u1", "first", "r1");
    await settle();
    socket.next();
    socket.say(run("r1", "started"), started("r1", { input: { threadId: "t", runId: "r1", messages: [user("u1", "first")], tools: [], context: [] } }));
    await settle();
    for (const id of ["u2", "u3"]) {
      void say(agent, id, `then ${id}`, `r-${id}`);
      await settle();
      expect(agent.status.pending.map(({ messages }) => messages.map((message) => message.id))).toEqual([[id]]);
      socket.say(run(socket.next().runId, "queued"));
      await settle();
    }
    expect(agent.status.queued.map(({ messages }) => messages.map(({ id }) => id))).toEqual([["u2"], ["u3"]]);
  });

  it("takes over a run whose repeat is told while it was following it", async () => {
    const { bench, agent } = await following();
    const done = say(agent, "u1", "mine", "r1");
    await settle();
    const socket = await bench.reconnect();
    const attach = socket.next();
    expect(attach).toMatchObject({ after: { epoch: "e", seq: 10 } });
    expect(socket.silent()).toBe(true);
    // The log was trimmed meanwhile, so that the run in progress comes with the restatement.
    const told = [started("r1"), state({ n: 1 }), messages(user("u0", "q"), assistant("a0", "answer"), user("u1", "mine"), assistant("m", "par")), open("m")];
    socket.say(attached(30, false, { id: attach.id, reason: "trimmed" }), stream(30, 4), ...told, live(30), delta("m", "ti"));
    await settle();
    expect(shown(agent).at(-1)).toBe("assistant:parti");
    const again = socket.next();
    expect(again).toMatchObject({ runId: "r1" });
    told[2] = messages(user("u0", "q"), assistant("a0", "answer"), user("u1", "mine"), assistant("m", "parti"));
    socket.say(run("r1", "repeat", { id: again.id }), stream(31, 4), ...told, delta("m", "al"), close("m"), finished("r1"));
    await settle();
    await done;
    expect(shown(agent)).toEqual(["user:q", "assistant:answer", "user:mine", "assistant:partial"]);
    expect(agent.status.restated).toBe("trimmed");
  });

  it("does not take a snapshot of now for one of its own position", async () => {
    const { bench, agent } = await following();
    const done = say(agent, "u1", "mine", "r1");
    await settle();
    bench.socket.next();
    const socket = await bench.reconnect();
    const attach = socket.next();
    const told = [user("u0", "q"), assistant("a0", "answer"), user("u1", "mine"), assistant("m", "ok")];
    socket.say(attached(30, false, { id: attach.id }), ...atRest(30, told, finished("r1")));
    await settle();
    const again = socket.next();
    // Meanwhile another run has begun: the answer's snapshot holds events that are still to come here.
    const now = [...told, user("u2", "next"), assistant("n", "ahead")];
    socket.say(run("r1", "repeat", { id: again.id }), stream(30, 4), started("r1"), state({}), messages(...now), finished("r1"));
    socket.say(started("r2"), open("n"), delta("n", "ahead"), close("n"), finished("r2"));
    await settle();
    await done;
    expect(shown(agent)).toEqual(["user:q", "assistant:answer", "user:mine", "assistant:ok", "assistant:ahead"]);
  });

  it("claims its own run that a recovered tail carries, and does not ask for it", async () => {
    const { bench, agent } = await following();
    const done = say(agent, "u1", "mine", "r1");
    await settle();
    const socket = await bench.reconnect();
    const attach = socket.next();
    socket.say(attached(10, true, { id: attach.id }), stream(10), started("r1"), open("m"), delta("m", "x"), live(13), close("m"), finished("r1"));
    await settle();
    await done;
    expect(socket.silent()).toBe(true);
    expect(shown(agent)).toEqual(["user:q", "assistant:answer", "user:mine", "assistant:x"]);
  });

  it("goes on with a foreign run across a lost socket and across a restatement", async () => {
    const { bench, agent } = await following();
    bench.socket.say(started("rf"), open("f"), delta("f", "a"));
    await settle();
    let socket = await bench.reconnect();
    let attach = socket.next();
    expect(attach).toMatchObject({ after: { seq: 13 } });
    socket.say(attached(13, true, { id: attach.id }), stream(13), delta("f", "b"), live(14));
    await settle();
    expect(shown(agent).at(-1)).toBe("assistant:ab");
    socket = await bench.reconnect();
    attach = socket.next();
    socket.say(
      attached(3, false, { id: attach.id, epoch: "e2", reason: "epoch" }), stream(3, 4, "t", "e2"), started("rf"), state({}),
      messages(user("u0", "q"), assistant("a0", "answer"), assistant("f", "abc")), open("f"), live(3),
      delta("f", "d"), close("f"), finished("rf"),
    );
    await settle();
    expect(shown(agent)).toEqual(["user:q", "assistant:answer", "assistant:abcd"]);
  });

  it("replaces a foreign run that was over when it came back", async () => {
    const { bench, agent } = await following();
    bench.socket.say(started("rf"), open("f"), delta("f", "a"));
    await settle();
    const socket = await bench.reconnect();
    const attach = socket.next();
    socket.say(
      attached(90, false, { id: attach.id }), stream(90, 4), started("rz"), state({}),
      messages(user("u0", "q"), assistant("f", "abc"), assistant("z", "new")), open("z"), live(90), delta("z", "er"),
    );
    await settle();
    expect(shown(agent)).toEqual(["user:q", "assistant:abc", "assistant:newer"]);
    expect(agent.status.activeRunId).toBe("rz");
  });

  it("applies a slow replay in order and returns to live", async () => {
    const { bench, agent } = await following();
    bench.socket.say(started("rf"), open("f"));
    const socket = await bench.reconnect();
    socket.next();
    socket.say(attached(12, true), stream(12));
    for (let page = 0; page < 5; page++) {
      socket.say(...Array.from({ length: 20 }, () => delta("f", String(page))));
      await settle(1_000);
    }
    socket.say(live(112), close("f"), finished("rf"));
    await settle();
    expect(shown(agent).at(-1)).toBe("assistant:" + ["0", "1", "2", "3", "4"].map((digit) => digit.repeat(20)).join(""));
    expect(socket.silent()).toBe(true);
  });

  it("starts again from snapshots when the client's checks refuse what was logged", async () => {
    const { bench, agent } = await following();
    bench.socket.say(started("rf"), delta("nobody", "x"));
    await settle(1);
    expect(agent.status.failure?.code).toBe("unacceptable_events");
    await settle(1_000);
    const attach = bench.socket.next();
    expect(attach).toEqual({ type: "ws.attach", id: attach.id, threadId: "t" });
    bench.socket.say(attached(12, false, { id: attach.id }), ...atRest(12, [user("u0", "q"), assistant("x", "whole")]));
    await settle();
    expect(shown(agent)).toEqual(["user:q", "assistant:whole"]);
    expect(agent.status.failure).toBeUndefined();
  });

  it("keeps the thread's order, whatever it held first", async () => {
    const { bench, agent } = await following([user("u0", "q"), assistant("a0", "answer")]);
    agent.addMessage({ id: "u2", role: "user", content: "mine" });
    const socket = await bench.reconnect();
    const attach = socket.next();
    const list = [user("u0", "q"), assistant("a0", "answer"), user("u1", "theirs"), assistant("a1", "x"), user("u2", "mine")];
    const [position, begin, ...rest] = atRest(20, list);
    const echo = { input: { threadId: "t", runId: "r0", messages: [user("u2", "mine")], tools: [], context: [] } };
    socket.say(attached(20, false, { id: attach.id }), position!, { ...begin, ...echo }, ...rest);
    await settle();
    expect(shown(agent)).toEqual(["user:q", "assistant:answer", "user:theirs", "assistant:x", "user:mine"]);
  });

  it("shows nothing of a thread that the server has forgotten, and fails the run that was in progress", async () => {
    const { bench, agent } = await following();
    const outcome = say(agent, "u1", "mine", "r1").catch((error) => error);
    await settle();
    bench.socket.next();
    bench.socket.say(run("r1", "started"), started("r1"), open("m"), delta("m", "par"));
    await settle();
    const socket = await bench.reconnect();
    const attach = socket.next();
    socket.say(attached(0, false, { id: attach.id, epoch: "e2", reason: "epoch" }), live(0));
    await settle(1);
    expect(await outcome).toMatchObject({ code: "run_forgotten" });
    expect(agent.messages).toEqual([]);
    expect(agent.state).toEqual({});
    expect(socket.silent()).toBe(true);
    socket.say(stream(0, undefined, "t", "e2"), started("r2"), open("n"), delta("n", "anew"), close("n"), finished("r2"));
    await settle();
    expect(shown(agent)).toEqual(["assistant:anew"]);
  });

  it("shows its own question after what came before it in the thread", async () => {
    const { bench, agent } = await following();
    const done = say(agent, "u1", "mine", "r1");
    await settle();
    const echo = (runId: string, message: Frame) => ({ input: { threadId: "t", runId, messages: [message], tools: [], context: [] } });
    bench.socket.say(
      started("rf", echo("rf", user("uf", "theirs"))), open("f"), delta("f", "first"), close("f"), finished("rf"),
      run("r1", "started"), started("r1", echo("r1", user("u1", "mine"))), open("m"), delta("m", "second"), close("m"), finished("r1"),
    );
    await settle();
    await done;
    expect(shown(agent)).toEqual([
      "user:q", "assistant:answer", "user:theirs", "assistant:first", "user:mine", "assistant:second",
    ]);
  });

  it("writes nothing of its thread into an agent that has moved on", async () => {
    const { bench, agent } = await following();
    agent.threadId = "t2";
    agent.setMessages([]);
    bench.socket.say(started("r1"), open("a"), delta("a", "old thread"), close("a"), finished("r1"));
    await settle();
    expect(agent.messages).toEqual([]);
    expect(bench.socket.silent()).toBe(true);
  });

  it("stops a run that others began", async () => {
    const { bench, agent } = await following();
    bench.socket.say(started("rf"));
    agent.abortRun();
    expect(bench.socket.next()).toMatchObject({ type: "ws.cancel", threadId: "t", runId: "rf" });
  });

  it("stays when the agent's own run is detached, and gets the rest from snapshots", async () => {
    const { bench, agent } = await following();
    const done = say(agent, "u1", "mine", "r1");
    await settle();
    bench.socket.next();
    bench.socket.say(run("r1", "started"), started("r1"), open("m"), delta("m", "par"));
    await settle();
    await agent.detachActiveRun();
    await done;
    const attach = bench.socket.next();
    expect(attach).toEqual({ type: "ws.attach", id: attach.id, threadId: "t" });
    bench.socket.say(
      attached(13, false, { id: attach.id }), stream(13, 4), started("r1"), state({}),
      messages(user("u1", "mine"), assistant("m", "par")), open("m"), live(13), delta("m", "tial"), close("m"), finished("r1"),
    );
    await settle();
    expect(shown(agent)).toEqual(["user:mine", "assistant:partial"]);
  });

  it("detaches when it ends", async () => {
    const { bench, stop } = await following();
    stop();
    expect(bench.socket.next()).toMatchObject({ type: "ws.detach", threadId: "t" });
    await settle(10_000);
    expect(bench.connection.state).toBe("idle");
  });
});
