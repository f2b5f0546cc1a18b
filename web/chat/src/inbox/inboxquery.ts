// What the inbox is filtered by, and how the server is asked for it.

export interface Filters {
  reason: string;
  tool: string;
  agent: string;
  user: string;
  thread: string;
  runId: string;
  /** How long ago it was asked: `older:SECONDS` or `newer:SECONDS`. */
  asked: string;
  /** Within how many seconds it expires: 0 is for what has expired. */
  due: string;
  /** All tenants, for who may see them. */
  everywhere: boolean;
}

export const NO_FILTERS: Filters = { reason: "", tool: "", agent: "", user: "", thread: "", runId: "", asked: "", due: "", everywhere: false };

/** How many filters are set beside those that have a menu. */
export function countFilters({ thread, runId, asked, everywhere }: Filters): number {
  return [thread, runId, asked, everywhere].filter(Boolean).length;
}

/** Whether any is set. */
export function isFiltered(filters: Filters): boolean {
  return Object.values(filters).some(Boolean);
}

/** What of a path is a time. */
const TIMES = ["askedBefore", "askedAfter", "deadlineBefore"];

/** The path of the inbox, of pages of `limit`. Its times are seconds from when it is asked for, so that it stays the same list. */
export function inboxPath(filters: Filters, limit: number): string {
  const query = new URLSearchParams({ limit: String(limit) });
  for (const name of ["reason", "tool", "agent", "user", "thread", "runId"] as const) {
    if (filters[name].trim() !== "") query.set(name, filters[name].trim());
  }
  const [how, seconds] = filters.asked.split(":");
  if (seconds) query.set(how === "older" ? "askedBefore" : "askedAfter", `-${seconds}`);
  if (filters.due) query.set("deadlineBefore", filters.due);
  if (filters.everywhere) query.set("tenants", "all");
  return `/inbox?${query}`;
}

/** The path as the server is asked for it at a moment. */
export function pathAt(path: string, now: number): string {
  const [place, text] = path.split("?");
  const query = new URLSearchParams(text);
  for (const name of TIMES) {
    const seconds = query.get(name);
    if (seconds !== null) query.set(name, new Date(now + Number(seconds) * 1_000).toISOString());
  }
  return `${place}?${query}`;
}
