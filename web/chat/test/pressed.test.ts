// A key that decides, behind the way to what it decides.

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { HOLD_MS, OWN_MS, Spot } from "../../react/lib/guard";
import { whenSeen } from "../src/inbox/pressed";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function key() {
  const spot = new Spot(() => undefined);
  spot.about("one");
  spot.hold(true);
  spot.led();
  const press = vi.fn();
  let other: (() => void) | undefined;
  const leave = () => other?.();
  whenSeen(spot, press, (act) => {
    other = act;
    return () => void (other = undefined);
  });
  return { spot, press, leave };
}

it("waits until that has been seen, and for what is to be known before it", () => {
  const { spot, press, leave } = key();
  vi.advanceTimersByTime(2 * OWN_MS);
  expect(press).not.toHaveBeenCalled();
  spot.hold(false);
  vi.advanceTimersByTime(HOLD_MS);
  leave();
  expect([press.mock.calls.length, spot.read().refused]).toEqual([1, false]);
});

it("is not taken where the person does something else meanwhile, which is said", () => {
  const { spot, press, leave } = key();
  leave();
  expect(spot.read().refused).toBe(true);
  vi.advanceTimersByTime(2 * HOLD_MS);
  expect(press).not.toHaveBeenCalled();
});
