// What is written and not sent outlives a reload, within bounds.

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { forgetOwn, keepOwn, ownOf } from "../src/server/own";
import { storageOf } from "./storage";

const stored = new Map<string, string>();

beforeEach(() => {
  stored.clear();
  vi.useFakeTimers();
  vi.stubGlobal("sessionStorage", storageOf(stored));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("keeps each thread's own, until it is forgotten", () => {
  keepOwn("draft", "one", "first");
  keepOwn("draft", "two", { text: "second" });
  expect([ownOf("draft", "one"), ownOf("draft", "two"), ownOf("draft", "three")]).toEqual(["first", { text: "second" }, undefined]);
  keepOwn("draft", "one", undefined);
  expect([ownOf("draft", "one"), ownOf("draft", "two")]).toEqual([undefined, { text: "second" }]);
  stored.set("somebody else's", "1");
  forgetOwn();
  expect([...stored.keys()]).toEqual(["somebody else's"]);
});

it("keeps no more than so many threads, those touched last, of each name", () => {
  keepOwn("outbox", "first", 1);
  for (let i = 0; i < 100; i++) {
    vi.advanceTimersByTime(1);
    keepOwn("draft", `thread ${i}`, i);
    keepOwn("draft", "touched", i);
  }
  expect(stored.size).toBe(21);
  expect([ownOf("draft", "touched"), ownOf("draft", "thread 99"), ownOf("draft", "thread 0"), ownOf("outbox", "first")]).toEqual([99, 99, undefined, 1]);
});

it("keeps nothing that is too long, and nothing old in its place", () => {
  keepOwn("draft", "one", "short");
  keepOwn("draft", "one", "x".repeat(300 << 10));
  expect(ownOf("draft", "one")).toBeUndefined();
  expect(stored.size).toBe(0);
});

it.each(["", "not JSON", "null", "[]", "{}", '{"at":"x","value":1}'])("takes %j for nothing", (text) => {
  keepOwn("draft", "one", "x");
  const [key] = stored.keys();
  stored.set(key!, text);
  expect(ownOf("draft", "one")).toBeUndefined();
});
