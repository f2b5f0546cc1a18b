// Which runs of a list are shown, in words and as a request.

import type { Place } from "../server/pages";
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
}

/** Every run. */
export const ANY: RunFilters = { result: "", state: "", agent: "", thread: "" };

/** The kinds of outcomes that the server tells apart. */
export const RESULTS = Object.keys(ops.results);

export const resultWords = (result: string) => (ops.results as Record<string, string>)[result] ?? result;

/** Where a page of those runs is read. */
export function runsPath(filters: RunFilters, size: number): string {
  const query = new URLSearchParams({ limit: String(size) });
  for (const [name, value] of Object.entries(filters)) if (value) query.set(name, value);
  return `/runs?${query}`;
}

/** What is said of a page without runs: a page may be empty before the last. */
export function noneWords({ result, state, agent, thread }: RunFilters, { on, back }: Pick<Place, "on" | "back">): string {
  if (on) return ops.noneHere;
  if (back) return ops.noneLeftOn;
  const delivered = (ops.states as Record<string, string>)[state] ?? state;
  if (agent || thread) return ops.noneMatches;
  if (!result) return state ? ops.noneIs(delivered) : ops.noneYet;
  return state ? ops.noneDidOf(resultWords(result), delivered) : ops.noneDid(resultWords(result));
}
