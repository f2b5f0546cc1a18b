import type { Message } from "@ag-ui/client";
import { describe, expect, it } from "vitest";
import type { Mark } from "../src/decision/record";
import { askedAnew, PART, partsOf, rowsOf, samePart } from "../src/chat/rows";

const none = { interrupts: [], running: false, subagents: new Map() };
const user = (id: string): Message => ({ id, role: "user", content: id });
const answer = (id: string, ...calls: string[]): Message => ({
  id,
  role: "assistant",
  content: id,
  toolCalls: calls.map((call) => ({ id: call, type: "function", function: { name: "pay", arguments: "{}" } })),
});
const result = (id: string, toolCallId: string): Message => ({ id, role: "tool", toolCallId, content: "done" });
const many = (n: number) => Array.from({ length: n }, (_, i) => user(`m${i}`));

describe("a conversation as it is drawn", () => {
  it("has results in the cards of their calls, and those of unknown calls by themselves", () => {
    const rows = rowsOf({ ...none, messages: [user("u"), answer("a", "c1", "c2"), result("r1", "c1"), result("r9", "c9")] });
    expect(rows.map(({ message, cards }) => [message.id, cards.map(({ state, result }) => [state, result?.id])])).toEqual([
      ["u", []],
      ["a", [["done", "r1"], ["open", undefined]]],
      ["r9", []],
    ]);
  });

  it("says of each call what it waits for", () => {
    const asks = { ...none, running: true, interrupts: [{ id: "i", reason: "tool_call", toolCallId: "c1" }] };
    const [, row] = rowsOf({ ...asks, messages: [user("u"), answer("a", "c1", "c2")] });
    expect(row!.growing).toBe(true);
    expect(row!.cards.map(({ state }) => state)).toEqual(["asked", "working"]);
  });

  it("says of calls without a result that they wait, while their turn asks something", () => {
    const messages = [user("u"), answer("a", "c0"), user("v"), answer("b", "c1", "c2"), result("r2", "c2")];
    const states = (interrupt: object) =>
      rowsOf({ ...none, messages, interrupts: [{ id: "i", reason: "mastra:tool_suspend", ...interrupt }] }).flatMap(({ cards }) => cards.map(({ state }) => state));
    expect(states({})).toEqual(["open", "waiting", "done"]);
    expect(states({ toolCallId: "c1" })).toEqual(["open", "waiting", "done"]);
    expect(states({ toolCallId: "c0" })).toEqual(["waiting", "waiting", "done"]);
    const responseSchema = { type: "object", properties: { approved: { type: "boolean" } } };
    expect(states({ toolCallId: "c1", responseSchema })).toEqual(["open", "asked", "done"]);
  });

  it("has marks behind their messages, or, of whose turn alone is known, an answer at its beginning and an end at its end", () => {
    const told = { interruptId: "i", status: "resolved" as const, at: "" };
    const marks: Mark[] = [
      { key: "known", kind: "answer", told, behind: "r1" },
      { key: "answer", kind: "answer", told, turn: "u" },
      { key: "end", kind: "end", how: "failed", code: "agent_error", message: "", turn: "u" },
      { key: "last", kind: "end", how: "stopped", code: "cancelled", message: "", turn: "v" },
      { key: "elsewhere", kind: "answer", told, behind: "x" },
      { key: "nowhere", kind: "answer", told },
    ];
    const messages = [user("u"), answer("a", "c1"), result("r1", "c1"), user("v"), answer("b")];
    const shown = (more: object) => rowsOf({ ...none, messages, marks, ...more }).map(({ marks, again }) => [marks.map(({ key }) => key).join(), again]);
    expect(shown({})).toEqual([["answer", undefined], ["known,end", "u"], ["", undefined], ["last", "v"]]);
    const same = [{ ...user("u"), content: "v" } as Message, ...messages.slice(1)];
    expect(rowsOf({ ...none, messages: same, marks }).map(({ again }) => again), "what was asked again later is offered there").toEqual([undefined, undefined, undefined, "v"]);
    for (const busy of ["running", "sending"]) expect(shown({ [busy]: true }).at(-1)).toEqual(["last", undefined]);
  });

  it.each<[string, Message[], string, unknown]>([
    ["what was asked", [result("r1", "c1"), user("u"), answer("a", "c2")], "confirmation", "u"],
    ["nothing where a call has a result, which might be carried out twice", [user("u"), answer("a", "c1", "c2"), result("r1", "c1")], "confirmation", undefined],
    ["nothing where it is asked what has happened", [user("u"), answer("a", "c1")], "aguiws:uncertain_step", undefined],
  ])("asks anew %s", (_, messages, reason, want) => expect(askedAnew({ messages, interrupts: [{ id: "i", reason }], running: false, sending: false })).toBe(want));

  it("says no more of a message that it failed when it is tried again", () => {
    const marks: Mark[] = [{ key: "end", kind: "end", how: "failed", code: "agent_error", message: "", behind: "u" }];
    const shown = (messages: Message[], running = false) => rowsOf({ ...none, messages, running, marks }).flatMap(({ marks }) => marks).length;
    expect([shown([user("u")]), shown([user("u"), user("v")], true)]).toEqual([1, 1]);
    expect([shown([user("u")], true), shown([user("u"), answer("a")])], "which has an answer, or is about to").toEqual([0, 0]);
  });

  it("leaves out what no person wrote or reads, and names subagents", () => {
    const by = { ...answer("a"), subagentRunId: "s" } as Message;
    const rows = rowsOf({ ...none, subagents: new Map([["s", "Researcher"]]), messages: [{ id: "s", role: "system", content: "be kind" }, by] });
    expect(rows.map(({ message, by }) => [message.id, by])).toEqual([["a", "Researcher"]]);
  });

  it("is drawn anew only in the part that has changed", () => {
    const before = many(PART * 3);
    const after = [...before, user("new")];
    after[PART] = { ...after[PART]!, content: "changed" } as Message;
    const begins = new Set<string>();
    const [one, other] = [before, after].map((messages) => partsOf(rowsOf({ ...none, messages }), begins));
    expect(other!.map((part, i) => one![i] !== undefined && samePart({ rows: one![i]! }, { rows: part }))).toEqual([true, false, true, false]);
  });

  it("is drawn anew once its reader may ask again, or may no more", () => {
    const rows = rowsOf({ ...none, messages: many(1) });
    const [may, mayToo, mayNot] = [{ rows, retry: () => 1 }, { rows, retry: () => 2 }, { rows, retry: undefined }];
    expect([samePart(may, mayToo), samePart(may, mayNot), samePart(mayNot, may)]).toEqual([true, false, false]);
  });

  it("is drawn anew in one part for each piece of a message that grows below 1,200", () => {
    const begins = new Set<string>();
    const held = many(1_200);
    const times = new Map(held.map(({ id }, i) => [id, 60_000 * i]));
    const grown = (pieces: number) => [...held, { ...answer("growing"), content: "x ".repeat(pieces) } as Message];
    const drawn = (pieces: number) => partsOf(rowsOf({ ...none, running: true, messages: grown(pieces), times, now: 90_000_000 + pieces }), begins);
    let before = drawn(0);
    let anew = 0;
    for (let pieces = 1; pieces <= 100; pieces++) {
      const parts = drawn(pieces);
      anew += parts.filter((part, i) => before[i] === undefined || !samePart({ rows: before[i] }, { rows: part })).length;
      before = parts;
    }
    expect(anew).toBe(100);
  });

  it("keeps its parts when older messages come before them", () => {
    const begins = new Set<string>();
    const held = many(PART * 2 + 3);
    const before = partsOf(rowsOf({ ...none, messages: held }), begins);
    const after = partsOf(rowsOf({ ...none, messages: [...many(PART + 7).map(({ id }) => user(`older-${id}`)), ...held] }), begins);
    expect(after.map((part) => part.length)).toEqual([PART, 7, PART, PART, 3]);
    expect(before.every((part, i) => samePart({ rows: part }, { rows: after[i + 2]! }))).toBe(true);
  });
});
