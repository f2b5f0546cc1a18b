// What was typed into a question that somebody else has answered is kept, and said.

import type { Interrupt, Message } from "@ag-ui/client";
import { afterEach, beforeEach, expect, it, test, vi } from "vitest";
import type { Answer } from "../../react/forms/answers";
import { parse } from "../../react/lib/json";
import type { Told } from "../src/decision/told";
import { forgetTyped, give, keepTyped } from "../src/decision/typed";
import { unsentOf, writtenIn } from "../src/decision/unsent";
import { storageOf } from "./storage";

const stored = new Map<string, string>();
beforeEach(() => {
  stored.clear();
  vi.stubGlobal("sessionStorage", storageOf(stored));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const call = { id: "c", type: "function" as const, function: { name: "send_email", arguments: '{"to":"ada@example.com","subject":"Hi"}' } };
const messages: Message[] = [{ id: "m", role: "assistant", toolCalls: [call] }];
const at = "2026-01-01T00:00:00Z";
const approved: Told = { interruptId: "q", toolCallId: "c", status: "resolved", approved: true, by: "ann", at };
const thread = (told: Told = approved, open: string[] = []) => ({ threadId: "t", open: open.map((id) => ({ id })), messages, decided: new Map([["c", told]]), marks: [] });
const types = (fields: Record<string, unknown>, id = "q") => keepTyped("t", id).write(fields);
const texts = (of = thread()) => unsentOf(of).map(({ text }) => text);

it("is what is not as it was proposed, of the question that another has answered", () => {
  types({ args: '{"to":"ada@example.com","subject":"Hello"}', "args-as-json": false });
  expect(unsentOf(thread())).toEqual([{ told: approved, about: "Send email to ada@example.com", text: "Subject: Hello", given: false }]);
  expect(texts(thread(approved, ["q"]))).toEqual([]);
  forgetTyped("t", "q");
  expect(texts()).toEqual([]);
});

it("is nothing where nothing was changed", () => {
  types({ args: '{"to":"ada@example.com","subject":"Hi"}', declines: true, why: " " });
  expect(texts()).toEqual([]);
});

test.each<[string, Answer | undefined, Partial<Told>, number]>([
  ["no answer was given here", undefined, {}, 1],
  ["the answer of this tab was taken", { status: "resolved", payload: { approved: true } }, {}, 0],
  ["the answer of this tab was taken, as it was", { status: "resolved", payload: { approved: true, note: 1 } }, { payload: { approved: true, note: 1 } }, 0],
  ["another answer came first", { status: "resolved", payload: { approved: true, editedArgs: { to: "x" } } }, { payload: { approved: true } }, 1],
  ["a no came first", { status: "resolved", payload: { approved: true } }, { approved: false }, 1],
  ["it was cancelled here", { status: "cancelled" }, { status: "cancelled", approved: undefined }, 0],
  ["it ran out of time", { status: "resolved" }, { status: "expired", approved: undefined }, 1],
])("%s", (_, given, told, count) => {
  types({ why: "too much" });
  give("t", "q", given);
  expect(texts(thread({ ...approved, ...told }))).toHaveLength(count);
});

it("is nothing where the answer of this tab was taken, however much was answered since", () => {
  vi.useFakeTimers({ now: 0 });
  types({ why: "too much" });
  give("t", "q", { status: "resolved", payload: { approved: true } });
  for (let i = 0; i < 30; i++) {
    vi.advanceTimersByTime(1);
    give("t", `plain ${i}`, { status: "resolved", payload: { approved: true } });
    expect(texts()).toEqual([]);
  }
  for (let i = 0; i < 30; i++) {
    vi.advanceTimersByTime(1);
    types({ why: "too much" }, `typed ${i}`);
    expect(texts()).toEqual([]);
  }
});

it("is nothing where the answer of this tab is too long to be kept", () => {
  types({ why: "too much" });
  give("t", "q", { status: "resolved", payload: { approved: true, note: "x".repeat(300 << 10) } });
  expect(texts()).toEqual([]);
});

it("tells an answer of this tab that was not taken from a text that it has not sent", () => {
  types({ why: "too much" });
  expect(unsentOf(thread())).toMatchObject([{ given: false }]);
  give("t", "q", { status: "resolved", payload: { approved: false } });
  types({ why: "far too much" });
  expect(unsentOf(thread())).toMatchObject([{ given: true, text: "far too much" }]);
  give("t", "q", undefined);
  expect(unsentOf(thread())).toMatchObject([{ given: false, text: "far too much" }]);
});

it("is told of forms, by their questions", () => {
  const question: Interrupt = { id: "f", reason: "input_required", message: "Which day?" };
  const told: Told = { interruptId: "f", status: "resolved", at };
  types({ form: { quarter: "Q2", year: 2026 }, "number root_revenue": "12," }, "f");
  expect(unsentOf({ ...thread(), decided: new Map(), marks: [{ key: "f", kind: "answer", told, question }] })).toEqual([
    { told, about: "Which day?", text: "Quarter: Q2\nYear: 2026\nRevenue: 12,", given: false },
  ]);
});

test.each<[unknown, string]>([
  [{ text: "Not before Monday" }, "Not before Monday"], [{ form: parse('{"account":9007199254740993,"tags":["a"]}') }, 'Account: 9007199254740993\nTags: ["a"]'], [{ args: '{"to":' }, '{"to":'],
  [{ form: "Gate 4" }, "Gate 4"], [{ form: {} }, ""], [undefined, ""], ["x", ""], [{ "is-json": true }, ""],
])("reads %j", (typed, text) => {
  expect(writtenIn(typed, "{}")).toBe(text);
});
