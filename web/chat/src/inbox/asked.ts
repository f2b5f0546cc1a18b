// What tells one thread of the inbox, and what it asks, from others.

import type { InboxItem } from "../server/api";

export function keyOf({ namespace, threadId }: InboxItem): string {
  return `${namespace}\u0000${threadId}`;
}

/** What a thread asks, which is something else when its next run asks. */
export function askKeyOf(item: InboxItem): string {
  return `${keyOf(item)}\u0000${item.runId}`;
}
