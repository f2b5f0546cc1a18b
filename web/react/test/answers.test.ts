// From a question to the entry that answers it.

import type { Interrupt, Message } from "@ag-ui/client";
import { describe, expect, it } from "vitest";
import { argFields } from "../decision/argparts";
import { ENGLISH } from "../lib/strings";
import { entriesFor, labelOf, saidBeside, saysYes } from "../forms/answers";
import { calledIn, isDestructive, questionOf, type Question } from "../forms/question";
import { pretty, readArguments, readJson } from "../forms/readjson";
import { aboutOf, decisionOf, factsOf, factTitles, headingOf, subjectOf, toolCallOf, wordsOf } from "../forms/wording";
import { judge, told } from "../forms/judge";
import { presentable, type Schema } from "../forms/schema";

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
    for (const reason of ["aguiws:timer", "aguiws:event"])
      expect(questionOf(ask({ reason, responseSchema: { type: "object" } }))).toEqual({ kind: "choice", choices: [], otherwise: "nothing" });
    expect(questionOf(ask({ reason: "tool_call" }))).toEqual({ kind: "approval", editable: true });
    const listed = [{ label: "Send", payload: "send" }];
    expect(questionOf(ask({ reason: "tool_call", metadata: { answers: listed } }))).toEqual({ kind: "choice", choices: listed, otherwise: "any" });
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

  it("is a choice without a schema, with anything else beside it", () => {
    for (const reason of ["confirmation", "acme:unheard"]) {
      expect(questionOf(ask({ reason }))).toMatchObject({ kind: "choice", choices: [{ label: "Yes" }, { label: "No" }], otherwise: "any" });
    }
    expect(questionOf(ask({ metadata: { answers: [{ label: "Later", payload: 1 }] } }))).toMatchObject({ choices: [{ label: "Later" }], otherwise: "any" });
    expect(questionOf(ask({ reason: "aguiws:paused" }))).toMatchObject({ kind: "choice", choices: [{ label: "Go on" }], otherwise: "nothing" });
  });

  it("is a choice where a schema has few values, with a form for what else it asks", () => {
    expect(questionOf(ask({ responseSchema: { type: "boolean" } as never }))).toMatchObject({ kind: "choice", otherwise: "nothing" });
    const uncertain = { type: "object", properties: { action: { enum: ["rerun", "done", "fail"] }, result: {} }, required: ["action"] };
    const done = { label: "It was done", payload: { action: "done" } };
    expect(questionOf(ask({ responseSchema: uncertain, metadata: { answers: [done] } }))).toMatchObject({ kind: "choice", choices: [done], otherwise: { kind: "form" } });
    expect(questionOf(ask({ responseSchema: figures as never, metadata: { answers: [{ label: "Last year's", payload: {} }] } }))).toMatchObject({ kind: "choice", otherwise: { kind: "form" } });
  });

  it("is a text where the schema is one", () => {
    expect(questionOf(ask({ responseSchema: { type: "string", minLength: 2 } as never }))).toMatchObject({ kind: "text" });
  });

  it("is a form where one can say what the schema says", () => {
    expect(questionOf(ask({ reason: "input_required", responseSchema: figures as never }))).toMatchObject({ kind: "form" });
    const of = { type: "object", properties: { size: { $ref: "#/$defs/size" } }, $defs: { size: { enum: ["S", "L"] } } };
    expect(questionOf(ask({ responseSchema: of }))).toMatchObject({ kind: "form", schema: { properties: { size: { title: "Size" } } } });
    expect(questionOf(ask({ responseSchema: { oneOf: [{ type: "object" }, { type: "object" }] } }))).toMatchObject({ kind: "form" });
  });

  it("is JSON where none can", () => {
    for (const schema of [
      { type: "number" },
      { $ref: "#/x" },
      { $ref: "https://example.org/schema" },
      { type: "object", required: ["hidden"] },
      { type: "object", properties: "nonsense", minProperties: 1 },
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
    expect(presentable({ properties: { due_date: {}, to: { title: "Recipient" } } })).toEqual({ properties: { due_date: { title: "Due date" }, to: { title: "Recipient" } } });
  });
});

describe("the judge", () => {
  it.each<[Schema, unknown, Array<[string, string | RegExp]>]>([
    [figures, { quarter: "Q2", year: 2026, revenue: 12.5 }, []],
    [figures, {}, [["quarter", "is required"], ["year", "is required"], ["revenue", "is required"]]],
    [figures, { quarter: "Q9", year: 1999, revenue: "much", note: "too long" },
      [["quarter", /choices/], ["year", /must be at least 2000/], ["revenue", "must be a number"], ["note", /must have at most 5 characters/]]],
    [{ type: "integer" }, 1.5, [["", "must be a whole number"]]],
    [{ type: ["string", "null"] }, null, []],
    [{ multipleOf: 0.1 }, 0.3, []],
    [{ minLength: 2 }, "\u{1F600}", [["", /must have at least 2 characters/]]],
    [{ type: "number", exclusiveMinimum: 1.5, maximum: 0.5, multipleOf: 2 }, 1.5,
      [["", /must be more than 1.5/], ["", /must be at most 0.5/], ["", /must be a multiple of 2/]]],
    [{ type: "array", minItems: 1 }, [], [["", /must have at least 1 item$/]]],
    [{ type: "string", format: "date" }, "tomorrow", [["", /must be of the form date/]]],
    [{ type: "array", items: { type: "string" } }, ["a", 2], [["1", "must be a text"]]],
    [{ properties: { "a/b": { type: "string" } } }, { "a/b": 1 }, [["a/b", "must be a text"]]],
    [{ $ref: "#/$defs/x", $defs: { x: { type: "number" } } }, "x", [["", "must be a number"]]],
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

  it.each<[schema: Schema, value: unknown, told: string]>([
    [{ required: ["why"] }, {}, "It is required."],
    [{ type: ["object", "boolean"] }, "x", "It must be an object or true or false."],
    [{ type: "number", minimum: 3, multipleOf: 2 }, 1, "It must be at least 3 and must be a multiple of 2."],
    [{ anyOf: [{ const: 1 }, { const: 2 }] }, 3, "It must be one of the choices."],
    [{ anyOf: [{ type: "number" }, { minLength: 3 }] }, "x", "It must be a number or must have at least 3 characters."],
    [{ oneOf: [{ type: "number" }, { minimum: 1 }] }, 2, "It must fit exactly one of several forms."],
    [{ not: { type: "string" } }, "x", "It must be something else."],
    [{ uniqueItems: true }, [1, 2, 1], "It must not have an item twice."],
    [{ minProperties: 2 }, {}, "It must have at least 2 members."],
    [{ maxProperties: 1 }, { a: 1, b: 2 }, "It must have at most 1 member."],
    [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, "It must have at most 1 character."],
    [{ additionalProperties: false }, { a: 1 }, "It is not expected."],
    [{ dependentRequired: { a: ["b"] } }, { a: 1 }, "It is required."],
    [{ anyOf: [{ required: ["a"] }, { properties: { b: { const: 1 } }, required: ["b"] }] }, { b: 2 }, "It must fit one of several forms."],
    [{ anyOf: [{ required: ["a"] }, { required: ["b"] }] }, {}, "It must fit one of several forms."],
    [{ oneOf: [{ type: "number" }, { minimum: 1 }, { type: "string" }] }, 2, "It must fit exactly one of several forms."],
    [{ oneOf: [{ type: "number" }, { type: "null" }] }, "x", "It must be a number or must be null."],
    [{ additionalProperties: { type: "number" } }, { a: "x" }, "It must be a number."],
    [{ contains: { const: 1 } }, [2], "It must contain an item of another form."],
    [{ contains: { const: 1 }, minContains: 2 }, [1], "It must be as the question asks for it."],
  ])("%j of %j is told with its subject: %s", (schema, value, words) => {
    expect(told("It", judge(schema, value).map(({ message }) => message))).toBe(words);
  });

  it("leaves the schema as it was", () => {
    const schema = structuredClone(figures);
    judge(schema, {});
    expect(schema).toEqual(figures);
  });
});

it("reads JSON and says what is wrong with it", () => {
  expect(readJson("[1]")).toEqual({ value: [1] });
  expect(readJson("[1")).toMatchObject({ fault: expect.stringMatching(/^The text is not JSON\. Line 1 /) });
  expect(readJson('{\n "a": 1\n "b": 2\n}')).toMatchObject({ fault: expect.stringMatching(/ Line 2 /) });
  expect(readJson('{\n "a": oops,\n "b": 2\n}')).toMatchObject({ fault: expect.stringMatching(/ Line 2 /) });
  expect(readJson('{"a":1,"a":2}')).toEqual({ fault: 'The text names "a" twice.' });
  expect(readArguments('{"a":1}')).toEqual({ value: { a: 1 } });
  expect(readArguments("[1]")).toEqual({ fault: "The text must be a JSON object." });
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

const choice: Question = questionOf(ask({ metadata: { answers: [{ label: "Later", payload: { day: 2 } }, { label: "No", payload: "no" }] } }));

it.each<[Question, unknown, string, unknown, boolean]>([
  [{ kind: "approval", editable: true }, { approved: true }, "Approved", undefined, true],
  [{ kind: "approval", editable: true }, { approved: true, editedArgs: { a: 1 } }, "Approved with edits", { editedArgs: { a: 1 } }, true],
  [{ kind: "approval", editable: true }, { approved: false, reason: "no" }, "Declined", { reason: "no" }, false],
  [{ kind: "approval", editable: true }, "nonsense", "Declined", "nonsense", false],
  [questionOf(ask({ reason: "aguiws:paused" })), undefined, "Go on", undefined, true],
  [choice, { day: 2 }, "Later", { day: 2 }, true],
  [choice, "no", "No", "no", false],
  [choice, "else", "Answered", "else", true],
  [{ kind: "form", schema: {} }, { year: 2026 }, "Answered", { year: 2026 }, true],
  [{ kind: "json", schema: {} }, [1], "Answered", [1], true],
])("says what an answer to a question of kind %j decides: %j", (question, payload, label, beside, yes) => {
  const answer = { status: "resolved" as const, payload };
  expect(labelOf(question, answer)).toBe(label);
  expect(saidBeside(answer)).toEqual(beside);
  expect(saysYes(question, answer)).toBe(yes);
  expect(labelOf(question, { status: "cancelled" })).toBe("No answer given");
  expect(saysYes(question, { status: "cancelled" })).toBe(false);
});

it.each<[string, Partial<Interrupt>, string, boolean]>([
  ["its agent's words", { reason: "plain:Send to ann?", message: "Send to ann?" }, "Send to ann?", true],
  ["the words in JSON", { reason: "langgraph:interrupt", message: '{"question":"Send it?","options":[1]}' }, "Send it?", true],
  ["no reason with a namespace", { reason: "mastra:tool_suspend" }, "The agent asks", false],
  ["no JSON without words", { reason: "plain:x", message: '{"a":1}' }, "The agent asks", false],
  ["what kind it is, above long words", { reason: "input_required", message: "word ".repeat(60) }, "Input needed", false],
  ["what kind it is, above words of two lines", { reason: "confirmation", message: "One.\nTwo." }, "Confirmation needed", false],
  ["what a server asks", { reason: "aguiws:uncertain_step", message: "It broke off." }, "Did this happen?", false],
  ["the words of a server's question that is new", { reason: "aguiws:forgotten", message: "Your agent has forgotten this question." }, "Your agent has forgotten this question.", true],
  ["no member of an object", { reason: "constructor" }, "The agent asks", false],
  ["its own words", { reason: "aguiws:question_forgotten", message: "The agent does not know its question any more." }, "The agent has forgotten its question", false],
])("has %s as a heading", (_, more, heading, said) => expect(headingOf(ask(more))).toEqual({ heading, said }));

it("has what the agent calls it as a heading, or what the call would do", () => {
  const call = { id: "c", type: "function" as const, function: { name: "send_email", arguments: '{"to":"ada@example.com"}' } };
  expect(headingOf(ask({ message: "May it?" }), call)).toEqual({ heading: "Send email to ada@example.com", said: false });
  expect(headingOf(ask({ message: "May it?", metadata: { title: "Invite Ada" } }), call)).toEqual({ heading: "Invite Ada", said: false });
  expect(headingOf(ask({ reason: "aguiws:uncertain_step", metadata: { title: "All is well" } }), call)).toEqual({ heading: "Did this happen?", said: false });
  for (const title of [7, "", " ", "x".repeat(201), "two\nlines"]) expect(headingOf(ask({ metadata: { title } }), call).heading).toBe("Send email to ada@example.com");
});

it("cannot be undone if its agent says true, and nothing else", () => {
  expect([{ destructive: true }, { destructive: "true" }, { destructive: 1 }, { destructive: false }, {}, undefined].map((metadata) => isDestructive(ask({ metadata })))).toEqual([true, false, false, false, false, false]);
  expect(aboutOf(ask({ metadata: { destructive: true } }))).toBeUndefined();
});

it("tells its agent's summary, or else its message, but no words that say what its card says", () => {
  const call = { id: "c", type: "function" as const, function: { name: "pay", arguments: "{}" } };
  const stock = "May the tool pay be called with these arguments?";
  expect(wordsOf(ask({ message: stock }), call)).toBeUndefined();
  expect(headingOf(ask({ message: stock }))).toEqual({ heading: stock, said: true });
  expect(wordsOf(ask({ message: stock, metadata: { summary: "The invoice of May." } }), call)).toBe("The invoice of May.");
  expect(wordsOf(ask({ message: "The last one." }), call)).toBe("The last one.");
  expect(wordsOf(ask({ message: "word ".repeat(60) }), undefined)).toBe("word ".repeat(60));
});

it("tells what else a message of JSON says, and metadata where there are no words", () => {
  expect(aboutOf(ask({ message: '{"question":"Send it?","to":9007199254740993}' }))).toBe('{\n  "to": 9007199254740993\n}');
  expect(aboutOf(ask({ message: '{"question":"Send it?"}' }))).toBeUndefined();
  expect(aboutOf(ask({ message: "[1]" }))).toBe("[\n  1\n]");
  expect(aboutOf(ask({ metadata: { answers: [{ label: "a", payload: 1 }] } }))).toBeUndefined();
});

it("tells what is known of an uncertain step, and no names of its server's own", () => {
  const known = { step: "send#1", branch: "", tool: "pay", idempotencyKey: "k-1", agentRun: "told in the message" };
  expect(factsOf(ask({ reason: "aguiws:uncertain_step", metadata: { aguiws: known } }))).toBe('{"tool":"pay","idempotencyKey":"k-1"}');
  expect(argFields('{"call":"pay","idempotencyKey":"k-1"}', factTitles(ENGLISH))?.map(({ label }) => label)).toEqual(["Call", "Idempotency key"]);
  expect(factsOf(ask({ reason: "aguiws:uncertain_step", metadata: { aguiws: { step: "send#1", branch: "", agentRun: "r-1" } } }))).toBeUndefined();
  expect(factsOf(ask({ reason: "acme:any", metadata: { aguiws: known } }))).toBeUndefined();
});

it.each(["", " ", "true", "NULL", "42", "-1", "+4.5", "1e9", "1,000", "12 000", ".5", "0x1F", '"quoted"', "{}", "[1]", "ends ", " begins"])("quotes the text %j, which could be read as something else", (text) => {
  expect(argFields(JSON.stringify({ it: text }))?.[0]).toMatchObject({ kind: "word", text: JSON.stringify(text) });
});

it.each(["19:30", "2026-05-01", "2026-05-01T10:00:00Z", "3 pens", "10.0.0.0/8", "12 Elm Street", "-v", "+49 30 / 12-34", "..."])("draws the text %j as it is", (text) => {
  expect(argFields(JSON.stringify({ it: text }))?.[0]).toMatchObject({ kind: "text", text });
});

it("puts no question where an agent waits for another one, and names its chat", () => {
  const call = ask({ reason: "aguiws:call", message: "The run waits for writer.", metadata: { aguiws: { agent: "writer", threadId: "c-1" } } });
  expect(questionOf(call)).toEqual({ kind: "choice", choices: [], otherwise: "nothing" });
  expect(headingOf(call).heading).toBe("The agent waits for another one");
  expect(calledIn(call)).toBe("c-1");
  expect(calledIn({ ...call, reason: "acme:any" })).toBeUndefined();
});

it("says in a line what was decided about what", () => {
  const asked = ask({ message: '{"question":"Send it?"}' });
  expect(decisionOf(asked, [], { status: "resolved", payload: { approved: true } })).toBe("Answered “Yes” to “Send it?”");
  expect(decisionOf(asked, [], { status: "resolved", payload: 7 })).toBe("Answered “Send it?”");
  expect(decisionOf(asked, [], { status: "cancelled" })).toBe("No answer given to “Send it?”");
  expect(subjectOf(ask({ reason: "langgraph:interrupt", message: '{"a":1}' }), [])).toBe("“{\"a\":1}”");
  expect(subjectOf(ask({ reason: "langgraph:interrupt" }), [])).toBe("“The agent asks”");
  const messages: Message[] = [{ id: "m", role: "assistant", toolCalls: [{ id: "c", type: "function", function: { name: "send_email", arguments: '{"to":"ada"}' } }] }];
  expect(decisionOf(ask({ reason: "tool_call", toolCallId: "c" }), messages, { status: "resolved", payload: { approved: true } })).toBe("Approved “Send email to ada”");
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
