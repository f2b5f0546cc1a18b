// The messages of a conversation that is read page by page, by where they stand in it.

import type { Message } from "@ag-ui/client";

/** A page as the control API has it. */
export interface MessagePage {
  items: Message[];
  /** Where the first one stands, from 1; left out where there is none. */
  sequence?: number;
  older?: number;
  before?: string;
}

/** The last messages, read anew, joined to those before them that are held. Where some between are not, what is held is given up. */
export function withLast(held: MessagePage, last: MessagePage): MessagePage {
  const [from, to] = [held.sequence, last.sequence];
  if (from === undefined || to === undefined || to <= from || to > from + held.items.length) return last;
  return { ...held, items: [...held.items.slice(0, to - from), ...last.items] };
}

/** The page before what is held, joined to it. One that does not end there any more, as messages were taken out, is left out. */
export function withEarlier(held: MessagePage, earlier: MessagePage): MessagePage {
  if (earlier.sequence === undefined || earlier.sequence + earlier.items.length !== held.sequence) return held;
  return { ...earlier, items: [...earlier.items, ...held.items] };
}
