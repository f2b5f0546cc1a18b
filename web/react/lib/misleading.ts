// Characters that make a text read as something that it is not: those that are not seen, those that turn the order of
// others around, and letters that look like those of another script in the same word. Who approves has to see them.

import { ENGLISH, type Strings } from "./strings.js";

/** A piece of a text. `marks` says what it is if it misleads; `hidden`: nothing of it would be seen. */
export interface Piece {
  text: string;
  marks?: string;
  hidden?: boolean;
}

type Words = Strings["text"];

/** Nothing else can mislead, and hardly anything else is in most texts. */
const PLAIN = /^[\n\t\x20-\x7e]*$/;

const class_ = (...scripts: string[]) => scripts.map((script) => `\\p{Script=${script}}`).join("");

/** Scripts that are written with joiners between letters. */
const JOINING = `[${class_("Arabic", "Syriac", "Nko", "Mongolian", "Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Khmer", "Myanmar")}\\p{M}]`;

const PICTURE = "\\p{Extended_Pictographic}(?:\\p{Emoji_Modifier}|\\uFE0F)?";

/** Letters with characters that are not seen and belong there: joiners inside words, variants of ideographs. */
const JOINED = [
  `${JOINING}[\\u200C\\u200D](?=${JOINING})`,
  "\\p{Script=Han}[\\uFE00-\\uFE0F\\u{E0100}-\\u{E01EF}]",
  "\\p{Script=Mongolian}[\\u180B-\\u180F]",
].join("|");

/** The same of emoji. */
const EMOJI = ["\\u{1F3F4}[\\u{E0030}-\\u{E007A}]{1,8}\\u{E007F}", `${PICTURE}(?:\\u200D${PICTURE})*`, "[0-9#*]\\uFE0F\\u20E3"].join("|");

/** Not seen, or seen as nothing that has a name. The space, its narrow and its wide relatives of ordinary texts are seen. */
const HIDDEN = "[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{Zl}\\p{Zp}\\p{Zs}\\p{Default_Ignorable_Code_Point}\\u2800]";
const SEEN = "[\\t\\n \\u00A0\\u202F\\u3000]";

const WORD = `(?:${JOINED}|(?!${HIDDEN})[\\p{L}\\p{M}])+`;

const PIECES = new RegExp(`${EMOJI}|${SEEN}|((?:(?!${SEEN})${HIDDEN})+)|(${WORD})`, "gu");
const HIDDEN_ALONE = new RegExp(`${EMOJI}|${JOINED}|${SEEN}|(${HIDDEN})`, "gu");

/** Letters that are drawn like Latin ones, of scripts that Latin is mixed with where nobody means to deceive. */
const GREEK_TWINS = "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαικνορυχϲϳ";
const CYRILLIC_TWINS = "АВЕЅІЈКМНОРСТУХҮԌԚԜаеорсухіјѕһԁԛԝӏү";

const LATIN = /\p{Script=Latin}/u;
const FOREIGN = new RegExp(`[${class_("Cyrillic", "Armenian", "Cherokee", "Coptic", "Lisu", "Georgian")}${GREEK_TWINS}]`, "u");
const GREEK = /\p{Script=Greek}/u;
const CYRILLIC = /\p{Script=Cyrillic}/u;
/** Letters made for formulas, and the wide ones of East Asian texts. */
const STYLED = /[\u{1D400}-\u{1D7CB}]/u;
const WIDE = /[\uFF21-\uFF3A\uFF41-\uFF5A]/u;
const NARROW = /[A-Za-z]/;
const TWINS = new RegExp(`^[${CYRILLIC_TWINS}]{2,}$`, "u");

/** What all of this is about; a text without any of it is read in one go. */
const SUSPECT = new RegExp(`(?!${SEEN})${HIDDEN}|[${class_("Cyrillic", "Greek", "Armenian", "Cherokee", "Coptic", "Lisu", "Georgian")}\\u{1D400}-\\u{1D7CB}\\uFF21-\\uFF5A]`, "u");

function innocent(text: string): boolean {
  return PLAIN.test(text) || !SUSPECT.test(text);
}

/** What is wrong with a word; `letters` are those that are. */
function misled(word: string, othersAreCyrillic: boolean): { why: keyof Words["misled"]; letters: RegExp } | undefined {
  if (LATIN.test(word) && FOREIGN.test(word)) return { why: "latin", letters: FOREIGN };
  if (GREEK.test(word) && CYRILLIC.test(word)) return { why: "greek", letters: GREEK };
  if (STYLED.test(word)) return { why: "styled", letters: STYLED };
  if (WIDE.test(word) && NARROW.test(word)) return { why: "wide", letters: WIDE };
  if (!othersAreCyrillic && TWINS.test(word)) return { why: "twins", letters: CYRILLIC };
  return undefined;
}

/** Whether somebody writes Cyrillic here: a word whose letters do not all look Latin. */
function isCyrillic(text: string): boolean {
  if (!CYRILLIC.test(text)) return false;
  return (text.match(/\p{Script=Cyrillic}+/gu) ?? []).some((word) => !TWINS.test(word) && [...word].length > 1);
}

const NAMES: Record<number, string> = {
  0x00ad: "soft hyphen", 0x034f: "grapheme joiner", 0x061c: "Arabic letter mark", 0x115f: "Hangul filler", 0x1160: "Hangul filler", 0x180e: "vowel separator",
  0x200b: "zero width space", 0x200c: "zero width non-joiner", 0x200d: "zero width joiner", 0x200e: "left-to-right mark", 0x200f: "right-to-left mark",
  0x2028: "line separator", 0x2029: "paragraph separator", 0x202a: "left-to-right embedding", 0x202b: "right-to-left embedding",
  0x202c: "pop directional formatting", 0x202d: "left-to-right override", 0x202e: "right-to-left override", 0x2060: "word joiner",
  0x2066: "left-to-right isolate", 0x2067: "right-to-left isolate", 0x2068: "first strong isolate", 0x2069: "pop directional isolate",
  0x2800: "blank Braille pattern", 0x3164: "Hangul filler", 0xfeff: "zero width no-break space", 0xffa0: "Hangul filler",
};

function codeOf(char: string): string {
  return `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** A character by its number and, where it has one here, its name. */
function named(char: string): string {
  const code = char.codePointAt(0)!;
  const name =
    NAMES[code] ??
    (code >= 0xe0000 && code < 0xe0080 ? "invisible tag"
    : /\p{Zs}/u.test(char) ? "a space of another width"
    : /\p{Cc}/u.test(char) ? "control character"
    : /\p{Variation_Selector}/u.test(char) ? "variation selector"
    : /\p{Co}|\p{Cn}|\p{Cs}/u.test(char) ? "no known character"
    : /\p{L}/u.test(char) ? (GREEK.test(char) ? "Greek letter" : CYRILLIC.test(char) ? "Cyrillic letter" : "look-alike letter")
    : "invisible character");
  return `${codeOf(char)} ${name}`;
}

/** So many characters of a run are named. */
const RUN = 3;

/** The text in pieces, those that mislead apart. */
export function pieces(text: string, words: Words = ENGLISH.text): Piece[] {
  if (innocent(text)) return [{ text }];
  const found: Piece[] = [];
  const cyrillic = isCyrillic(text);
  let plain = 0;
  const add = (from: number, piece: Piece) => {
    if (from > plain) found.push({ text: text.slice(plain, from) });
    found.push(piece);
    plain = from + piece.text.length;
  };
  for (const { 1: hidden, 2: word, index } of text.matchAll(PIECES)) {
    if (hidden !== undefined) {
      const chars = [...hidden];
      const said = chars.slice(0, RUN).map(named).join(", ");
      add(index, { text: hidden, hidden: true, marks: chars.length > RUN ? words.andMore(said, chars.length - RUN) : said });
    } else if (word !== undefined) {
      const wrong = misled(word, cyrillic);
      if (!wrong) continue;
      let at = index;
      for (const char of word) {
        if (wrong.letters.test(char)) add(at, { text: char, marks: `${named(char)}: ${words.theWord(words.misled[wrong.why])}` });
        at += char.length;
      }
    }
  }
  if (plain < text.length || found.length === 0) found.push({ text: text.slice(plain) });
  return found;
}

/** So much is said about a text. */
const SAID = 6;

/** What misleads in a text, in words; empty where nothing does. */
export function misleading(text: string, { misled: whys, more }: Words = ENGLISH.text): string[] {
  if (innocent(text)) return [];
  const hidden = new Map<string, number>();
  const words = new Map<string, string>();
  const cyrillic = isCyrillic(text);
  for (const { 1: run, 2: word } of text.matchAll(PIECES)) {
    if (run !== undefined) for (const char of run) hidden.set(char, (hidden.get(char) ?? 0) + 1);
    const wrong = word === undefined ? undefined : misled(word, cyrillic);
    if (word !== undefined && wrong && words.size <= SAID) {
      const letters = [...new Set([...word].filter((char) => wrong.letters.test(char)))].slice(0, RUN).map(named);
      words.set(word, `“${word.slice(0, 40)}” ${whys[wrong.why]} (${letters.join(", ")})`);
    }
  }
  const said = [...[...hidden].map(([char, times]) => (times > 1 ? `${times} × ${named(char)}` : named(char))), ...words.values()];
  return said.length > SAID ? [...said.slice(0, SAID), more(said.length - SAID)] : said;
}

/** The text for where no marks can be drawn: what would not be seen is written out. */
export function visible(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replaceAll(HIDDEN_ALONE, (whole, hidden: string | undefined) => (hidden === undefined ? whole : `[${codeOf(hidden)}]`));
}

/** JSON with what would not be seen in it as escapes: another text of the same value. */
export function escaped(json: string): string {
  if (PLAIN.test(json)) return json;
  return json.replaceAll(HIDDEN_ALONE, (whole, hidden: string | undefined) =>
    hidden === undefined ? whole : [...hidden].map(escapeOf).join(""));
}

function escapeOf(char: string): string {
  return Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, "0")}`).join("");
}

/** JSON as somebody types it, with its escapes as the characters that they stand for. */
export function unescaped(json: string): string {
  return json.replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
