// What a word costs while thousands of messages are held, and that the agent holds what the reducer alone would make of it.

import { type AbstractAgent, type AgentSubscriber, defaultApplyEvents, type Message } from "@ag-ui/client";
import { from } from "rxjs";
import { afterEach, expect, it, vi } from "vitest";
import { assistant, attached, Bench, close, delta, finished, messages, open, settle, started, user, type Frame } from "./fake";
import { Fold } from "../fold";
import { atRest, quietly } from "./scenes";

quietly();
afterEach(() => vi.unstubAllGlobals());

/** An agent that follows a thread of so many messages, of which the last is a call's. */
async function following(count: number) {
  const bench = new Bench();
  const agent = bench.agent();
  agent.follow();
  bench.socket.hello();
  const held = Array.from({ length: count - 1 }, (_, i) => (i % 2 ? assistant(`m${i}`, `answer ${i}`) : user(`m${i}`, `question ${i}`)));
  const call = { id: "c0", type: "function", function: { name: "look", arguments: "{}" } };
  bench.socket.say(attached(1, false, { id: bench.socket.next().id }), ...atRest(1, [...held, { id: "caller", role: "assistant", toolCalls: [call] }]));
  await settle();
  expect(agent.messages).toHaveLength(count);
  return { bench, agent };
}

const said: Frame[] = [
  started("r1", { input: { threadId: "t", runId: "r1", messages: [user("u1", "go")], state: {}, tools: [], context: [] } }),
  open("a1"), ...Array.from({ length: 20 }, (_, i) => delta("a1", `word${i} `)), close("a1"),
  { type: "REASONING_START", messageId: "t1" }, { type: "REASONING_MESSAGE_START", messageId: "t1", role: "reasoning" },
  { type: "REASONING_MESSAGE_CONTENT", messageId: "t1", delta: "why" }, { type: "REASONING_MESSAGE_END", messageId: "t1" }, { type: "REASONING_END", messageId: "t1" },
  { type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: "pay" }, { type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: '{"a":' },
  { type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: "1}" }, { type: "TOOL_CALL_END", toolCallId: "c1" },
  { type: "TOOL_CALL_RESULT", messageId: "result1", toolCallId: "c1", content: "paid", role: "tool" },
  { type: "STATE_SNAPSHOT", snapshot: { a: 1 } }, { type: "CUSTOM", name: "x", value: 1 },
  { type: "ACTIVITY_SNAPSHOT", messageId: "plan", activityType: "plan", content: { done: 0 } },
  { type: "ACTIVITY_DELTA", messageId: "plan", activityType: "plan", patch: [{ op: "replace", path: "/done", value: 1 }] },
];

it("copies no more messages for an event where more are held", async () => {
  const copied = async (count: number) => {
    const { bench } = await following(count);
    bench.socket.say(said[0]!);
    await settle();
    let copies = 0;
    const real = structuredClone;
    vi.stubGlobal("structuredClone", (value: unknown) => {
      const list = Array.isArray(value) ? value : (value as { messages?: unknown[] })?.messages;
      copies += list?.length ?? 0;
      return real(value);
    });
    bench.socket.say(...said.slice(1));
    await settle();
    vi.unstubAllGlobals();
    expect(copies).toBeGreaterThan(said.length);
    return copies;
  };
  expect(await copied(500)).toBe(await copied(50));
});

it("leaves the messages as they are that an event does not touch", async () => {
  const { bench, agent } = await following(10);
  const before = [...agent.messages];
  let changes = 0;
  agent.subscribe({ onMessagesChanged: () => void changes++ });
  bench.socket.say(...said, finished("r1"));
  await settle();
  expect(changes).toBeGreaterThan(20);
  for (const [i, message] of before.entries()) expect(agent.messages[i], message.id).toBe(message);
});

/** Events of all kinds about few messages and calls, so that they meet. */
function anyEvent(pick: <T>(...of: T[]) => T): Frame {
  const messageId = pick("m0", "m1", "m2", "m3", "c0");
  const toolCallId = pick("c0", "c1", "c2");
  const metadata = pick(undefined, undefined, { k: pick(1, 2) });
  return pick<() => Frame>(
    () => ({ type: "TEXT_MESSAGE_START", messageId, role: "assistant", metadata }),
    () => ({ type: "TEXT_MESSAGE_CONTENT", messageId, delta: "x", metadata }),
    () => ({ type: "TEXT_MESSAGE_END", messageId, metadata }),
    () => ({ type: "REASONING_MESSAGE_START", messageId, role: "reasoning" }),
    () => ({ type: "REASONING_MESSAGE_CONTENT", messageId, delta: "y" }),
    () => ({ type: "REASONING_MESSAGE_END", messageId, metadata }),
    () => ({ type: "REASONING_ENCRYPTED_VALUE", subtype: pick("tool-call", "message"), entityId: pick(messageId, toolCallId), encryptedValue: "e" }),
    () => ({ type: "TOOL_CALL_START", toolCallId, toolCallName: pick("a", "b"), parentMessageId: pick(undefined, messageId), metadata }),
    () => ({ type: "TOOL_CALL_ARGS", toolCallId, delta: "{", metadata }),
    () => ({ type: "TOOL_CALL_END", toolCallId, metadata }),
    () => ({ type: "TOOL_CALL_RESULT", messageId: `r${pick(1, 2, 3)}`, toolCallId, content: "done", role: "tool", metadata }),
    () => ({ type: "ACTIVITY_SNAPSHOT", messageId, activityType: "plan", content: { n: 0 }, replace: pick(true, false), metadata }),
    () => ({ type: "ACTIVITY_DELTA", messageId, activityType: "plan", patch: [{ op: "replace", path: pick("/n", "/none/n"), value: 1 }], metadata }),
    () => ({ type: "STATE_SNAPSHOT", snapshot: { s: pick(1, 2) } }),
    () => ({ type: "CUSTOM", name: "c", value: pick("drop", "put", "keep") }),
    () => messages(...pick([user("m0", "told"), assistant("m2", "told")], [assistant("m3", "told"), user("m0", "told")])),
    () => started("r", { input: { threadId: "t", runId: "r", messages: pick([user("m1", "new")], [user("m0", "q"), user("m4", "new")]), state: {}, tools: [], context: [] } }),
  )();
}

/** What an application makes of some events: it looks, puts other messages in place, or lets nothing become of them. */
function meddling(seen: string[]): AgentSubscriber {
  const look = (name: string) => ({ messages: list, message, existingMessage }: { messages: unknown; message?: unknown; existingMessage?: unknown }) => void seen.push(JSON.stringify([name, list, message, existingMessage]));
  return {
    onEvent: ({ event, messages: list }) => {
      seen.push(JSON.stringify([event.type, list]));
      if (event.type !== "CUSTOM") return undefined;
      if (event.value === "put") return { messages: [...list.slice(1), { id: `p${list.length}`, role: "user", content: "put" }] };
      return event.value === "keep" ? { messages: list as Message[] } : { stopPropagation: true };
    },
    onTextMessageContentEvent: look("content"),
    onToolCallStartEvent: look("call"),
    onToolCallResultEvent: look("result"),
    onActivitySnapshotEvent: look("activity"),
    onNewMessage: look("new"),
    onNewToolCall: look("new call"),
  };
}

it.each(Array.from({ length: 20 }, (_, seed) => seed))("holds and tells what the reducer alone does: %i", async (seed) => {
  let state = seed + 1;
  const pick = <T>(...of: T[]): T => of[(state = (state * 48271) % 2147483647) % of.length]!;
  const events = Array.from({ length: 60 }, () => anyEvent(pick));
  const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value));
  const begin = copy([user("m0", "q"), { id: "m1", role: "assistant", toolCalls: [{ id: "c0", type: "function", function: { name: "a", arguments: "" } }] }, user("m9", "z")]) as Message[];
  const reduced = async (folds: boolean) => {
    const fold = folds ? new Fold(begin) : undefined;
    const seen: string[] = [];
    const subscriber = meddling(seen);
    const agent = { messages: begin, pendingInterrupts: [] } as unknown as AbstractAgent;
    const input = { threadId: "t", runId: "r", messages: [], state: {}, tools: [], context: [], forwardedProps: {} };
    const mutations$ = defaultApplyEvents(input, from(copy(events)) as never, agent, fold ? [fold.first, fold.telling(subscriber)] : [subscriber]);
    let held = begin;
    await new Promise<void>((resolve, reject) => {
      mutations$.subscribe({ next: (mutation) => void (held = (fold ? fold.whole(mutation) : mutation).messages ?? held), complete: resolve, error: reject });
    });
    return { held, seen };
  };
  vi.spyOn(console, "warn").mockReturnValue();
  const [alone, folded] = [await reduced(false), await reduced(true)];
  expect(folded.seen).toEqual(alone.seen);
  expect(folded.held).toEqual(alone.held);
});
