import { expect, it } from "vitest";
import { Failures, type Failed } from "../src/ops/failures";

const NOW = Date.UTC(2030, 0, 31, 14);
const HOUR_MS = 3_600_000;
const failed = (run: string, minutesAgo: number): Failed => ({ run, at: new Date(NOW - minutesAgo * 60_000).toISOString(), threadId: "t", namespace: "acme/user/bob" });

it("reads what failed since a time, and then what failed since the page before", () => {
  const failures = new Failures(HOUR_MS);
  expect(failures.path("", NOW)).toBe("/notices?kind=run.ended&severity=error&limit=200&from=2030-01-31T13%3A00%3A00.000Z");
  expect(failures.take({ items: [failed("r1", 50), failed("r2", 10)], next: "c1" })).toBe(true);
  expect(failures.path("", NOW)).toBe("/notices?kind=run.ended&severity=error&limit=200&after=c1");
  expect(failures.take({ items: [], next: "c2" })).toBe(false);
  expect(failures.missed).toBe(false);
  // A notice may come again.
  failures.take({ items: [failed("r2", 10), failed("r3", 1)], next: "c3", missed: true });
  expect(failures.list(NOW).map(({ run }) => run)).toEqual(["r3", "r2", "r1"]);
  expect(failures.missed).toBe(true);
  expect(failures.list(NOW + 20 * 60_000).map(({ run }) => run)).toEqual(["r3", "r2"]);
  failures.restart();
  expect(failures.path("", NOW)).toContain("from=");
});
