// What is worth an alert, and that nothing is told to who did not ask for it.

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { alertWords, Arrivals, canShow, chosenAlerts, keepAlerts, lookedAt, showOnDesktop } from "../src/bar/alerts";
import { iconFor } from "../src/bar/tabicon";

const kept = new Map<string, string>();

beforeEach(() => {
  kept.clear();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  });
});
afterEach(() => void vi.unstubAllGlobals());

it.each<[string, Array<number | "asked">, boolean]>([
  ["the first count", [3], false],
  ["a rise", [0, 1], true],
  ["a fall", [2, 1], false],
  ["the same", [2, 2], false],
  ["one that came while another went", [2, "asked", 2], true],
  ["one that came and went", [0, "asked", 0], false],
  ["one that was there at the first count", ["asked", 1], false],
  ["what was told already", [1, "asked", 2, 2], false],
])("tells of %s: %j", (_, happens, tells) => {
  const arrivals = new Arrivals();
  let last = false;
  for (const one of happens) {
    if (one === "asked") arrivals.ask();
    else last = arrivals.count(one);
  }
  expect(last).toBe(tells);
});

it("is silent until it is chosen, and keeps what is chosen", () => {
  expect(chosenAlerts()).toEqual({ desktop: false, sound: false });
  keepAlerts({ desktop: true, sound: false });
  expect(chosenAlerts()).toEqual({ desktop: true, sound: false });
  keepAlerts({ desktop: false, sound: false });
  expect(kept.size).toBe(0);
  kept.set("aguiws:alerts", '{"desktop":"yes","sound":');
  expect(chosenAlerts()).toEqual({ desktop: false, sound: false });
});

it.each(["denied", "default"])("shows nothing where the browser says %s", (permission) => {
  const made = vi.fn();
  vi.stubGlobal("window", { Notification: true });
  vi.stubGlobal("Notification", Object.assign(made, { permission }));
  showOnDesktop(1, () => {});
  expect(made).not.toHaveBeenCalled();
});

it.each([[true, true, false], [false, true, true], [false, false, false]])("knows who looks: hidden %s, focus %s", async (hidden, focus, looks) => {
  vi.stubGlobal("document", { hidden, hasFocus: () => focus });
  vi.stubGlobal("navigator", { locks: { query: async () => ({ held: [] }) } });
  expect(await lookedAt()).toBe(looks);
  vi.stubGlobal("navigator", { locks: { query: async () => ({ held: [{ name: "aguiws:looking" }] }) } });
  expect(await lookedAt()).toBe(true);
});

it("knows where a page may show nothing by itself", () => {
  const close = vi.fn();
  vi.stubGlobal("Notification", class { close = close; });
  expect(canShow()).toBe(true);
  expect(close).toHaveBeenCalledOnce();
  vi.stubGlobal("Notification", class { constructor() { throw new TypeError("Illegal constructor"); } });
  expect(canShow()).toBe(false);
});

/** Another tab of the same browser: the same storage and locks, and a module of its own. */
async function tab() {
  vi.resetModules();
  return (await import("../src/bar/alerts")).tellOnce;
}

it.each([["with locks", true], ["without", false]])("is told by one tab of several, %s", async (_, able) => {
  vi.useFakeTimers();
  vi.stubGlobal("navigator", able ? { locks: { request: async (_name: string, held: () => unknown) => held() } } : {});
  const [one, other] = [await tab(), await tab()];
  const told: string[] = [];
  const tells = async (by: typeof one, total: number) => by(total, () => told.push(`${by === one ? "one" : "other"} ${total}`));
  await tells(one, 2);
  await tells(other, 2); // the same
  await tells(other, 1); // it is behind
  expect(told.splice(0)).toEqual(["one 2"]);
  await tells(one, 2); // one went and another came: it knows what it told itself
  await tells(other, 2);
  expect(told.splice(0)).toEqual(["one 2"]);
  await tells(other, 3); // it was first this time
  await tells(one, 3);
  expect(told.splice(0)).toEqual(["other 3"]);
  vi.advanceTimersByTime(120_000);
  await tells(one, 1);
  expect(told).toEqual(["one 1"]);
  vi.useRealTimers();
});

it("counts in words and in the icon", () => {
  expect([1, 2].map(alertWords)).toEqual(["1 chat waits for an answer", "2 chats wait for an answer"]);
  expect([0, 1, 9, 10, 250].map(iconFor)).toEqual(["/icon.svg", "/icon-1.svg", "/icon-9.svg", "/icon-10.svg", "/icon-10.svg"]);
});
