// What the page offers to say is what the built-in agent understands.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { de } from "../src/words/de";
import { en } from "../src/words/en";

const source = readFileSync(new URL("../../../adapter/script/sentences.go", import.meta.url), "utf8");
const understood = [...source.matchAll(/MustCompile\(`\(\?i\)(.*)`\)/g)].map(([, pattern]) => new RegExp(pattern!, "i"));

it.each([["en", en], ["de", de.page]] as const)("offers what is understood: %s", (_, { chat: { propose, tries } }) => {
  expect(understood.length).toBeGreaterThan(3);
  for (const said of [propose, tries.form, tries.dinner, tries.count]) expect(understood.filter((pattern) => pattern.test(said)), said).toHaveLength(1);
});
