// From a question to the entry that answers it.

import type { Interrupt, Message } from "@ag-ui/client";
import { describe, expect, it } from "vitest";
import { aboutOf, confirmed, entriesFor, labelOf, pretty, questionOf, readArguments, readJson, saidBeside, toolCallOf } from "../src/answers";
import { judge } from "../src/judge";
import { presentable, worded, type Schema } from "../src/schema";

const ask = (more: Partial<Interrupt>): Interrupt => ({ id: "i", reason: "acme:any", ...more });
const approval = {
  type: "object",
  properties: { approved: { type: "boolean" }, editedArgs: { type: "object" }, reason: { type: "string" } },
  required: ["approved"],
  additionalProperties: false,
};
const figures: Schema = {
  type: "object",
  properties: {
    quarter: { type: "string", enum: ["Q1", "Q2"] },
    year: { type: "integer", minimum: 2000 },
    revenue: { type: "number" },
    audited: { type: "boolean" },
    note: { type: "string", maxLength: 5 },
  },
  required: ["quarter", "year", "revenue"],
};

describe("a question", () => {
  it("says what it is about by its metadata where it has no message", () => {
    expect(aboutOf(ask({ metadata: { mastra: { args: { amount: 30 } } } }))).toBe('{\n  "mastra": {\n    "args": {\n      "amount": 30\n    }\n  }\n}');
    for (const more of [{}, { metadata: {} }, { message: "Pay 30?", metadata: { a: 1 } }]) expect(aboutOf(ask(more))).toBeUndefined();
  });

  it("is an approval where the schema has a decision, editable where it has arguments", () => {
    expect(questionOf(ask({ reason: "tool_call", responseSchema: approval }))).toMatchObject({
      kind: "approval", editable: true, extras: { properties: { reason: { title: "Reason" } }, required: [] },
    });
    const asked = (description: string) => ask({ responseSchema: { ...approval, properties: { ...approval.properties, reason: { type: "string", description } } } });
    expect(questionOf(asked("Why"))).toMatchObject({ extras: { properties: { reason: { description: "The agent is told this with your answer." } } } });
    expect(questionOf(asked("For the auditor"))).toMatchObject({ extras: { properties: { reason: { description: "For the auditor" } } } });
    const { editedArgs: _, reason: __, ...properties } = approval.properties;
    expect(questionOf(ask({ responseSchema: { ...approval, properties } }))).toEqual({ kind: "approval", editable: false });
    expect(questionOf(ask({ reason: "tool_call" }))).toEqual({ kind: "approval", editable: true });
    // What has to be said beside the decision needs a field.
    expect(questionOf(ask({ responseSchema: { ...approval, properties, required: ["approved", "hidden"] } })).kind).not.toBe("approval");
  });

  it("is an approval where the schema is a choice between a yes and a no", () => {
    const yes = { type: "object", properties: { approved: { const: true }, editedArgs: { type: "object" } }, required: ["approved"] };
    const no = { type: "object", properties: { approved: { const: false } }, required: ["approved"] };
    for (const choice of ["oneOf", "anyOf"]) {
      for (const both of [[yes, no], [no, yes]]) {
        expect(questionOf(ask({ responseSchema: { [choice]: both } }))).toEqual({ kind: "approval", editable: true });
      }
    }
    // One that wants more, a third way and two of one kind are asked as what they are.
    for (const choices of [[yes, { ...no, required: ["approved", "why"] }], [yes, no, {}], [yes, yes]]) {
      expect(questionOf(ask({ responseSchema: { oneOf: choices } })).kind).toBe("form");
    }
  });

  it("says a yes where a yes is asked for, and nothing where the agent alone knows what it asks", () => {
    expect(confirmed(ask({ reason: "confirmation" }))).toEqual({ approved: true });
    expect(confirmed(ask({ reason: "acme:unheard" }))).toBeUndefined();
  });

  it("is a confirmation without a schema, whatever its reason", () => {
    expect(questionOf(ask({ reason: "confirmation" })).kind).toBe("confirmation");
    expect(questionOf(ask({ reason: "acme:unheard" })).kind).toBe("confirmation");
  });

  it("is a form where one can say what the schema says", () => {
    expect(questionOf(ask({ reason: "input_required", responseSchema: figures as never }))).toMatchObject({ kind: "form" });
    const uncertain = { type: "object", properties: { action: { enum: ["rerun", "done", "fail"] }, result: {} }, required: ["action"] };
    expect(questionOf(ask({ reason: "aguiws:uncertain_step", responseSchema: uncertain }))).toMatchObject({ kind: "form" });
    const of = { type: "object", properties: { size: { $ref: "#/$defs/size" } }, $defs: { size: { enum: ["S", "L"] } } };
    expect(questionOf(ask({ responseSchema: of }))).toMatchObject({ kind: "form", schema: { properties: { size: { title: "Size" } } } });
    expect(questionOf(ask({ responseSchema: { oneOf: [{ type: "object" }, { type: "object" }] } }))).toMatchObject({ kind: "form" });
  });

  it("is JSON where none can", () => {
    for (const schema of [
      { type: "string" },
      { $ref: "#/x" },
      { $ref: "https://example.org/schema" },
      { type: "object", required: ["hidden"] },
      { type: "object", properties: "nonsense" },
      {},
    ]) {
      expect(questionOf(ask({ responseSchema: schema as never })).kind, JSON.stringify(schema)).toBe("json");
    }
  });
});

describe("a schema", () => {
  it("is shown without what could be run or fetched", () => {
    expect(presentable({ $id: "https://x.org/s", type: "object", properties: { pattern: { type: "string", pattern: "(a+)+$", format: "regex" } } })).toEqual({
      type: "object", properties: { pattern: { type: "string", title: "Pattern" } },
    });
    expect(presentable({ properties: { a: { $ref: "https://x.org/s" } } })).toBeUndefined();
    expect(presentable({ title: { evil: 1 }, description: 3 })).toEqual({});
  });

  it("is given up where it is no form that a person fills in", () => {
    let deep: Schema = { type: "string" };
    for (let i = 0; i < 40; i++) deep = { type: "object", properties: { a: deep } };
    expect(presentable(deep)).toBeUndefined();
    expect(presentable({ properties: Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`p${i}`, {}])) })).toBeUndefined();
    for (const schema of [undefined, null, 7, "x", []]) expect(presentable(schema)).toBeUndefined();
  });

  it("takes a hostile name for a name", () => {
    const shown = presentable(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'));
    expect(Object.keys(shown!.properties as object)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(shown)).toBe(Object.prototype);
  });

  it("has words for the names of its members", () => {
    expect([worded("dueDate"), worded("due_date"), worded("x")]).toEqual(["Due date", "Due date", "X"]);
  });
});

describe("the judge", () => {
  it.each<[Schema, unknown, Array<[string, string | RegExp]>]>([
    [figures, { quarter: "Q2", year: 2026, revenue: 12.5 }, []],
    [figures, {}, [["quarter", "is required"], ["year", "is required"], ["revenue", "is required"]]],
    [figures, { quarter: "Q9", year: 1999, revenue: "much", note: "too long" },
      [["quarter", /choices/], ["year", /must be at least 2000/], ["revenue", /must be number/], ["note", /must have at most 5 characters/]]],
    [{ type: "integer" }, 1.5, [["", /must be integer/]]],
    [{ type: ["string", "null"] }, null, []],
    [{ multipleOf: 0.1 }, 0.3, []],
    [{ minLength: 2 }, "\u{1F600}", [["", /must have at least 2 characters/]]],
    [{ type: "number", exclusiveMinimum: 1.5, maximum: 0.5, multipleOf: 2 }, 1.5,
      [["", /must be more than 1.5/], ["", /must be at most 0.5/], ["", /must be a multiple of 2/]]],
    [{ type: "array", minItems: 1 }, [], [["", /must have at least 1 item$/]]],
    [{ type: "string", format: "date" }, "tomorrow", [["", /must be of the form date/]]],
    [{ type: "array", items: { type: "string" } }, ["a", 2], [["1", /must be string/]]],
    [{ properties: { "a/b": { type: "string" } } }, { "a/b": 1 }, [["a/b", /must be string/]]],
    [{ $ref: "#/$defs/x", $defs: { x: { type: "number" } } }, "x", [["", /must be number/]]],
    [{ type: "object", properties: { on: { type: "boolean" } }, if: { properties: { on: { const: true } }, required: ["on"] }, then: { required: ["why"] } }, { on: true }, [["why", "is required"]]],
    [{ type: "string", pattern: "(a+)+$" }, `${"a".repeat(60)}!`, []],
    [{ type: 7, required: "no", properties: 3 }, "anything", []],
  ])("%j of %j", (schema, value, wrong) => {
    const found = judge(schema, value);
    for (const [path, message] of wrong) {
      const texts = found.filter((fault) => fault.path.join(".") === path).map((fault) => fault.message).join();
      expect(texts).toMatch(message);
    }
    if (wrong.length === 0) expect(found).toEqual([]);
  });

  it("leaves the schema as it was", () => {
    const schema = structuredClone(figures);
    judge(schema, {});
    expect(schema).toEqual(figures);
  });
});

it("reads JSON and says what is wrong with it", () => {
  expect(readJson("[1]")).toEqual({ value: [1] });
  expect(readJson("[1")).toMatchObject({ fault: expect.stringContaining("is not JSON") });
  expect(readArguments('{"a":1}')).toEqual({ value: { a: 1 } });
  expect(readArguments("[1]")).toEqual({ fault: "must be a JSON object" });
});

describe("the entries", () => {
  const open = [ask({ id: "a" }), ask({ id: "b" })];

  it("are there when every question is answered, in their order", () => {
    expect(entriesFor(open, { b: { status: "cancelled" } })).toBeUndefined();
    expect(
      entriesFor(open, { b: { status: "cancelled" }, a: { status: "resolved", payload: false } }),
    ).toEqual([{ interruptId: "a", status: "resolved", payload: false }, { interruptId: "b", status: "cancelled" }]);
  });
});

it.each<[Parameters<typeof labelOf>[0], unknown, string, unknown]>([
  ["approval", { approved: true }, "Approved", undefined],
  ["approval", { approved: true, editedArgs: { a: 1 } }, "Approved with edits", { editedArgs: { a: 1 } }],
  ["approval", { approved: false, reason: "no" }, "Declined", { reason: "no" }],
  ["approval", "nonsense", "Declined", "nonsense"],
  ["confirmation", undefined, "Confirmed", undefined],
  ["form", { year: 2026 }, "Answered", { year: 2026 }],
  ["json", [1], "Answered", [1]],
])("says what an answer to a question of kind %s decides: %j", (kind, payload, label, beside) => {
  expect(labelOf(kind, { status: "resolved", payload })).toBe(label);
  expect(saidBeside({ status: "resolved", payload })).toEqual(beside);
  expect(labelOf(kind, { status: "cancelled" })).toBe("Cancelled");
});

it("finds the call that a question is about", () => {
  const call = { id: "c", type: "function" as const, function: { name: "f", arguments: "{}" } };
  const messages: Message[] = [{ id: "m", role: "assistant", toolCalls: [call] }];
  expect(toolCallOf(ask({ toolCallId: "c" }), messages)).toEqual(call);
  expect(toolCallOf(ask({}), messages)).toBeUndefined();
});

it("shows JSON that is not complete as it is", () => {
  expect(pretty('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(pretty('{"a":')).toBe('{"a":');
});
