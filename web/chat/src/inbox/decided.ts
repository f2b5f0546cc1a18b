// Decisions on record, in words.

import { questionText } from "../../../client/answers";
import type { DecisionInfo } from "../server/api";
import { stringify } from "../../../react/lib/json";
import { headlineOf, shortened } from "../../../react/lib/naming";
import { isObject } from "../../../react/forms/schema";

/** How it was decided. A time that ran out is nobody's answer, whatever was answered in its place. */
export function decidedHow({ status, payload }: Pick<DecisionInfo, "status" | "payload">): string {
  if (status === "expired") return payload === undefined ? "Timed out" : "Timed out, default answer given";
  if (status === "cancelled") return "Cancelled";
  const { approved, editedArgs } = isObject(payload) ? payload : {};
  if (approved === false) return "Declined";
  if (approved !== true) return "Answered";
  return editedArgs === undefined ? "Approved" : "Approved with edits";
}

const THROUGH: Record<string, string> = {
  socket: "in the chat",
  post: "over HTTP",
  copilotkit: "in CopilotKit",
  inbox: "in the inbox",
  link: "by a link",
  login: "by signing in",
  operator: "as an operator",
  steering: "by a new message",
};

/** Who decided, and through what. */
export function decidedBy({ status, user, through = "" }: Pick<DecisionInfo, "status" | "user" | "through">): string {
  if (status === "expired") return "nobody in time";
  const way = Object.hasOwn(THROUGH, through) ? ` ${THROUGH[through]}` : "";
  return `${user ?? "somebody"}${way}`;
}

/** Why, in the words of whoever decided. */
export function decidedWhy({ payload }: Pick<DecisionInfo, "payload">): string | undefined {
  const { reason } = isObject(payload) ? payload : {};
  return typeof reason === "string" && reason.trim() !== "" ? reason : undefined;
}

/** What it was about is cut where it is longer, in characters. */
const ABOUT = 160;

/** What was decided about: the call, or what was asked. */
export function decidedAbout({ tool, arguments: args, message, reason }: Pick<DecisionInfo, "tool" | "arguments" | "message" | "reason">): string {
  if (tool !== undefined) return headlineOf(tool, args === undefined ? undefined : stringify(args));
  return shortened(questionText({ message }) ?? message ?? reason ?? "", ABOUT);
}
