// Whether a thread that was told anew says less than what was shown of it.

import type { Message } from "@ag-ui/client";
import type { WireEvent } from "./frames.js";

/** What a restatement's messages are of; a page may hold others, such as activities, that no snapshot has. */
const TOLD = new Set(["user", "assistant", "tool"]);

/** Whether a message that was shown, or the end of its text, is not among the events, apart from those with these ids. */
export function shortens(events: WireEvent[], shown: readonly Message[], apart: Set<string>): boolean {
  const snapshot = events.find((event) => event.type === "MESSAGES_SNAPSHOT");
  const told = new Map(((snapshot?.messages ?? []) as Message[]).map((message) => [message.id, message.content]));
  return shown.some(({ id, role, content }) => {
    if (!TOLD.has(role) || apart.has(id)) return false;
    const now = told.get(id);
    if (!told.has(id)) return true;
    return typeof content === "string" && content !== "" && !(typeof now === "string" && now.startsWith(content));
  });
}
