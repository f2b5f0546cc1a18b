// JSON as people read and write it.

import { endOfJson, parse, stringify } from "../lib/json.js";
import { printed } from "../lib/jsonscan.js";
import { ENGLISH, type Strings } from "../lib/strings.js";
import { isObject } from "./schema.js";

/** JSON as people read it; what is not JSON (yet) as it is. */
export function pretty(text: string): string {
  return printed(text)?.text ?? text;
}

/** Reads JSON with its numbers as they are written, saying in words what is wrong with it. */
export function readJson(typed: string, { readTwice, notJson }: Strings["form"] = ENGLISH.form): { value: unknown } | { fault: string } {
  try {
    const value = parse(typed);
    const [twice] = printed(typed)?.twice ?? [];
    return twice === undefined ? { value } : { fault: readTwice(JSON.stringify(twice)) };
  } catch {
    return { fault: notJson(typed.slice(0, endOfJson(typed)).trimEnd().split("\n").length) };
  }
}

/** Reads a JSON object, as the arguments of a tool call are. */
export function readArguments(typed: string, strings: Strings["form"] = ENGLISH.form): { value: Record<string, unknown> } | { fault: string } {
  const read = readJson(typed, strings);
  if ("fault" in read) return read;
  return isObject(read.value) ? { value: read.value } : { fault: strings.notObject };
}

/** Whether a value is what a text says: numbers by their text, members in their order. */
export function sameJson(value: unknown, text: string): boolean {
  try {
    return stringify(value) === stringify(parse(text));
  } catch {
    return false;
  }
}
