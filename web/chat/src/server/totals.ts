// How many threads wait for an answer: one number, wherever it is said.

import { useEffect, useSyncExternalStore } from "react";
import { usePolled, type News } from "./api";

export interface Totals {
  total: number;
  reasons?: Record<string, number>;
  /** When one of them has expired, and counts no more. */
  until?: string;
}

/** How often they are counted where no notices come, in milliseconds. */
const EVERY_MS = 10_000;

/** It is not counted anew sooner than this, however the clocks differ, nor later, in milliseconds. */
const [SOONEST_MS, LATEST_MS] = [1_000, 2 ** 31 - 1];

/** What the server counts, and counts anew when one of them has expired, of which nothing tells. */
export function useTotals(query: string, news: News | undefined): Totals | undefined {
  const { data, refresh } = usePolled<Totals>(`/inbox/totals${query}`, EVERY_MS, news);
  useEffect(() => {
    if (data?.until === undefined) return;
    const left = Date.parse(data.until) - Date.now() + 1;
    const timer = setTimeout(refresh, Math.min(Math.max(left, SOONEST_MS), LATEST_MS));
    return () => clearTimeout(timer);
  }, [data, refresh]);
  return data;
}

let listed: number | undefined;
const watchers = new Set<() => void>();

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

/** The place that lists them says how many it shows, which is without what is answered there and not sent yet; undefined: no place does. */
export function sayListed(count: number | undefined): void {
  listed = count;
  for (const watcher of watchers) watcher();
}

export const useListedCount = (): number | undefined => useSyncExternalStore(watch, () => listed);
