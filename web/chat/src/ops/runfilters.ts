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
  /** `tenant`: those of everybody there; `own`: one's own; empty: of everybody whom one sees, unless what is chosen is known of one's own alone. */
  whose: string;
}

/** Every run. */
export const ANY: RunFilters = { result: "", state: "", agent: "", thread: "", since: "", title: "", whose: "" };

/** The kinds of outcomes that the server tells apart. */
export const RESULTS = Object.keys(ops.results);

/** The outcome of a run that has none so far. */
export const RUNNING = "running";

export const resultWords = (result: string) => (result === RUNNING ? ops.runStates.running : ((ops.results as Record<string, string>)[result] ?? result));

const HOUR_MS = 3_600_000;

/** The ages by which runs are chosen. */
export const AGES: Record<string, number> = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS };

/** All users of the tenant, and whoever looks alone, as a filter says it. */
export const TENANT = "tenant";
export const OWN = "own";

/** Whether those of the tenant are asked for, by somebody who sees others. */
export const ofTenant = ({ whose, thread, title, state }: RunFilters) => whose === TENANT || (whose === "" && !thread && !title && !state);

/** How long ago runs of the tenant began or ended at most: what failed is looked for further back, unless another time is chosen. */
export const sinceOf = ({ since, result }: Pick<RunFilters, "since" | "result">) => since || defaultSince(result);

export const defaultSince = (result: string) => (result === "error" ? "day" : "hour");

/** How long ago runs began at most. */
export const SINCE = Object.keys(AGES);

export const sinceWords = (since: string) => (ops.since as Record<string, string>)[since] ?? since;

const NAMES = Object.keys(ANY) as Array<keyof RunFilters>;

/** The filters that stand in an address. */
export function filtersIn(query: URLSearchParams): RunFilters {
  const filters = { ...ANY };
  for (const name of NAMES) filters[name] = query.get(name) ?? "";
  if (!Object.hasOwn(AGES, filters.since)) filters.since = "";
  if (filters.whose !== TENANT && filters.whose !== OWN) filters.whose = "";
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
  if (filters.result === RUNNING) {
    query.delete("result");
    query.set("state", "claimed");
  }
  const age = AGES[since];
  if (age !== undefined && !filters.thread) query.set("from", new Date(now - age).toISOString());
  return `/runs?${query}`;
}

/** How many filters are set behind the fold: it has all of them, or those that have no menu of their own. */
const countFilters = (folded: boolean, { result, state, agent, since }: RunFilters) => [state, ...(folded ? [result, agent, since] : [])].filter(Boolean).length;

export const isFiltered = (folded: boolean, filters: RunFilters) => countFilters(folded, filters) > 0;

/** What the fold is called behind which they stand. */
export function summaryWords(folded: boolean, filters: RunFilters): string {
  const n = countFilters(folded, filters);
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
