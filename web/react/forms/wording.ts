// A question in words: what stands above it and below, and what it is about in a line.

import type { Interrupt, Message, ToolCall } from "@ag-ui/client";
import { askingMember, questionText } from "@aguiws/client";
import { labelOf, wayOf, type Answer } from "./answers.js";
import { questionOf } from "./question.js";
import { readJson } from "./readjson.js";
import { isObject, type Schema } from "./schema.js";
import { stringify } from "../lib/json.js";
import { visible } from "../lib/misleading.js";
import { headlineOf, shortened } from "../lib/naming.js";
import { ENGLISH, type Strings } from "../lib/strings.js";

/** A heading is shorter than this, in characters. */
const HEADING = 200;

/** A table's word for a reason. A reason is an agent's, and may be called as what every object has. */
const of = (table: Readonly<Record<string, string>>, reason: string) => (Object.hasOwn(table, reason) ? table[reason] : undefined);

/**
 * What stands above a question: what its agent calls it, what the call would do, its words, or what its schema is called. `said`: it is all of its
 * words. A reason is its agent's framework's, and nothing to read.
 */
export function headingOf(interrupt: Interrupt, call?: ToolCall, { decision, text: { andMore } }: Strings = ENGLISH): { heading: string; said: boolean } {
  const { reason } = interrupt;
  const own = of(decision.own, reason);
  const named = own ?? lineOf(interrupt, "title") ?? (call && headlineOf(call.function.name, call.function.arguments, andMore));
  if (named !== undefined) return { heading: named, said: false };
  const text = questionText(interrupt);
  if (text !== undefined && text.length < HEADING && !text.trim().includes("\n")) return { heading: text, said: true };
  const asked = isObject(interrupt.responseSchema) ? interrupt.responseSchema.title : undefined;
  return { heading: isLine(asked) ? asked.trim() : (of(decision.headings, reason) ?? decision.asks), said: false };
}

/** What a question says below its heading: its agent's summary, or else its message, unless the heading or the call says as much. */
export function wordsOf(interrupt: Interrupt, call: ToolCall | undefined, strings: Strings = ENGLISH): string | undefined {
  const summary = lineOf(interrupt, "summary");
  if (summary !== undefined) return summary;
  const text = questionText(interrupt);
  if (headingOf(interrupt, call, strings).said || (call && text === `May the tool ${call.function.name} be called with these arguments?`)) return undefined;
  return text;
}

/** What an agent says of its question in a line. */
function lineOf({ metadata }: Interrupt, member: "title" | "summary"): string | undefined {
  const line: unknown = isObject(metadata) ? metadata[member] : undefined;
  return isLine(line) ? line.trim() : undefined;
}

function isLine(text: unknown): text is string {
  return typeof text === "string" && text.trim() !== "" && text.length <= HEADING && !text.trim().includes("\n");
}

/** What a question says beside its words, as JSON: in its message, or in its metadata where it has no message; undefined where that is nothing. */
export function aboutOf({ message, metadata }: Pick<Interrupt, "message" | "metadata">): string | undefined {
  if (!message) {
    const { answers: _, title: __, summary: ___, destructive: ____, ...others } = isObject(metadata) ? metadata : {};
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

/** What is known of a step that nobody can tell the end of, so that it can be looked up elsewhere; undefined: nothing. An agent's run stands in the words. */
export function factsOf({ reason, metadata }: Interrupt): string | undefined {
  const own: unknown = reason === "aguiws:uncertain_step" && isObject(metadata) ? metadata.aguiws : undefined;
  if (!isObject(own)) return undefined;
  const facts = Object.entries(own).filter(([name]) => name !== "branch" && name !== "step" && name !== "agentRun");
  return facts.length === 0 ? undefined : stringify(Object.fromEntries(facts));
}

/** What those facts are called. */
export const factTitles = ({ decision }: Strings): Schema => ({
  properties: { call: { title: decision.factCall }, idempotencyKey: { title: decision.factKey } },
});

/** A longer description is cut, in characters. */
const DESCRIBED = 160;

/** What was decided about what, in a line: `Approved “Send email to ada@example.com”`. */
export function decisionOf(interrupt: Interrupt, messages: readonly Message[], answer: Answer, strings: Strings = ENGLISH): string {
  const question = questionOf(interrupt, strings.answer);
  const label = labelOf(question, answer, strings);
  const chosen = question.kind === "choice" && answer.status === "resolved" && wayOf(question, answer) === "chosen";
  const subject = subjectOf(interrupt, messages, strings);
  if (answer.status === "cancelled") return strings.answer.unanswered(subject);
  return chosen ? strings.answer.chosen(visible(label), subject) : strings.answer.about(label, subject);
}

/** What a question is about, in quotes: `“Send email to ada@example.com”`. */
export function subjectOf(interrupt: Interrupt, messages: readonly Message[], strings: Strings = ENGLISH): string {
  return strings.answer.quoted(aboutWhat(interrupt, toolCallOf(interrupt, messages), strings));
}

/** What a question is about, in a line. */
export function aboutWhat(interrupt: Interrupt, call?: ToolCall, strings: Strings = ENGLISH): string {
  const { heading, said } = headingOf(interrupt, call, strings);
  const about = said || call || lineOf(interrupt, "title") !== undefined ? heading : (questionText(interrupt) ?? (interrupt.message || heading));
  return visible(shortened(about, DESCRIBED));
}

/** A message as far as calls are looked for in it: a frontend's messages may be those of another @ag-ui/client. */
export type Calling = Pick<Message, "role"> & { toolCalls?: readonly ToolCall[] | undefined };

/** The tool call an interrupt is about. */
export function toolCallOf(interrupt: Interrupt, messages: readonly Calling[]): ToolCall | undefined {
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

