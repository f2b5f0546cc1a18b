// Which words of a code are of a kind, for the languages that are met most.

import type { Root } from "hast";
import { common, createLowlight } from "lowlight";

// Markdown's own takes minutes for some pages of brackets.
const { markdown, ...languages } = common;
const lowlight = createLowlight(languages);

/** A longer text stays in one colour, in characters: what languages look for may take the square of them. 50 ms of a slow machine, of which a message may have several: they are coloured in turn. */
export const COLOURED = 3_000;

/** The text as a tree of what is of a kind; undefined where the language is not known, or the text is too long. */
export default function coloured(language: string, text: string): Root | undefined {
  return text.length <= COLOURED && lowlight.registered(language) ? lowlight.highlight(language, text) : undefined;
}
