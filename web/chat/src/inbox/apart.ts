// What questions are about beside their headlines, and what tells those apart that are asked in the same words.

import { asksWords, nextOf, rowWords } from "../../../react/inbox/asks";
import { alike } from "../../../react/lib/alike";
import { visible } from "../../../react/lib/misleading";
import { besidesOf, worded } from "../../../react/lib/naming";
import { exactly } from "../lib/exactly";
import type { InboxItem } from "../server/api";
import { parts } from "../words";
import { inbox } from "../words/inbox";

/** So many arguments are told. */
const TOLD = 2;

/** What a row says first: who asks what. */
const readsAs = (item: InboxItem) => JSON.stringify([item.user, rowWords(item, parts)]);

/** What each says below its headline: arguments, those first that tell it from others in the same words, and when it was asked if they do not tell it apart. */
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
    const said = besides(group);
    const same = alike(said);
    group.forEach((item, i) => {
      const timed = group.length > 1 && (said[i] === "" || same.has(said[i]!)) && item.since !== undefined;
      told.set(item, [said[i], timed && inbox.askedAt(exactly(item.since!))].filter(Boolean).join(" · "));
    });
  }
  return told;
}

/** The first arguments that the words of these do not say, those that differ before others: "Subject: Report 2 · Copies: 3". */
function besides(group: readonly InboxItem[]): string[] {
  const members = group.map((item) => new Map(argsBeside(item)));
  const names = [...new Set(members.flatMap((one) => [...one.keys()]))];
  const differs = (name: string) => members.some((one) => one.get(name) !== members[0]!.get(name));
  const first = [...names.filter(differs), ...names.filter((name) => !differs(name))].slice(0, TOLD);
  return members.map((one) => toldAs(first.flatMap((name): Array<[string, string]> => (one.has(name) ? [[name, one.get(name)!]] : []))));
}

function argsBeside(item: InboxItem): Array<[string, string]> {
  // What one of several says tells nothing of the others.
  const call = item.interrupts.length + (item.omitted ?? 0) > 1 ? undefined : nextOf(item)?.toolCall;
  return call ? besidesOf(asksWords(item, parts), call.arguments, parts.text.andMore) : [];
}

/** The first arguments that a headline does not tell: "EUR: 4200 · Urgent: true". */
export const stakeOf = (headline: string, args: string): string => toldAs(besidesOf(headline, args, parts.text.andMore).slice(0, TOLD));

const toldAs = (members: ReadonlyArray<[string, string]>) => visible(members.map(([name, value]) => `${worded(name)}: ${value}`).join(" · "));
