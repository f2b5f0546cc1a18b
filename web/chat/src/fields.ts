// From a schema to form fields, and from what was typed to the value the schema describes.

import { faults, isObject, propertiesOf, requiredOf, type Fault, type Schema } from "./schema";

export type FieldKind = "choice" | "number" | "text" | "longtext" | "json";

export interface Field {
  name: string;
  label: string;
  description?: string;
  kind: FieldKind;
  required: boolean;
  schema: Schema;
  /** What a choice chooses from. */
  choices: unknown[];
}

/** What was typed, by field name; a choice holds its index. */
export type Draft = Record<string, string>;

/** A form's value, or what is wrong with it by field name. */
export type Reading = { value: Record<string, unknown> } | { faults: Record<string, string> };

const COMPOSED = ["$ref", "oneOf", "anyOf", "allOf", "not", "if"];

/** The fields of an object schema; undefined when a form cannot say what it says. */
export function fieldsOf(schema: Schema | undefined, except: string[] = []): Field[] | undefined {
  if (!schema || !isObject(schema) || COMPOSED.some((keyword) => keyword in schema)) return undefined;
  if (schema.type !== "object" && !(schema.type === undefined && isObject(schema.properties))) return undefined;
  const required = requiredOf(schema);
  const properties = propertiesOf(schema);
  // A name that is required and not described would leave no way to answer.
  if (required.some((name) => !Object.hasOwn(properties, name) && !except.includes(name))) return undefined;
  return Object.entries(properties)
    .filter(([name]) => !except.includes(name))
    .map(([name, sub]) => ({
      name,
      label: typeof sub.title === "string" ? sub.title : worded(name),
      description: typeof sub.description === "string" ? sub.description : undefined,
      kind: kindOf(sub),
      required: required.includes(name),
      schema: sub,
      choices: choicesOf(sub),
    }));
}

/** A member's name as a label: `dueDate` and `due_date` read "Due date". */
function worded(name: string): string {
  const words = name.replaceAll("_", " ").replace(/(\p{Ll})(\p{Lu})/gu, (_, end: string, begin: string) => `${end} ${begin.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function choicesOf(schema: Schema): unknown[] {
  if (Array.isArray(schema.enum)) return schema.enum;
  if ("const" in schema) return [schema.const];
  return schema.type === "boolean" ? [true, false] : [];
}

function kindOf(schema: Schema): FieldKind {
  if (COMPOSED.some((keyword) => keyword in schema)) return "json";
  if (choicesOf(schema).length > 0) return "choice";
  if (schema.type === "integer" || schema.type === "number") return "number";
  if (schema.type !== "string") return "json";
  return typeof schema.maxLength === "number" && schema.maxLength > 200 ? "longtext" : "text";
}

/** The words for a choice. */
export function choiceLabel(choice: unknown): string {
  if (choice === true) return "Yes";
  if (choice === false) return "No";
  return typeof choice === "string" ? choice : JSON.stringify(choice);
}

/** What a form shows before anything is typed: the schema's defaults. */
export function initialDraft(fields: Field[]): Draft {
  const draft: Draft = {};
  for (const { name, kind, schema, choices } of fields) {
    if (schema.default === undefined) continue;
    if (kind === "choice") {
      const index = choices.findIndex((choice) => JSON.stringify(choice) === JSON.stringify(schema.default));
      if (index >= 0) draft[name] = String(index);
    } else {
      draft[name] = kind === "json" ? JSON.stringify(schema.default, null, 2) : String(schema.default);
    }
  }
  return draft;
}

/** Reads what was typed. Fields left empty are left out. */
export function readDraft(fields: Field[], draft: Draft): Reading {
  const entries: Array<[string, unknown]> = [];
  const wrong: Record<string, string> = {};
  for (const field of fields) {
    const typed = draft[field.name] ?? "";
    if (typed.trim() === "") {
      if (field.required) wrong[field.name] = "is required";
      continue;
    }
    const read = readField(field, typed);
    if ("fault" in read) {
      wrong[field.name] = read.fault;
      continue;
    }
    const [first] = faults(field.schema, read.value);
    if (first) wrong[field.name] = described(first);
    else entries.push([field.name, read.value]);
  }
  return Object.keys(wrong).length > 0 ? { faults: wrong } : { value: Object.fromEntries(entries) };
}

function readField(field: Field, typed: string): { value: unknown } | { fault: string } {
  switch (field.kind) {
    case "choice": {
      const index = Number(typed);
      return index in field.choices ? { value: field.choices[index] } : { fault: "choose one" };
    }
    case "number": {
      const number = Number(typed);
      return Number.isFinite(number) ? { value: number } : { fault: "must be a number" };
    }
    case "json":
      return readJson(typed);
    default:
      return { value: typed };
  }
}

/** Reads JSON, saying in words what is wrong with it. */
export function readJson(typed: string): { value: unknown } | { fault: string } {
  try {
    return { value: JSON.parse(typed) as unknown };
  } catch (error) {
    return { fault: `is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** A fault in words, with its place where that is not the field itself. */
export function described(fault: Fault): string {
  return fault.path === "" ? fault.message : `${fault.path} ${fault.message}`;
}

