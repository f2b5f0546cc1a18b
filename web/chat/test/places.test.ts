// The places for streams that a browser's tabs share.

import { expect, it, vi } from "vitest";
import type { End } from "../src/server/feed";
import { placed } from "../src/server/places";

type Give = (lock: Lock | null) => unknown;

/** Locks of which these names are taken. */
function locksOf(...taken: string[]) {
  const request = vi.fn(async (name: string, _: LockOptions, give: Give) => give(taken.includes(name) ? null : { name, mode: "exclusive" }));
  return { request, locks: { request } as unknown as LockManager };
}

const names = ["aguiws:notices:0", "aguiws:notices:1", "aguiws:notices:2"];
const streams = () => vi.fn(async (): Promise<End> => "later");

it.each([[0, 1], [1, 2], [2, 3]])("streams in the first place that is free: %d are taken", async (taken, asked) => {
  const { request, locks } = locksOf(...names.slice(0, taken));
  const stream = streams();
  expect(await placed(locks, stream)).toBe("later");
  expect([request.mock.calls.map(([name]) => name), stream.mock.calls.length]).toEqual([names.slice(0, asked), 1]);
});

it("streams nowhere where no place is free", async () => {
  const stream = streams();
  expect(await placed(locksOf(...names).locks, stream)).toBeUndefined();
  expect(stream).not.toHaveBeenCalled();
});

it.each([[0, "later"], [1, undefined]])("leaves a hidden page the last place only: %d of it are taken", async (taken, end) => {
  const { request, locks } = locksOf(...names.slice(2, 2 + taken));
  expect(await placed(locks, streams(), true)).toBe(end);
  expect(request.mock.calls.map(([name]) => name)).toEqual([names[2]]);
});

const refused = async () => Promise.reject(new DOMException("no", "SecurityError"));

it.each<[string, LockManager | undefined]>([
  ["has none", undefined],
  ["gives none", { request: refused } as unknown as LockManager],
  ["takes it away", { request: async (_: string, __: LockOptions, give: Give) => (void give({} as Lock), refused()) } as unknown as LockManager],
])("streams once without a lock where the browser %s", async (_, locks) => {
  const stream = streams();
  expect(await placed(locks, stream)).toBe("later");
  expect(stream).toHaveBeenCalledTimes(1);
});
