// A page that holds the end of a long thread, and asks for what is older.

import { describe, expect, it } from "vitest";
import { attached, assistant, Bench, close, delta, finished, live, messages, open, settle, shown, started, user } from "./fake";
import { atRest, quietly } from "./scenes";

quietly();

/** An agent that follows with a window of two, of a thread that has five more before them. */
async function windowed() {
  const bench = new Bench({ window: 2 });
  const agent = bench.agent();
  agent.follow();
  bench.socket.hello();
  const attach = bench.socket.next();
  expect(attach).toMatchObject({ type: "ws.attach", window: 2 });
  bench.socket.say(attached(10, false, { id: attach.id, older: 5, before: "p5" }), ...atRest(10, [user("u5", "q"), assistant("a6", "answer")]));
  await settle();
  return { bench, agent };
}

describe("a window", () => {
  it("says what is older, and puts it before what is held", async () => {
    const { bench, agent } = await windowed();
    expect(shown(agent)).toEqual(["user:q", "assistant:answer"]);
    expect(agent.status.older).toBe(5);
    expect(agent.older(3)).toBe(true);
    expect(agent.older(3)).toBe(false);
    const asked = bench.socket.next();
    expect(asked).toEqual({ type: "ws.messages", id: asked.id, threadId: "t", before: "p5", limit: 3 });
    bench.socket.say({ type: "ws.messages", id: asked.id, threadId: "t", messages: [user("u2", "2"), user("u3", "3"), user("u4", "4")], older: 2, before: "p2" });
    await settle();
    expect(shown(agent)).toEqual(["user:2", "user:3", "user:4", "user:q", "assistant:answer"]);
    expect(agent.status.older).toBe(2);
    agent.older();
    const last = bench.socket.next();
    expect(last).toEqual({ type: "ws.messages", id: last.id, threadId: "t", before: "p2" });
    bench.socket.say({ type: "ws.messages", id: last.id, threadId: "t", messages: [user("u0", "0"), user("u1", "1")] });
    await settle();
    expect(shown(agent).slice(0, 3)).toEqual(["user:0", "user:1", "user:2"]);
    expect(agent.status.older).toBe(0);
    expect(agent.older()).toBe(false);
  });

  it("stays one when an event tells all messages", async () => {
    const { bench, agent } = await windowed();
    bench.socket.say(
      started("r1"), open("a7"), delta("a7", "new"), close("a7"),
      messages(user("u0", "0"), user("u1", "1"), user("u5", "q"), assistant("a6", "answer"), assistant("a7", "new")), finished("r1"),
    );
    await settle();
    expect(shown(agent)).toEqual(["user:q", "assistant:answer", "assistant:new"]);
    expect(agent.status.older).toBe(2);
    agent.older();
    expect(bench.socket.next()).toMatchObject({ type: "ws.messages", before: "p5" });
  });

  it("waits with older messages for the end of a run", async () => {
    const { bench, agent } = await windowed();
    bench.socket.say(started("r1"), open("a7"), delta("a7", "ne"));
    await settle();
    agent.older();
    const asked = bench.socket.next();
    bench.socket.say({ type: "ws.messages", id: asked.id, threadId: "t", messages: [user("u4", "4")], older: 4, before: "p4" });
    await settle();
    expect(shown(agent)[0]).toBe("user:q");
    bench.socket.say(delta("a7", "w"), close("a7"), finished("r1"));
    await settle();
    expect(shown(agent)).toEqual(["user:4", "user:q", "assistant:answer", "assistant:new"]);
  });

  it("has lost nothing when it is told its end again", async () => {
    const { bench, agent } = await windowed();
    agent.older();
    const asked = bench.socket.next();
    bench.socket.say({ type: "ws.messages", id: asked.id, threadId: "t", messages: [user("u4", "4")], older: 4, before: "p4" });
    await settle();
    const socket = await bench.reconnect();
    const attach = socket.next();
    expect(attach).toMatchObject({ type: "ws.attach", after: { seq: 10 }, window: 2 });
    socket.say(
      attached(30, false, { id: attach.id, reason: "trimmed", older: 6, before: "p6" }),
      ...atRest(30, [assistant("a6", "answer"), user("u7", "more")]),
    );
    await settle();
    expect(shown(agent)).toEqual(["assistant:answer", "user:more"]);
    expect(agent.status).toMatchObject({ older: 6, restated: "trimmed", lost: false });
  });

  it("has what only it still held where the older messages have it", async () => {
    const { bench, agent } = await windowed();
    bench.socket.say(started("r1"), messages(user("u5", "q"), assistant("a6", "answer"), { id: "t7", role: "reasoning", content: "why" }, assistant("a8", "so")), finished("r1"));
    await settle();
    const socket = await bench.reconnect();
    socket.say(
      attached(30, false, { id: socket.next().id, reason: "trimmed", older: 9, before: "p9" }),
      ...atRest(30, [assistant("a8", "so"), user("u9", "more")]),
    );
    await settle();
    expect(shown(agent)).toEqual(["reasoning:why", "assistant:so", "user:more"]);
    agent.older();
    const asked = socket.next();
    socket.say({ type: "ws.messages", id: asked.id, threadId: "t", messages: [user("u5", "q"), { id: "t7", role: "reasoning", content: "why" }, assistant("a7", "hm")], older: 6, before: "p6" });
    await settle();
    expect(shown(agent)).toEqual(["user:q", "reasoning:why", "assistant:hm", "assistant:so", "user:more"]);
  });

  it("can be asked again after a refusal and after a loss", async () => {
    const { bench, agent } = await windowed();
    agent.older();
    bench.socket.say({ type: "ws.error", id: bench.socket.next().id, threadId: "t", code: "rate_limited", message: "later", retryAfterMs: 5 });
    await settle();
    expect(agent.status.failure).toBeUndefined();
    expect(agent.older()).toBe(true);
    const socket = await bench.reconnect();
    expect(agent.older()).toBe(false);
    socket.say(attached(10, true, { id: socket.next().id }), live(10));
    await settle();
    expect(agent.status.older).toBe(5);
    expect(agent.older()).toBe(true);
  });
});
