import { expect, it } from "vitest";
import type { InboxItem } from "../src/server/api";
import { asksBy } from "../src/threads/asked";

const item = (threadId: string, user: string | undefined, args?: string) =>
  ({ threadId, user, interrupts: args === undefined ? [] : [{ interrupt: { reason: "tool_call" }, toolCall: { name: "pay", arguments: args } }] }) as unknown as InboxItem;

it("says what the chats of one person ask, and not those of others", () => {
  const items = [item("a", "ann", '{"to":"Acme"}'), item("b", "bob", '{"to":"Bob"}'), item("c", "ann")];
  expect([...asksBy(items, "ann")]).toEqual([["a", "Pay to Acme"]]);
  expect([...asksBy([item("a", undefined, "{}")], undefined)]).toEqual([["a", "Pay"]]);
});
