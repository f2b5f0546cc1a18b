// When what is open beside the list is not what somebody is about to answer.

import { expect, it } from "vitest";
import type { InboxItem } from "../src/server/api";
import { choosesOthers } from "../src/inbox/selection";

it("is when others are chosen", () => {
  const [open, other] = ["a", "b"].map((threadId): InboxItem => ({ threadId, namespace: "n", runId: "r", title: "", interrupts: [] })) as [InboxItem, InboxItem];
  expect([[], [open], [other], [open, other]].map((chosen) => choosesOthers(chosen, open))).toEqual([false, false, true, true]);
});
