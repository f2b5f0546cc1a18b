import { expect, it } from "vitest";
import { AGES, ageWords, forgotten } from "../src/ops/forget";

it("says which runs are to be forgotten, all of them first", () => {
  expect(AGES.map(ageWords)).toEqual(["all runs that have ended", "runs that ended over a day ago", "runs that ended over a week ago"]);
  // The server reads lengths of time as Go writes them.
  for (const age of AGES) expect(age).toMatch(/^\d+[smh]$/);
});

it("says how many were", () => {
  expect([0, 1, 12].map((purged) => forgotten({ purged }))).toEqual(["there was none to forget", "one run is forgotten", "12 runs are forgotten"]);
});
