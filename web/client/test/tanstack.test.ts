// A TanStack chat on the connection, with the server's side played by the test: what the wire sees, and what is shown where
// a thread is told anew in its midst.

import { ChatClient } from "@tanstack/ai-client";
import { describe, expect, it } from "vitest";
import { aguiws, TransportError, type AguiwsOptions } from "../tanstack";
import { ChunkQueue } from "../chunkqueue";
import {
  assistant, attached, Bench, close, delta, failed, finished, live, messages, open, run, settle, started, state, stream, user, type Frame,
} from "./fake";
import { asking, outcomeOf, quietly } from "./scenes";

quietly();

/** A chat on a connection whose other end is the test. */
function page(options: Partial<AguiwsOptions> = {}, more: Record<string, unknown> = {}) {
  const bench = new Bench();
  const connection = aguiws({ url: "unused", connection: bench.connection, ...options });
  const errors: Error[] = [];
  const chat = new ChatClient({ connection, threadId: "t", onError: (error: Error) => void errors.push(error), ...more });
  const shown = () =>
    chat.getMessages().map(({ role, parts }) => `${role}:${parts.map((part) => ("content" in part ? String(part.content) : part.type)).join("|")}`);
  return { bench, connection, chat, errors, shown };
}

/** The chat has sent a message, and was told that the thread is empty. */
async function said(text = "hi", options?: Partial<AguiwsOptions>, more?: Record<string, unknown>) {
  const on = page(options, more);
  const outcome = outcomeOf(on.chat.sendMessage(text));
  await settle();
  on.bench.socket.hello();
  const attach = on.bench.socket.next();
  expect(attach.type).toBe("ws.attach");
  on.bench.socket.say(attached(0, false, { id: attach.id }), live(0));
  await settle();
  const input = on.bench.socket.sent.find((frame) => frame.type === undefined)!;
  expect(input).toMatchObject({ threadId: "t", protocolVersion: "1.0" });
  return { ...on, outcome, input };
}

/** Takes frames until one of this type, or, undefined, an input. */
function sent(bench: Bench, type: string | undefined): Frame {
  for (;;) {
    const frame = bench.socket.next();
    if (frame.type === type) return frame;
  }
}

const restated = (runId: string) => started(runId, { metadata: { aguiws: { restated: true } } });

describe("a run", () => {
  it("is shown, and the next one brings what is new", async () => {
    const { bench, chat, outcome, input, shown } = await said();
    const { runId } = input;
    bench.socket.say(run(runId, "started"), stream(0), started(runId), open("a"), delta("a", "Hel"), delta("a", "lo"), close("a"), finished(runId));
    await settle(50);
    expect(outcome.value).toBe("resolved");
    expect(shown()).toEqual(["user:hi", "assistant:Hello"]);
    void chat.sendMessage("again");
    await settle(50);
    sent(bench, undefined);
    const next = sent(bench, undefined);
    expect(next.messages.map((message: Frame) => message.content)).toEqual(["again"]);
  });

  it("sends whole what the thread does not hold of a chat that brings its own history", async () => {
    const initialMessages = [
      { id: "u0", role: "user" as const, parts: [{ type: "text" as const, content: "q" }] },
      { id: "a0", role: "assistant" as const, parts: [{ type: "text" as const, content: "a" }] },
    ];
    const on = page({}, { initialMessages });
    void on.chat.sendMessage("hi");
    await settle();
    on.bench.socket.hello();
    const attach = on.bench.socket.sent.findLast((frame) => frame.type === "ws.attach")!;
    on.bench.socket.say(attached(4, false, { id: attach.id }), stream(4, 4), restated("r0"), state({}), messages(user("u0", "q")), finished("r0"), live(4));
    await settle(50);
    const input = sent(on.bench, undefined);
    expect(input.messages.map((message: Frame) => `${message.role}:${message.content}`)).toEqual(["assistant:a", "user:hi"]);
  });

  it("is whole when the server tells it by a snapshot after a cut", async () => {
    const { bench, input: { runId }, outcome, shown } = await said();
    bench.socket.say(run(runId, "started"), stream(0), started(runId), open("a"), delta("a", "one "));
    await settle(50);
    const socket = await bench.reconnect();
    const attach = socket.next();
    socket.say(
      attached(9, false, { id: attach.id, reason: "trimmed", activeRunId: runId }), stream(9, 4),
      restated(runId), state({}), messages(user("u", "hi"), assistant("a", "one two ")), open("a"), live(9), stream(9), delta("a", "three"),
      close("a"), finished(runId),
    );
    await settle(50);
    expect(outcome.value).toBe("resolved");
    expect(shown()).toEqual(["user:hi", "assistant:one two three"]);
  });

  it("rejects as the chat's error with the server's code when it is refused", async () => {
    const { bench, input: { runId }, chat, errors } = await said();
    bench.socket.say(run(runId, "refused"), stream(0, 1), failed("thread_too_large", "no more"));
    await settle(50);
    expect(chat.getStatus()).toBe("error");
    expect(errors.map((error) => [(error as Error & { code?: string }).code, error.message])).toEqual([["thread_too_large", "no more"]]);
  });

  it("fails with the TransportError of a connection that gave up", async () => {
    const token = () => Promise.reject(new TransportError("signed_out", "nobody is signed in"));
    const bench = new Bench({ token });
    const on = page({ connection: bench.connection });
    const outcome = outcomeOf(on.chat.sendMessage("hi"));
    await settle(50);
    expect(outcome.value).toBe("resolved");
    expect(on.errors[0]).toMatchObject({ name: "TransportError", code: "signed_out" });
    expect(on.chat.getStatus()).toBe("error");
  });
});

describe("stop", () => {
  it("cancels the run, and what it still says disturbs no later one", async () => {
    const { bench, input: { runId }, chat, shown, errors } = await said();
    bench.socket.say(run(runId, "started"), stream(0), started(runId), open("a"), delta("a", "one"));
    await settle(50);
    chat.stop();
    expect(sent(bench, "ws.cancel")).toMatchObject({ runId });
    const outcome = outcomeOf(chat.sendMessage("next"));
    await settle(50);
    const next = sent(bench, undefined);
    bench.socket.say(run(next.runId, "queued"), close("a"), failed("cancelled"), started(next.runId), open("b"), delta("b", "two"), close("b"), finished(next.runId));
    await settle(50);
    expect(outcome.value).toBe("resolved");
    expect(shown()).toEqual(["user:hi", "assistant:one", "user:next", "assistant:two"]);
    expect(errors).toEqual([]);
  });

  it("only gives up the events with abort: detach", async () => {
    const { bench, connection, input: { runId }, chat } = await said("hi", { abort: "detach" });
    bench.socket.say(run(runId, "started"), stream(0), started(runId), open("a"), delta("a", "one"));
    await settle(50);
    chat.stop();
    await settle(50);
    expect(bench.socket.sent.some((frame) => frame.type === "ws.cancel")).toBe(false);
    connection.stop();
    expect(sent(bench, "ws.cancel")).toMatchObject({ runId });
  });
});

describe("hydrate", () => {
  async function loaded(frames: Frame[], more: Frame = {}) {
    const on = page({}, { persistence: true });
    on.chat.attach();
    await settle();
    on.bench.socket.hello();
    const attach = on.bench.socket.next();
    on.bench.socket.say(attached(9, false, { id: attach.id, ...more }), ...frames);
    await settle(50);
    return on;
  }

  it("shows the thread with its thoughts, calls and results, and open interrupts that can be answered", async () => {
    const call = { id: "c", type: "function", function: { name: "pay", arguments: '{"amount":1}' } };
    const { bench, chat, shown } = await loaded([
      stream(9, 4), restated("r0"), state({}),
      messages(
        user("u", "hi"), { id: "think", role: "reasoning", content: "hm" }, { id: "a", role: "assistant", content: "ok", toolCalls: [call] },
        { id: "x", role: "tool", toolCallId: "c", content: '{"paid":true}' },
      ),
      asking("r0", "i1"), live(9),
    ]);
    expect(shown()).toEqual(["user:hi", 'assistant:hm|ok|tool-call|{"paid":true}']);
    const [question] = chat.getInterrupts() as unknown as Array<{ canResolve: boolean; resolveInterrupt: (payload: unknown) => void }>;
    expect(question!.canResolve).toBe(true);
    question!.resolveInterrupt({ approved: true });
    await settle(50);
    const input = sent(bench, undefined);
    expect(input).toMatchObject({ parentRunId: "r0", messages: [], resume: [{ interruptId: "i1", status: "resolved", payload: { approved: true } }] });
  });

  for (const cut of [false, true]) {
    it(`keeps a question whose answer is refused${cut ? " after a cut" : ""}, to be answered again`, async () => {
      const told = [stream(9, 4), restated("r0"), state({}), messages(user("u", "hi")), asking("r0", "i1"), live(9)];
      const { bench, chat } = await loaded(told);
      const question = () => (chat.getInterrupts() as unknown as Array<{ canResolve: boolean; error?: { code: string }; resolveInterrupt: (payload: unknown) => void }>)[0]!;
      question().resolveInterrupt({ approved: 1 });
      await settle(50);
      bench.socket.say(attached(9, false, { id: bench.socket.sent.findLast(({ type }) => type === "ws.attach")!.id }), ...told);
      await settle(50);
      if (cut) {
        await bench.reconnect();
        bench.socket.say(attached(9, true, { id: sent(bench, "ws.attach").id }), live(9));
        await settle(50);
      }
      const { runId } = sent(bench, undefined);
      bench.socket.say(run(runId, "refused"), stream(9, 1), failed("interrupt_payload_invalid"));
      await settle(50);
      expect(question()).toMatchObject({ canResolve: true, error: { code: "invalid-payload" } });
    });
  }

  it("joins the run under way, and tells what is open from its beginning", async () => {
    const call = (args: string) => ({ id: "c", type: "function", function: { name: "pay", arguments: args } });
    const told = [
      stream(9, 5), restated("r0"), state({}),
      messages(user("u", "hi"), { id: "a", role: "assistant", content: "ok", toolCalls: [call('{"am')] }, { id: "b", role: "assistant", content: "one " }),
      { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "pay", parentMessageId: "a" }, open("b"), live(9),
    ];
    const { bench, chat, shown } = await loaded(told, { activeRunId: "r0" });
    expect(chat.getIsLoading()).toBe(true);
    const attach = sent(bench, "ws.attach");
    bench.socket.say(
      attached(9, false, { id: attach.id, activeRunId: "r0" }), ...told, stream(9),
      { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: 'ount":1}' }, { type: "TOOL_CALL_END", toolCallId: "c" },
      delta("b", "two"), close("b"), finished("r0"),
    );
    await settle(50);
    expect(chat.getIsLoading()).toBe(false);
    expect(shown()).toEqual(["user:hi", "assistant:ok|tool-call", "assistant:one two"]);
    const [pay] = chat.getMessages()[1]!.parts.filter((part) => part.type === "tool-call");
    expect(pay).toMatchObject({ state: "input-complete", input: { amount: 1 } });
  });

  it("does not take the chat's own deadline for a stop", async () => {
    const told = [stream(9, 4), restated("r0"), state({}), messages(user("u", "hi"), assistant("a", "one ")), open("a"), live(9)];
    const { bench, chat, shown } = await loaded(told, { activeRunId: "r0" });
    const attach = sent(bench, "ws.attach");
    await settle(5_000);
    expect(bench.socket.sent.some((frame) => frame.type === "ws.cancel")).toBe(false);
    bench.socket.say(attached(9, false, { id: attach.id, activeRunId: "r0" }), ...told, stream(9), delta("a", "two"), close("a"), finished("r0"));
    await settle(50);
    expect(shown()).toEqual(["user:hi", "assistant:one two"]);
    expect(chat.getIsLoading()).toBe(false);
  });
});

describe("others", () => {
  /** A live chat on a thread that was told to it. */
  async function live9() {
    const on = page({ threadId: "t" });
    on.chat.subscribe();
    await settle();
    on.bench.socket.hello();
    const attach = on.bench.socket.next();
    on.bench.socket.say(
      attached(9, false, { id: attach.id }), stream(9, 4), restated("r0"), state({}), messages(user("u", "hi"), assistant("a", "yo")), finished("r0"), live(9),
    );
    await settle(50);
    expect(on.shown()).toEqual(["user:hi", "assistant:yo"]);
    return on;
  }

  it("are shown with what they have said, and answer the chat's questions", async () => {
    const { bench, chat, shown } = await live9();
    bench.socket.say(stream(9), started("r1", { input: { messages: [user("u1", "ask")] } }), asking("r1", "i1"));
    await settle(50);
    expect(shown()).toEqual(["user:hi", "assistant:yo", "user:ask"]);
    expect(chat.getInterrupts()).toHaveLength(1);
    bench.socket.say(started("r2", { input: { messages: [] } }), open("b"), delta("b", "done"), close("b"), finished("r2"));
    await settle(50);
    expect(shown().at(-1)).toBe("assistant:done");
    expect(chat.getInterrupts()).toEqual([]);
  });

  it("are told by a snapshot where they have said what no event can", async () => {
    const { bench, shown } = await live9();
    const source = { type: "url", value: "http://x/y.png", mimeType: "image/png" };
    const picture = { id: "u1", role: "user", content: [{ type: "text", text: "look" }, { type: "image", source }] };
    bench.socket.say(stream(9), started("r1", { input: { messages: [picture] } }));
    await settle(50);
    const attach = sent(bench, "ws.attach");
    bench.socket.say(
      attached(10, false, { id: attach.id, activeRunId: "r1" }), stream(10, 3), restated("r1"), state({}),
      messages(user("u", "hi"), assistant("a", "yo"), picture), live(10), stream(10), open("b"), delta("b", "seen"), close("b"), finished("r1"),
    );
    await settle(50);
    expect(shown()).toEqual(["user:hi", "assistant:yo", "user:look|image", "assistant:seen"]);
  });

  it("leave a message that waits behind their run where it is", async () => {
    const { bench, chat, shown } = await live9();
    bench.socket.say(stream(9), started("r1", { input: { messages: [user("u1", "long")] } }), open("b"), delta("b", "one "));
    await settle(50);
    const outcome = outcomeOf(chat.sendMessage("mine"));
    await settle(50);
    const input = sent(bench, undefined);
    bench.socket.say(run(input.runId, "queued"));
    const [mine] = input.messages;
    bench.socket.say(delta("b", "two"), close("b"), messages(user("u", "hi"), assistant("a", "yo"), user("u1", "long"), assistant("b", "one two")), finished("r1"));
    await settle(50);
    expect(shown()).toEqual(["user:hi", "assistant:yo", "user:long", "assistant:one two", "user:mine"]);
    expect(outcome.value).toBe("pending");
    bench.socket.say(started(input.runId, { input: { messages: [mine] } }), open("c"), delta("c", "yours"), close("c"), finished(input.runId));
    await settle(50);
    expect(outcome.value).toBe("resolved");
    expect(shown().slice(-2)).toEqual(["user:mine", "assistant:yours"]);
  });
});

describe("closing the connection", () => {
  it("ends a run in progress with an error, and leaves nothing to be sent again", async () => {
    const { bench, connection, chat, errors, outcome, input: { runId } } = await said();
    bench.socket.say(run(runId, "started"), stream(0), started(runId), open("a"), delta("a", "one"));
    await settle(50);
    connection.close();
    await settle(50);
    expect(outcome.value).toBe("resolved");
    expect(chat.getIsLoading()).toBe(false);
    expect(errors).toMatchObject([{ name: "TransportError", code: "closed" }]);
    void chat.sendMessage("again");
    await settle(50);
    bench.socket.hello();
    const attach = sent(bench, "ws.attach");
    bench.socket.say(attached(0, false, { id: attach.id }), live(0));
    await settle(50);
    const inputs = bench.socket.sent.filter((frame) => frame.type === undefined);
    expect(inputs.map((frame) => frame.messages.at(-1).content)).toEqual(["again"]);
  });

  it("ends a run that was joined", async () => {
    const on = page({}, { persistence: true });
    on.chat.attach();
    await settle();
    on.bench.socket.hello();
    const attach = on.bench.socket.next();
    const told = [stream(9, 4), restated("r0"), state({}), messages(user("u", "hi"), assistant("a", "one ")), open("a"), live(9)];
    on.bench.socket.say(attached(9, false, { id: attach.id, activeRunId: "r0" }), ...told);
    await settle(50);
    expect(on.chat.getIsLoading()).toBe(true);
    on.connection.close();
    await settle(50);
    expect(on.chat.getIsLoading()).toBe(false);
    expect(on.errors).toMatchObject([{ code: "closed" }]);
  });

  it("rejects a hydrate that the server has not answered", async () => {
    const { connection } = page();
    const outcome = outcomeOf(connection.hydrate("t"));
    await settle(50);
    connection.close();
    await settle(50);
    expect(outcome.value).toMatchObject({ code: "closed" });
    expect(connection.connection.state).toBe("idle");
  });
});

describe("another thread on the same connection", () => {
  it("is what its chat shows, as useChat subscribes and attaches, and the first chat's stays its own", async () => {
    const { bench, connection, chat: first, shown } = page({ threadId: "t" }, { persistence: true, live: true });
    const second = new ChatClient({ connection, threadId: "t2", persistence: true });
    const told = async (threadId: string) => {
      for (let attach; (attach = bench.socket.sent.shift()) !== undefined; await settle(50)) {
        if (attach.type !== "ws.attach") continue;
        const thread = { threadId };
        const whole = [started("r0", { ...thread, metadata: { aguiws: { restated: true } } }), state({}), messages(user(`u-${threadId}`, threadId)), { ...finished("r0"), ...thread }];
        bench.socket.say(attached(9, false, { id: attach.id, ...thread }), stream(9, 4, threadId), ...whole, { ...live(9), ...thread });
        await settle(50);
      }
    };
    first.subscribe();
    first.attach();
    await settle();
    bench.socket.hello();
    await told("t");
    second.subscribe();
    second.attach();
    await settle(50);
    await told("t2");
    for (const [threadId, seq] of [["t", 9], ["t2", 9]] as const) {
      bench.socket.say(stream(seq, undefined, threadId), { ...started("r1", { threadId, input: { messages: [user(`n-${threadId}`, `new in ${threadId}`)] } }) }, { ...finished("r1"), threadId });
    }
    await settle(50);
    expect(shown()).toEqual(["user:t", "user:new in t"]);
    expect(second.getMessages().map(({ parts }) => (parts[0] as { content?: string }).content)).toEqual(["t2", "new in t2"]);
  });
});

describe("what is held", () => {
  it("is one chunk for text that goes on", async () => {
    const queue = new ChunkQueue(undefined, () => {});
    for (let i = 0; i < 50_000; i++) queue.push(delta("a", "x") as never);
    queue.finish();
    const taken = [];
    for await (const chunk of queue.read()) taken.push(chunk);
    expect(taken).toHaveLength(1);
    expect((taken[0] as unknown as Frame).delta).toHaveLength(50_000);
  });

  it("has a bound for a chat that takes nothing", async () => {
    const queue = new ChunkQueue(undefined, () => {});
    for (let i = 0; i < 20_000; i++) queue.push({ type: "CUSTOM", name: "n", value: i } as never);
    await expect(queue.read().next()).rejects.toMatchObject({ code: "too_slow" });
  });

  it("is nothing after the chat has gone", async () => {
    const { bench, chat, connection, input: { runId } } = await said();
    bench.socket.say(run(runId, "started"), stream(0), started(runId), finished(runId));
    await settle(50);
    chat.dispose();
    await settle();
    expect(bench.socket.sent.some((frame) => frame.type === "ws.detach")).toBe(true);
    await settle(11_000);
    expect(connection.connection.state).toBe("idle");
  });
});
