// The keys of a menu.

import { expect, it } from "vitest";
import { rowOf } from "../src/inbox/menukeys";

const rows = ["any", "input", "tool call", "Typed"];

it.each<[string, string, number, number | undefined]>([
  ["an arrow goes down", "ArrowDown", 0, 1],
  ["and stays at the end", "ArrowDown", 3, 3],
  ["an arrow goes up", "ArrowUp", 1, 0],
  ["and stays at the beginning", "ArrowUp", 0, 0],
  ["from nowhere the first comes", "ArrowDown", -1, 0],
  ["a letter leads to what begins with it", "t", 0, 2],
  ["then to the next, whatever its case", "t", 2, 3],
  ["and round", "t", 3, 2],
  ["a letter that begins none is taken, and leads nowhere", "j", 1, -1],
  ["a space presses", " ", 1, undefined],
  ["another key is not the menu's", "Tab", 1, undefined],
])("%s", (_, key, from, want) => expect(rowOf({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false }, rows, from)).toBe(want));
