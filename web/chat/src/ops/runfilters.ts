// Which runs of a list are shown, in words and as a request.

import type { Place } from "../server/pages";

export interface RunFilters {
  /** The kind of the outcome; empty for any. */
  result: string;
  /** The state of the dispatch; empty for any. */
  state: string;
}

const OUTCOMES: Record<string, string> = { success: "succeeded", interrupt: "asked or waited", cancelled: "stopped", error: "failed" };

/** The kinds of outcomes that the server tells apart. */
export const RESULTS = Object.keys(OUTCOMES);

export const resultWords = (result: string) => OUTCOMES[result] ?? result;

/** Where a page of those runs is read. */
export function runsPath(path: string, { result, state }: RunFilters, size: number): string {
  const query = new URLSearchParams({ limit: String(size) });
  if (state) query.set("state", state);
  if (result) query.set("result", result);
  return `${path}?${query}`;
}

/** What is said of a page without runs: a page may be empty before the last. */
export function noneWords({ result, state }: RunFilters, { on, back }: Pick<Place, "on" | "back">): string {
  if (on) return "None on this page. There may be some on the next.";
  if (back) return "None are left on this page.";
  const delivered = state.replace("_", " ");
  if (!result) return state ? `None is ${delivered}.` : "None yet.";
  return `None ${resultWords(result)}${state && ` of those that are ${delivered}`}.`;
}
