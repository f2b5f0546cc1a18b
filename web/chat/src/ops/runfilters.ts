// Which runs of a list are shown, in words and as a request.

import type { Place } from "../server/pages";

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

const OUTCOMES: Record<string, string> = { success: "succeeded", interrupt: "asked or waited", cancelled: "stopped", error: "failed" };

/** The kinds of outcomes that the server tells apart. */
export const RESULTS = Object.keys(OUTCOMES);

export const resultWords = (result: string) => OUTCOMES[result] ?? result;

/** Where a page of those runs is read. */
export function runsPath(filters: RunFilters, size: number): string {
  const query = new URLSearchParams({ limit: String(size) });
  for (const [name, value] of Object.entries(filters)) if (value) query.set(name, value);
  return `/runs?${query}`;
}

/** What is said of a page without runs: a page may be empty before the last. */
export function noneWords({ result, state, agent, thread }: RunFilters, { on, back }: Pick<Place, "on" | "back">): string {
  if (on) return "None on this page. There may be some on the next.";
  if (back) return "None are left on this page.";
  const delivered = state.replace("_", " ");
  if (agent || thread) return "None matches.";
  if (!result) return state ? `None is ${delivered}.` : "None yet.";
  return `None ${resultWords(result)}${state && ` of those that are ${delivered}`}.`;
}
