// A conversation as it is drawn: messages with what belongs to each, in parts of which those that stay the same cost
// nothing while another grows.

import type { Interrupt, Message, ToolCall, ToolMessage } from "@ag-ui/client";
import type { ToolState } from "./ToolCard";

export interface Card {
  call: ToolCall;
  state: ToolState;
  result?: ToolMessage;
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
}

export interface Conversation {
  messages: readonly Message[];
  interrupts: readonly Interrupt[];
  running: boolean;
  /** What subagents are called, by their ids. */
  subagents: ReadonlyMap<string, string>;
  /** What runs have used, by the message that they ended behind. */
  used?: ReadonlyMap<string, string>;
}

/** What is shown of a conversation. Results of known tool calls are in the calls' cards. */
export function rowsOf({ messages, interrupts, running, subagents, used }: Conversation): Row[] {
  const results = new Map<string, ToolMessage>();
  const calls = new Set<string>();
  for (const message of messages) {
    if (message.role === "tool") results.set(message.toolCallId, message);
    if (message.role === "assistant") message.toolCalls?.forEach((call) => calls.add(call.id));
  }
  const asked = new Set(interrupts.map((interrupt) => interrupt.toolCallId));
  const lastQuestion = messages.findLastIndex((message) => message.role === "user");
  const stateOf = (id: string, growing: boolean): ToolState => {
    if (results.has(id)) return "done";
    if (asked.has(id)) return "asked";
    return growing ? "working" : "open";
  };
  return messages.flatMap((message, index) => {
    if (message.role === "tool" && calls.has(message.toolCallId)) return [];
    if (message.role === "system" || message.role === "developer") return [];
    const growing = running && index > lastQuestion;
    const { subagentRunId, name } = message as { subagentRunId?: string; name?: string };
    const cards = (message.role === "assistant" && message.toolCalls) || [];
    return [
      {
        message,
        growing,
        cards: cards.map((call) => ({ call, state: stateOf(call.id, growing), result: results.get(call.id) })),
        by: subagentRunId === undefined ? undefined : (subagents.get(subagentRunId) ?? name ?? "Subagent"),
        used: used?.get(message.id),
      },
    ];
  });
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

/** Whether two parts are drawn alike. */
export function samePart(one: readonly Row[], other: readonly Row[]): boolean {
  return one.length === other.length && one.every((row, i) => sameRow(row, other[i]!));
}

function sameRow(one: Row, other: Row): boolean {
  return (
    one.message === other.message &&
    one.growing === other.growing &&
    one.by === other.by &&
    one.used === other.used &&
    one.cards.length === other.cards.length &&
    one.cards.every(({ call, state, result }, i) => {
      const { call: call2, state: state2, result: result2 } = other.cards[i]!;
      return call === call2 && state === state2 && result === result2;
    })
  );
}
