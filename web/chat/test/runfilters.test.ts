import { expect, it } from "vitest";
import { ANY, filtersIn, ofTenant, sinceOf, noneWords, RESULTS, resultWords, runsHref, runsPath, summaryWords } from "../src/ops/runfilters";

it("asks for runs by what they came to and how far they were delivered", () => {
  expect(runsPath(ANY, 20)).toBe("/runs?limit=20");
  expect(runsPath({ ...ANY, result: "error", state: "acked", agent: "a b", thread: "t/1" }, 50)).toBe("/runs?limit=50&result=error&state=acked&agent=a+b&thread=t%2F1");
  expect(runsPath({ ...ANY, since: "hour", title: "Trip" }, 50, Date.UTC(2030, 0, 31, 14))).toBe("/runs?limit=50&title=Trip&from=2030-01-31T13%3A00%3A00.000Z");
});

it("keeps what is chosen in the address", () => {
  const filters = { ...ANY, result: "error", since: "day", title: "a & b", whose: "tenant" };
  const href = runsHref(filters);
  expect(filtersIn(new URL(href, "http://x").searchParams)).toEqual(filters);
  expect(runsHref(ANY)).toBe("/ops/runs");
  expect(filtersIn(new URLSearchParams("since=constructor&whose=theirs"))).toEqual(ANY);
});

it("lists everybody's runs unless one's own are asked for, or what only they can be chosen by", () => {
  const own = [{ whose: "own" }, { thread: "t" }, { title: "t" }, { state: "acked" }];
  expect([{}, { whose: "tenant" }, { result: "running" }, ...own].map((some) => ofTenant({ ...ANY, ...some }))).toEqual([true, true, true, false, false, false, false]);
  expect([sinceOf(ANY), sinceOf({ ...ANY, result: "error" }), sinceOf({ ...ANY, since: "week" })]).toEqual(["hour", "day", "week"]);
  // Of one's own, the server knows those that run by another name.
  expect(runsPath({ ...ANY, result: "running" }, 50)).toBe("/runs?limit=50&state=claimed");
});

it("has the outcomes that the server knows", () => {
  expect(RESULTS.map((one) => `${one}: ${resultWords(one)}`)).toEqual(["success: succeeded", "interrupt: asked or waited", "cancelled: stopped", "error: failed"]);
});

it("says how many filters are set behind the fold", () => {
  const set = { ...ANY, result: "error", state: "acked", since: "hour" };
  expect([summaryWords(false, ANY), summaryWords(false, set), summaryWords(true, ANY), summaryWords(true, set)]).toEqual(["More filters", "More filters, 1 set", "Filters", "Filters, 3 set"]);
});

it("says what a page without runs means", () => {
  const none = (result: string, state: string, place = {}) => noneWords({ ...ANY, result, state }, place);
  expect(none("", "")).toBe("No runs yet.");
  expect(none("", "dead_letter")).toBe("None has this delivery: dead letter.");
  expect(none("error", "")).toBe("None failed.");
  expect(none("error", "acked")).toBe("None failed of those with this delivery: completed.");
  expect(noneWords({ ...ANY, thread: "t" }, {})).toBe("No run matches.");
  expect(noneWords({ ...ANY, title: "t" }, {})).toBe("No run matches.");
  expect(none("error", "", { on: () => {} })).toMatch(/on the next/);
  expect(none("error", "", { back: () => {} })).toMatch(/left on this page/);
});
