// Until when what waits may be answered, as far as the list is concerned.

import type { InboxItem } from "../server/api";

/** What is due later than this is not urgent, in milliseconds. */
const URGENT_MS = 7 * 86_400_000;

type Asked = InboxItem["interrupts"][number];

const over = ({ stale, expiresAt }: Asked, now: number) => stale === true || Date.parse(expiresAt ?? "") <= now;

/** Whether nothing that is left of it can be answered: its time is over, and it can only be given up. */
export function isLate({ interrupts, omitted }: InboxItem, now: number): boolean {
  const left = interrupts.filter(({ draft }) => !draft);
  return !omitted && left.length > 0 && left.every((one) => over(one, now));
}

/** Whether some of it is over, or soon will be. */
export function isUrgent({ interrupts }: InboxItem, now: number): boolean {
  return interrupts.some((one) => over(one, now + URGENT_MS));
}
