// Checking an answer before it is sent. The server judges with the whole of JSON Schema; this holds back what a person
// can see and correct, with the keywords that forms use. Schemas come from agents, so nothing of them is executed.

export type Schema = {
  type?: string | string[];
  title?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  [keyword: string]: unknown;
};

export interface Fault {
  /** JSON pointer of the value. */
  path: string;
  message: string;
}

const DEPTH = 16;

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

function hasType(value: unknown, type: string): boolean {
  if (type === "integer") return typeof value === "number" && Number.isInteger(value);
  return typeOf(value) === type;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeOf(value) === "object";
}

function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, index) => same(item, b[index]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
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

/** What is wrong with a value; nothing when these checks find nothing. */
export function faults(schema: Schema, value: unknown, path = "", depth = 0): Fault[] {
  if (!isObject(schema) || depth > DEPTH) return [];
  const found: Fault[] = [];
  const fault = (message: string) => void found.push({ path, message });
  const types = typeof schema.type === "string" ? [schema.type] : Array.isArray(schema.type) ? schema.type : [];
  if (types.length > 0 && !types.some((type) => hasType(value, type))) {
    fault(`must be ${types.map(article).join(" or ")}`);
    return found;
  }
  if (Array.isArray(schema.enum) && !schema.enum.some((one) => same(one, value))) {
    fault(`must be one of ${schema.enum.map((one) => JSON.stringify(one)).join(", ")}`);
  }
  if ("const" in schema && !same(schema.const, value)) fault(`must be ${JSON.stringify(schema.const)}`);
  if (typeof value === "number") found.push(...numberFaults(schema, value, path));
  if (typeof value === "string") found.push(...lengthFaults(schema.minLength, schema.maxLength, [...value].length, "characters", path));
  if (Array.isArray(value)) {
    found.push(...lengthFaults(schema.minItems, schema.maxItems, value.length, "items", path));
    const { items } = schema;
    if (items) value.forEach((item, index) => found.push(...faults(items, item, `${path}/${index}`, depth + 1)));
  }
  if (isObject(value)) found.push(...memberFaults(schema, value, path, depth));
  return found;
}

function numberFaults(schema: Schema, value: number, path: string): Fault[] {
  const bounds: Array<[unknown, (bound: number) => boolean, string]> = [
    [schema.minimum, (bound) => value >= bound, "at least"],
    [schema.maximum, (bound) => value <= bound, "at most"],
    [schema.exclusiveMinimum, (bound) => value > bound, "more than"],
    [schema.exclusiveMaximum, (bound) => value < bound, "less than"],
    [schema.multipleOf, (step) => step <= 0 || Math.abs(value / step - Math.round(value / step)) < 1e-9, "a multiple of"],
  ];
  return bounds
    .filter(([bound, holds]) => typeof bound === "number" && !holds(bound))
    .map(([bound, , words]) => ({ path, message: `must be ${words} ${String(bound)}` }));
}

function lengthFaults(min: unknown, max: unknown, length: number, unit: string, path: string): Fault[] {
  if (typeof min === "number" && length < min) return [{ path, message: `must have at least ${min} ${unit}` }];
  if (typeof max === "number" && length > max) return [{ path, message: `must have at most ${max} ${unit}` }];
  return [];
}

function memberFaults(schema: Schema, value: Record<string, unknown>, path: string, depth: number): Fault[] {
  const found: Fault[] = [];
  const properties = propertiesOf(schema);
  for (const name of requiredOf(schema)) {
    if (!Object.hasOwn(value, name)) found.push({ path: `${path}/${escape(name)}`, message: "is required" });
  }
  for (const [name, member] of Object.entries(value)) {
    const at = `${path}/${escape(name)}`;
    const sub = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (sub) found.push(...faults(sub, member, at, depth + 1));
    else if (schema.additionalProperties === false) found.push({ path: at, message: "is not expected" });
    else if (isObject(schema.additionalProperties)) found.push(...faults(schema.additionalProperties, member, at, depth + 1));
  }
  return found;
}

/** A member's name as a JSON pointer writes it. */
function escape(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function article(type: string): string {
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}
