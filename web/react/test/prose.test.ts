import { expect, it } from "vitest";
import { isProse } from "../lib/prose";

it.each([
  ["Dear Ada,\n\nthe report is attached. It has three parts:\n- what we did;\n- what is left\n- who pays\n\nYours, Bob", "body"],
  ["One long line. ".repeat(40), "note"],
  ["", "text"],
  ["Sehr geehrte Frau Lovelace,\n\nanbei der Bericht.\n", "text"],
])("takes %j for prose", (text, name) => expect(isProse(text, name)).toBe(true));

it.each([
  ["select * from users where name = 'ada'", "sql"],
  ["func main() {\n\tfmt.Println(1)\n}\n", "body"],
  ["const a = 1;\nconst b = 2;\n", "text"],
  ["diff --git a/x b/x\n-a\n+b", "change"],
  ["#!/bin/sh\necho hello", "file"],
  ["<p>Hello</p>", "body"],
  ["a:\n  b:\n    c: 1\n", "content"],
])("takes %j for code", (text, name) => expect(isProse(text, name)).toBe(false));
