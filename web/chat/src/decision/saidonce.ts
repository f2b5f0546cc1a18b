// What an opened call says, without what is said in its line or above it.

import type { Change } from "../../../client";
import { parse, stringify } from "../../../react/lib/json";
import { printed } from "../../../react/lib/jsonscan";
import { isObject } from "../../../react/forms/schema";

/** What a result says of how its call came out, which the line of the call says. */
const OUTCOME = new Set(["executed", "declined", "denied", "expired"]);

/** The arguments, as JSON, without those of which the edits say what they were and are. Of a list or an object they may say a part, and it stays. */
export function argsBeside(given: string, changed: readonly Change[] = []): string {
  const args = objectIn(given);
  const told = new Set(changed.filter(({ after }) => typeof after !== "object" || after === null).map(({ pointer }) => pointer));
  return args && told.size > 0 ? without(given, args, (name) => told.has(`/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`)) : given;
}

/** What a result says, as it is or as JSON, without what repeats the arguments, the outcome or the reason; undefined: that is all. */
export function resultBeside(result: string, given: string, reason?: string): string | undefined {
  const said = objectIn(result);
  if (!said) return result;
  const args = objectIn(given);
  const outcome = typeof said.executed === "boolean";
  const rest = without(result, said, (name, value) => {
    if (outcome && ((OUTCOME.has(name) && typeof value === "boolean") || (name === "reason" && value === reason))) return true;
    return args !== undefined && (same(value, args) || (Object.hasOwn(args, name) && same(value, args[name])));
  });
  return rest === "{}" ? undefined : rest;
}

/** The object that a text is, if it names nothing twice. */
function objectIn(text: string): Record<string, unknown> | undefined {
  const value = printed(text)?.twice.length === 0 ? parse(text) : undefined;
  return isObject(value) ? value : undefined;
}

function without(text: string, object: Record<string, unknown>, told: (name: string, value: unknown) => boolean): string {
  const members = Object.entries(object);
  const rest = members.filter(([name, value]) => !told(name, value));
  return rest.length === members.length ? text : stringify(Object.fromEntries(rest));
}

const same = (one: unknown, other: unknown) => stringify(one) === stringify(other);
