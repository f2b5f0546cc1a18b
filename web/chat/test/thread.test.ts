// Whose a thread's id is that was made here.

import { expect, it, vi } from "vitest";
import { chooseFor, forNext, isUsed, madeHere } from "../src/thread";
import { forgetOwn } from "../src/server/own";
import { storageOf } from "./storage";

it("is nobody's who signs in after another, unless something has happened in it or an address named it", () => {
  vi.stubGlobal("sessionStorage", storageOf(new Map()));
  for (const id of ["made", "used"]) chooseFor(id, "");
  expect(["made", "used", "followed"].map(madeHere)).toEqual([true, true, false]);
  isUsed("used");
  forgetOwn();
  expect(["made", "used", "followed"].map((id) => forNext(id) === id)).toEqual([false, true, true]);
  vi.unstubAllGlobals();
});
