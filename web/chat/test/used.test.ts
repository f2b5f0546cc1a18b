import type { Message } from "@ag-ui/client";
import { afterEach, expect, it, vi } from "vitest";
import { rememberUsed, usedIn, usedWords, type Used } from "../src/chat/used";

afterEach(() => vi.unstubAllGlobals());

const said: Message[] = [{ id: "u", role: "user", content: "hi" }, { id: "a", role: "assistant", content: "hello" }, { id: "t", role: "tool", toolCallId: "c", content: "ok" }];
const of = (usage: Parameters<typeof rememberUsed>[3], messages = said) => usedWords(rememberUsed("t", [], "r", usage, messages)).get("a");

it("says what a run has used, behind what it has said", () => {
  expect(of([{ inputTokens: 1234, outputTokens: 56, totalTokens: 1290 }])).toBe("1,234 tokens in, 56 out");
  expect(of([{ model: "m", inputTokens: 1000 }, { model: "n", inputTokens: 1_000_000, outputTokens: 0 }])).toBe("1,001,000 tokens in, 0 out");
  expect(of([{ inputTokens: 5 }])).toBe("5 tokens in");
  expect(of([{ outputTokens: 5 }])).toBe("5 tokens out");
  expect(of([{ totalTokens: 7 }])).toBe("7 tokens");
});

it("says nothing where there is nothing to say", () => {
  for (const usage of [undefined, [], [{ model: "m" }]]) expect(of(usage)).toBeUndefined();
  expect(of([{ inputTokens: 5 }], said.slice(0, 1))).toBeUndefined();
  expect(of([{ inputTokens: 5 }], [])).toBeUndefined();
  expect(usedWords(rememberUsed("t", [], "r", [{ inputTokens: 5 }], said)).has("u")).toBe(false);
});

it("adds up the runs that ended behind one message, each once, and forgets the oldest", () => {
  let used: readonly Used[] = [];
  for (const [runId, inputTokens] of [["r", 5], ["r", 5], ["s", 2]] as const) used = rememberUsed("t", used, runId, [{ inputTokens }], said);
  expect(usedWords(used).get("a")).toBe("7 tokens in");
  for (let i = 0; i < 300; i++) used = rememberUsed("t", used, `more ${i}`, [{ inputTokens: 1 }], said);
  expect(used.length).toBe(200);
  expect(usedWords(used).get("a")).toBe("200 tokens in");
});

it("keeps what was told where the tab keeps anything", () => {
  const held = new Map<string, string>();
  vi.stubGlobal("sessionStorage", { getItem: (key: string) => held.get(key) ?? null, setItem: (key: string, value: string) => held.set(key, value) });
  rememberUsed("t", [], "r", [{ inputTokens: 5 }], said);
  expect(usedWords(usedIn("t")).get("a")).toBe("5 tokens in");
  expect(usedIn("another")).toEqual([]);
  for (const text of ["{", "{}", "[null, 1]"]) {
    held.set("aguiws:used:t", text);
    expect(usedIn("t")).toEqual([]);
  }
});
