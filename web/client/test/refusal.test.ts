// Inputs that are not taken.

import { describe, expect, it } from "vitest";
import { Bench, failed, interrupt, run, settle, stream } from "./fake";
import { asked, outcomeOf, quietly } from "./scenes";

quietly();

describe("a refusal", () => {
  it("is a RUN_ERROR that leaves the pending interrupts open and attaches nothing", async () => {
    const { bench, agent, events, outcome } = await asked();
    agent.pendingInterrupts = [interrupt("i1") as never];
    bench.socket.say(run("r1", "refused"), stream(0, 1), failed("interrupts_pending"));
    await settle();
    expect(outcome.value).toBe("resolved");
    expect(events.map((event) => event.code)).toEqual(["interrupts_pending"]);
    expect(agent.pendingInterrupts).toHaveLength(1);
    expect(bench.socket.silent()).toBe(true);
  });

  it("of a thread beyond those that a socket may follow rejects, and says what to do", async () => {
    const message = "a socket follows at most 16 threads; detach from one";
    const words = { name: "TransportError", code: "too_many_threads", message: expect.stringMatching(/at most 16 threads.*follow.*connection/s) };
    const { bench, events, outcome } = await asked();
    bench.socket.say(run("r1", "refused"), stream(0, 1), failed("too_many_threads", message));
    await settle(1);
    expect(outcome.value).toMatchObject(words);
    expect(events).toEqual([]);

    const follower = bench.agent("t2");
    follower.follow();
    const connected = outcomeOf(bench.agent("t2").connectAgent());
    await settle();
    const ids = bench.socket.sent.filter(({ type, threadId }) => type === "ws.attach" && threadId === "t2").map(({ id }) => id);
    bench.socket.say({ type: "ws.error", code: "too_many_threads", message, threadId: "t2", id: ids.at(-1) });
    await settle(1);
    expect(connected.value).toMatchObject(words);
    expect(follower.status.failure).toMatchObject({ code: words.code, message: words.message });
  });

  it("of an unreadable input rejects", async () => {
    const { bench, input, outcome } = await asked();
    bench.socket.say({ type: "ws.error", code: "invalid_input", message: "/messages: wrong", id: input.id });
    await settle(1);
    expect(outcome.value).toMatchObject({ name: "TransportError", code: "invalid_input" });
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
    expect(outcome.value).toBe("pending");
    slowDown(socket.next().id);
    await settle(1);
    expect(outcome.value).toMatchObject({ code: "rate_limited" });
  });

  it("that says when to come again is sent again then, be it an event or a frame", async () => {
    const { bench, input, outcome } = await asked();
    const { socket } = bench;
    socket.say({ type: "ws.error", code: "rate_limited", message: "slow down", retryAfterMs: 7_000, id: input.id });
    await settle(6_999);
    expect(socket.silent()).toBe(true);
    await settle(1);
    const again = socket.next();
    socket.say(run("r1", "refused", { id: again.id }), stream(0, 1), { ...failed("rate_limited"), metadata: { aguiws: { retryAfterMs: 9_000 } } });
    await settle(8_999);
    expect(socket.silent()).toBe(true);
    await settle(1);
    expect(socket.next().runId).toBe("r1");
    expect(outcome.value).toBe("pending");
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

  it.each([
    ["is not needed where the thread has most of it", true, ["u3"]],
    ["stands where the server keeps nothing", false, undefined],
  ])("of a long history %s", async (_, newMessages, sent) => {
    const bench = new Bench();
    const agent = bench.agent();
    agent.setMessages([
      { id: "u1", role: "user", content: "x".repeat(900) },
      { id: "a1", role: "assistant", content: "Yes." },
      { id: "u3", role: "user", content: "And on." },
    ]);
    const outcome = outcomeOf(agent.runAgent());
    await settle();
    bench.socket.hello({ maxFrameBytes: 600, capabilities: { custom: { aguiws: { newMessages } } } });
    await settle(1);
    expect(bench.socket.sent.at(0)?.messages.map(({ id }: { id: string }) => id)).toEqual(sent);
    if (!sent) expect(outcome.value).toMatchObject({ code: "input_too_large" });
  });

  it("by a close that would repeat itself ends everything, until it is retried", async () => {
    const { bench, outcome } = await asked();
    bench.socket.break(4400);
    await settle(60_000);
    expect(outcome.value).toMatchObject({ code: "4400" });
    expect(bench.sockets).toHaveLength(1);
    expect(bench.connection.state).toBe("idle");
  });
});
