// Why threads wait, in words.

import { visible } from "../../../react/lib/misleading";
import { inbox } from "../words/inbox";

/** A reason, which is offered as it is if there is no word for it, with how many wait for it where that is known. */
export function reasonWords(reason: string, count?: number): string {
  const said = (inbox.reasons as Record<string, string>)[reason];
  const named = Object.hasOwn(inbox.reasons, reason) && said !== undefined ? said : visible(reason);
  return count ? `${named} (${count})` : named;
}
