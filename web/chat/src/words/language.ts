// The language and the direction of the page: what a person chose, or else what the browser says. Kept, as they are no secret.

const LANGUAGE = "aguiws:language";
const DIRECTION = "aguiws:dir";

/** Each language by its own name. */
export const LANGUAGES = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof LANGUAGES;

export function isLanguage(given: string | null): given is Language {
  return given !== null && Object.hasOwn(LANGUAGES, given);
}

/** The choice that is kept; undefined: the browser's. */
export function chosenLanguage(): Language | undefined {
  const chosen = kept(LANGUAGE);
  return isLanguage(chosen) ? chosen : undefined;
}

/** Keeps a choice and loads the page anew: whatever was said is said in that language then. */
export function chooseLanguage(chosen: Language | undefined): void {
  keep(LANGUAGE, chosen);
  location.reload();
}

/** The language that was chosen, or else the first of the browser's that the page has. */
export function languageOf(chosen: Language | undefined, browser: readonly string[]): Language {
  return chosen ?? browser.map((tag) => tag.split("-")[0]!.toLowerCase()).find(isLanguage) ?? "en";
}

/** The first of the browser's languages that is this one, with its region. */
export function regionOf(language: Language, browser: readonly string[]): string {
  return browser.find((tag) => tag.split("-")[0]!.toLowerCase() === language) ?? language;
}

/** Which way the page is written: `?dir=rtl` turns it around, and `?dir=ltr` back. */
export function showDirection(): void {
  const given = new URLSearchParams(location.search).get("dir");
  if (given === "rtl" || given === "ltr") keep(DIRECTION, given === "rtl" ? given : undefined);
  document.documentElement.dir = (given ?? kept(DIRECTION)) === "rtl" ? "rtl" : "ltr";
}

function kept(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function keep(key: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // A browser that keeps nothing shows it until the reload.
  }
}
