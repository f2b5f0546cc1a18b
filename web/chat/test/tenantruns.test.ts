import { afterEach, expect, it, vi } from "vitest";
import { ALL, FAILED, furtherBack, MOST_PAGES, MOST_RUNS, type Noticed, resultOf, RunNotices } from "../src/ops/tenantruns";

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
  failures.take({ items: [], next: "c3" });
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

it.each([
  ["further where too few are found", 0, 3, false, 1],
  ["no further where they are enough", 1, 10, false, 1],
  ["no further than notices are kept", 3, 0, false, 3],
  ["no further where there are too many to read", 1, 0, true, 1],
])("looks back %s", (_, back, found, cut, want) => expect(furtherBack(back, found, cut, 10)).toBe(want));

it("reads fewer pages at once where few are enough", () => {
  const notices = new RunNotices(HOUR_MS, ALL, 2);
  const page = { items: [], next: "c", more: true };
  expect([notices.take(page), notices.take(page), notices.cut]).toEqual([true, false, true]);
});

it("knows what became of each run of the tenant, whichever notice comes again", () => {
  const notices = new RunNotices(HOUR_MS, ALL);
  expect(notices.path("", NOW)).toContain("/notices?kind=run.started%2Crun.ended%2Cinterrupt.cancelled%2Cthread.deleted&limit=200&from=");
  const started = noticed("run.started", "r1", 50);
  notices.take({ items: [started, noticed("run.started", "r2", 40), noticed("run.ended", "r1", 30, "suspend"), started, noticed("run.started", "r3", 20), noticed("run.ended", "r0", 10, "cancel")], next: "c" });
  notices.take({ items: [], next: "c" });
  // The latest begun stand first, and one that began before these notices stands where it ended.
  expect(notices.list(NOW)!.map((one) => `${one.run} ${resultOf(one)}`)).toEqual(["r0 cancelled", "r3 running", "r2 running", "r1 interrupt"]);
  expect(["finish", "fail", "suspend", "cancel"].map((how) => resultOf({ kind: "run.ended", how }))).toEqual(["success", "error", "interrupt", "cancelled"]);
});

it("keeps what the start has told of a run where its end tells less", () => {
  const notices = new RunNotices(HOUR_MS, ALL);
  const { how: _, ...lost } = noticed("run.ended", "r1", 30, "cancel");
  notices.take({ items: [{ ...noticed("run.started", "r1", 50), agent: "clerk", runId: "mine" }, { ...lost, how: "cancel" }], next: "c" });
  notices.take({ items: [], next: "c" });
  expect(notices.list(NOW)).toEqual([{ ...lost, how: "cancel", agent: "clerk", runId: "mine", began: noticed("run.started", "r1", 50).at }]);
});

it("hears of whatever may change the runs of a chat, however its times are written", () => {
  const notices = new RunNotices(HOUR_MS, ALL);
  const asked = { ...noticed("run.ended", "r1", 30, "suspend"), at: "2030-01-31T13:30:05.12Z" };
  const { at: _, ...of } = { at: asked.at, threadId: asked.threadId, namespace: asked.namespace };
  let heard = 0, listed: unknown;
  for (const one of [
    asked,
    { ...noticed("run.started", "r2", 5), at: "2030-01-31T13:30:05.2Z" },
    { ...noticed("run.ended", "r2", 5, "finish"), at: "2030-01-31T13:30:06Z" },
    { ...of, kind: "interrupt.cancelled" as const, at: "2030-01-31T13:30:06Z" },
    { ...of, kind: "thread.deleted" as const, at: "2030-01-31T13:30:06Z" },
  ]) {
    notices.take({ items: [one, noticed("run.ended", "r3", 1, "finish", "other")], next: "c" });
    notices.take({ items: [], next: "c" });
    expect(notices.heard(asked), one.kind).toBeGreaterThan(heard);
    heard = notices.heard(asked);
    expect(notices.list(NOW), "what shows the runs looks again").not.toBe(listed);
    listed = notices.list(NOW);
  }
  notices.take({ items: [noticed("run.ended", "r3", 1, "finish", "other")], next: "c" });
  notices.take({ items: [], next: "c" });
  expect(notices.heard(asked)).toBe(heard);
  expect(notices.list(NOW)!.map(({ run }) => run)).toEqual(["r3", "r2", "r1"]);
});

afterEach(() => void vi.restoreAllMocks());

it("puts runs in order when the last page was read, and reads each time once", () => {
  const notices = new RunNotices(HOUR_MS, ALL);
  const sort = vi.spyOn(Array.prototype, "sort"), parse = vi.spyOn(Date, "parse");
  const calls = () => [sort.mock.calls.length, parse.mock.calls.length];
  const all = 40 * 200;
  for (let page = 0; page < 40; page++) {
    notices.take({ items: Array.from({ length: 200 }, (_, i) => noticed("run.started", `r${page}-${i}`, 10)), next: "c" });
    notices.list(NOW);
  }
  notices.take({ items: [], next: "c" });
  const list = notices.list(NOW);
  expect([list!.length, ...calls()]).toEqual([all, 1, all]);
  // Nothing is noticed, and then one.
  notices.take({ items: [], next: "c" });
  expect(notices.list(NOW)).toBe(list);
  notices.take({ items: [failed("one more", 1)], next: "c" });
  expect(notices.list(NOW)).toBe(list);
  expect(calls()).toEqual([1, all + 1]);
  notices.take({ items: [], next: "c" });
  expect([notices.list(NOW)!.length, ...calls()]).toEqual([all + 1, 2, all + 1]);
});

it("keeps so many runs, the latest, and says that there are more", () => {
  const notices = new RunNotices(HOUR_MS, ALL);
  const round = (name: string, n: number) => {
    for (let i = 0; i < n; i += 200) notices.take({ items: Array.from({ length: Math.min(200, n - i) }, (_, k) => noticed("run.started", `${name}${i + k}`, 10)), next: "c" });
    notices.take({ items: [], next: "c" });
  };
  round("a", MOST_RUNS - 200);
  expect(notices.cut).toBe(false);
  round("b", 400);
  const runs = new Set(notices.list(NOW)!.map(({ run }) => run));
  expect([runs.size, runs.has("a199"), runs.has("a200"), notices.cut]).toEqual([MOST_RUNS, false, true, true]);
});
