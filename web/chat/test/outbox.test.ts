// What was sent stays until it is taken.

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Outbox, type Outgoing } from "../src/chat/outbox";
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

const message = (runId: string): Outgoing => ({ runId, at: Date.now(), message: { id: `m-${runId}`, content: `text of ${runId}` } });
const answer = (runId: string): Outgoing => ({ runId, at: Date.now(), resume: [{ interruptId: "q", status: "resolved", payload: { approved: true } }], said: ["Approved it"] });

it("outlives a reload with its ids, and leaves when it is taken", () => {
  const before = new Outbox("thread");
  before.put(message("one"));
  before.put(answer("two"));
  const after = new Outbox("thread");
  expect(after.items).toEqual(before.items);
  expect(new Outbox("another").items).toEqual([]);
  after.drop("one");
  expect(new Outbox("thread").items.map(({ runId }) => runId)).toEqual(["two"]);
  after.drop("two");
  expect(stored.size).toBe(0);
});

it("keeps why something was refused, until it is sent again", () => {
  const outbox = new Outbox("thread");
  outbox.put(message("one"));
  outbox.refuse("one", { code: "store_unavailable", message: "the store is away" });
  outbox.refuse("none", { code: "store_unavailable", message: "the store is away" });
  const [item] = new Outbox("thread").items;
  expect(item?.refusal?.code).toBe("store_unavailable");
  outbox.put({ ...item!, refusal: undefined });
  expect(new Outbox("thread").items).toEqual([message("one")]);
});

it("sends nothing by itself that is old when the page is loaded", () => {
  new Outbox("thread").put(answer("one"));
  vi.advanceTimersByTime(119_000);
  expect(new Outbox("thread").items[0]?.refusal).toBeUndefined();
  vi.advanceTimersByTime(2_000);
  expect(new Outbox("thread").items[0]?.refusal?.code).toBe("unsent");
});

it("keeps nothing for whoever comes when its writer has left", () => {
  const outbox = new Outbox("thread");
  outbox.put(message("one"));
  forgetOwn();
  outbox.refuse("one", { code: "closed", message: "the connection was closed" });
  outbox.put(message("two"));
  expect(stored.size).toBe(0);
  expect(new Outbox("thread").items).toEqual([]);
});

it("is bounded", () => {
  const outbox = new Outbox("thread");
  for (let i = 0; i < 100; i++) outbox.put(message(`${i}`));
  expect(outbox.items.map(({ runId }) => runId)).toEqual(Array.from({ length: 20 }, (_, i) => `${80 + i}`));
});

it.each<[unknown]>([["text"], [[1, null, "x", {}, { runId: 1 }, { runId: "x", at: 1 }, { runId: "x", at: 1, message: { id: "m" } }, { runId: "x", at: 1, resume: "y" }]]])(
  "takes %j for nothing",
  (kept) => {
    keepOwn("outbox", "thread", kept);
    expect(ownOf("outbox", "thread")).toEqual(kept);
    expect(new Outbox("thread").items).toEqual([]);
  },
);

it("keeps the text of a message whose files are too large to be kept, and says so", () => {
  const file = (size: number) => ({ type: "image" as const, source: { type: "data" as const, value: "A".repeat(size), mimeType: "image/png" }, metadata: { filename: "a.png" } });
  const sent = (size: number): Outgoing => ({ runId: "one", at: Date.now(), message: { id: "m", content: [{ type: "text", text: "Look" }, file(size)] } });
  const outbox = new Outbox("thread");
  outbox.put(sent(100));
  expect(new Outbox("thread").items).toEqual([sent(100)]);
  outbox.put(sent(300 << 10));
  expect(outbox.items).toEqual([sent(300 << 10)]);
  const [kept] = new Outbox("thread").items;
  expect(kept).toMatchObject({ message: { id: "m", content: "Look\n[a.png]" }, refusal: { code: "unsent" } });
});
