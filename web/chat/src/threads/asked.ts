// What the chats of a list ask.

import { asksWords } from "../../../react/inbox/asks";
import { call, type InboxItem, type Page } from "../server/api";
import { parts } from "../words";

/** What the threads of one person ask, by thread. Who answers for others is told of theirs, too: an id may be another's there. */
export function asksBy(items: readonly InboxItem[], user: string | undefined): ReadonlyMap<string, string> {
  const own = items.filter((item) => item.user === undefined || user === undefined || item.user === user);
  return new Map(own.flatMap((item): Array<[string, string]> => {
    const asks = asksWords(item, parts);
    return asks === "" ? [] : [[item.threadId, asks]];
  }));
}

export async function asked(user: string | undefined): Promise<ReadonlyMap<string, string>> {
  return asksBy((await call<Page<InboxItem>>("GET", "/inbox?limit=50")).items, user);
}
