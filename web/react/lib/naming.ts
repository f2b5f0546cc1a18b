// Words for what has only a name: tools, their arguments, and calls.

import { alike } from "./alike.js";
import { isExact, parse, textOfNumber } from "./json.js";
import { ENGLISH, type Strings } from "./strings.js";

type AndMore = Strings["text"]["andMore"];

/** A longer text is not read for its words, in characters. */
const READ = 20_000;

/** A longer value is cut, in characters. */
const VALUE = 60;

/** Arguments that say towards whom or what, and how a sentence says so. The first of them that is there is told. */
export const TOWARDS = new Map([
  ["to", "to"], ["recipient", "to"], ["recipients", "to"], ["email", "to"], ["for", "for"], ["into", "into"], ["in", "in"], ["from", "from"], ["with", "with"], ["at", "at"], ["on", "on"],
]);

/** Arguments whose values speak for themselves. */
const PLAIN = ["title", "name", "subject", "query", "q", "url", "path", "file", "filename", "command", "cmd", "sql", "text", "message", "question", "id"];

/** A name as words: `send_email`, `sendEmail` and `send-email` read "Send email". A name without letters stays. */
export function worded(name: string): string {
  if (!/[\p{L}\p{N}]/u.test(name)) return name;
  const words = name
    .replace(/[\s_\-./:]+/g, " ")
    .trim()
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .replace(/(\p{Ll})(\p{Lu}+)/gu, "$1 $2")
    .replace(/ (\p{Lu})(?=\p{Ll})/gu, (_, begin: string) => ` ${begin.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Labels for members, in their order: their titles, or else their names as words. Two that would read alike keep their names. */
export function labelsOf(names: readonly string[], titleOf: (name: string) => unknown = () => undefined): string[] {
  const labels = names.map((name) => {
    const title = titleOf(name);
    return typeof title === "string" && title.trim() !== "" ? shortened(title, VALUE) : worded(name);
  });
  const same = alike(labels);
  return labels.map((label, i) => (same.has(label) ? names[i]! : label));
}

/** What a call does, in a line, with its most telling argument: "Send email to ada@example.com". `args`: JSON, or what is to become JSON. */
export function headlineOf(name: string, args: string | undefined, andMore: AndMore = ENGLISH.text.andMore): string {
  const verb = worded(name);
  const members = args === undefined ? [] : membersOf(args, andMore);
  const told = (key: string) => members.find(([one]) => one.toLowerCase() === key)?.[1];
  for (const [key, towards] of TOWARDS) {
    const value = told(key);
    if (value !== undefined) return `${verb} ${towards} ${value}`;
  }
  for (const key of PLAIN) {
    const value = told(key);
    if (value !== undefined) return `${verb}: ${value}`;
  }
  const [first] = members;
  return first ? `${verb}, ${lower(worded(first[0]))} ${first[1]}` : verb;
}

/** The members that fit into a line, in words. */
export function membersOf(args: string, andMore: AndMore): Array<[name: string, value: string]> {
  if (args.length > READ) return [];
  let value: unknown;
  try {
    value = parse(args);
  } catch {
    return [];
  }
  if (typeof value !== "object" || value === null || Array.isArray(value) || isExact(value)) return [];
  return Object.entries(value).flatMap(([name, member]): Array<[string, string]> => {
    const said = saidOf(member, andMore);
    return said === undefined ? [] : [[name, said]];
  });
}

function saidOf(value: unknown, andMore: AndMore): string | undefined {
  if (isExact(value)) return textOfNumber(value);
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) {
    const first = typeof value[0] === "string" ? saidOf(value[0], andMore) : undefined;
    return first === undefined || value.length === 1 ? first : andMore(first, value.length - 1);
  }
  if (typeof value !== "string") return undefined;
  return shortened(value, VALUE) || undefined;
}

/** A text on one line, cut at a word where it is longer than so many characters. */
export function shortened(text: string, most: number): string {
  const line = text.slice(0, 8 * most).trim().replace(/\s+/g, " ");
  const characters = [...line];
  if (characters.length <= most) return line;
  const cut = characters.slice(0, most - 1).join("");
  const word = cut.lastIndexOf(" ");
  return `${(word > cut.length / 2 ? cut.slice(0, word) : cut).trimEnd()}…`;
}

function lower(words: string): string {
  return /^\p{Lu}(?!\p{Lu})/u.test(words) ? words.charAt(0).toLowerCase() + words.slice(1) : words;
}
