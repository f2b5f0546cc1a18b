// What the menus of the inbox are made of.

import { expect, it } from "vitest";
import { changesIn, facetsOf, offered, together } from "../src/inbox/facets";
import type { InboxItem } from "../src/server/api";

const NOW = Date.parse("2030-01-31T12:00:00Z");
const item = (of: Partial<InboxItem>, ...seconds: Array<number | undefined>): InboxItem => ({
  threadId: "t", namespace: "n", title: "", runId: "r",
  interrupts: seconds.map((s, i) => ({ id: String(i), interrupt: { reason: "confirmation" }, ...(s !== undefined && { expiresAt: new Date(NOW + s * 1_000).toISOString() }) })),
  ...of,
});

it("holds who asks, which agent, why and until when", () => {
  const called = { id: "c", interrupt: { reason: "tool_call" }, toolCall: { name: "pay", arguments: "{}" } };
  const items = [item({ user: "bob", agent: "writer" }, 60, 90_000), item({ user: "ann" }, -1), item({ user: "bob", interrupts: [called] })];
  expect(facetsOf(items, { tool_call: 2 }, NOW)).toEqual({
    reason: ["confirmation", "tool_call"], agent: ["", "writer"], tool: ["", "pay"], user: ["ann", "bob"], due: ["", "0", "3600"],
  });
  expect(facetsOf([item({ interrupts: [{ id: "i", interrupt: {}, stale: true }] })], undefined, NOW).due).toEqual(["0"]);
});

it("looks again when one of them has expired, or soon will", () => {
  expect([[60], [4_000], [7_200, 90], [-5], [undefined]].map((seconds) => changesIn([item({}, ...seconds)], NOW))).toEqual([60_000, 400_000, 90_000, undefined, undefined]);
});

it("forgets nothing that was there", () => {
  const [bob, ann] = [facetsOf([item({ user: "bob" })], undefined, NOW), facetsOf([item({ user: "ann" })], undefined, NOW)];
  expect(together(bob, ann).user).toEqual(["ann", "bob"]);
  expect(together({ ...bob, tool: ["pay"] }, { ...ann, tool: ["", "mail"] }).tool).toEqual(["", "mail", "pay"]);
});

it.each([
  ["nothing of one value", ["bob"], "", undefined],
  ["nothing of none", [], "", undefined],
  ["several", ["ann", "bob"], "", ["ann", "bob"]],
  ["the one that has a name beside what has none", ["", "writer"], "", ["writer"]],
  ["what is chosen, even if it is alone", [], "bob", ["bob"]],
] as const)("offers %s", (_, values, chosen, to) => expect(offered(values, chosen)).toEqual(to));
