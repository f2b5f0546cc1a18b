// Checking an answer with its schema before it is sent, by interpretation: the page's policy lets nobody compile one.
// The server judges again, and by the patterns that are left out here.

import { Validator, type OutputUnit } from "@cfworker/json-schema";
import { hasExact } from "../lib/json.js";
import { ENGLISH, type Strings } from "../lib/strings.js";
import { judgeNumbers, withoutNumbers } from "./judgenumbers.js";
import { presentable, type Schema } from "./schema.js";

type Words = Strings["fault"];

export interface Fault {
  /** Where in the answer, from the outside in. */
  path: string[];
  /** What follows the name of what is wrong in a sentence, such as "is required". */
  message: string;
}

/** What is wrong with something, as a sentence about it. */
export function told(subject: string, messages: readonly string[], words: Words = ENGLISH.fault): string {
  return words.told(subject, [...new Set(messages)]);
}

/** What these say of a value, the errors inside it say better. */
const SUMMARIES = new Set([
  "properties", "items", "prefixItems", "allOf", "$ref", "additionalItems", "if", "then", "else", "dependentSchemas", "dependencies",
  "propertyNames", "patternProperties", "additionalProperties", "unevaluatedItems", "unevaluatedProperties",
]);

/** What is wrong with a value. A schema that cannot be read finds nothing wrong: the server says what it wants. */
export function judge(schema: Schema, value: unknown, words: Words = ENGLISH.fault): Fault[] {
  const readable = presentable(schema);
  if (!readable) return [];
  if (hasExact(readable) || hasExact(value)) {
    const rest = withoutNumbers(readable, value);
    return rest ? [...judge(rest.schema, rest.value, words), ...judgeNumbers(readable, value, words)] : [];
  }
  let errors: OutputUnit[];
  try {
    // The validator writes into the schema that it is given.
    errors = new Validator(structuredClone(readable), "2020-12", false).validate(value).errors;
  } catch {
    return [];
  }
  const telling = errors.filter((error) => !SUMMARIES.has(error.keyword));
  return faultsOf(telling.length > 0 ? telling : errors, words);
}

/** What these say of a value takes the place of the errors inside, of which not all have to be mended. */
const CHOICES = new Set(["anyOf", "oneOf", "contains"]);

/** So many ways out are told one by one. */
const WAYS = 3;

function faultsOf(errors: OutputUnit[], words: Words): Fault[] {
  const faults: Fault[] = [];
  for (let i = 0; i < errors.length; ) {
    const error = errors[i++]!;
    const first = i;
    // The errors inside follow the one that they are inside of.
    if (CHOICES.has(error.keyword)) while (errors[i]?.keywordLocation.startsWith(`${error.keywordLocation}/`)) i++;
    faults.push(waysOut(error, errors.slice(first, i), words) ?? faultOf(error, words));
  }
  return faults;
}

/** What is wrong with a value that fits none of several schemas, if that can be said in a few words. */
function waysOut({ keyword, error }: OutputUnit, inside: OutputUnit[], words: Words): Fault | undefined {
  if (keyword === "contains" || (keyword === "oneOf" && !error.includes("(0 matches)"))) return undefined;
  const [first, ...more] = faultsOf(inside, words);
  const place = JSON.stringify(first?.path);
  if (!first || more.some(({ path }) => JSON.stringify(path) !== place)) return undefined;
  const ways = new Set([first, ...more].map(({ message }) => message));
  return ways.size > WAYS ? undefined : { path: first.path, message: words.or([...ways]) };
}

function faultOf({ keyword, instanceLocation, error }: OutputUnit, words: Words): Fault {
  const path = instanceLocation.split("/").slice(1).map(unescape);
  const named = /"([^"]*)"\.$/.exec(error)?.[1];
  switch (keyword) {
    case "required":
    case "dependentRequired":
      return { path: named === undefined ? path : [...path, named], message: words.required };
    case "type":
      return { path, message: words.type(typesIn(error, words)) };
    case "format":
      return { path, message: words.format(named) };
    case "minProperties":
    case "maxProperties":
      return { path, message: words[keyword](/(\d+) properties/.exec(error)?.[1] ?? words.some) };
    default: {
      const bound = /([^\s(]+?)\)?\.$/.exec(error)?.[1];
      return { path, message: (bound !== undefined && words.bounds[keyword]?.(bound)) || (words.words[keyword] ?? words.other) };
    }
  }
}

function typesIn(error: string, { types, or, otherType }: Words): string {
  const [, expected = ""] = /Expected (.*)\.$/.exec(error) ?? [];
  const named = [...expected.matchAll(/"([^"]*)"/g)].map(([, name = ""]) => (Object.hasOwn(types, name) ? types[name]! : name));
  return named.length > 0 ? or(named) : otherType;
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
