// What stands behind the latest chats while those change.

import { expect, it } from "vitest";
import type { ThreadInfo } from "../control/types";
import { follow } from "../threads/useThreads";

/** The higher its number, the later a chat was last used. */
const thread = (n: number, threadId = `t${n}`): ThreadInfo => ({ threadId, title: threadId, updatedAt: new Date(n * 1_000).toISOString(), active: false, waiting: false, queued: 0 });
const list = (...numbers: number[]) => numbers.map((n) => thread(n));
const earlier = { items: list(3, 2), next: "more" };

const after = (was: ThreadInfo[], latest: ThreadInfo[], next: string | undefined = "next") => follow(was, { items: latest, next }, earlier)?.items.map(({ threadId }) => threadId);

it("keeps what a new chat has pushed out of the latest", () => {
  expect(after(list(6, 5, 4), list(7, 6, 5))).toEqual(["t4", "t3", "t2"]);
});

it("keeps what was pushed out once, though it was fetched as well", () => {
  expect(after(list(5, 4, 3), list(7, 5, 4))).toEqual(["t3", "t2"]);
});

it("keeps nothing that was deleted, though it was fetched as well", () => {
  expect(after(list(6, 5, 4), list(6, 4, 3))).toEqual(["t3", "t2"]);
  expect(follow(list(6, 5, 4), { items: list(6, 4), next: "next" }, { items: list(5, 4, 3) })?.items.map(({ threadId }) => threadId)).toEqual(["t4", "t3"]);
});

it("moves a chat that goes on to the latest", () => {
  expect(after(list(6, 5, 4), [thread(8, "t3"), ...list(6, 5)])).toEqual(["t4", "t3", "t2"]); // the list shows t3 once, where the latest have it
});

it("knows nothing where all of the latest are others", () => {
  expect(after(list(6, 5, 4), list(90, 80, 70))).toBeUndefined();
});

it("has nothing behind the latest where they are all", () => {
  expect(after(list(6, 5, 4), list(6, 5), "")).toBeUndefined();
});
