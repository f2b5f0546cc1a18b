import { expect, it } from "vitest";
import { noneWords, RESULTS, resultWords, runsPath } from "../src/ops/runfilters";

it("asks for runs by what they came to and how far they were delivered", () => {
  expect(runsPath("/runs", { result: "", state: "" }, 20)).toBe("/runs?limit=20");
  expect(runsPath("/threads/a%2Fb/runs", { result: "error", state: "acked" }, 50)).toBe("/threads/a%2Fb/runs?limit=50&state=acked&result=error");
});

it("has the outcomes that the server knows", () => {
  expect(RESULTS.map((one) => `${one}: ${resultWords(one)}`)).toEqual(["success: succeeded", "interrupt: asked or waited", "cancelled: stopped", "error: failed"]);
});

it("says what a page without runs means", () => {
  const none = (result: string, state: string, place = {}) => noneWords({ result, state }, place);
  expect(none("", "")).toBe("None yet.");
  expect(none("", "dead_letter")).toBe("None is dead letter.");
  expect(none("error", "")).toBe("None failed.");
  expect(none("error", "acked")).toBe("None failed of those that are acked.");
  expect(none("error", "", { on: () => {} })).toMatch(/on the next/);
  expect(none("error", "", { back: () => {} })).toMatch(/left on this page/);
});
