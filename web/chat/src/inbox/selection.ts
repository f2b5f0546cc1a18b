// Which threads are chosen for one answer to all of them, and what became of it.

import type { Interrupt } from "@ag-ui/client";
import { useEffect, useState } from "react";
import type { InboxItem } from "../server/api";
import { decisionOf } from "../../../react/forms/wording";
import { visible } from "../../../react/lib/misleading";
import { among, barredBy, bulkable, countOf, messagesOf, plainAnswer, questionsKey, type Result, type Way } from "./bulk";
import { refusalWords } from "./BulkBar";
import { askKeyOf } from "./asked";
import type { Said } from "./InboxItem";
import { parts, words } from "../words";
import { inbox } from "../words/inbox";

export interface Selection {
  /** What can be chosen. */
  offered: readonly InboxItem[];
  chosen: readonly InboxItem[];
  choose: (items: readonly InboxItem[]) => void;
  /** Whether one is chosen, and the way to change that; left out where it cannot be. */
  has: (item: InboxItem) => boolean;
  changer: (item: InboxItem) => ((chosen: boolean) => void) | undefined;
  /** Why one cannot be chosen, in words. */
  barred: (item: InboxItem) => string;
  /** Why a yes or no to several did not answer it. */
  refused: (item: InboxItem) => string | undefined;
  /** Hears what became of some, and says how many were answered; an empty text: none. */
  heard: (way: Way, results: readonly Result[]) => string;
}

/** What is chosen is shown. `me`: who chooses. `whole`: that is all there is. `note` hears what was answered, and `clear` that what became of others has been seen. */
export function useSelection(shown: readonly InboxItem[], me: string | undefined, whole: boolean, note: (...some: Said[]) => void, clear: () => void): Selection {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const [refused, setRefused] = useState<Record<string, string>>({});
  const offered = shown.filter((item) => bulkable(item, me));
  useEffect(() => {
    if (whole) setKeys((now) => among(now, offered));
  }, [shown, whole]);
  const has = (item: InboxItem) => keys.has(questionsKey(item));
  const choose = (now: ReadonlySet<string>) => {
    clear();
    setKeys(now);
  };
  return {
    offered,
    chosen: offered.filter(has),
    choose: (items) => choose(new Set(items.map(questionsKey))),
    has,
    changer: (item) => (offered.includes(item) ? (yes) => choose(changed(keys, questionsKey(item), yes)) : undefined),
    barred: (item) => inbox.bulk.barred[(shown.includes(item) && barredBy(item, me)) || "elsewhere"],
    refused: (item) => refused[questionsKey(item)],
    heard(way, results) {
      if (results.length === 0) return "";
      const taken = results.filter((one) => !one.error);
      note(...taken.map((one) => saidOf(way, one)));
      setRefused(Object.fromEntries(results.flatMap(({ item, error }) => (error ? [[questionsKey(item), refusalWords(error)]] : []))));
      return taken.length === 0 ? "" : `${doneWords(way, taken.map(({ item }) => item))}.`;
    },
  };
}

/** Whether the chosen are not just the one that is open beside the list. */
export const choosesOthers = (chosen: readonly InboxItem[], open: InboxItem | undefined): boolean => chosen.some((one) => one !== open);

function changed(chosen: ReadonlySet<string>, key: string, yes: boolean): ReadonlySet<string> {
  const now = new Set(chosen);
  if (yes) now.add(key);
  else now.delete(key);
  return now;
}

/** So many were answered so. */
export function doneWords(way: Way, items: readonly InboxItem[]): string {
  return (way === "approve" ? inbox.bulk.approved : inbox.bulk.declined)(countOf(items));
}

export function saidOf(way: Way, { item, missing = 0, run }: Pick<Result, "item" | "missing" | "run">): Said {
  const decisions = item.interrupts.map(({ interrupt, toolCall }) => {
    const asked = interrupt as unknown as Interrupt;
    return decisionOf(asked, messagesOf(asked, toolCall), plainAnswer(way, asked)!, parts);
  });
  const title = visible(item.title || words.threads.untitled);
  const done = decisions.join(", ");
  const key = askKeyOf(item);
  if (missing > 0) return { key, text: inbox.keptAsDraft(done, missing, title), goesOn: false };
  return { key, text: done, goesOn: true, run, openAgain: (why) => inbox.couldNotGoOn(done, title, why) };
}
