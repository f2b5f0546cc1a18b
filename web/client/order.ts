// A snapshot tells the messages in order, but the reducer of @ag-ui/client keeps the order it holds and appends what is
// new. Whoever held a later message than one of the missing ones would show them the wrong way round for good.

import type { Message } from "@ag-ui/client";

/** Roles that a snapshot may leave out without deleting them. */
const KEPT = new Set(["activity", "reasoning"]);

/**
 * The snapshot's messages in its order, with what it leaves to the client after the message that it followed. The
 * reducer, given this list, finds everything in place and decides as always what to drop.
 */
export function inSnapshotOrder(held: readonly Message[], snapshot: readonly Message[]): Message[] {
  const told = new Set(snapshot.map((message) => message.id));
  const after = new Map<string | undefined, Message[]>();
  let anchor: string | undefined;
  for (const message of held) {
    if (told.has(message.id)) anchor = message.id;
    else if (KEPT.has(message.role)) after.set(anchor, [...(after.get(anchor) ?? []), message]);
  }
  return [...(after.get(undefined) ?? []), ...snapshot.flatMap((message) => [message, ...(after.get(message.id) ?? [])])];
}
