import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it, vi } from "vitest";
import { approvedBefore, lookThrough, pathsOf, useApprovedBefore } from "../src/inbox/approvedbefore";
import type { DecisionInfo, InboxItem } from "../src/server/api";

const asked = { interrupt: { toolCallId: "now" }, toolCall: { name: "pay", arguments: '{"to":"Ada","eur":10}' } };
const decided = (more: Partial<DecisionInfo> = {}): DecisionInfo => ({
  id: "d", at: "2030-01-01T10:00:00Z", status: "resolved", threadId: "t", namespace: "n", interruptId: "i", refused: 0,
  tool: "pay", toolCallId: "before", arguments: { eur: 10, to: "Ada" }, payload: { approved: true }, ...more,
});

it("says when the same call was approved last", () => {
  const later = decided({ at: "2030-01-01T11:00:00Z", toolCallId: "later" });
  expect(approvedBefore(asked, [later, decided()])).toBe(later.at);
  expect(approvedBefore(asked, [decided({ arguments: { to: "Bo" }, payload: { approved: true, editedArgs: { to: "Ada", eur: 10 } } })])).toBe(decided().at);
  // Nobody answered in time, and the answer for that was a yes.
  expect(approvedBefore(asked, [decided({ status: "expired" })])).toBe(decided().at);
  const edited = { approved: true, editedArgs: { to: "Ada", eur: 10 } };
  expect(approvedBefore(asked, [decided({ status: "expired", arguments: { to: "Bo" }, payload: edited })])).toBe(decided().at);
});

it.each<[string, Partial<DecisionInfo>]>([
  ["another tool", { tool: "ship" }],
  ["other arguments", { arguments: { to: "Ada", eur: 11 } }],
  ["what was edited into another", { payload: { approved: true, editedArgs: { to: "Bo" } } }],
  ["what was declined", { payload: { approved: false } }],
  ["what expired without a yes", { status: "expired", payload: undefined }],
  ["what was given up", { status: "cancelled", payload: undefined }],
  ["this call itself, which is asked about once more", { toolCallId: "now" }],
  ["arguments that are not all on record", { arguments: undefined, cut: ["arguments"] }],
])("says nothing of %s", (_, more) => {
  expect(approvedBefore(asked, [decided(more)])).toBeUndefined();
});

it("looks through the decisions of each chat, of one or of several", () => {
  const item = (threadId: string) => ({ threadId, namespace: "n", interrupts: [{ toolCall: { name: "pay" } }, { toolCall: { name: "pay" } }, {}] }) as InboxItem;
  const path = (threadId: string) => `/threads/${threadId}/decisions?namespace=n&tool=pay&limit=200`;
  expect(pathsOf([item("a")])).toEqual([path("a")]);
  expect(pathsOf([item("a"), item("b")])).toEqual([path("a"), path("b")]);
});

it("learns what is answered where some of it is not, and is done when all of it is", async () => {
  const learn = vi.fn();
  const paths = Array.from({ length: 20 }, (_, n) => String(n));
  let most = 0;
  let open = 0;
  await lookThrough(paths, async (path) => {
    most = Math.max(most, ++open);
    await Promise.resolve();
    open--;
    if (path === "0") throw new Error("refused");
    return { items: [decided({ id: path })] };
  }, learn);
  expect(learn.mock.calls.flat(2).map(({ id }: DecisionInfo) => id)).toEqual(paths.slice(1));
  expect(most).toBeLessThanOrEqual(6);
});

it("holds what asks for a call until its decisions are looked through, and nothing else", () => {
  const looking = (interrupt: object) => {
    const item = { threadId: "t", namespace: "n", interrupts: [interrupt] } as InboxItem;
    return renderToStaticMarkup(createElement(() => String(useApprovedBefore([item]).looking)));
  };
  expect(looking({ toolCall: { name: "pay" } })).toBe("true");
  expect(looking({})).toBe("false");
});
