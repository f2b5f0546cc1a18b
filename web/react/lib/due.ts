// Until when what a thread asks may be answered, in words.

import { relative } from "./relative.js";
import { ENGLISH, type Strings } from "./strings.js";

/** A question that may be answered for some time. */
export interface Timed {
  expiresAt?: string;
  /** It is over by the server's clock. */
  stale?: boolean;
}

export interface Due {
  /** Left out while there is plenty of time. */
  words?: string;
  /** The whole time in words; left out where that is over. */
  full?: string;
  /** Some of it has expired. */
  expired: boolean;
  /** When the words may be others, in milliseconds from now; left out where they stay. */
  again?: number;
}

/** What is due later is not said, in milliseconds. */
const NEAR_MS = 2 * 86_400_000;

const STEPS: Array<[ms: number, unit: Intl.RelativeTimeFormatUnit]> = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
  [1_000, "second"],
];

/** Whether it is too late for an answer. */
export function isOver({ expiresAt, stale }: Timed, now: number): boolean {
  return stale === true || Date.parse(expiresAt ?? "") <= now;
}

/** When the first of these is over, in few words if that is soon, or how many are over; undefined where none ever is. */
export function dueOf(interrupts: readonly Timed[], now: number, { locale, text }: Pick<Strings, "locale" | "text"> = ENGLISH): Due | undefined {
  const open: number[] = [];
  let over = 0;
  for (const one of interrupts) {
    const at = Date.parse(one.expiresAt ?? "");
    if (isOver(one, now)) over++;
    else if (!Number.isNaN(at)) open.push(at);
  }
  const first = Math.min(...open);
  const left = first - now;
  const again = open.length === 0 ? undefined : left < 90_000 ? 1_000 : 30_000;
  if (over > 0) return { words: over < interrupts.length ? text.someExpired(over, interrupts.length) : text.expired, expired: true, again };
  if (again === undefined) return undefined;
  const full = text.due(new Date(first).toLocaleString(locale, { dateStyle: "long", timeStyle: "short" }));
  if (left >= NEAR_MS) return { full, expired: false, again };
  const [step, unit] = STEPS.find(([ms]) => left >= ms) ?? STEPS.at(-1)!;
  // Of a day that is a whole one away, which is not always tomorrow. An English short form has a full stop: "12 min.".
  return { words: text.due(relative(locale, "always").format(Math.max(1, Math.trunc(left / step)), unit).replace(/\.$/, "")), full, expired: false, again };
}
