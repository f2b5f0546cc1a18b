import { describe, expect, it } from "vitest";
import { brought, followsAfter } from "../src/chat/follow";

describe("the end is followed", () => {
  const at = (top: number, height = 1000) => ({ top, seen: 300, height });
  const cases: Array<[what: string, follows: boolean, from: [number, number?], to: [number, number?], after: boolean]> = [
    ["by who stays at it", true, [700], [700], true],
    ["by who comes to it", false, [300], [695], true],
    ["not by who goes up, however little", true, [700], [680], false],
    ["still when what is new comes below", true, [700], [700, 1400], true],
    ["still on the way to it", true, [300, 1400], [500, 1400], true],
    ["not on the way to it by who was elsewhere", false, [300], [500], false],
    ["still when what was there is gone, and other things come", true, [700], [400, 800], true],
    ["where all is in sight", false, [0, 200], [0, 200], true],
  ];
  it.each(cases)("%s", (_, follows, from, to, after) => {
    expect(followsAfter(follows, at(...from), at(...to))).toBe(after);
  });
});

it("is not followed while there is only room at it", () => {
  const at = (top: number, height: number) => ({ top, seen: 300, height });
  expect(followsAfter(false, at(0, 1000), at(700, 1000), 1000)).toBe(false);
  expect(followsAfter(false, at(0, 1001), at(700, 1001), 1000), "whose height is rounded").toBe(false);
  expect(followsAfter(false, at(700, 1100), at(800, 1100), 1000), "by who goes down to what is behind it").toBe(true);
  expect(followsAfter(false, at(0, 1100), at(700, 1100), 1000)).toBe(false);
});

it("brings what was sent to the top, and of what is long the end, with room for its answer", () => {
  const room = { top: 60, height: 500 };
  expect(brought(room, { top: 400, height: 40 })).toEqual({ by: 340, below: 500 });
  expect(brought(room, { top: 60, height: 200 }), "where it stands already").toEqual({ by: 0, below: 500 });
  expect(brought(room, { top: 400, height: 1_000 })).toEqual({ by: 1_140, below: 1_300 });
});
