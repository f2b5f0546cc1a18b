import { describe, expect, it } from "vitest";
import { followsAfter } from "../src/chat/follow";

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
