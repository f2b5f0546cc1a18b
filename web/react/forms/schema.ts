// Schemas of answers. They come from agents, so nothing of them is believed or executed.

import { isExact, rounded } from "../lib/json.js";
import { worded } from "../lib/naming.js";

export type Schema = { [keyword: string]: unknown };

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isExact(value);
}

/** The names a schema requires, whatever it really holds. */
export function requiredOf(schema: Schema): string[] {
  return Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === "string") : [];
}

/** The properties a schema describes, whatever it really holds. */
export function propertiesOf(schema: Schema): Record<string, Schema> {
  if (!isObject(schema.properties)) return {};
  return Object.fromEntries(Object.entries(schema.properties).filter(([, sub]) => isObject(sub))) as Record<string, Schema>;
}

/** More than this is no form that a person fills in. */
const DEPTH = 16;
const NODES = 400;

const MAPS = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);
const LISTS = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
/** Keywords whose values are an answer's, or bounds of one: their numbers keep their text. All others count something. */
const VALUES = new Set(["const", "default", "enum", "examples", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]);
const SINGLES = new Set(["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"]);
const TEXTS = new Set(["title", "description"]);

// A pattern is a program of the agent's that could hold the page for ever; the server judges by it. Without identifiers,
// references lead nowhere but into the schema itself.
const DROPPED = new Set(["pattern", "patternProperties", "unevaluatedProperties", "unevaluatedItems", "$id", "id", "$schema", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef"]);

/** The formats that the server checks. To it any other is a note, so here as well. */
const FORMATS = new Set<unknown>(["date", "date-time", "time", "email", "uri", "uuid", "ipv4", "ipv6", "hostname"]);

/**
 * The schema as a form may be made of it and an answer may be checked with it here: what could be run or fetched is
 * left out, and members have words for their names. Undefined where it is too large, or refers to elsewhere.
 */
export function presentable(schema: unknown): Schema | undefined {
  let nodes = 0;
  const copy = (given: unknown, depth: number, name?: string): unknown => {
    if (typeof given === "boolean") return given;
    if (!isObject(given) || depth > DEPTH || ++nodes > NODES) throw new TypeError("not presentable");
    const kept: Array<[string, unknown]> = [];
    for (const [keyword, value] of Object.entries(given)) {
      if (DROPPED.has(keyword) || (keyword === "format" && !FORMATS.has(value))) continue;
      if (keyword === "$ref" && !(typeof value === "string" && /^#\/(\$defs|definitions)\//.test(value))) throw new TypeError("refers to elsewhere");
      if (TEXTS.has(keyword) && typeof value !== "string") continue;
      if (keyword === "type" && typeof value !== "string" && !Array.isArray(value)) continue;
      if ((keyword === "required" || keyword === "enum") && !Array.isArray(value)) continue;
      if (MAPS.has(keyword)) {
        if (!isObject(value)) continue;
        kept.push([keyword, Object.fromEntries(Object.entries(value).map(([key, sub]) => [key, copy(sub, depth + 1, keyword === "properties" ? key : undefined)]))]);
      } else if (LISTS.has(keyword)) {
        if (Array.isArray(value)) kept.push([keyword, value.map((sub) => copy(sub, depth + 1))]);
      } else if (SINGLES.has(keyword)) {
        kept.push([keyword, copy(value, depth + 1)]);
      } else {
        kept.push([keyword, VALUES.has(keyword) ? value : rounded(value)]);
      }
    }
    if (name !== undefined && typeof given.title !== "string") kept.push(["title", worded(name)]);
    return Object.fromEntries(kept);
  };
  try {
    const copied = copy(schema, 0);
    return isObject(copied) ? copied : undefined;
  } catch {
    return undefined;
  }
}
