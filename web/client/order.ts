// The thread's order of messages. The reducer of @ag-ui/client keeps the order it holds and appends what is new, so that
// whoever held a later message than one that was missing would show them the wrong way round for good.

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

/** The messages with those before them. What is held of those already, as a restatement left it to the client, goes to its place among them. */
export function withBefore(held: readonly Message[], before: readonly Message[]): Message[] {
  const mine = new Map(held.map((message) => [message.id, message]));
  const told = new Set(before.map(({ id }) => id));
  return [...before.map((message) => mine.get(message.id) ?? message), ...held.filter(({ id }) => !told.has(id))];
}

/**
 * The messages as a run begins that is asked by `asked`: those come last, even where this client wrote them before it
 * heard what came between. Undefined when nothing has to move.
 */
export function withLast(held: readonly Message[], asked: readonly Message[]): Message[] | undefined {
  const ids = new Set(asked.map((message) => message.id));
  const first = held.findIndex((message) => ids.has(message.id));
  if (first < 0 || held.slice(first).every((message) => ids.has(message.id))) return undefined;
  return [...held.filter((message) => !ids.has(message.id)), ...held.filter((message) => ids.has(message.id))];
}
