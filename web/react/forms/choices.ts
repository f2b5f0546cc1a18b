// The values that a schema allows, if it allows no others.

import { stringify } from "../lib/json.js";
import { isObject, type Schema } from "./schema.js";

/** Stands for the word for null. */
export const NULL = "\0null";

interface Choice {
  value: unknown;
  label: string;
}

/** Whether a schema takes one of some values, or a list of them. */
export function isChoice(schema: Schema): boolean {
  return choicesOf(schema, schema) !== undefined || (schema.type === "array" && isObject(schema.items) && choicesOf(schema.items, schema) !== undefined);
}

/** The values that a schema allows; undefined where it allows others. */
export function choicesOf(schema: Schema, root: Schema, depth = 0): Choice[] | undefined {
  if (depth > 8) return undefined;
  const { enum: values, oneOf, anyOf, allOf, $ref } = schema;
  if (Array.isArray(values)) return values.map((value: unknown) => ({ value, label: labelOf(value) }));
  if (typeof $ref === "string") {
    const target = referred($ref, root);
    return target && choicesOf(target, root, depth + 1);
  }
  const options = oneOf ?? anyOf ?? (Array.isArray(allOf) && allOf.length === 1 ? allOf : undefined);
  if (!Array.isArray(options) || options.length === 0) return undefined;
  const all: Choice[] = [];
  for (const option of options as unknown[]) {
    const some = isObject(option) ? optionOf(option, root, depth + 1) : undefined;
    if (!some) return undefined;
    for (const one of some) if (all.every(({ value }) => stringify(value) !== stringify(one.value))) all.push(one);
  }
  return all;
}

function optionOf(option: Schema, root: Schema, depth: number): Choice[] | undefined {
  if ("const" in option) return [{ value: option.const, label: typeof option.title === "string" && option.title.trim() !== "" ? option.title : labelOf(option.const) }];
  return option.type === "null" ? [{ value: null, label: labelOf(null) }] : choicesOf(option, root, depth);
}

function labelOf(value: unknown): string {
  return value === null ? NULL : typeof value === "string" ? value : stringify(value);
}

export function referred(ref: string, root: Schema): Schema | undefined {
  let at: unknown = root;
  for (const part of ref.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }
  return isObject(at) ? at : undefined;
}
