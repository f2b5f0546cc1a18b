// Why threads wait, in words.

import { visible } from "../../../react/lib/misleading";

/** Others are offered as they are. */
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
