// Parts of the page that are loaded when they are needed.

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { part } from "../lib/part";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("is loaded again when the server is back", async () => {
  const load = vi.fn(async () => {
    if (load.mock.calls.length < 4) throw new Error("no answer");
    return "loaded";
  });
  const loaded = part(load);
  await vi.runAllTimersAsync();
  expect(await loaded).toBe("loaded");
  expect(load).toHaveBeenCalledTimes(4);
});

it("is given up after a while", async () => {
  const began = Date.now();
  const given = part(() => Promise.reject(new Error("no answer"))).catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  expect(await given).toEqual(new Error("no answer"));
  expect(Date.now() - began).toBeLessThan(90_000);
});
