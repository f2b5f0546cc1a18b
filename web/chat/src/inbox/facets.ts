// What the list of open questions holds, of which its menus are made.

import { useEffect, useRef, useState } from "react";
import type { InboxItem } from "../server/api";
import type { Filters } from "./inboxquery";

/** What can be chosen among; a menu of one value chooses nothing. */
export interface Facets {
  reason: readonly string[];
  agent: readonly string[];
  tool: readonly string[];
  /** Who asks. */
  user: readonly string[];
  /** `0` is for what has expired, `3600` for what soon does, and the empty text for the rest. */
  due: readonly string[];
}

export const SOON_S = 3_600;

/** What these hold. The empty text is for what has no agent or no tool, or whose asker is not told. */
export function facetsOf(items: readonly InboxItem[], counts: Record<string, number> | undefined, now: number): Facets {
  return {
    reason: distinct([...Object.keys(counts ?? {}), ...items.flatMap((item) => item.interrupts.map(({ interrupt }) => String(interrupt.reason)))]),
    agent: distinct(items.map(({ agent }) => agent ?? "")),
    tool: distinct(items.flatMap(({ interrupts }) => interrupts.map(({ toolCall }) => toolCall?.name ?? ""))),
    user: distinct(items.map(({ user }) => user ?? "")),
    due: distinct(items.flatMap((item) => dues(item, now))),
  };
}

/** What either holds. */
export function together(one: Facets, other: Facets): Facets {
  return {
    reason: distinct([...one.reason, ...other.reason]),
    agent: distinct([...one.agent, ...other.agent]),
    tool: distinct([...one.tool, ...other.tool]),
    user: distinct([...one.user, ...other.user]),
    due: distinct([...one.due, ...other.due]),
  };
}

/** What a menu offers beside all; undefined: there is nothing to choose among. What is chosen stays on offer. */
export function offered(values: readonly string[], chosen: string): string[] | undefined {
  const all = distinct(chosen === "" ? values : [...values, chosen]);
  return all.length > 1 || chosen !== "" ? all.filter(Boolean) : undefined;
}

/** Of all that was listed as long as the inbox is looked at: a filter hides none of its alternatives, and an answer moves nothing. */
export function useFacets(items: readonly InboxItem[], counts: Record<string, number> | undefined, filters: Filters): Facets {
  const held = useRef<{ everywhere: boolean; facets: Facets }>(undefined);
  const before = held.current?.everywhere === filters.everywhere ? held.current.facets : undefined;
  const now = facetsOf(items, counts, Date.now());
  const [looked, look] = useState(0);
  useEffect(() => {
    const left = changesIn(items, Date.now());
    if (left === undefined) return;
    const timer = setTimeout(() => look((n) => n + 1), Math.min(left, LONGEST_MS));
    return () => clearTimeout(timer);
  }, [items, looked]);
  const facets = before ? together(before, now) : now;
  held.current = { everywhere: filters.everywhere, facets };
  return facets;
}

/** A timer that is longer is over at once, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1;

/** In how many milliseconds one of them will soon expire, or has; undefined: never. */
export function changesIn(items: readonly InboxItem[], now: number): number | undefined {
  const left = items.flatMap(({ interrupts }) => interrupts.flatMap(({ expiresAt, stale }) => {
    const at = Date.parse(expiresAt ?? "") - now;
    return stale ? [] : [at, at - SOON_S * 1_000].filter((ms) => ms > 0);
  }));
  return left.length === 0 ? undefined : Math.min(...left);
}

/** When the questions of a thread expire. */
function dues({ interrupts }: InboxItem, now: number): string[] {
  return interrupts.map(({ expiresAt, stale }) => {
    const left = (Date.parse(expiresAt ?? "") - now) / 1_000;
    if (stale || left <= 0) return "0";
    return left <= SOON_S ? String(SOON_S) : "";
  });
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)].sort((one, other) => one.localeCompare(other));
}
