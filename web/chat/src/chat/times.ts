// When messages were said: as runs on record tell, or as it came here.

import type { RunInfo } from "../server/api";

/** More are forgotten, the oldest first. */
const MOST = 1_000;

export class Times {
  private known: ReadonlyMap<string, number> = new Map();

  /** By message; another object after every change. */
  look(): ReadonlyMap<string, number> {
    return this.known;
  }

  /** A message has come just now, unless it is known when. */
  note(id: string | undefined, at = Date.now()): void {
    if (id !== undefined && !this.known.has(id)) this.keep([[id, at]]);
  }

  /** Runs begin when they are asked for, and have ended when they last changed. */
  learn(runs: readonly RunInfo[]): void {
    this.keep(
      runs.toReversed().flatMap(({ messageId, wrote, createdAt, updatedAt }): Array<[string, number]> => [
        ...(messageId === undefined ? [] : [[messageId, Date.parse(createdAt)] as [string, number]]),
        ...(wrote === undefined ? [] : [[wrote.lastId, Date.parse(updatedAt)] as [string, number]]),
      ]),
    );
  }

  private keep(times: ReadonlyArray<[string, number]>): void {
    const all = [...this.known, ...times.filter(([, at]) => !Number.isNaN(at))];
    this.known = new Map(all.slice(-MOST));
  }
}

const inYear = new Intl.DateTimeFormat("en", { weekday: "long", day: "numeric", month: "long" });
const withYear = new Intl.DateTimeFormat("en", { day: "numeric", month: "long", year: "numeric" });

/** A day in words: "Today", "Yesterday", "Friday, 30 January", "30 January 2029". */
export function dayWords(at: number, now = Date.now()): string {
  const day = new Date(at);
  const today = new Date(now);
  if (isSameDay(at, now)) return "Today";
  if (day.toDateString() === new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1).toDateString()) return "Yesterday";
  return (day.getFullYear() === today.getFullYear() ? inYear : withYear).format(day);
}

export function isSameDay(one: number, other: number): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString();
}
