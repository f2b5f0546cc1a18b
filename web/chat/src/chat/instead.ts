// What a message does that is sent while the thread is suspended, in words.

import { waits } from "../../../react/forms/question";
import { isOver, type Timed } from "../../../react/lib/due";
import { words } from "../words";

export interface Instead {
  placeholder: string;
  button: string;
  /** Of the button that ends the run without a message. */
  stop: string;
  /** Enter was pressed, and nothing was sent. */
  unsent: string;
}

/** Whether nothing of what is open can be answered any more: the next message cancels it, and asks nobody first. */
export function allOver(open: ReadonlyArray<Timed & { reason: string }>, now = Date.now()): boolean {
  return open.length > 0 && open.every((one) => !waits(one.reason) && isOver(one, now));
}

/** The words for open interrupts of these reasons. An agent that waits asks nobody, so that only questions are counted. */
export function insteadOf(reasons: readonly string[]): Instead {
  const asked = reasons.filter((reason) => !waits(reason)).length;
  if (asked === 0) {
    return {
      placeholder: words.chat.instead.write,
      button: words.chat.instead.stopWaiting,
      stop: words.chat.instead.endsWait,
      unsent: words.chat.instead.unsentWaits,
    };
  }
  return {
    placeholder: words.chat.instead.other,
    button: words.chat.instead.cancelAndSend(asked),
    stop: words.chat.instead.endsAsked,
    unsent: words.chat.instead.unsentAsked(asked),
  };
}
