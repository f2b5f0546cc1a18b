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
const TOWARDS = new Map([
  ["to", "to"], ["recipient", "to"], ["recipients", "to"], ["email", "to"], ["for", "for"], ["into", "into"], ["in", "in"], ["from", "from"], ["with", "with"], ["at", "at"], ["on", "on"],
]);

/** Arguments whose values speak for themselves. */
const PLAIN = ["title", "name", "subject", "query", "q", "url", "path", "file", "filename", "command", "cmd", "sql", "text", "message", "question", "id"];

/** Words that are codes and abbreviations, and are written in capitals: currencies without those that are words, too. */
const CODES = /(?<![\p{L}\p{N}])(?:eur|usd|gbp|chf|jpy|cny|inr|aud|sek|nok|dkk|pln|czk|huf|brl|mxn|zar|krw|sgd|hkd|nzd|id|url|uri|iban|bic|vat|sku|pdf|ip|api|sql)(?![\p{L}\p{N}])/giu;

/** A name as words: `send_email`, `sendEmail` and `send-email` read "Send email". A name without letters stays. */
export function worded(name: string): string {
  if (!/[\p{L}\p{N}]/u.test(name)) return name;
  const words = name
    .replace(/[\s_\-./:]+/g, " ")
    .trim()
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .replace(/(\p{Ll})(\p{Lu}+)/gu, "$1 $2")
    .replace(/ (\p{Lu})(?=\p{Ll})/gu, (_, begin: string) => ` ${begin.toLowerCase()}`);
  return (words.charAt(0).toUpperCase() + words.slice(1)).replace(CODES, (code) => code.toUpperCase());
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
  const [member, value] = tellingOf(args === undefined ? [] : membersOf(args, andMore)) ?? [];
  if (member === undefined) return verb;
  const towards = TOWARDS.get(member.toLowerCase());
  if (towards !== undefined) return `${verb} ${towards} ${value}`;
  return PLAIN.includes(member.toLowerCase()) ? `${verb}: ${value}` : `${verb}, ${lower(worded(member))} ${value}`;
}

/** The member that a headline tells. */
function tellingOf(members: readonly Member[]): Member | undefined {
  for (const key of [...TOWARDS.keys(), ...PLAIN]) {
    const found = members.find(([one]) => one.toLowerCase() === key);
    if (found) return found;
  }
  return members[0];
}

/** The members that fit into a line and that a headline does not tell, a yes or no among them: what is at stake may stand there. */
export function besidesOf(headline: string, args: string, andMore: AndMore): Member[] {
  const told = tellingOf(membersOf(args, andMore));
  return membersOf(args, andMore, true).filter(([name, value]) => name !== told?.[0] || !headline.includes(value));
}

type Member = [name: string, value: string];

/** The members that fit into a line, in words; `flags`: with those that are true or false. */
export function membersOf(args: string, andMore: AndMore, flags = false): Member[] {
  if (args.length > READ) return [];
  let value: unknown;
  try {
    value = parse(args);
  } catch {
    return [];
  }
  if (typeof value !== "object" || value === null || Array.isArray(value) || isExact(value)) return [];
  return Object.entries(value).flatMap(([name, member]): Member[] => {
    const said = flags && typeof member === "boolean" ? String(member) : saidOf(member, andMore);
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
