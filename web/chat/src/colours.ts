// Which words of a code are of a kind, for the languages that are met most.

import type { Root } from "hast";
import { common, createLowlight } from "lowlight";

const lowlight = createLowlight(common);

/** The text as a tree of what is of a kind; undefined where the language is not known. */
export default function coloured(language: string, text: string): Root | undefined {
  return lowlight.registered(language) ? lowlight.highlight(language, text) : undefined;
}
