// The arguments of a call, or an answer, as fields with labels.

import { isExact, parse, stringify, textOfNumber } from "../lib/json";
import { printed } from "../lib/jsontext";
import { isObject } from "../forms/schema";

export interface ArgField {
  name: string;
  /** `text`: characters as they are. `word`: a number, a word, or a text that would be taken for one. `json`: what has parts. */
  kind: "text" | "word" | "json";
  text: string;
}

/** More members than this are shown as JSON. */
const MOST = 40;

/** A text that would be read as something else, or whose end would not be seen. */
export const TAKEN = /^$|^\s|\s$|^(?:true|false|null|undefined)$|^[-+]?[\d.]|^["{[]/;

/** The members of an object in their order; undefined for what is no object, names a member twice, or has too many. */
export function argFields(text: string): ArgField[] | undefined {
  const read = printed(text);
  if (!read || read.twice.length > 0) return undefined;
  const value = parse(text);
  if (!isObject(value) || isExact(value)) return undefined;
  const members = Object.entries(value);
  return members.length > MOST ? undefined : members.map(([name, member]) => ({ name, ...shown(member) }));
}

function shown(value: unknown): Pick<ArgField, "kind" | "text"> {
  if (typeof value === "string") return TAKEN.test(value) ? { kind: "word", text: JSON.stringify(value) } : { kind: "text", text: value };
  if (isExact(value)) return { kind: "word", text: textOfNumber(value) };
  if (typeof value !== "object" || value === null) return { kind: "word", text: JSON.stringify(value) };
  return { kind: "json", text: stringify(value, 2) };
}
