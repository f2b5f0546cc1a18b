// Answers to open interrupts, what they say, and the entries that go back together.

import type { Interrupt, ResumeEntry } from "@ag-ui/client";
import type { AnswerChoice } from "@aguiws/client";
import type { Question } from "./question.js";
import { stringify } from "../lib/json.js";
import { ENGLISH, type Strings } from "../lib/strings.js";
import { isObject } from "./schema.js";

/** What a person has decided about one interrupt, not sent yet. */
export interface Answer {
  status: "resolved" | "cancelled";
  payload?: unknown;
}

/** The entries for all open interrupts; undefined while one is unanswered. */
export function entriesFor(open: readonly Interrupt[], answers: Record<string, Answer>): ResumeEntry[] | undefined {
  const entries: ResumeEntry[] = [];
  for (const { id } of open) {
    const answer = answers[id];
    if (!answer) return undefined;
    entries.push(entryOf(id, answer));
  }
  return entries;
}

export function entryOf(interruptId: string, { status, payload }: Answer): ResumeEntry {
  return { interruptId, status, ...(payload !== undefined && { payload }) };
}

/** How a question was answered. `chosen`: by one of its choices. */
export type Way = "cancelled" | "chosen" | "answered" | "declined" | "approved" | "edited";

export function wayOf(question: Question, { status, payload }: Answer): Way {
  if (status === "cancelled") return "cancelled";
  if (question.kind === "choice") return choiceOf(question.choices, payload) ? "chosen" : "answered";
  if (question.kind !== "approval") return "answered";
  const { approved, editedArgs } = isObject(payload) ? payload : {};
  if (approved !== true) return "declined";
  return editedArgs === undefined ? "approved" : "edited";
}

/** What was decided, in a word. */
export function labelOf(question: Question, answer: Answer, { answer: words }: Strings = ENGLISH): string {
  const way = wayOf(question, answer);
  if (way !== "chosen") return words[way];
  return worded(choiceOf((question as Question & { kind: "choice" }).choices, answer.payload)!.label, words);
}

/** A choice's label in the words of the place. */
export function worded(label: string, { choices }: Pick<Strings["answer"], "choices"> = ENGLISH.answer): string {
  return Object.hasOwn(choices, label) ? choices[label]! : label;
}

/** Whether an answer is none of those that say no. */
export function saysYes(question: Question, answer: Answer): boolean {
  const way = wayOf(question, answer);
  if (way === "chosen") return choiceOf((question as Question & { kind: "choice" }).choices, answer.payload)?.means !== "no";
  return way !== "cancelled" && way !== "declined";
}

function choiceOf(choices: readonly AnswerChoice[], payload: unknown): AnswerChoice | undefined {
  return choices.find((one) => stringify(one.payload) === stringify(payload));
}

/** What an answer says beside its decision; undefined where that is all. */
export function saidBeside({ payload }: Answer): unknown {
  if (!isObject(payload)) return payload;
  const { approved, ...beside } = payload;
  return Object.keys(beside).length > 0 ? beside : undefined;
}

