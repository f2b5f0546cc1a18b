// A schema as a form is made of it. Members that take one of some values are choices, which nobody has made before somebody
// does; members that may be anything are JSON; long texts have several lines.

import type { UiSchema } from "@rjsf/utils";
import { NULL, choicesOf, referred } from "./choices.js";
import { numberFor } from "../lib/decimal.js";
import { isNumeric, stringify, textOfNumber } from "../lib/json.js";
import { ENGLISH } from "../lib/strings.js";
import { isObject, propertiesOf, requiredOf, type Schema } from "./schema.js";

export interface Drawn {
  schema: Schema;
  ui: UiSchema;
}

/** More than this is drawn by its schema alone: references may make much of little. */
const NODES = 1_000;

/** `none`: what null is called. */
export function drawn(schema: Schema, none = ENGLISH.form.none): Drawn {
  let nodes = 0;
  const draw = (given: Schema, within: readonly string[]): Drawn => {
    if (++nodes > NODES) return { schema: given, ui: {} };
    const choices = choicesOf(given, schema);
    if (choices) {
      const { oneOf: _, anyOf: __, allOf: ___, $ref: ____, const: _____, ...rest } = given;
      return { schema: { ...rest, enum: choices.map(({ value }) => value) }, ui: { "ui:enumNames": choices.map(({ value, label }) => (value === null && label === NULL ? none : label)) } };
    }
    const { $ref } = given;
    if (typeof $ref === "string") {
      const target = within.includes($ref) ? undefined : referred($ref, schema);
      return { schema: given, ui: target ? draw(target, [...within, $ref]).ui : {} };
    }
    const made: Schema = { ...given };
    const ui: UiSchema = {};
    for (const keyword of ["oneOf", "anyOf"]) {
      const options: unknown = given[keyword];
      if (!Array.isArray(options)) continue;
      const parts = options.map((one: unknown) => (isObject(one) ? draw(one, within) : { schema: one, ui: {} }));
      made[keyword] = parts.map((part) => part.schema);
      ui[keyword] = parts.map((part) => part.ui);
    }
    if (isObject(given.items)) {
      const items = draw(given.items, within);
      made.items = items.schema;
      ui.items = items.ui;
      const values = choicesOf(given.items, schema)?.length ?? 0;
      // Ticked or not: as a list of lists, each could be said twice.
      if (values > 0 && !(typeof given.minItems === "number" && given.minItems > values)) made.uniqueItems = true;
    }
    for (const keyword of ["properties", "$defs", "definitions"]) {
      const members: unknown = given[keyword];
      if (!isObject(members)) continue;
      const parts = Object.entries(members).map(([name, sub]) => [name, isObject(sub) ? draw(sub, within) : { schema: sub, ui: {} }] as const);
      made[keyword] = Object.fromEntries(parts.map(([name, part]) => [name, part.schema]));
      if (keyword === "properties") for (const [name, part] of parts) Object.defineProperty(ui, name, { value: { ...part.ui, ...fieldOf(part.schema) }, enumerable: true });
    }
    return { schema: made, ui };
  };
  return draw(schema, []);
}

/** What a member's schema does not say of how to ask. */
function fieldOf(schema: unknown): UiSchema {
  if (!isObject(schema)) return {};
  const said = ["type", "enum", "const", "oneOf", "anyOf", "allOf", "$ref", "properties"].some((keyword) => keyword in schema);
  if (!said || (schema.type === "object" && !isObject(schema.properties))) return { "ui:field": "JsonField" };
  return schema.type === "string" && !("enum" in schema) && typeof schema.maxLength === "number" && schema.maxLength > 200 ? { "ui:widget": "textarea" } : {};
}

/** What may make a form of more than its members. */
const OPEN = ["$ref", "anyOf", "oneOf", "allOf", "if", "then", "else", "items", "prefixItems", "dependentSchemas", "dependentRequired"];

/** Whether nothing in a form may be left out, as far as its members alone say so. */
export function allRequired(schema: Schema): boolean {
  if (schema.type === "array" || OPEN.some((keyword) => schema[keyword] !== undefined) || (schema.additionalProperties ?? false) !== false) return false;
  const required = new Set(requiredOf(schema));
  return Object.entries(propertiesOf(schema)).every(([name, sub]) => required.has(name) && allRequired(sub));
}

/** The least and the most that a number may be, as texts; undefined where its schema bounds it otherwise or not at all. */
export function rangeOf({ minimum, maximum }: Schema, locale: string): [least: string | undefined, most: string | undefined] {
  const text = (bound: unknown) => (isNumeric(bound) ? numberFor(textOfNumber(bound), locale) : undefined);
  return [text(minimum), text(maximum)];
}

/** A value without the optional members that say nothing but what their schema fixes: nobody has chosen those. */
export function decided(schema: Schema, value: unknown, root = schema): unknown {
  if (!isObject(value)) return value;
  const properties = propertiesOf(schema);
  const required = new Set(requiredOf(schema));
  const left = Object.entries(value).flatMap(([name, member]) => {
    const sub = Object.hasOwn(properties, name) ? properties[name]! : undefined;
    if (sub && !required.has(name) && isObject(member) && isFixed(sub, member, root, 0)) return [];
    return [[name, sub ? decided(sub, member, root) : member] as const];
  });
  return Object.fromEntries(left);
}

function isFixed(schema: Schema, value: Record<string, unknown>, root: Schema, depth: number): boolean {
  if (depth > 8) return false;
  const target = typeof schema.$ref === "string" ? referred(schema.$ref, root) : undefined;
  const ways = [target, schema.oneOf, schema.anyOf, schema.allOf].flat().filter(isObject);
  if (ways.some((way) => isFixed(way, value, root, depth + 1))) return true;
  const properties = propertiesOf(schema);
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  // An empty object may be what somebody added.
  return names.length > 0 && names.every((name) => {
    const sub = Object.hasOwn(properties, name) ? properties[name]! : {};
    const member = value[name];
    return "const" in sub ? stringify(sub.const) === stringify(member) : isObject(member) && isFixed(sub, member, root, depth + 1);
  });
}
