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
  /** When they were chosen, from which the times count. */
  at: number;
}

export const NO_FILTERS: Filters = { reason: "", tool: "", agent: "", user: "", thread: "", runId: "", asked: "", due: "", everywhere: false, at: 0 };

/** How many filters are set beside those that have a menu. */
export function countFilters({ tool, thread, runId, asked, everywhere }: Filters): number {
  return [tool, thread, runId, asked, everywhere].filter(Boolean).length;
}

/** Whether any is set. */
export function isFiltered({ at: _, ...rest }: Filters): boolean {
  return Object.values(rest).some(Boolean);
}

/** The path of the inbox, of pages of `limit`. */
export function inboxPath(filters: Filters, limit: number): string {
  const query = new URLSearchParams({ limit: String(limit) });
  for (const name of ["reason", "tool", "agent", "user", "thread", "runId"] as const) {
    if (filters[name].trim() !== "") query.set(name, filters[name].trim());
  }
  const away = (seconds: number) => new Date(filters.at + seconds * 1_000).toISOString();
  const [how, seconds] = filters.asked.split(":");
  if (seconds) query.set(how === "older" ? "askedBefore" : "askedAfter", away(-Number(seconds)));
  if (filters.due) query.set("deadlineBefore", away(Number(filters.due)));
  if (filters.everywhere) query.set("tenants", "all");
  return `/inbox?${query}`;
}
