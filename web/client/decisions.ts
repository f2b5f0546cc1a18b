// Who decided what, as the run tells that goes on with it (binding, Who decided).

import type { BaseEvent } from "@ag-ui/client";

/** One place of arguments that were edited: without `before` there was nothing, without `after` there is nothing. */
export interface Change {
  /** RFC 6901. */
  pointer: string;
  before?: unknown;
  after?: unknown;
  /** Which of before and after are strings with the first part. */
  cut?: ("before" | "after")[];
}

/** What became of an interrupt. */
export interface Decision {
  interruptId: string;
  /** The call that it was about, if any. */
  toolCallId?: string;
  /** Unlike in a resume entry, a time that ran out is told from what somebody did. */
  status: "resolved" | "cancelled" | "expired";
  /** What the answer says of a call. */
  approved?: boolean;
  /** The user; undefined where nobody decided, or users are not told apart. */
  by?: string;
  /** How it has come: socket, post, copilotkit, inbox, link, operator, steering or expiry. */
  through?: string;
  /** RFC 3339, by the clock of the server's store. */
  at: string;
  reason?: string;
  /** How an approval has edited the arguments. */
  changed?: Change[];
  /** Which of payload, reason and changed are not whole. */
  cut?: ("payload" | "reason" | "changed")[];
}

/** The decisions that a RUN_STARTED tells, also a restated one; none of other events. */
export function decisionsOf(event: BaseEvent): Decision[] {
  if (event.type !== "RUN_STARTED") return [];
  const { metadata } = event as { metadata?: { aguiws?: { decisions?: unknown } } };
  const decisions = metadata?.aguiws?.decisions;
  return Array.isArray(decisions) ? (decisions as Decision[]) : [];
}
