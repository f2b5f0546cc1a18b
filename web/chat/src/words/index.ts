// What the page says by itself, in the language of whoever looks at it. Places that are loaded later bring their own tables.

import { ENGLISH, type Strings } from "../../../react/lib/strings";
import type { Table } from "./de";
import { en } from "./en";
import { chosenLanguage, languageOf, regionOf } from "./language";

export type Words = typeof en;

/** The page's words. They are read when something is said: a module that keeps one keeps it in English. */
export let words: Words = en;

/** The words of the parts. */
export let parts: Strings = ENGLISH;

/** The language, and where it is known the region, in which numbers and times are written. */
export let locale = "en";

/** All tables of a language that is not English. */
export let table: Table | undefined;

/** Takes the words of the language that was chosen. English is there at once, and what is said where others do not come. */
export async function speak(): Promise<void> {
  const language = languageOf(chosenLanguage(), navigator.languages);
  if (language === "de") table = await import("./de").then(({ de }) => de, () => undefined);
  const spoken = table ? language : "en";
  locale = regionOf(spoken, navigator.languages);
  words = table?.page ?? en;
  parts = { ...(table?.parts ?? ENGLISH), locale };
  document.documentElement.lang = spoken;
}
