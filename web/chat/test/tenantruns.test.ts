import { expect, it } from "vitest";
import { ALL, FAILED, latestOf, MOST_PAGES, type Noticed, resultOf, RunNotices } from "../src/ops/tenantruns";

const NOW = Date.UTC(2030, 0, 31, 14);
const HOUR_MS = 3_600_000;
const noticed = (kind: Noticed["kind"], run: string, minutesAgo: number, how?: string, threadId = "t"): Noticed => ({ kind, run, at: new Date(NOW - minutesAgo * 60_000).toISOString(), threadId, namespace: "acme/user/bob", how });
const failed = (run: string, minutesAgo: number) => noticed("run.ended", run, minutesAgo, "fail");

it("reads what failed since a time, and then what failed since the page before", () => {
  const failures = new RunNotices(HOUR_MS, FAILED);
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
  const failures = new RunNotices(HOUR_MS, FAILED);
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

it("knows what became of each run of the tenant, whichever notice comes again", () => {
  const notices = new RunNotices(HOUR_MS, ALL);
  expect(notices.path("", NOW)).toContain("/notices?kind=run.started%2Crun.ended&limit=200&from=");
  const started = noticed("run.started", "r1", 50);
  notices.take({ items: [started, noticed("run.started", "r2", 40), noticed("run.ended", "r1", 30, "suspend"), started, noticed("run.started", "r3", 20), noticed("run.ended", "r0", 10, "cancel")], next: "c" });
  notices.take({ items: [], next: "c" });
  // The latest begun stand first, and one that began before these notices stands where it ended.
  expect(notices.list(NOW)!.map((one) => `${one.run} ${resultOf(one)}`)).toEqual(["r0 cancelled", "r3 running", "r2 running", "r1 interrupt"]);
  expect(["finish", "fail", "suspend", "cancel"].map((how) => resultOf({ kind: "run.ended", how }))).toEqual(["success", "error", "interrupt", "cancelled"]);
});

it("tells what was noticed last in the chat of a run", () => {
  const asked = noticed("run.ended", "r1", 30, "suspend"), answer = noticed("run.started", "r2", 5), other = noticed("run.ended", "r3", 1, "finish", "other");
  expect(latestOf([answer, asked, other])(asked)).toBe(answer.at);
});
