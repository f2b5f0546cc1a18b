// When messages were said.

import type { Message } from "@ag-ui/client";
import { describe, expect, it } from "vitest";
import { rowsOf } from "../src/chat/rows";
import { dayWords, Times } from "../src/chat/times";
import type { RunInfo } from "../src/server/api";

const noon = (day: number) => new Date(2030, 0, day, 12).getTime();
const run = (messageId: string | undefined, lastId: string | undefined, createdAt: number, updatedAt: number) =>
  ({ messageId, wrote: lastId && { count: 1, firstId: lastId, lastId }, createdAt: new Date(createdAt).toISOString(), updatedAt: new Date(updatedAt).toISOString() }) as RunInfo;

describe("the times of messages", () => {
  it("are those on record, or else those at which they came", () => {
    const times = new Times();
    times.note("u", 7);
    times.note("u", 8);
    times.note(undefined, 9);
    times.note("later", 10);
    times.learn([run("u", "a", 1_000, 2_000), run(undefined, undefined, 3_000, 3_000)]);
    expect([...times.look()].sort()).toEqual([["a", 2_000], ["later", 10], ["u", 1_000]]);
  });

  it("are forgotten beyond ten thousand, the oldest first", () => {
    const times = new Times();
    for (let i = 0; i < 10_001; i++) times.note(`m${i}`, i);
    expect([times.look().size, times.look().has("m0"), times.look().has("m1")]).toEqual([10_000, false, true]);
  });

  it("part days, but for a conversation of today", () => {
    const messages = ["a", "b", "c", "d"].map((id): Message => ({ id, role: "user", content: id }));
    const days = (times: Array<[string, number]>) =>
      rowsOf({ messages, interrupts: [], running: false, subagents: new Map(), times: new Map(times), now: noon(3) }).map(({ day }) => day);
    expect(days([["a", noon(1)], ["c", noon(1)], ["d", noon(3)]])).toEqual([noon(1), undefined, undefined, noon(3)]);
    expect(days([["b", noon(3)], ["d", noon(3)]])).toEqual([undefined, undefined, undefined, undefined]);
    expect(days([])).toEqual([undefined, undefined, undefined, undefined]);
  });

  it("say the day in words", () => {
    const words = [noon(3), noon(2), noon(1), new Date(2029, 11, 31, 23).getTime()].map((at) => dayWords(at, noon(3)));
    expect(words).toEqual(["Today", "Yesterday", "Tuesday, January 1", "December 31, 2029"]);
  });
});
