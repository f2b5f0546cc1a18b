import { expect, it } from "vitest";
import { ANY, noneWords, RESULTS, resultWords, runsPath } from "../src/ops/runfilters";

it("asks for runs by what they came to and how far they were delivered", () => {
  expect(runsPath(ANY, 20)).toBe("/runs?limit=20");
  expect(runsPath({ result: "error", state: "acked", agent: "a b", thread: "t/1" }, 50)).toBe("/runs?limit=50&result=error&state=acked&agent=a+b&thread=t%2F1");
});

it("has the outcomes that the server knows", () => {
  expect(RESULTS.map((one) => `${one}: ${resultWords(one)}`)).toEqual(["success: succeeded", "interrupt: asked or waited", "cancelled: stopped", "error: failed"]);
});

it("says what a page without runs means", () => {
  const none = (result: string, state: string, place = {}) => noneWords({ ...ANY, result, state }, place);
  expect(none("", "")).toBe("None yet.");
  expect(none("", "dead_letter")).toBe("None is dead letter.");
  expect(none("error", "")).toBe("None failed.");
  expect(none("error", "acked")).toBe("None failed of those that are acked.");
  expect(noneWords({ ...ANY, thread: "t" }, {})).toBe("None matches.");
  expect(none("error", "", { on: () => {} })).toMatch(/on the next/);
  expect(none("error", "", { back: () => {} })).toMatch(/left on this page/);
});
