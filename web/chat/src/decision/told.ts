// What became of questions, as runs tell it and as it is on record: the same words in either case.

import type { ResumeEntry } from "@ag-ui/client";
import type { Change, Decision } from "../../../client";
import type { DecisionInfo } from "../server/api";
import { TAKEN } from "../../../react/decision/argparts";
import { parse, stringify } from "../../../react/lib/json";
import { worded } from "../../../react/lib/naming";
import { isObject } from "../../../react/forms/schema";
import { words } from "../words";

/** A decision, and what was asked where that is known. */
export interface Told extends Decision {
  payload?: unknown;
  /** What was asked. */
  message?: string;
}

/** A run's decision with the answer that it came with. */
export function toldBy(decision: Decision, resume: readonly ResumeEntry[] = []): Told {
  const payload = resume.find(({ interruptId }) => interruptId === decision.interruptId)?.payload as unknown;
  return payload === undefined ? decision : { ...decision, payload };
}

/** What was changed of a call, as far as the record says it; `whole`: it is all that was. */
export function editsOnRecord({ arguments: args, payload, cut }: Pick<DecisionInfo, "arguments" | "payload" | "cut">): { changed: Change[]; whole: boolean } {
  const { editedArgs } = isObject(payload) ? payload : {};
  if (editedArgs === undefined) return { changed: [], whole: true };
  if (args === undefined || cut?.includes("arguments")) return { changed: [], whole: false };
  const changed = changesOf(args, editedArgs);
  return { changed, whole: changed.length < MOST };
}

/** A decision as it is on record. */
export function toldOnRecord(decision: DecisionInfo): Told {
  const { interruptId, toolCallId, status, user, through, at, message, payload, cut } = decision;
  const { approved, reason } = isObject(payload) ? payload : {};
  const { changed, whole } = editsOnRecord(decision);
  const beyond: NonNullable<Told["cut"]> = [...(whole ? [] : ["changed" as const]), ...(cut?.includes("payload") ? ["payload" as const] : [])];
  return {
    interruptId,
    status,
    at,
    ...(toolCallId !== undefined && { toolCallId }),
    ...(typeof approved === "boolean" && status === "resolved" && { approved }),
    ...(user !== undefined && { by: user }),
    ...(through !== undefined && { through }),
    ...(typeof reason === "string" && { reason }),
    ...(changed.length > 0 && { changed }),
    ...(beyond.length > 0 && { cut: beyond }),
    ...(payload !== undefined && { payload }),
    ...(message !== undefined && { message }),
  };
}

/** More places than this are not told. */
const MOST = 20;

/** Where two values differ, in their order: what was, and what is. */
export function changesOf(before: unknown, after: unknown): Change[] {
  const found: Change[] = [];
  const look = (pointer: string, one: unknown, other: unknown): void => {
    if (found.length >= MOST || stringify(one) === stringify(other)) return;
    if (!isObject(one) || !isObject(other)) {
      found.push({ pointer, before: one, after: other });
      return;
    }
    for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
      const at = `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      if (!Object.hasOwn(one, name)) found.push({ pointer: at, after: other[name] });
      else if (!Object.hasOwn(other, name)) found.push({ pointer: at, before: one[name] });
      else look(at, one[name], other[name]);
    }
  };
  look("", before, after);
  return found.slice(0, MOST);
}

type Approval = Pick<Told, "approved" | "changed" | "cut" | "payload">;

/** The arguments that were approved in place of these, as JSON; the same where none were, or not all of them are known. */
export const approvedArgs = (proposed: string, told: Approval): string => carriedArgs(proposed, told) ?? proposed;

/** The arguments that a call was carried out with, as JSON; undefined where they are not known. */
export function carriedArgs(proposed: string | undefined, { approved, changed = [], cut, payload }: Approval): string | undefined {
  if (approved !== true) return proposed;
  if (isObject(payload) && payload.editedArgs !== undefined) return stringify(payload.editedArgs);
  const whole = !cut?.includes("changed") && (changed.length > 0 || !cut?.includes("payload"));
  if (proposed === undefined || !whole || changed.length >= MOST || changed.some((change) => change.cut)) return undefined;
  if (changed.length === 0) return proposed;
  try {
    return stringify(changed.reduce(changedBy, parse(proposed)));
  } catch {
    return undefined;
  }
}

/** What was decided against carrying a call out; undefined: nothing was, or a default answer may have had it carried out. */
export function refusedBy({ status, approved, payload }: Pick<Told, "status" | "approved" | "payload">): "declined" | "cancelled" | "expired" | undefined {
  if (status === "cancelled") return status;
  if (status === "expired") return payload === undefined || (isObject(payload) && payload.approved === false) ? status : undefined;
  return approved === false ? "declined" : undefined;
}

/** A value with one place of it changed. */
function changedBy(value: unknown, change: Change): unknown {
  const put = (here: unknown, [name, ...within]: string[]): unknown => {
    if (name === undefined) return change.after;
    if (!isObject(here)) throw new TypeError();
    const others = Object.entries(here);
    if (within.length === 0 && !("after" in change)) return Object.fromEntries(others.filter(([one]) => one !== name));
    if (!Object.hasOwn(here, name)) return Object.fromEntries([...others, [name, put(undefined, within)]]);
    return Object.fromEntries(others.map(([one, member]) => [one, one === name ? put(member, within) : member]));
  };
  return put(value, namesIn(change.pointer));
}

function namesIn(pointer: string): string[] {
  return pointer.split("/").slice(1).map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** What an agent that was called has come to, without the names of its thread and run, and its chat. */
export function cameBack({ through, payload }: Told): { thread?: string; came: object } | undefined {
  if (through !== "call" || !isObject(payload)) return undefined;
  const { thread, run: _, ...came } = payload;
  return { came, ...(typeof thread === "string" && { thread }) };
}

/** A pointer as people read it: `/to/0/name` is `To › 0 › Name`. */
export function placeOf(pointer: string): string {
  const names = namesIn(pointer);
  return names.length === 0 ? words.decision.allOfIt : names.map(worded).join(" › ");
}

/** One side of a change, as JSON but for texts that nobody takes for something else. `cut`: it is the first part of a text. */
export function sideOf(value: unknown, cut = false): string {
  return typeof value === "string" && (cut || !TAKEN.test(value)) ? value : stringify(value);
}

/** Whether one of these answers is a yes. */
export function approves(entries: readonly ResumeEntry[]): boolean {
  return entries.some(({ payload }) => isObject(payload) && payload.approved === true);
}

export type Tone = "asked" | "done" | "late" | "busy" | "";

export interface Badge {
  words: string;
  tone: Tone;
}

/** Whether what ended a question ended its run, too: that did not go on. */
export const gaveUp = (through: string | undefined): boolean => through === "steering" || through === "operator";

/** What was decided, in a word or two, with who did: "approved by ann". `call`: it was about a tool call. */
export function verdictOf({ status, approved, by, changed, cut, through, payload }: Told, call: boolean): Badge {
  if (through === "call" && status === "resolved") {
    const failed = isObject(payload) ? payload.status : undefined;
    return typeof failed === "string" ? { words: failed, tone: "late" } : { words: words.decision.cameBack, tone: "done" };
  }
  const { verdicts, by: decidedBy } = words.decision;
  const who = (verdict: string) => (by === undefined ? verdict : decidedBy(verdict, by));
  if (status === "expired") return { words: verdicts.expired, tone: "late" };
  if (status === "cancelled") return { words: who(gaveUp(through) ? verdicts.cancelled : verdicts.wentOn), tone: "" };
  if (approved === false) return { words: who(call ? verdicts.declined : verdicts.no), tone: "" };
  if (approved !== true) return { words: who(verdicts.answered), tone: "done" };
  if (!call) return { words: who(verdicts.yes), tone: "done" };
  // More changes than are told are none here.
  const edited = (changed && changed.length > 0) || cut?.includes("changed");
  return { words: who(edited ? verdicts.edited : verdicts.approved), tone: "done" };
}
