// Times in words.

import { relative } from "./relative.js";
import { ENGLISH, type Strings } from "./strings.js";

const STEPS: Array<[seconds: number, unit: Intl.RelativeTimeFormatUnit]> = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
];

/** How long ago something was: "5 minutes ago", "yesterday". */
export function ago(time: string | undefined, now = Date.now(), { locale, text }: Pick<Strings, "locale" | "text"> = ENGLISH): string {
  const at = Date.parse(time ?? "");
  if (Number.isNaN(at)) return "";
  const seconds = Math.round((at - now) / 1_000);
  for (const [step, unit] of STEPS) {
    if (Math.abs(seconds) >= step) return relative(locale, "auto").format(Math.trunc(seconds / step), unit);
  }
  return text.justNow;
}

const HOUR = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const DAY = { month: "short", day: "numeric" } as const;

/** What clocks here show at a time, with its day unless that is today: "14:05", "Jan 31, 14:05". */
export function clock(time: string, now = Date.now(), { locale }: Pick<Strings, "locale"> = ENGLISH): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return time;
  const today = at.toDateString() === new Date(now).toDateString();
  return at.toLocaleString(locale, today ? HOUR : { ...DAY, ...HOUR });
}
