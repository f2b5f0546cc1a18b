// What a person has written here and the server has not: kept for the tab's reloads, in sessionStorage, a piece for each
// thread. It is gone with the tab, and when that person leaves.

import { parse, stringify } from "../../../react/lib/json";

const PREFIX = "aguiws:own:";

/** More threads than this are forgotten, the longest untouched first. */
const THREADS = 20;

/** A longer piece is not kept, in characters. */
const LENGTH = 256 << 10;

interface Piece {
  at: number;
  value: unknown;
}

/** What is kept under a name for a thread. It was written here, by whichever version of the page: look before use. */
export function ownOf(name: string, threadId: string): unknown {
  return read(keyOf(name, threadId))?.value;
}

/** What is too large to outlive the reload, by thread. */
export const ownHere = new Map<string, unknown>();

/** Keeps a value, or with undefined forgets it. What is too long, or does not fit, lasts until the reload: then it answers false. */
export function keepOwn(name: string, threadId: string, value: unknown): boolean {
  const key = keyOf(name, threadId);
  try {
    // One that is no longer true is worse than none.
    sessionStorage.removeItem(key);
    if (value === undefined) return true;
    const text = stringify({ at: Date.now(), value } satisfies Piece);
    if (text.length > LENGTH) return false;
    sessionStorage.setItem(key, text);
    thin(PREFIX + name);
    return true;
  } catch {
    return false; // full or forbidden
  }
}

let person = 0;

/** Whose it is that is kept: another number after all was forgotten. */
export function ownPerson(): number {
  return person;
}

/** Forgets all of it: what is kept from here on is somebody else's. */
export function forgetOwn(): void {
  person++;
  ownHere.clear();
  try {
    for (const key of keys(PREFIX)) sessionStorage.removeItem(key);
  } catch {
    // Forbidden: then nothing is kept.
  }
}

function keyOf(name: string, threadId: string): string {
  return `${PREFIX}${name}:${threadId}`;
}

function keys(prefix: string): string[] {
  return Array.from({ length: sessionStorage.length }, (_, i) => sessionStorage.key(i) ?? "").filter((key) => key.startsWith(prefix));
}

function thin(prefix: string): void {
  const all = keys(`${prefix}:`);
  if (all.length <= THREADS) return;
  const byAge = all.map((key) => [read(key)?.at ?? 0, key] as const).sort(([a], [b]) => a - b);
  for (const [, key] of byAge.slice(0, all.length - THREADS)) sessionStorage.removeItem(key);
}

function read(key: string): Piece | undefined {
  try {
    const piece = parse(sessionStorage.getItem(key) ?? "null") as Partial<Piece> | null;
    return typeof piece?.at === "number" ? { at: piece.at, value: piece.value } : undefined;
  } catch {
    return undefined;
  }
}
