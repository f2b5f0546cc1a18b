// Until when what waits may be answered, as far as the list is concerned.

import type { InboxItem } from "../server/api";

/** What is due later than this is not said, in milliseconds. */
const NEAR_MS = 172_800_000;

type Asked = InboxItem["interrupts"][number];

const over = ({ stale, expiresAt }: Asked, now: number) => stale === true || Date.parse(expiresAt ?? "") <= now;

/** Whether the time of all of it is over, so that it can only be given up: what the server counts apart. */
export function isLate({ expiresAt, interrupts, omitted }: InboxItem, now: number): boolean {
  return Date.parse(expiresAt ?? "") <= now || (!omitted && interrupts.length > 0 && interrupts.every((one) => over(one, now)));
}

/** Whether the time of a question is over, or soon will be. */
export const isNear = (one: Asked, now: number): boolean => over(one, now + NEAR_MS);

/** Those of a thread's questions. */
export const nearOf = ({ interrupts }: InboxItem, now: number): Asked[] => interrupts.filter((one) => isNear(one, now));
