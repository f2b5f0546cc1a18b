// Answers to open interrupts: what kind of question each is, and the entries that go back together.

import type { Interrupt, Message, ResumeEntry, ToolCall } from "@ag-ui/client";
import { answersOf, askingMember, questionText, type AnswerChoice } from "../../../client/answers";
import type { Entry } from "../server/api";
import { isChoice } from "./formschema";
import { parse, stringify } from "../lib/json";
import { printed } from "../lib/jsontext";
import { headlineOf, shortened } from "../lib/naming";
import { visible } from "../lib/misleading";
import { isObject, presentable, propertiesOf, requiredOf, type Schema } from "./schema";

/** What a person has decided about one interrupt, not sent yet. */
export interface Answer {
  status: "resolved" | "cancelled";
  payload?: unknown;
}

/** How a question is put that has more to it than a choice. `json` is for schemas that no form here can say. */
export type Asked = { kind: "form" | "text" | "json"; schema: Schema };

/** How a question is put. */
export type Question =
  | { kind: "approval"; editable: boolean; extras?: Schema; /** What the arguments are like. */ args?: Schema }
  | { kind: "choice"; choices: readonly AnswerChoice[]; otherwise: "any" | "object" | "nothing" | Asked }
  | Asked;

const COMPOSED = ["$ref", "oneOf", "anyOf", "allOf", "not", "if"];

/** Reads off the schema and the reason how to ask. Unknown reasons are asked by their schema. */
export function questionOf(interrupt: Interrupt): Question {
  if (waits(interrupt.reason)) return { kind: "choice", choices: [], otherwise: "nothing" };
  const given = interrupt.responseSchema as Schema | undefined;
  const { choices, otherwise } = answersOf(interrupt);
  if (!given && otherwise === "schema") return { kind: "approval", editable: true }; // a call, of which nothing is listed
  const schema = given && presentable(given);
  const approval = schema && approvalOf(schema);
  if (approval) return approval;
  if (choices.length === 0 && given) return askedBy(given, schema);
  return { kind: "choice", choices, otherwise: otherwise !== "schema" ? otherwise : given ? askedBy(given, schema) : "nothing" };
}

function approvalOf(schema: Schema): Question | undefined {
  const either = yesOrNo(schema);
  if (either) return either;
  const properties = propertiesOf(schema);
  if (properties.approved?.type !== "boolean" || COMPOSED.some((keyword) => keyword in schema)) return undefined;
  const extras = explained(without(schema, ["approved", "editedArgs"]));
  const { editedArgs: args } = properties;
  const approval = { kind: "approval", editable: args !== undefined, ...(args?.properties !== undefined && { args }) } as const;
  if (drawable(extras)) return { ...approval, extras };
  return requiredOf(extras).length === 0 ? approval : undefined;
}

function askedBy(given: Schema, schema: Schema | undefined): Asked {
  if (!schema) return { kind: "json", schema: given };
  if (isChoice(schema)) return { kind: "form", schema };
  if (schema.type === "string") return { kind: "text", schema };
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
export function labelOf(question: Question, { status, payload }: Answer): string {
  if (status === "cancelled") return "Cancelled";
  if (question.kind === "choice") return choiceOf(question.choices, payload)?.label ?? "Answered";
  if (question.kind !== "approval") return "Answered";
  const { approved, editedArgs } = isObject(payload) ? payload : {};
  if (approved !== true) return "Declined";
  return editedArgs === undefined ? "Approved" : "Approved with edits";
}

/** Whether an answer is none of those that say no. */
export function saysYes(question: Question, answer: Answer): boolean {
  if (answer.status === "cancelled") return false;
  if (question.kind === "choice") return choiceOf(question.choices, answer.payload)?.means !== "no";
  return labelOf(question, answer) !== "Declined";
}

function choiceOf(choices: readonly AnswerChoice[], payload: unknown): AnswerChoice | undefined {
  return choices.find((one) => stringify(one.payload) === stringify(payload));
}

/** How long a reason may be; undefined where more than a reason of any kind is asked for, or one has to be given. */
export function reasonOnly(extras: Schema | undefined): { most?: number } | undefined {
  const properties = extras && propertiesOf(extras);
  if (!properties || Object.keys(properties).join() !== "reason" || requiredOf(extras).length > 0) return undefined;
  const { type, maxLength, title: _, description: __, ...others } = properties.reason!;
  if (type !== "string" || Object.keys(others).length > 0) return undefined;
  return typeof maxLength === "number" ? { most: maxLength } : {};
}

const HEADINGS = new Map([
  ["tool_call", "Approval needed"],
  ["input_required", "Input needed"],
  ["confirmation", "Confirmation needed"],
]);

/** The interrupts by which an agent waits for a time, and for what another system tells it: nobody is asked. */
export const TIMER = "aguiws:timer";
export const EVENT = "aguiws:event";

/** The interrupt by which an agent waits for another one, which it has called: nobody is asked. */
export const CALL = "aguiws:call";

/** Whether an interrupt of this reason waits for something else than an answer. */
export const waits = (reason: string) => reason === TIMER || reason === EVENT || reason === CALL;

/** The chat of the agent that was called; undefined: none was. */
export function calledIn({ reason, metadata }: Interrupt): string | undefined {
  const own: unknown = reason === CALL && isObject(metadata) ? metadata.aguiws : undefined;
  return isObject(own) && typeof own.threadId === "string" ? own.threadId : undefined;
}

/** What a server asks of its own accord: its message says the rest. */
const OWN = new Map([
  [TIMER, "The agent waits"],
  [EVENT, "The agent waits for an event"],
  [CALL, "The agent waits for another one"],
  ["aguiws:uncertain_step", "Did this happen?"],
  ["aguiws:question_forgotten", "The agent has forgotten its question"],
  ["aguiws:paused", "Paused"],
  ["aguiws:auth_required", "Sign-in needed"],
]);

/** A heading is shorter than this, in characters. */
const HEADING = 200;

/**
 * What stands above a question: what its agent calls it, what the call would do, or its words. `said`: it is all of its
 * words. A reason is its agent's framework's, and nothing to read.
 */
export function headingOf(interrupt: Interrupt, call?: ToolCall): { heading: string; said: boolean } {
  const { reason } = interrupt;
  const own = OWN.get(reason);
  const named = own ?? lineOf(interrupt, "title") ?? (call && headlineOf(call.function.name, call.function.arguments));
  if (named !== undefined) return { heading: named, said: false };
  const text = questionText(interrupt);
  if (text !== undefined && text.length < HEADING && !text.trim().includes("\n")) return { heading: text, said: true };
  return { heading: HEADINGS.get(reason) ?? "The agent asks", said: false };
}

/** What a question says below its heading: its agent's summary, or else its message, unless the heading or the call says as much. */
export function wordsOf(interrupt: Interrupt, call: ToolCall | undefined): string | undefined {
  const summary = lineOf(interrupt, "summary");
  if (summary !== undefined) return summary;
  const text = questionText(interrupt);
  if (headingOf(interrupt, call).said || (call && text === `May the tool ${call.function.name} be called with these arguments?`)) return undefined;
  return text;
}

/** What an agent says of its question in a line. */
function lineOf({ metadata }: Interrupt, member: "title" | "summary"): string | undefined {
  const line: unknown = isObject(metadata) ? metadata[member] : undefined;
  if (typeof line !== "string" || line.trim() === "" || line.length > HEADING || line.trim().includes("\n")) return undefined;
  return line.trim();
}

/** What a question says beside its words, as JSON: in its message, or in its metadata where it has no message; undefined where that is nothing. */
export function aboutOf({ message, metadata }: Pick<Interrupt, "message" | "metadata">): string | undefined {
  if (!message) {
    const { answers: _, title: __, summary: ___, ...others } = isObject(metadata) ? metadata : {};
    return Object.keys(others).length === 0 ? undefined : stringify(others, 2);
  }
  const asking = askingMember(message);
  if (asking && "whole" in asking) return undefined;
  const read = readJson(message);
  if ("fault" in read) return undefined;
  if (!asking || !isObject(read.value)) return stringify(read.value, 2);
  const { [asking.name]: _, ...others } = read.value;
  return Object.keys(others).length === 0 ? undefined : stringify(others, 2);
}

/** What is known of a step that nobody can tell the end of, so that it can be looked up elsewhere; undefined: nothing. */
export function factsOf({ reason, metadata }: Interrupt): string | undefined {
  const own: unknown = reason === "aguiws:uncertain_step" && isObject(metadata) ? metadata.aguiws : undefined;
  if (!isObject(own)) return undefined;
  const facts = Object.entries(own).filter(([name]) => name !== "branch" && name !== "step");
  return facts.length === 0 ? undefined : stringify(Object.fromEntries(facts));
}

/** A longer description is cut, in characters. */
const DESCRIBED = 160;

/** What was decided about what, in a line: `Approved “Send email to ada@example.com”`. */
export function decisionOf(interrupt: Interrupt, messages: readonly Message[], answer: Answer): string {
  const question = questionOf(interrupt);
  const label = labelOf(question, answer);
  const chosen = question.kind === "choice" && answer.status === "resolved" && label !== "Answered";
  return `${chosen ? `Answered “${visible(label)}” to` : label} ${subjectOf(interrupt, messages)}`;
}

/** What a question is about, in quotes: `“Send email to ada@example.com”`. */
export function subjectOf(interrupt: Interrupt, messages: readonly Message[]): string {
  return `“${aboutWhat(interrupt, toolCallOf(interrupt, messages))}”`;
}

/** What a question is about, in a line. */
export function aboutWhat(interrupt: Interrupt, call?: ToolCall): string {
  const { heading, said } = headingOf(interrupt, call);
  const about = said || call || lineOf(interrupt, "title") !== undefined ? heading : (questionText(interrupt) ?? (interrupt.message || heading));
  return visible(shortened(about, DESCRIBED));
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

/** The call of a question that comes without the message of its call. */
export function calledBy(call: { name: string; arguments: string } | undefined): ToolCall | undefined {
  return call && { id: "", type: "function", function: call };
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
    return twice === undefined ? { value } : { fault: `The text names ${JSON.stringify(twice)} twice.` };
  } catch (error) {
    return { fault: `The text is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Reads a JSON object, as the arguments of a tool call are. */
export function readArguments(typed: string): { value: Record<string, unknown> } | { fault: string } {
  const read = readJson(typed);
  if ("fault" in read) return read;
  return isObject(read.value) ? { value: read.value } : { fault: "The text must be a JSON object." };
}

/** Whether a value is what a text says: numbers by their text, members in their order. */
export function sameJson(value: unknown, text: string): boolean {
  try {
    return stringify(value) === stringify(parse(text));
  } catch {
    return false;
  }
}
