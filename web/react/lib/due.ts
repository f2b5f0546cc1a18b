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
  words: string;
  /** Some of it has expired. */
  expired: boolean;
  /** When the words may be others, in milliseconds from now; left out where they stay. */
  again?: number;
}

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

/** When the first of these is over, or how many are; undefined where none ever is. */
export function dueOf(interrupts: readonly Timed[], now: number, { locale, text }: Pick<Strings, "locale" | "text"> = ENGLISH): Due | undefined {
  const open: number[] = [];
  let over = 0;
  for (const one of interrupts) {
    const at = Date.parse(one.expiresAt ?? "");
    if (isOver(one, now)) over++;
    else if (!Number.isNaN(at)) open.push(at);
  }
  const left = Math.min(...open) - now;
  const again = open.length === 0 ? undefined : left < 90_000 ? 1_000 : 30_000;
  if (over > 0) return { words: over < interrupts.length ? text.someExpired(over, interrupts.length) : text.expired, expired: true, again };
  if (again === undefined) return undefined;
  const [step, unit] = STEPS.find(([ms]) => left >= ms) ?? STEPS.at(-1)!;
  // Of a day that is a whole one away, which is not always tomorrow. An English short form has a full stop: "12 min.".
  return { words: text.due(relative(locale, "always").format(Math.max(1, Math.trunc(left / step)), unit).replace(/\.$/, "")), expired: false, again };
}
