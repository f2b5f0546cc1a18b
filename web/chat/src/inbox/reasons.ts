// Why threads wait, in words.

import type { InboxItem } from "../server/api";
import { visible } from "../lib/misleading";

/** Others are offered as they are where something waits for them. */
const REASONS: Record<string, string> = {
  tool_call: "tool call",
  input_required: "input",
  confirmation: "confirmation",
  "aguiws:uncertain_step": "uncertain step",
  "aguiws:question_forgotten": "forgotten question",
  "aguiws:paused": "paused",
  "aguiws:auth_required": "sign-in",
};

/** A reason, with how many wait for it where that is known. */
export function reasonWords(reason: string, count?: number): string {
  const words = (Object.hasOwn(REASONS, reason) && REASONS[reason]) || visible(reason);
  return count ? `${words} (${count})` : words;
}

/** The reasons that can be chosen among. */
export function reasonsIn(items: readonly InboxItem[] | undefined, counts: Record<string, number> | undefined, chosen: string): string[] {
  const waiting = (items ?? []).flatMap((item) => item.interrupts.map((one) => String(one.interrupt.reason)));
  return [...new Set([...Object.keys(REASONS), ...Object.keys(counts ?? {}), ...waiting, ...(chosen === "" ? [] : [chosen])])];
}
