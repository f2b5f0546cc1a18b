import { expect, it } from "vitest";
import { approvedBefore } from "../src/inbox/approvedbefore";
import type { DecisionInfo } from "../src/server/api";

const asked = { interrupt: { toolCallId: "now" }, toolCall: { name: "pay", arguments: '{"to":"Ada","eur":10}' } };
const decided = (more: Partial<DecisionInfo> = {}): DecisionInfo => ({
  id: "d", at: "2030-01-01T10:00:00Z", status: "resolved", threadId: "t", namespace: "n", interruptId: "i", refused: 0,
  tool: "pay", toolCallId: "before", arguments: { eur: 10, to: "Ada" }, payload: { approved: true }, ...more,
});

it("says when the same call was approved last", () => {
  const later = decided({ at: "2030-01-01T11:00:00Z", toolCallId: "later" });
  expect(approvedBefore(asked, [later, decided()])).toBe(later.at);
  expect(approvedBefore(asked, [decided({ arguments: { to: "Bo" }, payload: { approved: true, editedArgs: { to: "Ada", eur: 10 } } })])).toBe(decided().at);
});

it.each<[string, Partial<DecisionInfo>]>([
  ["another tool", { tool: "ship" }],
  ["other arguments", { arguments: { to: "Ada", eur: 11 } }],
  ["what was edited into another", { payload: { approved: true, editedArgs: { to: "Bo" } } }],
  ["what was declined", { payload: { approved: false } }],
  ["what was given up", { status: "cancelled", payload: undefined }],
  ["this call itself, which is asked about once more", { toolCallId: "now" }],
  ["arguments that are not all on record", { arguments: undefined, cut: ["arguments"] }],
])("says nothing of %s", (_, more) => {
  expect(approvedBefore(asked, [decided(more)])).toBeUndefined();
});
