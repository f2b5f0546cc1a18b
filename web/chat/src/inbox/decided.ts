// Decisions on record, in words.

import { gaveUp } from "../decision/told";
import { questionText } from "../../../client/answers";
import type { DecisionInfo } from "../server/api";
import { editsOnRecord } from "../decision/told";
import { stringify } from "../../../react/lib/json";
import { headlineOf, shortened } from "../../../react/lib/naming";
import { isObject } from "../../../react/forms/schema";
import { parts } from "../words";
import { inbox } from "../words/inbox";

/** How it was decided. A time that ran out is nobody's answer, whatever was answered in its place; a run that was stopped, or given another message, did not go on. */
export function decidedHow({ status, tool, payload, through }: Pick<DecisionInfo, "status" | "tool" | "payload" | "through">): string {
  if (status === "expired") return payload === undefined ? inbox.how.expired : inbox.how.defaulted;
  if (status === "cancelled") return gaveUp(through) ? inbox.how.cancelled : inbox.how.wentOn;
  const { editedArgs } = isObject(payload) ? payload : {};
  return editedArgs === undefined ? (answerWord({ tool, payload }) ?? inbox.how.answered) : inbox.how.edited;
}

/** Who decided, and through what. */
export function decidedBy({ status, user, through = "" }: Pick<DecisionInfo, "status" | "user" | "through">): string {
  if (status === "expired") return inbox.nobody;
  const way = Object.hasOwn(inbox.through, through) ? ` ${inbox.through[through as keyof typeof inbox.through]}` : "";
  return `${user ?? inbox.somebody}${way}`;
}

/** Why, in the words of whoever decided. */
export function decidedWhy({ payload }: Pick<DecisionInfo, "payload">): string | undefined {
  const { reason } = isObject(payload) ? payload : {};
  return typeof reason === "string" && reason.trim() !== "" ? reason : undefined;
}

/** The yes or the no of an answer in a word, of a tool call by what came of it; undefined where it is none. */
export function answerWord({ tool, payload }: Pick<DecisionInfo, "tool" | "payload">): string | undefined {
  const { approved } = isObject(payload) ? payload : {};
  if (typeof approved !== "boolean") return undefined;
  const { how } = inbox;
  return tool === undefined ? (approved ? how.yes : how.no) : approved ? how.approved : how.declined;
}

/** What of an answer nothing else says in words: undefined where a yes or a no, its reason and its edits are all of it. Of edits that are not all told it is what was approved. */
export function answerBeside(decision: Pick<DecisionInfo, "arguments" | "payload" | "cut">): unknown {
  const { payload } = decision;
  if (!isObject(payload) || answerWord({ payload }) === undefined) return payload;
  const { approved: _, editedArgs, reason, ...beside } = payload;
  const left = { ...(!editsOnRecord(decision).whole && { editedArgs }), ...beside, ...(reason !== undefined && decidedWhy({ payload }) === undefined && { reason }) };
  return Object.keys(left).length > 0 ? left : undefined;
}

/** What it was about is cut where it is longer, in characters. */
const ABOUT = 160;

/** What was decided about: the call as it was approved, or what was asked. */
export function decidedAbout({ tool, arguments: args, payload, message, reason }: Pick<DecisionInfo, "tool" | "arguments" | "payload" | "message" | "reason">): string {
  const done = carriedOut({ arguments: args, payload });
  if (tool !== undefined) return headlineOf(tool, done === undefined ? undefined : stringify(done), parts.text.andMore);
  return shortened(questionText({ message }) ?? message ?? reason ?? "", ABOUT);
}

/** The arguments of a call as they were approved, or as they were shown. */
export function carriedOut({ arguments: args, payload }: Pick<DecisionInfo, "arguments" | "payload">): unknown {
  const { approved, editedArgs } = isObject(payload) ? payload : {};
  return approved === true && editedArgs !== undefined ? editedArgs : args;
}
