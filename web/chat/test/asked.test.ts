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

it("says of several the first that has no answer, and the first where all have", () => {
  const several = (...answered: boolean[]) => {
    const one = item("a", "ann");
    const asked = answered.map((draft, i) => ({ interrupt: { reason: "tool_call" }, toolCall: { name: "pay", arguments: JSON.stringify({ to: `n${i}` }) }, ...(draft && { draft: {} }) }));
    return asksBy([{ ...one, interrupts: asked } as unknown as InboxItem], "ann").get("a");
  };
  expect([several(false, false), several(true, false), several(true, false, true), several(true, true)]).toEqual(["Pay to n0", "Pay to n1", "Pay to n1", "Pay to n0"]);
});
