// Until when what waits may be answered, as far as the list is concerned.

import type { InboxItem } from "../server/api";

/** What is due later than this is not said, in milliseconds. */
const NEAR_MS = 172_800_000;

/** What is due sooner than this comes before what waits longer, in milliseconds. */
const SOON_MS = 3_600_000;

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

/** In which order they are answered: first what is due soon, the soonest first, then what has waited longest, as the server has it, and last what can only be given up. */
export function inOrder(items: readonly InboxItem[], now: number): readonly InboxItem[] {
  const rank = (item: InboxItem) => {
    if (isLate(item, now)) return Infinity;
    const due = Math.min(...item.interrupts.filter((one) => !over(one, now)).map(({ expiresAt }) => Date.parse(expiresAt ?? "") || Infinity));
    return due <= now + SOON_MS ? due : Number.MAX_VALUE;
  };
  const ranks = new Map(items.map((item) => [item, rank(item)]));
  return items.toSorted((a, b) => (ranks.get(a) === ranks.get(b) ? 0 : ranks.get(a)! - ranks.get(b)!));
}

/** The place of one among those that can be answered, and how many these are; undefined if it is none of them, or the only one. */
export function placeIn(items: readonly InboxItem[], item: InboxItem, now: number): [n: number, of: number] | undefined {
  const open = items.filter((one) => !isLate(one, now));
  return open.length > 1 && open.includes(item) ? [open.indexOf(item) + 1, open.length] : undefined;
}
