import { locale } from "../words";

const SECOND = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;
const DAY = { month: "short", day: "numeric" } as const;

/** A time to the second, with its day unless that is today: "14:05:09", "Jan 31, 14:05:09". */
export function exactly(time: string, now = Date.now()): string {
  const at = new Date(time);
  const day = at.toDateString() === new Date(now).toDateString() ? {} : DAY;
  return at.toLocaleString(locale, { ...day, ...SECOND });
}
