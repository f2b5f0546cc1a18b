// Where a key leads in a menu.

import { stepOf } from "./inboxkeys";

type Key = Parameters<typeof stepOf>[0];

/** The row that a key leads to from another; -1 for a letter that begins none, and undefined for a key that is none of the menu's. */
export function rowOf(event: Key, rows: readonly string[], from: number): number | undefined {
  const { key, ctrlKey, metaKey, altKey } = event;
  const step = stepOf(event);
  if (step) return Math.min(Math.max(from + step, 0), rows.length - 1);
  if (key.length !== 1 || key === " " || ctrlKey || metaKey || altKey) return undefined;
  const begins = (row: string) => row.toLowerCase().startsWith(key.toLowerCase());
  const next = rows.findIndex((row, i) => i > from && begins(row));
  return next < 0 ? rows.findIndex(begins) : next;
}
