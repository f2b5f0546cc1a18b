import { expect, it } from "vitest";
import { callsOf, isLast, textOf, type Told } from "../src/ops/turn";

const call = (id: string, name: string) => ({ id, role: "assistant", toolCalls: [{ id: `call-${id}`, function: { name, arguments: `{"of":"${id}"}` } }] });

const MESSAGES: Told[] = [
  { id: "u1", role: "user", content: "first" },
  call("a1", "look"),
  { id: "t1", role: "tool", toolCallId: "call-a1", content: "seen" },
  { id: "u2", role: "user", content: [{ type: "text", text: "second" }, { type: "image" }, { type: "text", text: "and more" }] },
  call("a2", "pay"),
  { id: "t2", role: "tool", toolCallId: "call-a2", content: "paid" },
  { id: "a3", role: "assistant", content: "done" },
];

it("finds what was asked among the messages of the chat", () => {
  expect([textOf(MESSAGES, "u1"), textOf(MESSAGES, "u2"), textOf(MESSAGES, "gone"), textOf(undefined, "u1")]).toEqual(["first", "second\nand more", undefined, undefined]);
});

it("tells the calls of a run from those of others", () => {
  const of = (run: Parameters<typeof callsOf>[1]) => callsOf(MESSAGES, run).map(({ name, given, result }) => `${name} ${given} ${result}`);
  expect(of({ messageId: "u1", wrote: { count: 2, firstId: "a1", lastId: "t1" } })).toEqual(['look {"of":"a1"} seen']);
  // Its worker has not ended it: what follows its message is its own, until the next one.
  expect(of({ messageId: "u1" })).toEqual(['look {"of":"a1"} seen']);
  expect(of({ messageId: "u2" })).toEqual(['pay {"of":"a2"} paid']);
  // A run that goes on after an answer has the result of a call that another run has made.
  expect(of({ wrote: { count: 2, firstId: "t2", lastId: "a3" } })).toEqual(['pay {"of":"a2"} paid']);
  expect([of({}), of({ messageId: "gone" }), of({ wrote: { count: 1, firstId: "gone", lastId: "a3" } })]).toEqual([[], [], []]);
});

it("knows whether anything was said since a run", () => {
  expect([isLast(MESSAGES, "u1", "t1"), isLast(MESSAGES, "u1", MESSAGES.at(-1)!.id), isLast([MESSAGES[0]!], "u1", undefined)]).toEqual([false, true, true]);
  expect([isLast(undefined, "u1"), isLast([], undefined)]).toEqual([false, false]);
});
