// What takes a decision, and when.

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { CALM_MS, Guard, HOLD_MS, OWN_MS, SAID_MS, Spot, type Place } from "../lib/guard";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function spotAt(place: Place | undefined = undefined, subject = "one") {
  const at = { place };
  const spot = new Spot(() => at.place);
  spot.about(subject);
  spot.look();
  return { spot, at };
}

const pass = (ms: number) => vi.advanceTimersByTime(ms);

it("takes nothing before what it decides has been seen for a moment", () => {
  const { spot } = spotAt();
  pass(CALM_MS - 1);
  expect(spot.takes()).toBe(false);
  // And whoever is hasty waits anew.
  pass(CALM_MS - 1);
  expect(spot.takes()).toBe(false);
  pass(CALM_MS);
  expect(spot.takes()).toBe(true);
});

it.each([60, 200, 400])("takes none of a series of clicks %i ms apart", (pauseMs) => {
  const { spot } = spotAt();
  for (let i = 0; i < 20; i++) {
    pass(pauseMs);
    expect(spot.takes()).toBe(false);
  }
});

it("waits anew when it decides something else, and not when it is drawn again", () => {
  const { spot } = spotAt();
  pass(CALM_MS);
  spot.about("one");
  expect(spot.takes()).toBe(true);
  spot.about("two");
  expect(spot.takes()).toBe(false);
});

it("waits no longer than behind an act where the person has gone to it by a key", () => {
  const { spot } = spotAt();
  spot.led();
  pass(OWN_MS - 1);
  expect(spot.takes()).toBe(false);
  pass(OWN_MS);
  expect(spot.takes()).toBe(true);
});

/** Keys so far apart, each for what the one before it led to or, where that was not taken, for the same: how many were taken. */
function keysApart(pauseMs: number): number {
  let { spot } = spotAt();
  spot.follows();
  let taken = 0;
  for (let i = 0; i < 20; i++) {
    pass(pauseMs);
    pass(spot.left() ?? 0);
    if (!spot.takes({ keyed: true })) continue;
    taken++;
    spot = spotAt().spot;
    spot.follows();
  }
  return taken;
}

it.each([30, 150, OWN_MS - 1])("takes none of a burst of keys %i ms apart behind a decision", (pauseMs) => expect(keysApart(pauseMs)).toBe(0));

it.each([400, 600, 700, 2_000])("takes each of the keys %i ms apart of whoever goes from one question to the next", (pauseMs) => expect(keysApart(pauseMs)).toBe(20));

it.each([200, 400])("takes none of a series of clicks %i ms apart behind a decision", (pauseMs) => {
  const { spot } = spotAt();
  spot.follows();
  for (let i = 0; i < 20; i++) {
    pass(pauseMs);
    expect(spot.takes()).toBe(false);
  }
});

it("takes a key wherever it has been moved to, and a pointer not before that has been seen", () => {
  const { spot, at } = spotAt({ x: 0, y: 100, scrolled: 0 });
  pass(CALM_MS);
  at.place = { x: 0, y: 200, scrolled: 0 };
  spot.look();
  expect(spot.takes({ keyed: true })).toBe(true);
  expect(spot.takes()).toBe(false);
});

it("has a key wait for what the person has gone to, and for nothing that has come or changed by itself", () => {
  const { spot } = spotAt();
  expect(spot.left()).toBeUndefined();
  spot.led();
  pass(100);
  expect(spot.left()).toBe(OWN_MS - 100);
  spot.about("two");
  expect(spot.left()).toBeUndefined();
  spot.led();
  pass(OWN_MS);
  expect(spot.left()).toBeUndefined();
  expect(spot.takes({ keyed: true })).toBe(true);
});

it("takes nothing while it is held, which ends by itself, and does not wait anew behind it", () => {
  const { spot } = spotAt();
  const { spot: short } = spotAt();
  for (const one of [spot, short]) one.hold(true);
  pass(CALM_MS);
  expect([spot.takes({ keyed: true }), spot.read().calm]).toEqual([false, false]);
  short.hold(true);
  short.hold(false);
  expect(short.takes()).toBe(true);
  const { spot: long } = spotAt();
  long.hold(true);
  pass(HOLD_MS - 1);
  long.hold(true);
  pass(1);
  expect(long.takes()).toBe(true);
});

it("has a key wait while it is held", () => {
  const { spot } = spotAt();
  spot.hold(true);
  spot.led();
  pass(OWN_MS);
  expect(spot.left()).toBe(HOLD_MS - OWN_MS);
  spot.hold(false);
  expect(spot.left()).toBeUndefined();
});

it("is not careful where there is nothing to decide by mistake", () => {
  const { spot } = spotAt(undefined, "");
  expect(spot.takes()).toBe(true);
  expect(spot.takes({ again: true })).toBe(true);
  expect(spot.read().calm).toBe(true);
});

it.each<[string, Place, boolean, boolean]>([
  ["pushed down by what came above", { x: 0, y: 140, scrolled: 50 }, false, true],
  ["pushed aside", { x: 30, y: 100, scrolled: 50 }, false, true],
  ["scrolled by a person", { x: 0, y: -300, scrolled: 450 }, false, false],
  ["scrolled by the page", { x: 0, y: -300, scrolled: 450 }, true, true],
  ["kept in sight by the page while something came above", { x: 0, y: 100, scrolled: 90 }, true, false],
  ["nudged", { x: 1, y: 103, scrolled: 50 }, false, false],
])("%s", (_, place, byPage, moved) => {
  const { spot, at } = spotAt({ x: 0, y: 100, scrolled: 50 });
  pass(CALM_MS);
  at.place = place;
  spot.look(byPage);
  expect(spot.takes()).toBe(!moved);
});

it("finds out at the act itself whether it has moved", () => {
  const { spot, at } = spotAt({ x: 0, y: 100, scrolled: 0 });
  pass(CALM_MS);
  at.place = { x: 0, y: 200, scrolled: 0 };
  expect(spot.takes()).toBe(false);
});

it("does not take the end of a press that began too soon, and takes a key after it", () => {
  const { spot } = spotAt();
  pass(CALM_MS - 1);
  spot.press();
  pass(CALM_MS);
  expect(spot.takes({ lifted: true })).toBe(false);
  pass(CALM_MS);
  expect(spot.takes()).toBe(true);
  spot.press();
  expect(spot.takes({ lifted: true })).toBe(true);
});

it("takes neither a second click in a row nor a key that is held down", () => {
  const { spot } = spotAt();
  pass(CALM_MS);
  expect(spot.takes({ again: true })).toBe(false);
});

it("has all spots wait after a decision in one, no longer than a hand trembles", () => {
  const guard = new Guard();
  const { spot: one } = spotAt();
  const { spot: other } = spotAt();
  const { spot: left } = spotAt();
  guard.add(one);
  guard.add(other);
  guard.add(left)();
  pass(CALM_MS);
  guard.decided();
  expect([one.takes(), other.takes(), left.takes()]).toEqual([false, false, true]);
  pass(OWN_MS);
  expect([one.takes(), other.takes()]).toEqual([true, true]);
});

it.each([
  ["by the person, who need not wait", 100, true],
  ["by itself, though the person has acted before", 900, false],
])("is moved %s", (_, afterMs, taken) => {
  const guard = new Guard();
  const { spot, at } = spotAt({ x: 0, y: 100, scrolled: 0 });
  guard.add(spot);
  pass(CALM_MS);
  guard.acted();
  pass(afterMs);
  at.place = { x: 0, y: 200, scrolled: 0 };
  guard.look();
  expect(spot.takes()).toBe(taken);
});

it("is uncovered by the person, and waits no longer than a hand trembles", () => {
  const guard = new Guard();
  const { spot } = spotAt();
  const { spot: hasty } = spotAt();
  guard.add(spot);
  guard.add(hasty);
  pass(CALM_MS);
  guard.acted();
  guard.disturb();
  expect(hasty.takes()).toBe(false);
  pass(OWN_MS);
  expect(spot.takes()).toBe(true);
});

it("goes on waiting for what has only just come, whatever the person does", () => {
  const guard = new Guard();
  const { spot } = spotAt();
  guard.add(spot);
  guard.acted();
  guard.decided();
  pass(OWN_MS);
  expect(spot.takes()).toBe(false);
});

it("tells when it is calm, and for a while that it has refused", () => {
  const { spot } = spotAt();
  const told: string[] = [];
  const end = spot.watch(() => told.push(JSON.stringify(spot.read())));
  pass(100);
  spot.takes();
  expect(spot.read()).toEqual({ calm: false, refused: true });
  pass(CALM_MS);
  expect(spot.read()).toEqual({ calm: true, refused: true });
  pass(SAID_MS);
  expect(spot.read()).toEqual({ calm: true, refused: false });
  expect(told.length).toBe(3);
  end();
  expect(vi.getTimerCount()).toBe(0);
});

it("goes by the clock where its timer is late", () => {
  const { spot } = spotAt();
  const end = spot.watch(() => {});
  vi.setSystemTime(Date.now());
  vi.spyOn(performance, "now").mockReturnValue(performance.now() + CALM_MS);
  expect(spot.takes()).toBe(true);
  end();
  vi.restoreAllMocks();
});
