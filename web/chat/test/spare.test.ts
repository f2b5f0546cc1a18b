// What has time is done in turn, and leaves the page most of its own.

import { expect, it } from "vitest";
import { Spare } from "../src/lib/spare";

/** A clock that stands still but for what takes its time, and what is due then. */
function machine() {
  const due: Array<[at: number, run: () => void]> = [];
  let now = 0;
  const told: string[] = [];
  return {
    told,
    spare: new Spare(() => now, (run, ms) => void due.push([now + ms, run])),
    takes: (ms: number, name: string) => () => {
      told.push(`${name} at ${now}`);
      now += ms;
    },
    pass: () => {
      for (let next = due.shift(); next; next = due.shift()) {
        now = Math.max(now, next[0]);
        next[1]();
      }
    },
  };
}

it("does one thing after another, the latest first, and rests three times as long as each takes", () => {
  const { spare, takes, pass, told } = machine();
  for (const name of ["a", "b", "c"]) spare.ask(takes(40, name));
  expect(told).toEqual([]);
  pass();
  expect(told).toEqual(["c at 0", "b at 160", "a at 320"]);
  spare.ask(takes(10, "d"));
  pass();
  expect(told.at(-1)).toBe("d at 480");
});

it("does nothing that is not wanted any more, and goes on after what fails", () => {
  const { spare, takes, pass, told } = machine();
  spare.ask(takes(1, "a"));
  const leave = spare.ask(takes(1, "b"));
  spare.ask(() => {
    throw new Error("no");
  });
  leave();
  pass();
  expect(told).toEqual(["a at 0"]);
});
