// Numbers keep their text from where they come to where they go.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { entryOf, saidBeside } from "../../react/forms/answers";
import { pretty, readArguments, readJson, sameJson } from "../../react/forms/readjson";
import { call } from "../src/server/api";
import { compare, isMultiple, isUnclear, isWhole, numberFor, numberIn } from "../../react/lib/decimal";
import { judge } from "../../react/forms/judge";
import { FRAMES, isExact, numberOf, parse, stringify, textOfNumber } from "../../react/lib/json";
import { Outbox } from "../src/chat/outbox";
import { presentable, type Schema } from "../../react/forms/schema";

const NUMBERS = ["9007199254740993", "1.0", "1e400", "-0", "1234567890123456789012345678901234567890", "0.1000000000000000055511151231257827", "1E2", "-1.50"];

describe.each(NUMBERS)("the number %s", (number) => {
  const text = `{"account":${number},"to":"eve"}`;

  it("is read, copied and written as it is", () => {
    const value = parse(text) as { account: never };
    expect(stringify(value)).toBe(text);
    expect(stringify(structuredClone(value))).toBe(text);
    expect(stringify(JSON.parse(JSON.stringify(value)))).toBe(text);
    expect(textOfNumber(value.account)).toBe(number);
  });

  it("is shown as it is", () => {
    expect(pretty(text)).toBe(`{\n  "account": ${number},\n  "to": "eve"\n}`);
    expect(pretty(`[${number}]`)).toBe(`[\n  ${number}\n]`);
  });

  it("stays as it is when something else is edited, and is another when it is", () => {
    const edited = readArguments(pretty(text).replace("eve", "ada"));
    expect(edited).toMatchObject({ value: { to: "ada" } });
    if (!("value" in edited)) return;
    const payload = { approved: true, editedArgs: edited.value };
    expect(stringify(entryOf("i", { status: "resolved", payload }))).toBe(
      `{"interruptId":"i","status":"resolved","payload":{"approved":true,"editedArgs":{"account":${number},"to":"ada"}}}`,
    );
    expect(stringify(saidBeside({ status: "resolved", payload }))).toBe(`{"editedArgs":{"account":${number},"to":"ada"}}`);
    expect(sameJson(edited.value, text)).toBe(false);
    expect(sameJson(parse(pretty(text)), text)).toBe(true);
    expect(sameJson(parse(text.replace(number, "9007199254740992")), text)).toBe(false);
  });

  it("goes to the server as it is", async () => {
    const fetched = vi.fn(async (_: string, __: RequestInit) => new Response(text));
    vi.stubGlobal("fetch", fetched);
    vi.stubGlobal("sessionStorage", { getItem: () => null });
    try {
      expect(stringify(await call("POST", "/x", parse(text)))).toBe(text);
      expect(fetched.mock.calls[0]![1].body).toBe(text);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it("is judged by its text", () => {
    const schema = parse(`{"type":"object","properties":{"account":{"type":"number","enum":[${number}]},"to":{"type":"string"}},"required":["account"]}`) as Schema;
    expect(judge(schema, parse(text))).toEqual([]);
    expect(judge(schema, parse('{"account":9007199254740995}'))).toEqual([{ path: ["account"], message: "must be one of the choices" }]);
    expect(judge(schema, parse(`{"account":${number},"to":7}`))).toEqual([{ path: ["to"], message: "must be a text" }]);
    expect(stringify(presentable(schema))).toContain(`"enum":[${number}]`);
  });
});

describe("what is not an exact number", () => {
  it("is what JSON makes of it", () => {
    const text = '{"a":[1,-2.5,1e+21,true,null,"9007199254740993"],"__proto__":{"x":1}}';
    expect(parse(text)).toEqual(JSON.parse(text));
    expect(stringify(parse(text))).toBe(text);
    expect(numberOf("12.5")).toBe(12.5);
  });

  it.each(['{"isLosslessNumber":true,"value":"1.0"}', '{"__proto__":{"n":1.0},"2":1.0,"1":0}'])("is nothing that an agent can forge: %s", (text) => {
    const value = parse(text);
    expect(isExact(value)).toBe(false);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(JSON.parse(stringify(value))).toEqual(JSON.parse(text));
  });

  it("stands in a frame directly, where the protocol counts", () => {
    const frame = FRAMES.parse('{"type":"STATE_SNAPSHOT","timestamp":1.5e3,"snapshot":{"n":1.0}}') as Record<string, unknown>;
    expect(frame.timestamp).toBe(1500);
    expect(FRAMES.stringify(frame.snapshot)).toBe('{"n":1.0}');
    expect(() => FRAMES.parse("{")).toThrow(SyntaxError);
  });

  it("counts in a schema", () => {
    expect(presentable(parse('{"minItems":1.0,"minimum":1.0}'))).toEqual({ minItems: 1, minimum: numberOf("1.0") });
  });
});

describe("JSON as it is shown", () => {
  it.each(["{}", "[]", '{"a":{},"b":[]}', '[[1,[2]],{"a":{"b":[{"c":"d\\"e\\\\"}]}}]', '"x"', "null", ' { "a" : [ 1 , 2 ] } '])("is laid out as JSON.stringify does: %s", (text) => {
    expect(pretty(text)).toBe(JSON.stringify(JSON.parse(text), null, 2));
  });

  it("has every member, in its order, and says which come twice", () => {
    expect(pretty('{"b":1,"1":2,"b":3,"__proto__":4}')).toBe('{\n  "b": 1,\n  "1": 2,\n  "b": 3,\n  "__proto__": 4\n}');
    expect(readJson('{"b":1,"a":{"b":2},"\\u0062":3}')).toEqual({ fault: 'The text names "b" twice.' });
    expect(readJson('[{"a":1.0},{"a":2}]')).toHaveProperty("value");
  });

  it("has its strings as their characters", () => {
    expect(pretty('["\\u00fc\\/\\n\\ud83d\\ude00"]')).toBe('[\n  "ü/\\n😀"\n]');
  });

  it("takes 4 MiB in its stride", () => {
    const text = `{"a":"${"x\\n".repeat(1 << 20)}","n":[${Array(1 << 17).fill("1.0").join()}]}`;
    const before = performance.now();
    expect(pretty(text).length).toBeGreaterThan(text.length);
    expect(stringify(parse(text))).toBe(text);
    expect(performance.now() - before).toBeLessThan(10_000);
  });
});

describe("decimals", () => {
  it.each<[string, string, number]>([
    ["9007199254740992", "9007199254740993", -1], ["1.0", "1", 0], ["-0", "0", 0], ["0.00", "-0e5", 0], ["1e400", "9e399", 1], ["-1e400", "1", -1], ["100", "1e2", 0],
    ["-2", "-10", 1], ["0.1", "0.1000000000000000055511151231257827", -1], ["1e99999999999999999999", "1e99999999999999999998", 1],
  ])("%s against %s", (a, b, order) => {
    expect(Math.sign(compare(a, b))).toBe(order);
    expect(Math.sign(compare(b, a))).toBe(order === 0 ? 0 : -order);
  });

  it.each<[typed: string, en: string | undefined, de?: string]>([
    ["12.5", "12.5"], ["12,5", "12.5"], ["-12,50", "-12.50"], [".5", "0.5"], ["-,5", "-0.5"], ["0,125", "0.125"], ["1234,567", "1234.567"], ["1.5e3", "1.5e3"], ["1,5e3", undefined, "1.5e3"], ["12,345E2", undefined, "12.345E2"],
    ["1.234,5", "1234.5"], ["1,234.5", "1234.5"], ["1,234,567", "1234567"], ["1.234.567", "1234567"], ["1,234", "1234", "1.234"], ["-1.234", "-1.234", "-1234"],
    ["9007199254740993", "9007199254740993"], ["12,", undefined], ["1,23,4", undefined], ["1.234,567,8", undefined], ["1.2.3", undefined], ["12,34.5", undefined], ["", undefined], [",", undefined], ["007", undefined],
  ])("are read as people write them: %s", (typed, en, de = en) => {
    expect([numberIn(typed, "en"), numberIn(typed, "de")]).toEqual([en, de]);
    for (const locale of ["en", "de-AT"]) {
      const read = numberIn(typed, locale);
      if (read === undefined) continue;
      const written = numberFor(read, locale);
      expect(numberIn(written, locale)).toBe(read);
    }
  });

  it.each<[typed: string, en: boolean, de: boolean]>([
    ["12", false, false], ["1.5", false, true], ["1,5", true, false], ["10.00", false, true], ["10,00", true, false], ["1.0000", false, true], ["1,0000", true, false],
    ["1234.567", false, true], ["1234,567", true, false], ["0.125", false, true], ["0,125", true, false], ["1,234.5", false, true], ["1.234,5", true, false],
    ["1,234,567", false, true], ["1.234.567", true, false], ["1.5e3", false, true], ["1,5e3", true, false],
    // A thousand, or a fraction with three digits.
    ["1.234", true, true], ["1,234", true, true], ["-1.234", true, true], ["1.234e3", true, true], ["12,345e2", true, true],
  ])("are said again where others would read another one: %s", (typed, en, de) => {
    expect([isUnclear(typed, "en"), isUnclear(typed, "de-AT")]).toEqual([en, de]);
  });

  it("are whole or not, and multiples or not", () => {
    expect(["1.0", "1e400", "-0", "1.5e1", "120e-1"].map(isWhole)).toEqual([true, true, true, true, true]);
    expect(["0.1", "1e-400", "1.50"].map(isWhole)).toEqual([false, false, false]);
    expect(isMultiple("9007199254740993", "3")).toBe(true);
    expect(isMultiple("9007199254740993", "2")).toBe(false);
    expect(isMultiple("1e400", "0.01")).toBe(true);
    expect(isMultiple("0.3", "0.1")).toBe(true);
    expect(isMultiple("1e99999999", "3")).toBeUndefined();
    expect(isMultiple("5", "0")).toBe(false);
  });

  it.each<[string, string, string[]]>([
    ['{"minimum":9007199254740993}', "9007199254740992", ["must be at least 9007199254740993"]],
    ['{"exclusiveMinimum":9007199254740992}', "9007199254740993", []],
    ['{"maximum":9007199254740992}', "9007199254740993", ["must be at most 9007199254740992"]],
    ['{"exclusiveMaximum":1.0}', "1", ["must be less than 1.0"]],
    ['{"multipleOf":2}', "9007199254740993", ["must be a multiple of 2"]],
    ['{"const":9007199254740993}', "9007199254740992", ["must be one of the choices"]],
    ['{"const":1}', "1.0", []],
    ['{"type":"integer"}', "1e400", []],
    ['{"type":"integer"}', "1.50", ["must be a whole number"]],
    ['{"type":"string"}', "1.0", ["must be a text"]],
    ['{"allOf":[{"$ref":"#/$defs/x"}],"$defs":{"x":{"maximum":9007199254740992}}}', "9007199254740993", ["must be at most 9007199254740992"]],
    // What turns a verdict around is the server's to judge.
    ['{"not":{"const":9007199254740992}}', "9007199254740993", []],
    ['{"$ref":"#/$defs/x","$defs":{"x":{"$ref":"#/$defs/x"}}}', "1.0", []],
  ])("%s of %s", (schema, value, messages) => {
    expect(judge(parse(schema) as Schema, parse(value)).map(({ message }) => message)).toEqual(messages);
  });
});

describe("what is kept for a reload", () => {
  const stored = new Map<string, string>();
  beforeEach(() => {
    stored.clear();
    vi.stubGlobal("sessionStorage", {
      get length() {
        return stored.size;
      },
      key: (i: number) => [...stored.keys()][i] ?? null,
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
      removeItem: (key: string) => void stored.delete(key),
    });
  });
  afterEach(() => void vi.unstubAllGlobals());

  it("keeps its numbers", () => {
    const payload = parse(`{"editedArgs":{"n":[${NUMBERS.join()}]}}`);
    new Outbox("thread").put({ runId: "one", at: Date.now(), resume: [{ interruptId: "q", status: "resolved", payload }] });
    expect([...stored.values()][0]).toContain(`"payload":{"editedArgs":{"n":[${NUMBERS.join()}]}}`);
    const [item] = new Outbox("thread").items;
    expect(stringify(item!.resume![0]!.payload)).toBe(`{"editedArgs":{"n":[${NUMBERS.join()}]}}`);
  });
});
