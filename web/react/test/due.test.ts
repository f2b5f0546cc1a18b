// Until when what is asked may be answered, in words.

import { expect, it } from "vitest";
import { dueOf } from "../lib/due";

const NOW = Date.parse("2030-01-31T12:00:00Z");
const asked = (...seconds: Array<number | undefined>) =>
  seconds.map((s, i) => ({ id: String(i), interrupt: {}, ...(s !== undefined && { expiresAt: new Date(NOW + s * 1_000).toISOString() }) }));

it.each([
  ["nothing of what never expires", asked(undefined, undefined), undefined],
  ["nothing of a time that cannot be read", [{ id: "0", interrupt: {}, expiresAt: "soon" }], undefined],
  ["seconds", asked(42), "due in 42 sec"],
  ["a time that is almost over", asked(0.2), "due in 1 sec"],
  ["minutes", asked(12 * 60 + 59), "due in 12 min"],
  ["hours", asked(7_300), "due in 2 hr"],
  ["a day", asked(48 * 3_600 - 1), "due in 1 day"],
  ["nothing yet of what is far away", asked(48 * 3_600), undefined],
  ["the first of several", asked(undefined, 7_300, 60), "due in 1 min"],
  ["what is over", asked(0), "expired"],
  ["what is over by the server's clock", [{ id: "0", interrupt: {}, stale: true }], "expired"],
  ["how many are over", asked(-1, 7_300, undefined), "1 of 3 expired"],
] as const)("says %s", (_, interrupts, words) => expect(dueOf([...interrupts], NOW)?.words).toBe(words));

it("has the whole time beside, however far away that is", () => {
  for (const seconds of [42, 30 * 86_400]) expect(dueOf(asked(seconds), NOW)?.full).toMatch(/^due (January 31|March 2), 2030 at /);
});

it("looks again soon where the words change soon, and never where they stay", () => {
  expect([asked(42), asked(7_300), asked(-1), asked(-1, 7_300)].map((one) => dueOf(one, NOW)?.again)).toEqual([1_000, 30_000, undefined, 30_000]);
});
