// Which runs a server is to forget, and what it has, in words.

import { ops } from "../words/ops";

/** How long ago a run has ended at least, as the server has it. */
export const AGES = ["0s", "24h", "168h"] as const;

export type Age = (typeof AGES)[number];

export const ageWords = (age: Age) => ops.ages[age];

/** What the answer says. */
export function forgotten({ purged }: Record<string, unknown>): string {
  if (purged === 0) return ops.forgotNone;
  return ops.forgot(Number(purged));
}
