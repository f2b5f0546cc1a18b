// What was typed here into questions that somebody else has answered.

import type { Message, ToolCall } from "@ag-ui/client";
import { readJson } from "../../../react/forms/readjson";
import { isObject } from "../../../react/forms/schema";
import { questionText } from "../../../client/answers";
import { isNumeric, stringify, textOfNumber } from "../../../react/lib/json";
import { headlineOf, worded } from "../../../react/lib/naming";
import type { Mark } from "./record";
import { changesOf, placeOf, sideOf, type Told } from "./told";
import { givenTo, typedInto } from "./typed";
import { parts } from "../words";

export interface Unsent {
  told: Told;
  /** What was asked, in a line; undefined where nobody knows any more. */
  about?: string;
  /** What was typed, as people read it. */
  text: string;
  /** An answer was given here, and another one was taken. */
  given: boolean;
}

interface Thread {
  threadId: string;
  /** What is open is not over. */
  open: ReadonlyArray<{ id: string }>;
  messages: readonly Message[];
  decided: ReadonlyMap<string, Told>;
  marks: readonly Mark[];
}

/** What was typed into questions of the thread and has not been sent, the latest answer last. */
export function unsentOf({ threadId, open, messages, decided, marks }: Thread): Unsent[] {
  const found: Unsent[] = [];
  const look = (told: Told, about: () => { call?: ToolCall; about?: string }) => {
    const id = told.interruptId;
    const typed = typedInto(threadId, id);
    const given = givenTo(threadId, id);
    if (typed === undefined || open.some((one) => one.id === id) || isAs(given, told)) return;
    const { call, about: line } = about();
    const text = writtenIn(typed, call?.function.arguments);
    if (text !== "") found.push({ told, about: line, text, given: given !== undefined });
  };
  for (const [callId, told] of decided) {
    look(told, () => {
      const call = messages.flatMap((message) => (message.role === "assistant" && message.toolCalls) || []).find(({ id }) => id === callId);
      return { call, about: call && headlineOf(call.function.name, call.function.arguments, parts.text.andMore) };
    });
  }
  for (const mark of marks) if (mark.kind === "answer") look(mark.told, () => ({ about: questionText({ message: mark.question?.message ?? mark.told.message }) }));
  return found.sort((one, other) => Date.parse(one.told.at) - Date.parse(other.told.at));
}

/** Whether the answer that was given here is the one that was taken, as far as that is told. */
function isAs(given: unknown, { status, payload, approved, cut }: Told): boolean {
  if (!isObject(given) || given.status !== status) return false;
  if (payload !== undefined && !cut?.includes("payload")) return stringify(given.payload) === stringify(payload);
  return approved === undefined || (isObject(given.payload) && given.payload.approved === approved);
}

/** What was typed into the fields of a question, in lines; of arguments what is not as it was proposed. */
export function writtenIn(typed: unknown, proposed?: string): string {
  if (!isObject(typed)) return "";
  const lines: string[] = [];
  for (const [name, value] of Object.entries(typed)) {
    if (name === "args" && typeof value === "string") lines.push(...editsIn(value, proposed));
    else if (name === "form") lines.push(...linesOf(value));
    else if (typeof value === "string" && value.trim() !== "") lines.push(labelled(/^(?:number|json) root_(.+)$/.exec(name)?.[1], value));
  }
  return lines.join("\n");
}

function editsIn(edited: string, proposed: string | undefined): string[] {
  const read = readJson(edited, parts.form);
  // What is no JSON yet is kept as it stands.
  if ("fault" in read) return [edited];
  const before = readJson(proposed || "{}", parts.form);
  return "value" in before ? changesOf(before.value, read.value).flatMap((change) => ("after" in change ? [labelled(placeOf(change.pointer), sideOf(change.after))] : [])) : [edited];
}

function linesOf(value: unknown): string[] {
  if (value === undefined) return [];
  if (!isObject(value) || isNumeric(value)) return [said(value)];
  return Object.entries(value).flatMap(([name, member]) => (member === undefined ? [] : [labelled(name, said(member))]));
}

const said = (value: unknown) => (typeof value === "string" ? value : isNumeric(value) ? textOfNumber(value) : stringify(value));

const labelled = (name: string | undefined, text: string) => (name === undefined ? text : `${worded(name)}: ${text}`);
