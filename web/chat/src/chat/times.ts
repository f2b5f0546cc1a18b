// When messages were said: as runs on record tell, or as it came here.

import type { RunInfo } from "../server/api";
import { locale, words } from "../words";

/** More are forgotten, the oldest first. */
const MOST = 10_000;

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

const IN_YEAR = { weekday: "long", day: "numeric", month: "long" } as const;
const WITH_YEAR = { day: "numeric", month: "long", year: "numeric" } as const;

/** A day in words: "Today", "Yesterday", "Friday, 30 January", "30 January 2029". */
export function dayWords(at: number, now = Date.now()): string {
  const day = new Date(at);
  const [today, tomorrow] = dayOf(now);
  if (at >= today && at < tomorrow) return words.threads.today;
  if (dayOf(at)[1] === today) return words.threads.yesterday;
  return day.toLocaleDateString(locale, day.getFullYear() === new Date(now).getFullYear() ? IN_YEAR : WITH_YEAR);
}

/** When the day begins that a time is in, and when the next one does. */
export function dayOf(at: number): readonly [from: number, to: number] {
  const day = new Date(at);
  const [year, month, date] = [day.getFullYear(), day.getMonth(), day.getDate()];
  return [new Date(year, month, date).getTime(), new Date(year, month, date + 1).getTime()];
}
