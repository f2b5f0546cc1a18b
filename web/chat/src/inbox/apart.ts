// What tells questions apart that are asked in the same words.

import { asksWords } from "../../../react/inbox/asks";
import { alike } from "../../../react/lib/alike";
import { visible } from "../../../react/lib/misleading";
import { membersOf, worded } from "../../../react/lib/naming";
import { exactly } from "../lib/exactly";
import type { InboxItem } from "../server/api";
import { parts } from "../words";
import { inbox } from "../words/inbox";

/** So many arguments are told. */
const TOLD = 2;

/** What a row says first: who asks what. */
const readsAs = (item: InboxItem) => JSON.stringify([item.user, asksWords(item, parts)]);

/** What each of those says besides that others ask in the same words: arguments that differ, and when it was asked if they do not tell it apart. */
export function apart(items: readonly InboxItem[]): ReadonlyMap<InboxItem, string> {
  const told = new Map<InboxItem, string>();
  const groups = new Map<string, InboxItem[]>();
  for (const item of items) {
    const words = readsAs(item);
    const group = groups.get(words);
    if (group) group.push(item);
    else groups.set(words, [item]);
  }
  for (const group of groups.values()) {
    if (group.length < 2) continue;
    const said = differing(group);
    const same = alike(said);
    group.forEach((item, i) => {
      const timed = (said[i] === "" || same.has(said[i]!)) && item.since !== undefined;
      told.set(item, [said[i], timed && inbox.askedAt(exactly(item.since!))].filter(Boolean).join(" · "));
    });
  }
  return told;
}

/** The first arguments that differ among these: "Subject: Report 2 · Copies: 3". What the words of all of them say differs in none. */
function differing(group: readonly InboxItem[]): string[] {
  const members = group.map(({ interrupts: [first] }) => new Map(first?.toolCall && membersOf(first.toolCall.arguments, parts.text.andMore)));
  const names = new Set(members.flatMap((one) => [...one.keys()]));
  const differ = [...names].filter((name) => members.some((one) => one.get(name) !== members[0]!.get(name))).slice(0, TOLD);
  return members.map((one) => visible(differ.flatMap((name) => (one.has(name) ? `${worded(name)}: ${one.get(name)}` : [])).join(" · ")));
}
