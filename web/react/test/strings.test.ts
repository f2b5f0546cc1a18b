// Every word that a part says by itself is in the table: with another table nothing of the English one is left.

import type { Interrupt } from "@ag-ui/client";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it, test } from "vitest";
import { Decision, type DecisionProps } from "../decision/Decision";
import { Facts } from "../decision/Facts";
import SchemaForm from "../forms/SchemaForm";
import { judge } from "../forms/judge";
import { presentable } from "../forms/schema";
import { ENGLISH, type Strings } from "../lib/strings";
import { Words } from "../lib/words";

/** The table with digits in place of all words. What an agent says here has digits alone. */
function other<T>(table: T): T {
  if (typeof table === "string") return "0" as T;
  if (typeof table === "function") return (() => "0") as T;
  if (typeof table !== "object" || table === null) return table;
  return Object.fromEntries(Object.entries(table).map(([name, value]) => [name, other(value)])) as T;
}
const strings: Strings = { ...other(ENGLISH), locale: "en" };

/** What is read of a part, but for JSON. */
const textOf = (html: string) =>
  [...html.matchAll(/(?:aria-label|title|placeholder)="([^"]*)"|>([^<]+)</g)].map(([, named, text]) => (named ?? text ?? "").replace(/&\w+;|&#\w+;/g, "")).filter((text) => /\p{L}/u.test(text) && !text.startsWith("{"));

const decision = (interrupt: Omit<Interrupt, "id">, more: Partial<DecisionProps> = {}) => () =>
  createElement(Decision, { interrupt: { id: "1", ...interrupt }, onAnswer: () => {}, ...more });
const approval = { type: "object", properties: { approved: { type: "boolean" }, editedArgs: { type: "object" }, reason: { type: "string", description: "Why" } }, required: ["approved"] };
const toolCall = { name: "1", arguments: '{"2":{"3":[4,{"5":6}]},"7":8}' };
const form = (schema: object) => () => createElement(SchemaForm, { schema: presentable(schema)!, locked: false, handle: null });

test.each<[string, () => React.ReactElement]>([
  ["an approval", decision({ reason: "tool_call", toolCallId: "1", responseSchema: approval }, { toolCall, asker: { user: "1", agent: "2" } })],
  ["a call that cannot be undone", decision({ reason: "tool_call", toolCallId: "1", responseSchema: approval, metadata: { destructive: true } }, { toolCall })],
  ["a call without arguments", decision({ reason: "tool_call", toolCallId: "1", responseSchema: approval }, { toolCall: { name: "1", arguments: "{}" } })],
  ["an answer", decision({ reason: "tool_call", toolCallId: "1", responseSchema: approval }, { toolCall, answer: { status: "resolved", payload: { approved: true, editedArgs: { 1: 2 } } }, onChange: () => {} })],
  ["a question of no words", decision({ reason: "confirmation", message: '{"1":2}' })],
  ["a long question", decision({ reason: "confirmation", message: "1 ".repeat(4_000) })],
  ["a question with a text to give", decision({ reason: "input_required", message: "1", responseSchema: { type: "string" } })],
  ["a question with JSON to give", decision({ reason: "input_required", message: "1", responseSchema: { $ref: "elsewhere" } })],
  ["what has expired", decision({ reason: "confirmation", message: "1", expiresAt: "2001-01-01T00:00:00Z" })],
  ["a wait", decision({ reason: "aguiws:timer", message: "1" })],
  ["a login", decision({ reason: "aguiws:auth_required", metadata: { authorizeUrl: "https://example.com/login/1/1", providerTitle: "1" } })],
  ["misleading characters", decision({ reason: "confirmation", message: "1" }, { fault: "1" })],
  ["a form", form({ type: "object", title: "1", properties: { 1: { type: "number" }, 2: { enum: [1, null] }, 3: { type: "array", items: { type: "string" } }, 4: {}, 5: { type: "array", items: { enum: [1, 2, 3] }, maxItems: 2 } } })],
  ["a list", form({ type: "array", title: "1", items: { type: "object", properties: { 1: { type: "boolean" } } } })],
])("%s has no word of its own", (_, draw) => {
  const html = renderToStaticMarkup(createElement(Words, { strings, children: draw() }));
  expect(html).toContain("0");
  expect(textOf(html)).toEqual([]);
});

it("names an agent that has a name of its own", () => {
  const told = (agent: string) => renderToStaticMarkup(createElement(Facts, { asker: { agent } }));
  expect(told("agent")).toBe("");
  expect(told("clerk")).toContain("clerk");
});

it("says what is wrong with an answer in the words of the table", () => {
  const schema = {
    type: "object",
    properties: { 1: { type: "string", minLength: 2, format: "date" }, 2: { type: "number", maximum: 1 }, 3: { enum: [1] }, 4: { oneOf: [{ type: "null" }, { const: 5 }] }, 5: { not: {} } },
    required: ["6"],
    maxProperties: 1,
  };
  const faults = judge(schema, { 1: "a", 2: 9, 3: 2, 4: 3, 5: 4 }, strings.fault);
  expect(faults.length).toBeGreaterThan(5);
  expect(faults.map(({ message }) => message).filter((message) => message !== "0")).toEqual([]);
});
