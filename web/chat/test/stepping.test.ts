// The way through several questions.

import { expect, it } from "vitest";
import { afterAnswer, wayOf } from "../src/decision/stepping";

const ids = ["a", "b", "c"];
const those = (...given: string[]) => (id: string) => given.includes(id);

it.each([
  ["begins with the first that nobody has answered", undefined, those("a"), { at: 1, before: "a", after: "c" }],
  ["begins with looking over what is answered", undefined, those(...ids), { before: "c" }],
  ["stays where somebody went, answered or not", "a", those("a"), { at: 0, before: undefined, after: "b" }],
  ["ends with looking it over", "c", those(), { at: 2, before: "b", after: "over" }],
  ["looks over what is not answered as well", "over", those(), { before: "c" }],
  ["goes on when the question is gone", "gone", those("a"), { at: 1, before: "a", after: "c" }],
])("%s", (_, went, answered, way) => expect(wayOf(ids, answered, went)).toEqual(way));

it.each([
  ["to the next", "a", those("a"), "b"],
  ["past what is answered", "a", those("a", "b"), "c"],
  ["back to what was left out", "c", those("c", "b"), "a"],
  ["to looking it over", "b", those(...ids), "over"],
])("an answer leads %s", (_, id, answered, to) => expect(afterAnswer(ids, answered, id)).toBe(to));
