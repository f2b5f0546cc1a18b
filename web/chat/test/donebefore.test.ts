import { expect, it } from "vitest";
import type { Branch } from "../src/chat/back";
import { doneBefore } from "../src/decision/donebefore";
import type { Told } from "../src/decision/told";

const branch = (...calls: NonNullable<Branch["calls"]>): Branch => ({ id: "b", at: "2026-01-02T03:04:05Z", messages: 2, kept: true, calls });
const ask = (name: string, args: string) => ({ id: "now", type: "function" as const, function: { name, arguments: args } });
const edited: Told = { interruptId: "i", status: "resolved", approved: true, at: "2026-01-02T03:04:05Z", payload: { approved: true, editedArgs: { to: "Zoe" } } };

it("finds the latest call of a branch that did the same, in whichever order its arguments were written", () => {
  const branches = [branch({ id: "other", name: "pay", arguments: '{"to":"Bo"}' }), branch({ id: "first", name: "pay", arguments: '{"eur":10,"to":"Ada"}' }, { id: "last", name: "pay", arguments: '{"eur":10.0,"to":"Ada"}' })];
  expect(doneBefore(ask("pay", '{"to":"Ada","eur":10}'), branches, new Map())?.id).toBe("last");
});

it("compares what was approved, and not what was proposed", () => {
  const branches = [branch({ id: "c", name: "pay", arguments: '{"to":"Ada"}' })];
  const decided = new Map([["c", edited]]);
  expect(doneBefore(ask("pay", '{"to":"Ada"}'), branches, decided)).toBeUndefined();
  expect(doneBefore(ask("pay", '{"to":"Zoe"}'), branches, decided)?.id).toBe("c");
});

it.each([
  ["another tool", branch({ id: "c", name: "refund", arguments: "{}" })],
  ["arguments that are not known", branch({ id: "c", name: "pay" })],
  ["arguments that are no JSON", branch({ id: "c", name: "pay", arguments: "{" })],
  ["a server that does not say", { ...branch(), calls: undefined }],
])("finds nothing by %s", (_, one) => {
  expect(doneBefore(ask("pay", "{}"), [one], new Map())).toBeUndefined();
});
