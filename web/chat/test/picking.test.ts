// What follows on an answer, and what is brought into sight.

import { expect, it } from "vitest";
import { ledBy, scrolledBy } from "../src/inbox/picking";

it("hands what follows on an answer to the guard as that, and what a person goes to as their own", () => {
  expect([ledBy("answer", true), ledBy("answer", false)]).toEqual(["decision", "decision"]);
  expect([ledBy("key", true), ledBy("open", false), ledBy("click", true)]).toEqual(["person", "person", "person"]);
  // A finger that pressed the list is where what is asked comes, and what comes by itself waits as such.
  expect([ledBy("click", false), ledBy("coming", true), ledBy(undefined, true)]).toEqual([undefined, undefined, undefined]);
});

it.each([
  ["in sight", 120, 160, 0],
  ["at both edges", 100, 300, 0],
  ["above", 40, 80, -60],
  ["beneath the heading", 90, 130, -10],
  ["below", 280, 340, 40],
])("brings a row into sight that is %s", (_, top, bottom, want) => expect(scrolledBy({ top: 100, bottom: 300 }, { top, bottom })).toBe(want));
