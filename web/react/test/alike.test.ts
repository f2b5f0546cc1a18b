import { expect, it } from "vitest";
import { alike } from "../lib/alike";

it("finds the names that several have", () => {
  expect([...alike(["a", "b", "a", "c", "a", "b"])]).toEqual(["a", "b"]);
});
