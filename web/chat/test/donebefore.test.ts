import { expect, it } from "vitest";
import type { Branch } from "../src/chat/back";
import { doneBefore } from "../src/decision/donebefore";
import type { Told } from "../src/decision/told";

const branch = (...calls: NonNullable<Branch["calls"]>): Branch => ({ id: "b", at: "2026-01-02T03:04:05Z", messages: 2, kept: true, calls });
const ask = (name: string, args: string) => ({ id: "now", type: "function" as const, function: { name, arguments: args } });
const yes: Told = { interruptId: "i", status: "resolved", approved: true, at: "2026-01-02T03:04:05Z" };
const edited: Told = { ...yes, payload: { approved: true, editedArgs: { to: "Zoe" } } };

const args = '{"to":"Ada"}';
const places = (n: number) => Array.from({ length: n }, (_, i) => ({ pointer: `/${i}`, after: i }));

it("finds the latest call of a branch that did the same, in whichever order its arguments were written", () => {
  const branches = [branch({ id: "other", name: "pay", arguments: '{"to":"Bo"}' }), branch({ id: "first", name: "pay", arguments: '{"eur":10,"to":"Ada"}' }, { id: "last", name: "pay", arguments: '{"eur":10.0,"to":"Ada"}' })];
  const decided = new Map(["other", "first", "last"].map((id) => [id, yes]));
  expect(doneBefore(ask("pay", '{"to":"Ada","eur":10}'), branches, decided)).toEqual({ id: "last", known: true });
  expect(doneBefore(ask("pay", ""), [branch({ id: "c", name: "pay", arguments: "{}" })], new Map([["c", yes]]))?.known).toBe(true);
});

it("compares what was approved, and not what was proposed", () => {
  const branches = [branch({ id: "c", name: "pay", arguments: args })];
  const decided = new Map([["c", edited]]);
  expect(doneBefore(ask("pay", args), branches, decided)).toBeUndefined();
  expect(doneBefore(ask("pay", '{"to":"Zoe"}'), branches, decided)).toEqual({ id: "c", known: true });
  expect(doneBefore(ask("pay", '{"to":"Zoe"}'), [branch({ id: "c", name: "pay" })], decided)).toEqual({ id: "c", known: true });
});

it.each<[string, Told | undefined, string | undefined]>([
  ["nobody told of a decision", undefined, args],
  ["they are too long", yes, undefined],
  ["more was changed than is told", { ...yes, changed: places(20) }, args],
  ["what was changed was cut", { ...yes, cut: ["changed"] }, args],
  ["the answer was cut", { ...yes, cut: ["payload"] }, args],
])("knows the tool alone of what was carried out if %s", (_, told, proposed) => {
  const branches = [branch({ id: "c", name: "pay", arguments: proposed })];
  expect(doneBefore(ask("pay", args), branches, new Map(told && [["c", told]]))).toEqual({ id: "c", known: false });
});

it.each<[string, Branch, Told?]>([
  ["another tool", branch({ id: "c", name: "refund", arguments: args })],
  ["other arguments that are no JSON", branch({ id: "c", name: "pay", arguments: "{" })],
  ["a server that does not say", { ...branch(), calls: undefined }],
  ["what was declined", branch({ id: "c", name: "pay", arguments: args }), { ...yes, approved: false }],
  ["what was cancelled", branch({ id: "c", name: "pay", arguments: args }), { ...yes, approved: undefined, status: "cancelled" }],
  ["what has expired", branch({ id: "c", name: "pay", arguments: args }), { ...yes, approved: undefined, status: "expired" }],
])("finds nothing by %s", (_, one, told = yes) => {
  expect(doneBefore(ask("pay", args), [one], new Map([["c", told]]))).toBeUndefined();
});
