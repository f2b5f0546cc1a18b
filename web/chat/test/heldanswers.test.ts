// An answer can be taken back for some seconds, and is sent once.

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Held, HELD_MS, SETTLED_MS, sizeOfAll, together, TOLD_MS, type Outcome } from "../src/inbox/held";
import type { InboxItem } from "../src/server/api";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const item = (threadId: string) => ({ threadId, namespace: "ns", title: "", runId: "r", interrupts: [] }) as InboxItem;

function inbox() {
  const sent: string[] = [];
  const server: { answers?: () => Promise<Outcome> } = {};
  const now = { person: 1 };
  const held = new Held(({ threadId }) => threadId, () => now.person);
  const give = (threadId: string) =>
    held.hold({
      items: [item(threadId)],
      text: `yes to ${threadId}`,
      send: () => {
        sent.push(threadId);
        return server.answers?.() ?? Promise.resolve({ text: `${threadId} goes on` });
      },
    });
  return { held, give, sent, server, now, hidden: () => [...held.look().over].join() };
}

it("sends an answer when its time is over, and not before", async () => {
  const { held, give, sent, hidden } = inbox();
  held.changed = vi.fn();
  give("a");
  await vi.advanceTimersByTimeAsync(HELD_MS - 1);
  expect([sent, hidden(), held.look().waiting.at(-1)?.given.text]).toEqual([[], "a", "yes to a"]);
  await vi.advanceTimersByTimeAsync(1);
  expect([sent, hidden(), held.look().told]).toEqual([["a"], "a", "a goes on"]);
  expect(held.changed).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(SETTLED_MS);
  expect(hidden()).toBe("");
  await vi.advanceTimersByTimeAsync(TOLD_MS);
  expect([sent, held.look().told]).toEqual([["a"], undefined]);
});

it("takes back the one that is named, and sends the others", async () => {
  const { held, give, sent } = inbox();
  for (const one of ["a", "b"]) give(one);
  const [first] = held.look().waiting;
  expect([held.undo(first!.given)?.text, held.undo(first!.given)]).toEqual(["yes to a", undefined]);
  await vi.advanceTimersByTimeAsync(HELD_MS);
  expect(sent).toEqual(["b"]);
});

it("sends nothing that was taken back", async () => {
  const { held, give, sent, hidden } = inbox();
  give("a");
  expect(held.undo()?.text).toBe("yes to a");
  await vi.advanceTimersByTimeAsync(2 * HELD_MS);
  expect([sent, hidden(), held.undo()]).toEqual([[], "", undefined]);
});

it("keeps each answer for its own time, whatever comes after it", async () => {
  const { held, give, sent, hidden } = inbox();
  give("a");
  await vi.advanceTimersByTimeAsync(1_000);
  give("b");
  expect([sent, hidden(), held.look().waiting.map(({ given }) => given.text)]).toEqual([[], "a,b", ["yes to a", "yes to b"]]);
  await vi.advanceTimersByTimeAsync(HELD_MS - 1_000);
  expect(sent).toEqual(["a"]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sent).toEqual(["a", "b"]);
});

it("takes back the latest and then the one before", async () => {
  const { held, give, sent, hidden } = inbox();
  for (const id of ["a", "b", "c"]) give(id);
  expect([held.undo()?.text, held.undo()?.text, held.undo()?.text, held.undo(), hidden()]).toEqual(["yes to c", "yes to b", "yes to a", undefined, ""]);
  await vi.advanceTimersByTimeAsync(2 * HELD_MS);
  expect(sent).toEqual([]);
});

it("sends all that wait at once when the place is left, each once", async () => {
  const { held, give, sent } = inbox();
  give("a");
  give("b");
  await held.send();
  await held.send();
  await vi.advanceTimersByTimeAsync(2 * HELD_MS);
  expect(sent).toEqual(["a", "b"]);
});

it("shows what is open still, and tells of it beside what waits", async () => {
  const { held, give, server, hidden } = inbox();
  server.answers = async () => ({ text: "2 more", open: [item("a")] });
  give("a");
  await vi.advanceTimersByTimeAsync(1_000);
  give("b");
  await vi.advanceTimersByTimeAsync(HELD_MS - 1_000);
  expect([hidden(), held.look().told, held.look().waiting.length]).toEqual(["b", "2 more", 1]);
});

it("shows again what was not taken, and sends it once more when asked to", async () => {
  const { held, give, sent, server, hidden } = inbox();
  server.answers = async () => Promise.reject(new Error("no answer"));
  give("a");
  await vi.advanceTimersByTimeAsync(HELD_MS);
  expect([hidden(), String(held.look().faults[0]?.error)]).toEqual(["", "Error: no answer"]);
  server.answers = undefined;
  await held.again();
  expect([sent, hidden(), held.look().faults]).toEqual([["a", "a"], "a", []]);
  await held.again();
  expect(sent).toEqual(["a", "a"]);
});

it("tells of each that was not taken, and sends all of them once more but what was answered anew", async () => {
  const { held, give, sent, server, hidden } = inbox();
  server.answers = async () => Promise.reject(new Error("no answer"));
  for (const id of ["a", "b", "c"]) give(id);
  expect(await held.send()).toBe(false);
  const failed = () => held.look().faults.map(({ given }) => given.text).join();
  expect([failed(), hidden()]).toEqual(["yes to a,yes to b,yes to c", ""]);
  server.answers = undefined;
  give("b");
  expect(failed()).toBe("yes to a,yes to c");
  await held.again();
  expect([sent.join(" "), failed(), hidden()]).toEqual(["a b c a c", "", "b,a,c"]);
  expect(await held.send()).toBe(true);
});

it("says whether all of what was sent was taken", async () => {
  const { held, give, server } = inbox();
  server.answers = async () => ({ text: "", open: [item("a")] });
  give("a");
  expect(await held.send()).toBe(false);
  server.answers = async () => ({ text: "1 more", open: [item("a")] });
  give("a");
  expect(await held.send()).toBe(false);
  server.answers = async () => ({ text: "" });
  give("a");
  expect(await held.send()).toBe(true);
});

it("sends nothing for who has left", async () => {
  const { give, sent, now, hidden } = inbox();
  give("a");
  now.person = 2;
  await vi.advanceTimersByTimeAsync(HELD_MS);
  expect([sent, hidden()]).toEqual([[], ""]);
});

it("counts the characters of all that wait, which a page that goes sends at once", () => {
  const { held } = inbox();
  for (const size of [15_000, undefined, 15_000]) held.hold({ items: [], text: "", size, send: async () => ({ text: "" }) });
  expect(sizeOfAll(held.look().waiting)).toBe(30_000);
});

it("tells apart what was answered together, which is taken back together", () => {
  const { held, give } = inbox();
  give("a");
  held.hold({ items: [item("b"), item("c")], text: "2 approved", send: () => Promise.resolve({ text: "" }) });
  expect(together(held.look().waiting).map(({ text }) => text)).toEqual(["2 approved"]);
});
