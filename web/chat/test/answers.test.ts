// From a question to the entry that answers it.

import type { Interrupt, Message } from "@ag-ui/client";
import { describe, expect, it } from "vitest";
import { entriesFor, pretty, questionOf, toolCallOf } from "../src/answers";
import { fieldsOf, initialDraft, readDraft } from "../src/fields";
import { faults, type Schema } from "../src/schema";

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
  it("is an approval where the schema has a decision, editable where it has arguments", () => {
    expect(questionOf(ask({ reason: "tool_call", responseSchema: approval }))).toMatchObject({
      kind: "approval", editable: true, extras: [{ name: "reason", label: "Reason", required: false }],
    });
    const { editedArgs: _, ...properties } = approval.properties;
    expect(questionOf(ask({ reason: "acme:any", responseSchema: { ...approval, properties } }))).toMatchObject({ kind: "approval", editable: false });
    expect(questionOf(ask({ reason: "tool_call" }))).toMatchObject({ kind: "approval", editable: true });
  });

  it("is a confirmation without a schema, whatever its reason", () => {
    expect(questionOf(ask({ reason: "confirmation" })).kind).toBe("confirmation");
    expect(questionOf(ask({ reason: "acme:unheard" })).kind).toBe("confirmation");
  });

  it("is a form where one can say what the schema says", () => {
    expect(questionOf(ask({ reason: "input_required", responseSchema: figures as never }))).toMatchObject({ kind: "form" });
    const uncertain = { type: "object", properties: { action: { enum: ["rerun", "done", "fail"] }, result: {} }, required: ["action"] };
    expect(questionOf(ask({ reason: "aguiws:uncertain_step", responseSchema: uncertain }))).toMatchObject({
      kind: "form", fields: [{ name: "action", kind: "choice", required: true }, { name: "result", kind: "json", required: false }],
    });
  });

  it("is JSON where none can", () => {
    for (const schema of [
      { oneOf: [{ type: "string" }] },
      { type: "string" },
      { $ref: "#/x" },
      { type: "object", required: ["hidden"] },
      { type: "object", properties: "nonsense" },
      {},
    ]) {
      expect(questionOf(ask({ responseSchema: schema as never })).kind, JSON.stringify(schema)).toBe("json");
    }
  });
});

describe("a form", () => {
  const fields = fieldsOf(figures)!;

  it("reads what was typed as the schema's types, and leaves out what is empty", () => {
    expect(readDraft(fields, { quarter: "1", year: "2026", revenue: "12.5", audited: "0", note: "" })).toEqual({
      value: { quarter: "Q2", year: 2026, revenue: 12.5, audited: true },
    });
  });

  it("says what is wrong, field by field, and reads nothing then", () => {
    expect(readDraft(fields, { quarter: "9", year: "1999", revenue: "much", note: "too long" })).toEqual({
      faults: {
        quarter: "choose one", year: "must be at least 2000", revenue: "must be a number", note: "must have at most 5 characters",
      },
    });
    expect(readDraft(fields, {})).toEqual({ faults: { quarter: "is required", year: "is required", revenue: "is required" } });
    expect(readDraft(fields, { quarter: "0", year: "2000.5", revenue: "1" })).toEqual({ faults: { year: "must be an integer" } });
  });

  it("begins with the schema's defaults", () => {
    const schema: Schema = { type: "object", properties: { a: { enum: ["x", "y"], default: "y" }, b: { type: "number", default: 3 }, c: { default: { d: 1 } } } };
    const withDefaults = fieldsOf(schema)!;
    expect(readDraft(withDefaults, initialDraft(withDefaults))).toEqual({ value: { a: "y", b: 3, c: { d: 1 } } });
  });

  it("takes a hostile name for a name", () => {
    const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string","default":"x"}}}') as Schema;
    const reading = readDraft(fieldsOf(schema) ?? [], Object.fromEntries([["__proto__", "x"]]));
    expect("value" in reading && Object.getPrototypeOf(reading.value)).toBe(Object.prototype);
  });
});

describe("the checks", () => {
  it.each<[Schema, unknown, string[]]>([
    [{ type: "integer" }, 1.5, [""]],
    [{ type: ["string", "null"] }, null, []],
    [{ const: { a: [1] } }, { a: [1] }, []],
    [{ enum: [1, "1"] }, true, [""]],
    [{ exclusiveMinimum: 1, multipleOf: 0.1 }, 1, [""]],
    [{ multipleOf: 0.1 }, 0.3, []],
    [{ minLength: 2 }, "😀", [""]],
    [{ type: "array", items: { type: "string" }, maxItems: 1 }, ["a", 2], ["", "/1"]],
    [{ properties: { "a/b": { type: "string" } }, additionalProperties: false }, { "a/b": 1, "c~": 2 }, ["/a~1b", "/c~0"]],
    [{ required: ["x"] }, {}, ["/x"]],
    [{ additionalProperties: { type: "number" } }, { x: "1" }, ["/x"]],
    [{ type: 7, enum: "no", required: "no", properties: 3 } as unknown as Schema, "anything", []],
  ])("%j of %j", (schema, value, paths) => {
    expect(faults(schema, value).map((fault) => fault.path)).toEqual(paths);
  });

  it("stop at a depth", () => {
    const endless: Schema = { maxItems: 1 };
    endless.items = endless;
    const nested = (depth: number): unknown => (depth === 0 ? [1, 2] : [nested(depth - 1)]);
    expect(faults(endless, nested(3)).map((fault) => fault.path)).toEqual(["/0/0/0"]);
    expect(faults(endless, nested(100))).toEqual([]);
  });
});

describe("the entries", () => {
  const open = [ask({ id: "a" }), ask({ id: "b" })];

  it("are there when every question is answered, in their order", () => {
    expect(entriesFor(open, { b: { status: "cancelled", label: "" } })).toBeUndefined();
    expect(
      entriesFor(open, { b: { status: "cancelled", label: "" }, a: { status: "resolved", payload: false, label: "" } }),
    ).toEqual([{ interruptId: "a", status: "resolved", payload: false }, { interruptId: "b", status: "cancelled" }]);
  });
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
