// Checking an answer with its schema before it is sent, by interpretation: the page's policy lets nobody compile one.
// The server judges again, and by the patterns that are left out here.

import { Validator, type OutputUnit } from "@cfworker/json-schema";
import { hasExact } from "../lib/json";
import { judgeNumbers, withoutNumbers } from "./judgenumbers";
import { presentable, type Schema } from "./schema";

export interface Fault {
  /** Where in the answer, from the outside in. */
  path: string[];
  /** What follows the name of what is wrong in a sentence, such as "is required". */
  message: string;
}

/** What is wrong with something, as a sentence about it. */
export function told(subject: string, messages: readonly string[]): string {
  return `${subject} ${[...new Set(messages)].join(" and ")}.`;
}

/** What these say of a value, the errors inside it say better. */
const SUMMARIES = new Set([
  "properties", "items", "prefixItems", "allOf", "$ref", "additionalItems", "if", "then", "else", "dependentSchemas", "dependencies",
  "propertyNames", "patternProperties", "additionalProperties", "unevaluatedItems", "unevaluatedProperties",
]);

/** What is wrong with a value. A schema that cannot be read finds nothing wrong: the server says what it wants. */
export function judge(schema: Schema, value: unknown): Fault[] {
  const readable = presentable(schema);
  if (!readable) return [];
  if (hasExact(readable) || hasExact(value)) {
    const rest = withoutNumbers(readable, value);
    return rest ? [...judge(rest.schema, rest.value), ...judgeNumbers(readable, value)] : [];
  }
  let errors: OutputUnit[];
  try {
    // The validator writes into the schema that it is given.
    errors = new Validator(structuredClone(readable), "2020-12", false).validate(value).errors;
  } catch {
    return [];
  }
  const telling = errors.filter((error) => !SUMMARIES.has(error.keyword));
  return faultsOf(telling.length > 0 ? telling : errors);
}

/** What these say of a value takes the place of the errors inside, of which not all have to be mended. */
const CHOICES = new Set(["anyOf", "oneOf", "contains"]);

/** So many ways out are told one by one. */
const WAYS = 3;

function faultsOf(errors: OutputUnit[]): Fault[] {
  const faults: Fault[] = [];
  for (let i = 0; i < errors.length; ) {
    const error = errors[i++]!;
    const first = i;
    // The errors inside follow the one that they are inside of.
    if (CHOICES.has(error.keyword)) while (errors[i]?.keywordLocation.startsWith(`${error.keywordLocation}/`)) i++;
    faults.push(waysOut(error, errors.slice(first, i)) ?? faultOf(error));
  }
  return faults;
}

/** What is wrong with a value that fits none of several schemas, if that can be said in a few words. */
function waysOut({ keyword, error }: OutputUnit, inside: OutputUnit[]): Fault | undefined {
  if (keyword === "contains" || (keyword === "oneOf" && !error.includes("(0 matches)"))) return undefined;
  const [first, ...more] = faultsOf(inside);
  const place = JSON.stringify(first?.path);
  if (!first || more.some(({ path }) => JSON.stringify(path) !== place)) return undefined;
  const ways = new Set([first, ...more].map(({ message }) => message));
  return ways.size > WAYS ? undefined : { path: first.path, message: [...ways].join(" or ") };
}

const counted = (bound: string, what: string) => `${bound} ${what}${bound === "1" ? "" : "s"}`;

/** Errors about a bound, which they end with, as what the bound asks for. */
const BOUNDS: Record<string, (bound: string) => string> = {
  minLength: (bound) => `must have at least ${counted(bound, "character")}`,
  maxLength: (bound) => `must have at most ${counted(bound, "character")}`,
  minItems: (bound) => `must have at least ${counted(bound, "item")}`,
  maxItems: (bound) => `must have at most ${counted(bound, "item")}`,
  minimum: (bound) => `must be at least ${bound}`,
  maximum: (bound) => `must be at most ${bound}`,
  exclusiveMinimum: (bound) => `must be more than ${bound}`,
  exclusiveMaximum: (bound) => `must be less than ${bound}`,
  multipleOf: (bound) => `must be a multiple of ${bound}`,
};

const TYPES: Record<string, string> = {
  string: "a text", number: "a number", integer: "a whole number", boolean: "true or false", array: "a list", object: "an object", null: "null",
};

/** Errors of the other keywords, which end with no bound. */
const WORDS: Record<string, string> = {
  enum: "must be one of the choices",
  const: "must be one of the choices",
  false: "is not expected",
  anyOf: "must fit one of several forms",
  oneOf: "must fit exactly one of several forms",
  contains: "must contain an item of another form",
  not: "must be something else",
  uniqueItems: "must not have an item twice",
};

function faultOf({ keyword, instanceLocation, error }: OutputUnit): Fault {
  const path = instanceLocation.split("/").slice(1).map(unescape);
  const named = /"([^"]*)"\.$/.exec(error)?.[1];
  switch (keyword) {
    case "required":
    case "dependentRequired":
      return { path: named === undefined ? path : [...path, named], message: "is required" };
    case "type":
      return { path, message: `must be ${typesIn(error)}` };
    case "format":
      return { path, message: `must be of the form ${named}` };
    case "minProperties":
    case "maxProperties":
      return { path, message: `must have at ${keyword === "minProperties" ? "least" : "most"} ${counted(/(\d+) properties/.exec(error)?.[1] ?? "some", "member")}` };
    default: {
      const bound = /([^\s(]+?)\)?\.$/.exec(error)?.[1];
      return { path, message: (bound !== undefined && BOUNDS[keyword]?.(bound)) || (WORDS[keyword] ?? "must be as the question asks for it") };
    }
  }
}

function typesIn(error: string): string {
  const [, expected = ""] = /Expected (.*)\.$/.exec(error) ?? [];
  return [...expected.matchAll(/"([^"]*)"/g)].map(([, name = ""]) => TYPES[name] ?? name).join(" or ") || "of another type";
}

/** A token of a JSON pointer in a URI fragment as the member's name. */
function unescape(token: string): string {
  let decoded = token;
  try {
    decoded = decodeURIComponent(token);
  } catch {
    // It is a name with a bare percent sign.
  }
  return decoded.replaceAll("~1", "/").replaceAll("~0", "~");
}
