// Which runs of a list are shown: in words, in the address and as a request.

import type { Place } from "../server/pages";
import { at } from "../lib/base";
import { ops } from "../words/ops";

export interface RunFilters {
  /** The kind of the outcome; empty for any. */
  result: string;
  /** The state of the dispatch; empty for any. */
  state: string;
  /** The agent; empty for any. */
  agent: string;
  /** The id of the chat; empty for any. */
  thread: string;
  /** How long ago they began at most, by the names of AGES; empty for any time. */
  since: string;
  /** A part of the title of the chat; empty for any. */
  title: string;
  /** `tenant`: those of everybody there, which failed; empty for one's own. */
  whose: string;
}

/** Every run. */
export const ANY: RunFilters = { result: "", state: "", agent: "", thread: "", since: "", title: "", whose: "" };

/** The kinds of outcomes that the server tells apart. */
export const RESULTS = Object.keys(ops.results);

export const resultWords = (result: string) => (ops.results as Record<string, string>)[result] ?? result;

const HOUR_MS = 3_600_000;

/** The ages by which runs are chosen. */
export const AGES: Record<string, number> = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS };

/** All users of the tenant, as a filter says it. */
export const TENANT = "tenant";

/** How long ago runs of the tenant failed at most, unless another time is chosen. */
export const OF_TENANT = "day";

/** How long ago runs began at most. */
export const SINCE = Object.keys(AGES);

export const sinceWords = (since: string) => (ops.since as Record<string, string>)[since] ?? since;

const NAMES = Object.keys(ANY) as Array<keyof RunFilters>;

/** The filters that stand in an address. */
export function filtersIn(query: URLSearchParams): RunFilters {
  const filters = { ...ANY };
  for (const name of NAMES) filters[name] = query.get(name) ?? "";
  if (!Object.hasOwn(AGES, filters.since)) filters.since = "";
  if (filters.whose !== TENANT) filters.whose = "";
  return filters;
}

/** The place that lists those runs. */
export function runsHref(filters: Partial<RunFilters>): string {
  const query = new URLSearchParams();
  for (const name of NAMES) if (filters[name]) query.set(name, filters[name]);
  return at(query.size > 0 ? `/ops/runs?${query}` : "/ops/runs");
}

/** The place that lists the runs of a chat, and shows one of them. */
export const runHref = (thread: string, id: string) => `${runsHref({ thread })}&run=${encodeURIComponent(id)}`;

/** Where a page of those runs is read. */
export function runsPath({ since, whose: _, ...filters }: RunFilters, size: number, now = Date.now()): string {
  const query = new URLSearchParams({ limit: String(size) });
  for (const [name, value] of Object.entries(filters)) if (value) query.set(name, value);
  const age = AGES[since];
  if (age !== undefined && !filters.thread) query.set("from", new Date(now - age).toISOString());
  return `/runs?${query}`;
}

/** What the fold is called behind which filters stand: all of them, or those that have no menu of their own. */
export function summaryWords(folded: boolean, { result, state, agent, since }: RunFilters): string {
  const n = [state, ...(folded ? [result, agent, since] : [])].filter(Boolean).length;
  if (n === 0) return folded ? ops.filters : ops.moreFilters;
  return (folded ? ops.filtersSet : ops.moreFiltersSet)(n);
}

/** What is said of a page without runs: a page may be empty before the last. */
export function noneWords({ result, state, agent, thread, since, title }: RunFilters, { on, back }: Pick<Place, "on" | "back">): string {
  if (on) return ops.noneHere;
  if (back) return ops.noneLeftOn;
  const delivered = (ops.states as Record<string, string>)[state] ?? state;
  if (agent || thread || since || title) return ops.noneMatches;
  if (!result) return state ? ops.noneIs(delivered) : ops.noneYet;
  return state ? ops.noneDidOf(resultWords(result), delivered) : ops.noneDid(resultWords(result));
}
