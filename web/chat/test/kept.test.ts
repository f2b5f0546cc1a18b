import { expect, it } from "vitest";
import { withGone, type Kept } from "../src/lib/kept";

const of = (text: string): Kept<string>[] => [...text].map((letter) => ({ item: letter.toLowerCase(), gone: letter !== letter.toLowerCase() }));
const text = (kept: Kept<string>[]) => kept.map(({ item, gone }) => (gone ? item.toUpperCase() : item)).join("");

// Capitals have gone from the list.
it.each([
  ["", "ab", "ab"],
  ["abc", "bc", "Abc"],
  ["abc", "ac", "aBc"],
  ["abc", "ab", "abC"],
  ["abc", "", "ABC"],
  ["Abc", "bcd", "Abcd"],
  ["aBc", "c", "ABc"],
  ["Abc", "xbc", "Axbc"],
  ["aB", "ba", "ba"],
])("%s with %s left is %s", (shown, items, kept) => {
  expect(text(withGone(of(shown), [...items], (item) => item))).toBe(kept);
});
