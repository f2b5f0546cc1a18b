// In which order chats stand beside the one that is looked at: those that wait first, then by day.

import type { ThreadInfo } from "../server/api";
import { hasExpired } from "../../../react/threads/stands";
import { locale, words } from "../words";

/** Whether a chat, or one that stands below it, waits for somebody: an open interrupt may ask nobody, or too late. */
function asks(thread: ThreadInfo): boolean {
  const { waiting, waitsOn, waitsFor } = thread;
  return waiting && ((waitsOn === undefined && !hasExpired(thread)) || waitsFor !== undefined);
}

export interface ThreadGroup {
  name: string;
  /** They wait for somebody. */
  waits: boolean;
  threads: ThreadInfo[];
}

/** So many of those that wait stand above the others. */
const MOST = 5;

/** Those of a group that are shown while it is folded: the first, and the one that is looked at. */
export function folded({ waits, threads }: ThreadGroup, current: string): ThreadInfo[] {
  return waits && threads.length > MOST + 1 ? threads.filter(({ threadId }, i) => i < MOST || threadId === current) : threads;
}

const wordsIn = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}@.]+/gu) ?? [];

/** Whether a question has words that the title of its chat has not. */
export function saysMore(question: string, title: string): boolean {
  const said = new Set(wordsIn(title));
  return wordsIn(question).some((word) => !said.has(word));
}

const DAY_MS = 86_400_000;

/** The groups of the latest threads, and of those that wait, which may be older. A group without any is left out. */
export function threadGroups(latest: readonly ThreadInfo[], waiting: readonly ThreadInfo[], now = Date.now()): ThreadGroup[] {
  const listed = new Set(latest.map(({ threadId }) => threadId));
  const older = waiting.filter((thread) => !listed.has(thread.threadId) && !hasExpired(thread));
  const groups = new Map<string, ThreadInfo[]>([[words.threads.waiting, [...latest.filter(asks), ...older]]]);
  for (const thread of latest) {
    if (asks(thread)) continue;
    const name = dayOf(Date.parse(thread.updatedAt ?? ""), now);
    groups.set(name, [...(groups.get(name) ?? []), thread]);
  }
  return [...groups].flatMap(([name, threads]) => (threads.length > 0 ? [{ name, waits: name === words.threads.waiting, threads }] : []));
}

/** When something was, as it is spoken of; days are those of here. */
function dayOf(at: number, now: number): string {
  const days = Math.round((midnight(now) - midnight(at)) / DAY_MS);
  if (Number.isNaN(days) || days <= 0) return words.threads.today;
  if (days === 1) return words.threads.yesterday;
  if (days < 7) return words.threads.previousWeek;
  return days < 30 ? words.threads.previousMonth : new Intl.DateTimeFormat(locale, { month: "long", year: "numeric" }).format(at);
}

function midnight(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}
