// A conversation as it is drawn: messages with what belongs to each, in parts of which those that stay the same cost
// nothing while another grows.

import type { Interrupt, Message, ToolCall, ToolMessage } from "@ag-ui/client";
import { questionOf } from "../../../react/forms/question";
import { stringify } from "../../../react/lib/json";
import type { Content } from "../files/media";
import type { Mark } from "../decision/record";
import type { Told } from "../decision/told";
import { dayOf } from "./times";
import { toolStateOf, type ToolState } from "./toolstate";
import { parts, words } from "../words";

export interface Card {
  call: ToolCall;
  state: ToolState;
  /** A question about it is open, which shows it. */
  open: boolean;
  result?: ToolMessage;
  /** What was decided about it. */
  told?: Told;
}

/** A message that is shown. */
export interface Row {
  message: Message;
  /** More of it may come. */
  growing: boolean;
  cards: readonly Card[];
  /** The subagent that said it. */
  by?: string;
  /** What the runs have used that ended behind it. */
  used?: string;
  /** When it was said, where that is known. */
  at?: number;
  /** It is the first of this day. */
  day?: number;
  /** What stands behind it. */
  marks: readonly Mark[];
  /** What the turn was asked that ended here without success, if that can be asked again. */
  again?: Content;
}

export interface Conversation {
  messages: readonly Message[];
  interrupts: readonly Interrupt[];
  running: boolean;
  /** What subagents are called, by their ids. */
  subagents: ReadonlyMap<string, string>;
  /** What runs have used, by the message that they ended behind. */
  used?: ReadonlyMap<string, string>;
  /** What was decided about calls, by call. */
  decided?: ReadonlyMap<string, Told>;
  marks?: readonly Mark[];
  /** Something is on its way to the agent. */
  sending?: boolean;
  /** When messages were said, by message. */
  times?: ReadonlyMap<string, number>;
  now?: number;
}

/** What is shown of a conversation. Results of known tool calls are in the calls' cards. */
export function rowsOf({ messages, interrupts, running, subagents, used, decided, marks = [], sending = false, times, now = Date.now() }: Conversation): Row[] {
  const results = new Map<string, ToolMessage>();
  const calls = new Set<string>();
  for (const message of messages) {
    if (message.role === "tool") results.set(message.toolCallId, message);
    if (message.role === "assistant") message.toolCalls?.forEach((call) => calls.add(call.id));
  }
  const about = new Map(interrupts.map((interrupt) => [interrupt.toolCallId, interrupt]));
  const lastQuestion = messages.findLastIndex((message) => message.role === "user");
  const behind = marksBehind(messages, marks);
  const rows: Row[] = [];
  // A conversation that begins today need not say so.
  let [dayFrom, dayTo] = times?.size ? dayOf(now) : [0, 0];
  for (const [index, message] of messages.entries()) {
    // A message that was tried again has an answer, or is about to.
    const answered = message.role === "user" && (index + 1 < messages.length ? messages[index + 1]!.role !== "user" : running);
    const standing = (behind.get(message.id) ?? []).filter(({ kind }) => kind !== "end" || !answered);
    const hidden = message.role === "system" || message.role === "developer" || (message.role === "tool" && calls.has(message.toolCallId));
    const before = rows.at(-1);
    if (hidden) {
      if (before && standing.length > 0) before.marks = [...before.marks, ...standing];
      continue;
    }
    const growing = running && index > lastQuestion;
    const { subagentRunId, name } = message as { subagentRunId?: string; name?: string };
    const cards = (message.role === "assistant" && message.toolCalls) || [];
    const at = times?.get(message.id);
    const begins = at !== undefined && (at < dayFrom || at >= dayTo);
    if (begins) [dayFrom, dayTo] = dayOf(at);
    rows.push({
      message,
      growing,
      cards: cards.map((call) => {
        const [result, told] = [results.get(call.id), decided?.get(call.id)];
        const question = about.get(call.id);
        const asked = question !== undefined && questionOf(question, parts.answer).kind === "approval";
        // Frameworks ask in the middle of a call, and say seldom of which.
        const waiting = question !== undefined || (interrupts.length > 0 && !running && index > lastQuestion);
        return { call, open: question !== undefined, state: toolStateOf({ asked, waiting, running: growing, result, told }), result, told };
      }),
      by: subagentRunId === undefined ? undefined : (subagents.get(subagentRunId) ?? name ?? words.chat.subagent),
      used: used?.get(message.id),
      at,
      day: begins ? at : undefined,
      marks: standing,
    });
  }
  if (askedLast({ messages, interrupts, running, sending }) !== undefined) retries(rows);
  return rows;
}

/** Offers what a turn was asked that ended without success, unless the same was asked later. */
function retries(rows: Row[]): void {
  const later = new Set<string>();
  const ended: Row[] = [];
  for (const row of rows.toReversed()) {
    if (row.marks.at(-1)?.kind === "end") ended.push(row);
    if (row.message.role !== "user") continue;
    if (row.message.content.length === 0) continue;
    const asked = stringify(row.message.content);
    const last = ended.shift();
    if (last && !later.has(asked)) last.again = row.message.content;
    ended.length = 0;
    later.add(asked);
  }
}

/** What the last turn was asked, if it can be asked that again now. */
export function askedLast({ messages, interrupts, running, sending }: Pick<Conversation, "messages" | "interrupts" | "running" | "sending">): Content | undefined {
  if (running || sending || interrupts.length > 0) return undefined;
  const last = messages.findLast(({ role }) => role === "user");
  return last?.role === "user" && last.content.length > 0 ? last.content : undefined;
}

/** What led to questions whose time is over, if it can be asked anew: none of them asks what has happened, and no call on the way to them has a result. */
export function askedAnew({ messages, interrupts, ...conversation }: Parameters<typeof askedLast>[0]): Content | undefined {
  const turn = messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1);
  if (turn.some(({ role }) => role === "tool") || interrupts.some(({ reason }) => reason === "aguiws:uncertain_step")) return undefined;
  return askedLast({ messages, interrupts: [], ...conversation });
}

/** What stands behind which message. Of whose turn alone is known with which message it began: an answer behind that, an end at the turn's end. */
function marksBehind(messages: readonly Message[], marks: readonly Mark[]): ReadonlyMap<string, readonly Mark[]> {
  const standing = new Map<string, Mark[]>();
  if (marks.length === 0) return standing;
  const turnEnds = new Map<string, string>();
  let asked: string[] = [];
  for (const [i, { id, role }] of messages.entries()) {
    if (role === "user" && messages[i - 1]?.role !== "user") asked = [];
    if (role === "user") asked.push(id);
    for (const question of asked) turnEnds.set(question, id);
  }
  for (const mark of marks) {
    const behind = mark.behind ?? (mark.turn !== undefined && mark.kind === "end" ? turnEnds.get(mark.turn) : mark.turn);
    if (behind !== undefined) standing.set(behind, [...(standing.get(behind) ?? []), mark]);
  }
  return standing;
}

/** How many rows are drawn together. */
export const PART = 20;

/** The rows in parts. `begins` has the messages that parts begin with, so that they stay when others come before them. */
export function partsOf(rows: readonly Row[], begins: Set<string>): Row[][] {
  const parts: Row[][] = [];
  for (const row of rows) {
    const last = parts.at(-1);
    if (last && last.length < PART && !begins.has(row.message.id)) {
      last.push(row);
    } else {
      begins.add(row.message.id);
      parts.push([row]);
    }
  }
  return parts;
}

/** A part, and whether its reader may ask again. */
interface Shown {
  rows: readonly Row[];
  retry?: unknown;
}

/** Whether two parts are drawn alike. */
export function samePart(one: Shown, other: Shown): boolean {
  return !one.retry === !other.retry && one.rows.length === other.rows.length && one.rows.every((row, i) => sameRow(row, other.rows[i]!));
}

function sameRow(one: Row, other: Row): boolean {
  return (
    one.message === other.message &&
    one.growing === other.growing &&
    one.by === other.by &&
    one.used === other.used &&
    one.at === other.at &&
    one.day === other.day &&
    one.again === other.again &&
    one.marks.length === other.marks.length &&
    one.marks.every((mark, i) => mark === other.marks[i]) &&
    one.cards.length === other.cards.length &&
    one.cards.every(({ call, state, open, result, told }, i) => {
      const { call: call2, state: state2, open: open2, result: result2, told: told2 } = other.cards[i]!;
      return call === call2 && state === state2 && open === open2 && result === result2 && told === told2;
    })
  );
}
