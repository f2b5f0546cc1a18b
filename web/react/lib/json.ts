// JSON in which numbers keep their text. What people decide about has come, is shown, is written and goes back through
// here: a double would make 9007199254740993 another number, and 1e400 none.

import { parse as parseLosslessly, stringify as stringifyLosslessly } from "lossless-json";
import { scan } from "./jsonscan.js";

/**
 * The one member of an object that stands for a number. Agents cannot know it, so that nothing they send is taken for one,
 * and plain objects outlive what @ag-ui/client, forms and validators do to values: copies, checks, patches.
 */
const KEY = `number ${[...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join("")}`;

/** A number whose text is not what JSON.stringify would write of its double. */
export type ExactNumber = { readonly [key: string]: string };

/** Whether a number comes back from a double as it was written. */
function survives(text: string): boolean {
  return JSON.stringify(Number(text)) === text;
}

/** The value of a number's text: plain where a double says the same text. */
export function numberOf(text: string): number | ExactNumber {
  return survives(text) ? Number(text) : { [KEY]: text };
}

export function isExact(value: unknown): value is ExactNumber {
  return typeof value === "object" && value !== null && Object.hasOwn(value, KEY);
}

export function isNumeric(value: unknown): value is number | ExactNumber {
  return typeof value === "number" || isExact(value);
}

/** The text of a number. */
export function textOfNumber(value: number | ExactNumber): string {
  return isExact(value) ? value[KEY]! : JSON.stringify(value);
}

/** Reads JSON as JSON.parse does, but for numbers that a double would change: those are ExactNumbers. */
export function parse(text: string): unknown {
  // Reading with all text kept takes ten times as long, and next to nothing needs it.
  const plain = JSON.parse(text) as unknown;
  let exact = true;
  scan(text, (kind, raw) => {
    if (kind === "number") exact &&= survives(raw);
  });
  if (exact) return plain;
  return parseLosslessly(text, undefined, { parseNumber: numberOf, onDuplicateKey: ({ newValue }) => newValue });
}

/** Where a text stops being JSON. Browsers say so in words of their own, or not at all. */
export function endOfJson(text: string): number {
  try {
    parseLosslessly(text);
    return text.length;
  } catch (error) {
    return Number(/position (\d+)/.exec(String(error))?.[1] ?? text.length);
  }
}

const EXACT = [{ test: isExact, stringify: (value: unknown) => textOfNumber(value as ExactNumber) }];

/** Writes JSON, each number in its text. */
export function stringify(value: unknown, space?: number): string {
  return stringifyLosslessly(value, undefined, space, EXACT) as string;
}

/** How frames are read and written. What the protocol itself counts by stands in frames directly and is plain. */
export const FRAMES = {
  parse: (text: string): unknown => {
    const frame = parse(text);
    if (typeof frame !== "object" || frame === null || Array.isArray(frame)) return frame;
    return Object.fromEntries(Object.entries(frame).map(([name, value]) => [name, isExact(value) ? Number(textOfNumber(value)) : value]));
  },
  stringify: (value: unknown): string => stringify(value),
};

/** The value with doubles for all numbers, for what only looks at its form. */
export function rounded(value: unknown, round = (number: ExactNumber): number => Number(textOfNumber(number))): unknown {
  if (isExact(value)) return round(value);
  if (Array.isArray(value)) return value.map((item) => rounded(item, round));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, rounded(member, round)]));
}

/** Whether there is a number in it that no double says. */
export function hasExact(value: unknown): boolean {
  if (isExact(value)) return true;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(hasExact);
}
