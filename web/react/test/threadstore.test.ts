// What useThread holds of an agent's thread, and what it does when the server says no.

import { expect, it, vi } from "vitest";
import { attached, Bench, failed, finished, interrupt, live, run, settle, started, stream } from "../../client/test/fake";
import { quietly } from "../../client/test/scenes";
import { WebSocketAgent, type WebSocketAgentConfig } from "../../client/agent";
import { ThreadStore } from "../thread/threadstore";

quietly();

async function watched(options: Partial<WebSocketAgentConfig> = {}) {
  const bench = new Bench();
  const agent = new WebSocketAgent({ url: "unused", threadId: "t", connection: bench.connection, ...options });
  const store = new ThreadStore(agent);
  const told = vi.fn();
  const leave = store.watch(told);
  const unfollow = agent.follow();
  await settle();
  bench.socket.hello();
  await settle();
  const attach = bench.socket.next();
  return { bench, agent, store, told, leave, unfollow, attach };
}

it("sends no message while a question is open, and says why", async () => {
  const { bench, store, attach } = await watched();
  bench.socket.say(attached(1, true, { id: attach.id, interrupts: [interrupt("q1")] }), live(1));
  await settle();
  expect(await store.send("something else")).toBe(false);
  expect(store.read()).toMatchObject({ messages: [], fault: { code: "interrupts_pending" }, running: false });
  expect(store.read().status.interrupts.map(({ id }) => id)).toEqual(["q1"]);
});

it("sends a text, and cancels what is open with it if the agent does", async () => {
  const { bench, store, attach } = await watched({ unanswered: "cancel" });
  bench.socket.say(attached(1, true, { id: attach.id, interrupts: [interrupt("q1")] }), live(1));
  await settle();
  const taken = store.send("something else");
  await settle();
  const input = bench.socket.next();
  expect(input).toMatchObject({ messages: [{ role: "user", content: "something else" }], resume: [{ interruptId: "q1", status: "cancelled" }] });
  expect(store.read()).toMatchObject({ running: true, messages: [{ content: "something else" }] });
  bench.socket.say(run(input.runId, "started"), stream(1), started(input.runId), finished(input.runId));
  await settle();
  expect(await taken).toBe(true);
  expect(store.read().running).toBe(false);
});

it("sends a picture as a part", async () => {
  const { bench, store, attach } = await watched();
  bench.socket.say(attached(1, true, { id: attach.id }), live(1));
  await settle();
  const content = [{ type: "text" as const, text: "Look" }, { type: "image" as const, source: { type: "data" as const, value: "AA==", mimeType: "image/png" } }];
  void store.send(content);
  await settle();
  expect(bench.socket.next().messages).toMatchObject([{ role: "user", content }]);
  expect(store.read().messages).toMatchObject([{ content }]);
});

it("takes a message out again that was refused, and says why until the next run", async () => {
  const { bench, store, told, attach } = await watched();
  bench.socket.say(attached(1, true, { id: attach.id }), live(1));
  await settle();
  const taken = store.send("hi");
  await settle();
  const input = bench.socket.next();
  const before = told.mock.calls.length;
  bench.socket.say(run(input.runId, "refused"), stream(1, 1), failed("thread_quota", "Too many."));
  await settle();
  expect(await taken).toBe(false);
  expect(store.read()).toMatchObject({ messages: [], fault: { code: "thread_quota", message: "Too many." }, running: false });
  expect(told.mock.calls.length).toBeGreaterThan(before);
  void store.send("again");
  await settle();
  expect(store.read().fault).toBeUndefined();
});

it("says of an answer that came too late why it was refused, while the run of the other goes on", async () => {
  const { bench, store, attach } = await watched();
  bench.socket.say(attached(1, true, { id: attach.id, interrupts: [interrupt("q1")] }), live(1));
  await settle();
  const taken = store.answer([{ interruptId: "q1", status: "resolved", payload: { approved: false } }]);
  await settle();
  const input = bench.socket.next();
  bench.socket.say(run(input.runId, "refused"), stream(1, 1), failed("interrupt_conflict", "Answered differently."));
  bench.socket.say(stream(1), started("of the other"), finished("of the other"));
  await settle();
  expect(await taken).toBe(false);
  expect(store.read()).toMatchObject({ fault: { code: "interrupt_conflict" }, running: false });
  void store.send("next");
  await settle();
  expect(store.read().fault).toBeUndefined();
});

for (const [what, code, act] of [
  ["an answer", "own_approval", (store: ThreadStore) => store.answer([{ interruptId: "q1", status: "resolved", payload: { approved: true } }])],
  ["a message", "interrupts_pending", (store: ThreadStore) => store.send("something else")],
] as const) {
  it(`says why ${what} was refused while the question is open, and not when somebody else has answered it`, async () => {
    const { bench, store, attach } = await watched();
    bench.socket.say(attached(1, true, { id: attach.id, interrupts: [interrupt("q1")] }), live(1));
    await settle();
    const taken = act(store);
    await settle();
    if (code === "own_approval") bench.socket.say(run(bench.socket.next().runId, "refused"), stream(1, 1), failed(code, "Somebody else has to."));
    await settle();
    expect(await taken).toBe(false);
    expect(store.read().fault).toMatchObject({ code });
    bench.socket.say(stream(1), started("of the other"), finished("of the other"));
    await settle();
    expect(store.read().fault).toBeUndefined();
  });
}

it("is another object after a change, and the same one without any", async () => {
  const { agent, store, told, leave } = await watched();
  const before = store.read();
  expect(store.read()).toBe(before);
  agent.setState({ page: 2 });
  await settle();
  expect(store.read()).not.toBe(before);
  expect(store.read().state).toEqual({ page: 2 });
  leave();
  told.mockClear();
  agent.setState({ page: 3 });
  await settle();
  expect(told).not.toHaveBeenCalled();
});
