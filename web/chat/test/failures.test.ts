import { expect, it } from "vitest";
import { Failures, MOST_PAGES, type Failed } from "../src/ops/failures";

const NOW = Date.UTC(2030, 0, 31, 14);
const HOUR_MS = 3_600_000;
const failed = (run: string, minutesAgo: number): Failed => ({ run, at: new Date(NOW - minutesAgo * 60_000).toISOString(), threadId: "t", namespace: "acme/user/bob" });

it("reads what failed since a time, and then what failed since the page before", () => {
  const failures = new Failures(HOUR_MS);
  expect(failures.path("", NOW)).toBe("/notices?kind=run.ended&severity=error&limit=200&from=2030-01-31T13%3A00%3A00.000Z");
  expect(failures.take({ items: [failed("r1", 50), failed("r2", 10)], next: "c1" })).toBe(true);
  expect(failures.path("", NOW)).toBe("/notices?kind=run.ended&severity=error&limit=200&after=c1");
  // A page may have none of them, and not be the last.
  expect(failures.take({ items: [], next: "c2", more: true })).toBe(true);
  expect(failures.path("", NOW)).toContain("after=c2");
  expect(failures.list(NOW)).toBeUndefined();
  expect(failures.take({ items: [], next: "c2" })).toBe(false);
  expect(failures.list(NOW)).toHaveLength(2);
  expect(failures.missed).toBe(false);
  // A notice may come again.
  failures.take({ items: [failed("r2", 10), failed("r3", 1)], next: "c3", missed: true });
  expect(failures.list(NOW)!.map(({ run }) => run)).toEqual(["r3", "r2", "r1"]);
  expect(failures.missed).toBe(true);
  expect(failures.list(NOW + 20 * 60_000)!.map(({ run }) => run)).toEqual(["r3", "r2"]);
  failures.restart();
  expect(failures.path("", NOW)).toContain("from=");
});

it("reads so many pages at once, and says that there are more until it has read them", () => {
  const failures = new Failures(HOUR_MS);
  const page = { items: [], next: "c", more: true };
  for (let n = 1; n < MOST_PAGES; n++) expect(failures.take(page)).toBe(true);
  expect([failures.list(NOW), failures.cut]).toEqual([undefined, false]);
  expect(failures.take(page)).toBe(false);
  expect([failures.list(NOW), failures.cut]).toEqual([[], true]);
  expect(failures.take(page)).toBe(true);
  expect([failures.list(NOW), failures.cut]).toEqual([[], true]);
  expect(failures.take({ items: [], next: "c" })).toBe(false);
  expect(failures.cut).toBe(false);
});
