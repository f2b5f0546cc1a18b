// Answers to open interrupts: what kind of question each is, and the entries that go back together.

import type { Interrupt, Message, ResumeEntry, ToolCall } from "@ag-ui/client";
import type { Entry } from "./api";
import { parse, stringify } from "./json";
import { printed } from "./jsontext";
import { visible } from "./misleading";
import { isObject, presentable, propertiesOf, requiredOf, type Schema } from "./schema";

/** What a person has decided about one interrupt, not sent yet. */
export interface Answer {
  status: "resolved" | "cancelled";
  payload?: unknown;
}

/** How a question is put. `json` is for schemas that no form here can say. */
export type Question =
  | { kind: "approval"; editable: boolean; extras?: Schema }
  | { kind: "confirmation" }
  | { kind: "form"; schema: Schema }
  | { kind: "json"; schema: Schema };

const COMPOSED = ["$ref", "oneOf", "anyOf", "allOf", "not", "if"];

/** Reads off the schema and the reason how to ask. Unknown reasons are asked by their schema. */
export function questionOf(interrupt: Interrupt): Question {
  const given = interrupt.responseSchema as Schema | undefined;
  if (!given) return interrupt.reason === "tool_call" ? { kind: "approval", editable: true } : { kind: "confirmation" };
  const schema = presentable(given);
  if (!schema) return { kind: "json", schema: given };
  const either = yesOrNo(schema);
  if (either) return either;
  const properties = propertiesOf(schema);
  if (properties.approved?.type === "boolean" && !COMPOSED.some((keyword) => keyword in schema)) {
    const extras = explained(without(schema, ["approved", "editedArgs"]));
    if (drawable(extras)) return { kind: "approval", editable: "editedArgs" in properties, extras };
    if (requiredOf(extras).length === 0) return { kind: "approval", editable: "editedArgs" in properties };
  }
  return drawable(schema) ? { kind: "form", schema } : { kind: "json", schema: given };
}

/** A choice between a yes and a no, each a schema of its own: as TanStack AI asks for approval. */
function yesOrNo(schema: Schema): Question | undefined {
  const choices: unknown = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(choices) || choices.length !== 2 || !choices.every(isObject)) return undefined;
  const saying = (word: boolean) => (choices as Schema[]).find((one) => isObject(propertiesOf(one).approved) && propertiesOf(one).approved!.const === word);
  const [yes, no] = [saying(true), saying(false)];
  if (!yes || !no || [yes, no].some((one) => requiredOf(one).some((name) => name !== "approved"))) return undefined;
  return { kind: "approval", editable: "editedArgs" in propertiesOf(yes) };
}

/** Whether a form of it has a field for whatever has to be said. */
function drawable(schema: Schema): boolean {
  if (["oneOf", "anyOf", "$ref"].some((keyword) => keyword in schema)) return true;
  if (schema.type !== undefined && schema.type !== "object") return false;
  const properties = propertiesOf(schema);
  return Object.keys(properties).length > 0 && requiredOf(schema).every((name) => Object.hasOwn(properties, name));
}

/**
 * A server of this kind asks for a reason with the one word "Why", which cannot change: what is asked again has to be what
 * was asked before. What becomes of a reason is said here.
 */
function explained(schema: Schema): Schema {
  const { reason, ...others } = propertiesOf(schema);
  if (reason?.description !== "Why") return schema;
  return { ...schema, properties: { ...others, reason: { ...reason, description: "The agent is told this with your answer." } } };
}

function without(schema: Schema, names: string[]): Schema {
  const properties = Object.entries(propertiesOf(schema)).filter(([name]) => !names.includes(name));
  return { ...schema, properties: Object.fromEntries(properties), required: requiredOf(schema).filter((name) => !names.includes(name)) };
}

/** The entries for all open interrupts; undefined while one is unanswered. */
export function entriesFor(open: readonly Interrupt[], answers: Record<string, Answer>): ResumeEntry[] | undefined {
  const entries: ResumeEntry[] = [];
  for (const { id } of open) {
    const answer = answers[id];
    if (!answer) return undefined;
    entries.push(entryOf(id, answer) as ResumeEntry);
  }
  return entries;
}

export function entryOf(interruptId: string, { status, payload }: Answer): Entry {
  return { interruptId, status, ...(payload !== undefined && { payload }) };
}

/** What was decided, in a word. */
export function labelOf(kind: Question["kind"], { status, payload }: Answer): string {
  if (status === "cancelled") return "Cancelled";
  const { approved, editedArgs } = isObject(payload) ? payload : {};
  if (kind === "confirmation") return approved === false ? "Declined" : "Confirmed";
  if (kind !== "approval") return "Answered";
  if (approved !== true) return "Declined";
  return editedArgs === undefined ? "Approved" : "Approved with edits";
}

/** What a yes to a question without a schema says: where a yes is asked for, that it is one. */
export function confirmed({ reason }: Interrupt): unknown {
  return reason === "confirmation" ? { approved: true } : undefined;
}

/** What a no to such a question says; undefined where the question takes no no. */
export function refusedBy({ reason }: Interrupt): unknown {
  return reason === "confirmation" ? { approved: false } : undefined;
}

/** How long a reason may be; undefined where more than a reason of any kind is asked for, or one has to be given. */
export function reasonOnly(extras: Schema | undefined): { most?: number } | undefined {
  const properties = extras && propertiesOf(extras);
  if (!properties || Object.keys(properties).join() !== "reason" || requiredOf(extras).length > 0) return undefined;
  const { type, maxLength, title: _, description: __, ...others } = properties.reason!;
  if (type !== "string" || Object.keys(others).length > 0) return undefined;
  return typeof maxLength === "number" ? { most: maxLength } : {};
}

/** What stands in the place of a message in a question that has none; undefined where nothing does. */
export function aboutOf({ message, metadata }: Interrupt): string | undefined {
  return message || !isObject(metadata) || Object.keys(metadata).length === 0 ? undefined : stringify(metadata, 2);
}

/** A longer description is cut, in characters. */
const DESCRIBED = 160;

/** What was decided about what, in a line: `Approved pay {"eur":300}`. */
export function decisionOf(interrupt: Interrupt, messages: readonly Message[], answer: Answer): string {
  return `${labelOf(questionOf(interrupt).kind, answer)} ${subjectOf(interrupt, messages)}`;
}

/** What a question is about, in a line: `pay {"eur":300}`. */
export function subjectOf(interrupt: Interrupt, messages: readonly Message[]): string {
  const call = toolCallOf(interrupt, messages);
  const about = call ? `${call.function.name} ${call.function.arguments}` : (interrupt.message ?? interrupt.reason);
  const text = about.slice(0, 2 * DESCRIBED).trim().replace(/\s+/g, " ");
  const cut = visible(about.length > 2 * DESCRIBED || text.length > DESCRIBED ? `${text.slice(0, DESCRIBED)}…` : text);
  return call ? cut : `“${cut}”`;
}

/** What an answer says beside its decision; undefined where that is all. */
export function saidBeside({ payload }: Answer): unknown {
  if (!isObject(payload)) return payload;
  const { approved, ...beside } = payload;
  return Object.keys(beside).length > 0 ? beside : undefined;
}

/** The tool call an interrupt is about. */
export function toolCallOf(interrupt: Interrupt, messages: readonly Message[]): ToolCall | undefined {
  if (interrupt.toolCallId === undefined) return undefined;
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    const call = message.toolCalls?.find((one) => one.id === interrupt.toolCallId);
    if (call) return call;
  }
  return undefined;
}

/** JSON as people read it; what is not JSON (yet) as it is. */
export function pretty(text: string): string {
  return printed(text)?.text ?? text;
}

/** Reads JSON with its numbers as they are written, saying in words what is wrong with it. */
export function readJson(typed: string): { value: unknown } | { fault: string } {
  try {
    const value = parse(typed);
    const [twice] = printed(typed)?.twice ?? [];
    return twice === undefined ? { value } : { fault: `names ${JSON.stringify(twice)} twice` };
  } catch (error) {
    return { fault: `is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Reads a JSON object, as the arguments of a tool call are. */
export function readArguments(typed: string): { value: Record<string, unknown> } | { fault: string } {
  const read = readJson(typed);
  if ("fault" in read) return read;
  return isObject(read.value) ? { value: read.value } : { fault: "must be a JSON object" };
}

/** Whether a value is what a text says: numbers by their text, members in their order. */
export function sameJson(value: unknown, text: string): boolean {
  try {
    return stringify(value) === stringify(parse(text));
  } catch {
    return false;
  }
}
