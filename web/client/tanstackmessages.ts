// Which of a TanStack chat's messages an input brings: those that the thread does not hold. The chat says all of them each
// time, with results and thoughts under ids of its own making, which the thread would take for new ones.

import type { Message } from "@ag-ui/client";
import { uiMessagesToWire, type ModelMessage, type UIMessage } from "@tanstack/ai/client";
import type { WireEvent } from "./frames.js";

export type ChatMessage = UIMessage | ModelMessage;

/** What a thread is known to hold. */
export class Held {
  /** Whether nothing that the chat has can be the thread's without being known here. */
  whole = false;
  private ids = new Set<string>();
  private calls = new Set<string>();
  private answered = new Set<string>();
  private lastUser?: string;

  /** Takes notice of an event of the thread. */
  fold(event: WireEvent): void {
    switch (event.type) {
      case "RUN_STARTED":
        this.add(((event.input as { messages?: Message[] } | undefined)?.messages ?? []));
        return;
      case "MESSAGES_SNAPSHOT":
        this.ids.clear();
        this.calls.clear();
        this.answered.clear();
        this.lastUser = undefined;
        this.whole = true;
        this.add((event.messages ?? []) as Message[]);
        return;
      case "TEXT_MESSAGE_START":
        this.ids.add(String(event.messageId));
        return;
      case "TOOL_CALL_START":
        this.ids.add(String(event.parentMessageId ?? event.toolCallId));
        this.calls.add(String(event.toolCallId));
        return;
      case "TOOL_CALL_RESULT":
        this.answered.add(String(event.toolCallId));
    }
  }

  /** Messages that the thread has taken. */
  add(messages: readonly Message[]): void {
    for (const message of messages) {
      this.ids.add(message.id);
      if (message.role === "user") this.lastUser = message.id;
      if (message.role === "tool") this.answered.add(message.toolCallId);
      if (message.role === "assistant") for (const call of message.toolCalls ?? []) this.calls.add(call.id);
    }
  }

  /** The messages that the thread does not hold, in AG-UI's form. */
  missing(messages: readonly ChatMessage[]): Message[] {
    return messages.flatMap((message) => {
      const wire = uiMessagesToWire([message]) as Message[];
      const anchor = wire.find(({ id }) => id === message.id);
      const results = resultsOf(message);
      const all = anchor === undefined || this.lacks(anchor);
      return wire.filter((one) => (one.role === "tool" ? results.has(one.toolCallId) && !this.answered.has(one.toolCallId) : all));
    });
  }

  /**
   * The last message that the chat and the thread have in common, where the chat has gone back to it: it ends with what the
   * user said, as when an answer is asked for again, or has taken back what the user said after it.
   */
  wentBackTo(messages: readonly ChatMessage[], missing: readonly Message[]): string | undefined {
    const common = messages.findLast(({ id }) => id !== undefined && this.ids.has(id));
    if (missing.length === 0) return messages.at(-1)?.role === "user" ? common?.id : undefined;
    const still = this.lastUser === undefined || messages.some(({ id }) => id === this.lastUser);
    return still ? undefined : common?.id;
  }

  /** What the chat makes up to hold a thought, or a call of the thread's, is not the user's or the page's. */
  private lacks(message: Message): boolean {
    if (this.ids.has(message.id)) return false;
    if (message.role !== "assistant") return true;
    return Boolean(message.content) || (message.toolCalls ?? []).some(({ id }) => !this.calls.has(id));
  }
}

/** The calls that a message has results of; that a call was approved is no result. */
function resultsOf(message: ChatMessage): Set<string> {
  if (!("parts" in message)) return new Set(message.toolCallId === undefined ? [] : [message.toolCallId]);
  const results = new Set<string>();
  for (const part of message.parts) {
    if (part.type === "tool-result") results.add(part.toolCallId);
    else if (part.type === "tool-call" && part.output !== undefined) results.add(part.id);
  }
  return results;
}

/** The thread's messages up to this one; with it all that answers the same question, which the chat may show as one. */
export function upTo(id: string, messages: readonly Message[]): Message[] {
  const at = messages.findIndex((message) => message.id === id);
  if (messages[at]?.role === "user") return messages.slice(0, at + 1);
  const next = messages.findIndex(({ role }, i) => i > at && role === "user");
  return at < 0 ? [] : messages.slice(0, next < 0 ? messages.length : next);
}
