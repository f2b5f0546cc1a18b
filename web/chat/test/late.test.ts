// In which order the inbox has what waits.

import { expect, it } from "vitest";
import type { InboxItem } from "../src/server/api";
import { inOrder, placeIn } from "../src/inbox/late";

const NOW = Date.parse("2026-01-01T12:00:00Z");
const MINUTE = 60_000;

/** A thread whose questions are due so many minutes from now; undefined: at no time. */
function thread(threadId: string, ...dues: Array<number | undefined>): InboxItem {
  const interrupts = dues.map((minutes, i) => ({ id: `${threadId}-${i}`, expiresAt: minutes === undefined ? undefined : new Date(NOW + minutes * MINUTE).toISOString() }));
  return { threadId, namespace: "", interrupts } as unknown as InboxItem;
}

it("begins with what is due soon, goes on with what has waited longest, and ends with what is over", () => {
  const items = [thread("over", -1), thread("oldest", undefined), thread("tomorrow", 1440), thread("in 50", 50), thread("in 5", undefined, 5), thread("newest", undefined), thread("half over", -1, 20)];
  expect(inOrder(items, NOW).map(({ threadId }) => threadId)).toEqual(["in 5", "half over", "in 50", "oldest", "tomorrow", "newest", "over"]);
});

it("keeps a list as it is that none is due of", () => {
  const items = [thread("b"), thread("a", undefined), thread("c", 5_000)];
  expect(inOrder(items, NOW)).toEqual(items);
});

it("counts the places of what can be answered, and none of what is over", () => {
  const [one, half, over] = [thread("one", undefined), thread("half over", -1, 20), thread("over", -1)];
  expect([one, half, over].map((item) => placeIn([one, half, over], item, NOW))).toEqual([[1, 2], [2, 2], undefined]);
  // Alone, it has no place.
  expect(placeIn([one, over], one, NOW)).toBeUndefined();
});
