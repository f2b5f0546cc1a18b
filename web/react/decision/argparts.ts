// The arguments of a call, or an answer, as fields with labels.

import { folds } from "../lib/folds.js";
import { isExact, parse, stringify, textOfNumber } from "../lib/json.js";
import { printed } from "../lib/jsonscan.js";
import { labelsOf, shortened } from "../lib/naming.js";
import { ENGLISH, type Strings } from "../lib/strings.js";
import { isObject, propertiesOf, type Schema } from "../forms/schema.js";

type Parts = Strings["decision"]["parts"];

export interface ArgField {
  name: string;
  /** What it is called for people. */
  label: string;
  /** `text`: characters as they are. `word`: a number, a word, or a text that would be taken for one. `fields`: what has parts. `list`: what has plain ones without names. `json`: what has too many. */
  kind: "text" | "word" | "fields" | "list" | "json";
  /** Of what has parts, the first of them in a line. */
  text: string;
  fields?: ArgField[];
}

/** More members than this are shown as JSON. */
const MOST = 40;

/** What lies deeper is shown as JSON. */
const DEPTH = 5;

/** What has parts says so many characters of them. */
const GLANCE = 60;

/** A text that would be read as something else, or whose end would not be seen. */
export const TAKEN = /^$|^\s|\s$|^(?:true|false|null|undefined)$|^[-+]?(?:\d[\d_,'.\s]*|\.\d+)(?:e[-+]?\d+)?$|^[-+]?0[box][\da-f_]+$|^["{[]/i;

/**
 * The members of an object in their order; undefined for what is no object, names a member twice, or has too many.
 * `schema` has titles for them.
 */
export function argFields(text: string, schema?: Schema, parts: Parts = ENGLISH.decision.parts): ArgField[] | undefined {
  const read = printed(text);
  if (!read || read.twice.length > 0) return undefined;
  const value = parse(text);
  return isObject(value) ? membersOf(value, schema, DEPTH, parts) : undefined;
}

function membersOf(value: Record<string, unknown>, schema: Schema | undefined, depth: number, parts: Parts): ArgField[] | undefined {
  const members = Object.entries(value);
  if (members.length > MOST) return undefined;
  const properties = schema ? propertiesOf(schema) : {};
  const of = (name: string) => (Object.hasOwn(properties, name) ? properties[name] : undefined);
  const labels = labelsOf(members.map(([name]) => name), (name) => of(name)?.title);
  return members.map(([name, member], i) => ({ name, label: labels[i]!, ...shown(member, of(name), depth, parts) }));
}

function itemsOf(value: readonly unknown[], schema: Schema | undefined, depth: number, parts: Parts): ArgField[] | undefined {
  const items = schema && isObject(schema.items) ? schema.items : undefined;
  return value.length > MOST ? undefined : value.map((item, i) => ({ name: String(i), label: String(i + 1), ...shown(item, items, depth, parts) }));
}

function shown(value: unknown, schema: Schema | undefined, depth: number, parts: Parts): Pick<ArgField, "kind" | "text" | "fields"> {
  if (typeof value === "string") return TAKEN.test(value) ? { kind: "word", text: JSON.stringify(value) } : { kind: "text", text: value };
  if (isExact(value)) return { kind: "word", text: textOfNumber(value) };
  if (typeof value !== "object" || value === null) return { kind: "word", text: JSON.stringify(value) };
  const text = stringify(value, 2);
  // A long one is folded as one text, which says how much of it is not shown.
  if (depth === 0 || folds(text)) return { kind: "json", text };
  const fields = Array.isArray(value) ? itemsOf(value, schema, depth - 1, parts) : membersOf(value as Record<string, unknown>, schema, depth - 1, parts);
  if (!fields) return { kind: "json", text };
  if (fields.length === 0) return { kind: "word", text };
  const list = Array.isArray(value) && fields.every(plain);
  return { kind: list ? "list" : "fields", text: glance(fields, parts), fields };
}

function glance(fields: readonly ArgField[], parts: Parts): string {
  const said = fields.filter(plain);
  if (said.length === 0) return fields.length === 1 ? fields[0]!.label : parts(fields.length);
  return shortened(said.slice(0, 5).map(({ text }) => text.slice(0, GLANCE)).join(", "), GLANCE);
}

function plain({ kind }: ArgField): boolean {
  return kind === "text" || kind === "word";
}
