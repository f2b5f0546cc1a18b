// Checking an answer with its schema before it is sent, by interpretation: the page's policy lets nobody compile one.
// The server judges again, and by the patterns that are left out here.

import { Validator, type OutputUnit } from "@cfworker/json-schema";
import { hasExact } from "../lib/json";
import { judgeNumbers, withoutNumbers } from "./judgenumbers";
import { presentable, type Schema } from "./schema";

export interface Fault {
  /** Where in the answer, from the outside in. */
  path: string[];
  message: string;
}

/** What these say of a value, the errors inside it say better. */
const SUMMARIES = new Set(["properties", "items", "prefixItems", "allOf", "$ref", "additionalItems", "if", "then", "else", "dependentSchemas", "contains"]);

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
  return (telling.length > 0 ? telling : errors).map(faultOf);
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

function faultOf({ keyword, instanceLocation, error }: OutputUnit): Fault {
  const path = instanceLocation.split("/").slice(1).map(unescape);
  const named = /"(.*)"/.exec(error)?.[1];
  switch (keyword) {
    case "required":
      return { path: named === undefined ? path : [...path, named], message: "is required" };
    case "type":
      return { path, message: `must be ${/Expected (.*)\./.exec(error)?.[1]?.replaceAll('"', "") ?? "of another type"}` };
    case "enum":
    case "const":
      return { path, message: "must be one of the choices" };
    case "false":
      return { path, message: "is not expected" };
    case "format":
      return { path, message: `must be of the form ${named}` };
    default: {
      const bound = /([^\s(]+?)\)?\.$/.exec(error)?.[1];
      const said = bound === undefined ? undefined : BOUNDS[keyword]?.(bound);
      return { path, message: said ?? error.replace(/^Instance /, "").replace(/\.$/, "") };
    }
  }
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
