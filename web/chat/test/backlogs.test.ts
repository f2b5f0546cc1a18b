import { expect, it } from "vitest";
import { failedPart, firstEvent, oldestWords, perMinute, span, targetState, upstreamState, type TargetInfo } from "../src/ops/backlogs";

it("says how long something has waited", () => {
  const said = [0, 999, 1_000, 59_999, 60_000, 3_599_999, 3_600_000, 86_399_999, 86_400_000, 3 * 86_400_000].map(span);
  expect(said).toEqual(["now", "now", "1 s", "59 s", "1 min", "59 min", "1 h", "23 h", "1 d", "3 d"]);
});

it("says how it goes with a target, the worst first", () => {
  const of = (waiting: number, failed: number, more: Partial<TargetInfo> = {}): TargetInfo => ({
    name: "crm",
    url: "https://crm.example",
    owed: { waiting, failed, dead: 1, most: 100 },
    ...more,
  });
  expect(targetState(of(0, 0))).toBe("done");
  expect(targetState(of(3, 0))).toBe("sending");
  expect(targetState(of(3, 1))).toBe("trying");
  expect(targetState({ ...of(3, 1), owed: { waiting: 3, failed: 1, failingSince: "2030-01-31T14:02:00Z", dead: 0, most: 100 } })).toBe("failing");
  expect(targetState(of(100, 1))).toBe("full");
  expect(targetState(of(3, 1, { goneAt: "2030-01-31T14:02:00Z" }))).toBe("disabled");
  expect(targetState(of(0, 0, { owed: undefined }))).toBe("untold");
});

it("says how it goes with an upstream", () => {
  expect([0, 1, 2, 49, 50, 5000].map((requests) => perMinute({ requests, seconds: 300 }))).toEqual(["0", "0.2", "0.4", "9.8", "10", "1000"]);
  expect(perMinute({ requests: 1, seconds: 0 })).toBe("60");
  expect([0, 1, 30, 1000].map((failed) => failedPart({ requests: 1000, failed }))).toEqual(["0 %", "< 1 %", "3 %", "100 %"]);
  expect(failedPart({ requests: 0, failed: 0 })).toBe("");
  expect(firstEvent({})).toBe("");
  expect(firstEvent({ firstEventMs: 0, firstEventP95Ms: 2_480 })).toBe("0 ms / 2.5 s");
});

it("says how long the first of the inbox has waited", () => {
  const now = Date.parse("2030-01-01T10:00:00Z");
  const first = (since?: string, more = {}) => oldestWords({ items: [{ since }], ...more }, now);
  expect(first("2030-01-01T07:30:00Z")).toBe("2 h");
  expect(first("2030-01-01T10:00:30Z")).toBe("now");
  expect(first()).toBe("");
  expect(oldestWords({ items: [] }, now)).toBe("none");
  expect(oldestWords({ items: [], partial: true }, now)).toBe("");
  expect(oldestWords(undefined, now)).toBe("");
});

it("says of an upstream whether all fail, some, or none", () => {
  expect([[0, 0], [4, 0], [4, 1], [4, 4]].map(([requests, failed]) => upstreamState({ requests: requests!, failed: failed! }))).toEqual(["idle", "well", "failing", "down"]);
});
