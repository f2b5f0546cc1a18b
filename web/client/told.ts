// Which messages of users the thread has told.

import type { Message } from "@ag-ui/client";
import type { WireEvent } from "./frames.js";

export class Told {
  private readonly ids = new Set<string>();

  take(event: WireEvent): void {
    if (event.type === "TEXT_MESSAGE_START" && event.role === "user") this.ids.add(String(event.messageId));
    if (event.type === "MESSAGES_SNAPSHOT") this.ids.clear();
    const { messages = [] } = (event.type === "RUN_STARTED" ? (event.input ?? {}) : event.type === "MESSAGES_SNAPSHOT" ? event : {}) as { messages?: Message[] };
    for (const { id, role } of messages) if (role === "user") this.ids.add(id);
  }

  has(id: string): boolean {
    return this.ids.has(id);
  }
}
