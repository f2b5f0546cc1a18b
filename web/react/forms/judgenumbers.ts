// What a schema says of numbers that no double says, judged by their text.

import { compare, isMultiple, isWhole } from "../lib/decimal.js";
import { isExact, isNumeric, rounded, textOfNumber } from "../lib/json.js";
import { ENGLISH, type Strings } from "../lib/strings.js";
import type { Fault } from "./judge.js";
import { isObject, propertiesOf, type Schema } from "./schema.js";

/** Whether a number that compares so with a bound keeps it. */
const BOUNDS: Record<string, (order: number) => boolean> = {
  minimum: (order) => order >= 0,
  maximum: (order) => order <= 0,
  exclusiveMinimum: (order) => order > 0,
  exclusiveMaximum: (order) => order < 0,
};

/** Keywords that compare values, which a validator does by doubles. */
const COMPARING = new Set([...Object.keys(BOUNDS), "multipleOf", "enum", "const", "uniqueItems"]);

/** Where more is allowed by these without what they compare, less is by the whole. */
const TURNING = ["oneOf", "not", "if", "contains"];

/** A schema and a value that say the same of everything but the size of numbers; undefined where nothing can. */
export function withoutNumbers(schema: Schema, value: unknown): { schema: Schema; value: unknown } | undefined {
  let turns = false;
  const strip = (given: unknown, name: string): unknown => {
    if (Array.isArray(given)) return given.map((one) => strip(one, ""));
    if (!isObject(given)) return isExact(given) ? Number(textOfNumber(given)) : given;
    const names = name === "properties" || name === "$defs" || name === "definitions" || name === "dependentSchemas";
    turns ||= !names && TURNING.some((keyword) => keyword in given);
    return Object.fromEntries(
      Object.entries(given).flatMap(([key, member]) => (!names && COMPARING.has(key) ? [] : [[key, strip(member, names ? "" : key)]])),
    );
  };
  const stripped = strip(schema, "") as Schema;
  // Of the numbers, only whether they are whole is left to be judged.
  return turns ? undefined : { schema: stripped, value: rounded(value, (number) => (isWhole(textOfNumber(number)) ? 1 : 0.5)) };
}

/** What is wrong with the numbers of a value, where the schema says it of their places. */
export function judgeNumbers(schema: Schema, value: unknown, words: Strings["fault"] = ENGLISH.fault): Fault[] {
  const faults: Fault[] = [];
  const visit = (given: unknown, here: unknown, path: string[], references: number): void => {
    if (!isObject(given)) return;
    const say = (message: string) => faults.push({ path, message });
    if (typeof given.$ref === "string" && references < 16) visit(resolved(schema, given.$ref), here, path, references + 1);
    if (Array.isArray(given.allOf)) for (const sub of given.allOf) visit(sub, here, path, references + 1);
    if (Array.isArray(given.enum) && !given.enum.some((one) => same(one, here))) say(words.words.enum!);
    if ("const" in given && !same(given.const, here)) say(words.words.const!);
    if (isNumeric(here)) {
      const text = textOfNumber(here);
      for (const [keyword, holds] of Object.entries(BOUNDS)) {
        const bound = given[keyword];
        if (isNumeric(bound) && !holds(compare(text, textOfNumber(bound)))) say(words.bounds[keyword]!(textOfNumber(bound)));
      }
      if (isNumeric(given.multipleOf) && isMultiple(text, textOfNumber(given.multipleOf)) === false) {
        say(words.bounds.multipleOf!(textOfNumber(given.multipleOf)));
      }
    } else if (Array.isArray(here)) {
      const first = Array.isArray(given.prefixItems) ? given.prefixItems : [];
      here.forEach((item, i) => visit(i < first.length ? first[i] : given.items, item, [...path, `${i}`], references));
    } else if (isObject(here)) {
      const properties = propertiesOf(given);
      for (const [name, member] of Object.entries(here)) {
        visit(Object.hasOwn(properties, name) ? properties[name] : given.additionalProperties, member, [...path, name], references);
      }
    }
  };
  visit(schema, value, [], 0);
  return faults;
}

function resolved(schema: Schema, reference: string): unknown {
  const [, where = "", name = ""] = /^#\/(\$defs|definitions)\/([^/]*)$/.exec(reference) ?? [];
  const definitions = schema[where];
  return isObject(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
}

/** Whether two values are equal as JSON Schema has it: numbers by how much they are. */
export function same(a: unknown, b: unknown): boolean {
  if (isNumeric(a) || isNumeric(b)) return isNumeric(a) && isNumeric(b) && compare(textOfNumber(a), textOfNumber(b)) === 0;
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((one, i) => same(one, b[i]));
  if (!isObject(a) || !isObject(b)) return a === b;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && same(a[name], b[name]));
}
