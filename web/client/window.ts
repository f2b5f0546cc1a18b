// The end of a thread, where no more than that is held: what stands before, and what an event that tells all messages
// tells whom.

import type { Message } from "@ag-ui/client";
import type { Attached, WireEvent } from "./frames.js";

/** What is not held: how many messages, and the server's name of the place where they end. */
export interface Left {
  older: number;
  before?: string;
}

export class Window {
  private ids = new Set<string>();
  private first?: string;
  private rest?: Left;

  /** What stands before what is held; undefined when that is all. */
  get left(): Left | undefined {
    return this.rest && { ...this.rest };
  }

  /** The thread was told anew. */
  told({ older, before }: Attached, events: readonly WireEvent[]): void {
    const messages = messagesOf(events.findLast((event) => event.type === "MESSAGES_SNAPSHOT"));
    this.rest = older ? { older, before } : undefined;
    this.ids = new Set(this.rest && messages.map(({ id }) => id));
    this.first = messages[0]?.id;
  }

  /** A page came of what stands before. */
  precede(messages: readonly Message[], older: number, before?: string): void {
    this.rest = older > 0 ? { older, before } : undefined;
    for (const { id } of messages) this.ids.add(id);
    this.first = messages[0]?.id ?? this.first;
  }

  /** An event as it is for who holds the end: a snapshot without what stands before the first message of it that is held. */
  cut(event: WireEvent): WireEvent {
    if (!this.rest || event.type !== "MESSAGES_SNAPSHOT") return event;
    const messages = messagesOf(event);
    const at = messages.findIndex(({ id }) => this.ids.has(id));
    const same = messages[at]?.id === this.first;
    this.rest = at > 0 ? { older: at, before: same ? this.rest.before : undefined } : undefined;
    this.first = messages[Math.max(at, 0)]?.id;
    return at > 0 ? { ...event, messages: messages.slice(at) } : event;
  }
}

function messagesOf(event: WireEvent | undefined): Message[] {
  return (event?.messages as Message[] | undefined) ?? [];
}
