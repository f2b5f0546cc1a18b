// The failed runs of a whole tenant, by the notices of them: no list has the runs of several users.

import { useEffect, useMemo, useState } from "react";
import { ApiError, call, usePolled, type Page, type PathAt, type Polled, type RunInfo } from "../server/api";
import type { Known } from "./health";
import { AGES, ANY, runsPath, TENANT } from "./runfilters";

/** What a notice tells of a run that failed. */
export interface Failed {
  run: string;
  at: string;
  threadId: string;
  namespace: string;
  agent?: string;
}

/** A page of notices. */
export interface FailedPage extends Page<Failed> {
  /** Some before these may have been given up. */
  missed?: boolean;
  /** It is not the last, even if it is empty. */
  more?: boolean;
}

const LIMIT = 200;

/** So many pages are read at once. */
export const MOST_PAGES = 60;

/** What was read so far: a page goes on behind the one before it. */
export class Failures {
  private readonly byRun = new Map<string, Failed>();
  private after?: string;
  private pages = 0;
  private looked = false;
  /** Some may have been given up before they were read. */
  missed = false;
  /** Some are not read yet. */
  cut = false;

  constructor(private readonly ageMs: number) {}

  /** Where the next page is. */
  readonly path = (_: string, now: number): string => {
    const query = new URLSearchParams({ kind: "run.ended", severity: "error", limit: String(LIMIT) });
    if (this.after === undefined) query.set("from", new Date(now - this.ageMs).toISOString());
    else query.set("after", this.after);
    return `/notices?${query}`;
  };

  /** Takes a page. True: the next one is to be read at once. */
  take({ items, next, missed, more }: FailedPage): boolean {
    this.after = next;
    this.missed ||= missed === true;
    for (const one of items) this.byRun.set(one.run, one);
    const last = items.length === 0 && more !== true;
    if (!last && ++this.pages < MOST_PAGES) return true;
    this.pages = 0;
    this.looked = true;
    this.cut = !last;
    return false;
  }

  /** What was read is not gone on with, as its place is of another store. */
  restart(): void {
    this.after = undefined;
    this.pages = 0;
  }

  /** Those that are not too old, the latest first; undefined: pages are still to be read. */
  list(now = Date.now()): Failed[] | undefined {
    if (!this.looked) return undefined;
    for (const [run, { at }] of this.byRun) if (now - Date.parse(at) > this.ageMs) this.byRun.delete(run);
    return [...this.byRun.values()].sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
  }
}

const EVERY_MS = 15_000;

/** What was read of them page by page; undefined: it is not read yet. */
function useTaken(failures: Failures, data: FailedPage | undefined, { error, refresh }: Pick<Polled<FailedPage>, "error" | "refresh">): Failed[] | undefined {
  const [taken, setTaken] = useState<{ of: Failures; list?: Failed[] }>();
  useEffect(() => {
    if (!data) return;
    const more = failures.take(data);
    setTaken({ of: failures, list: failures.list() });
    if (more) refresh();
  }, [failures, data, refresh]);
  useEffect(() => {
    if (error?.status === 400) failures.restart();
  }, [failures, error]);
  return taken?.of === failures ? taken.list : undefined;
}

/** Those of the tenant since a time of AGES; undefined: they are not read yet. */
export function useFailures(since: string): { data?: Failed[]; error?: ApiError; missed: boolean; cut: boolean } {
  const failures = useMemo(() => new Failures(AGES[since]!), [since]);
  const polled = usePolled<FailedPage>(`/notices?since=${since}`, EVERY_MS, undefined, failures.path);
  return { data: useTaken(failures, polled.data, polled), error: polled.error, missed: failures.missed, cut: failures.cut };
}

/** Most failed runs of one's own that are counted. */
const COUNTED = 200;

const ownOfHour: PathAt = (_, now) => runsPath({ ...ANY, result: "error", since: "hour" }, COUNTED, now);

/** How many runs of the last hour have failed: the tenant's if the person sees others, or one's own. */
export function useFailedOfHour(others: boolean): { data?: Known["failed"]; error?: ApiError } {
  const failures = useMemo(() => new Failures(AGES.hour!), []);
  const polled = usePolled<FailedPage>(others ? "/notices" : "/runs", EVERY_MS, undefined, others ? failures.path : ownOfHour);
  const list = useTaken(failures, others ? polled.data : undefined, polled);
  const { data, error } = polled;
  if (!others) return { data: data && { n: data.items.length, more: data.next !== undefined, whose: "" }, error };
  const { cut } = failures;
  // That none failed is not known before all is read.
  return { data: list && (list.length > 0 || !cut) ? { n: list.length, more: cut, whose: TENANT } : undefined, error };
}

/** What is known of those runs, of which the thread may be gone, and whether all were asked for. */
export function useRunsOf(failed: readonly Failed[]): { runs: RunInfo[]; whole: boolean } {
  const [known, learn] = useState<ReadonlyMap<string, RunInfo | undefined>>(new Map());
  useEffect(() => {
    let over = false;
    const read = async ({ run, threadId, namespace }: Failed) => {
      try {
        return await call<RunInfo>("GET", `/threads/${encodeURIComponent(threadId)}/runs/${encodeURIComponent(run)}?namespace=${encodeURIComponent(namespace)}`);
      } catch (fault) {
        if (fault instanceof ApiError && fault.status === 404) return undefined;
        throw fault;
      }
    };
    void (async () => {
      for (const one of failed.filter(({ run }) => !known.has(run))) {
        // Those of which nobody answers are asked for at the next look.
        const found = await read(one).then((run) => ({ run }), () => undefined);
        if (over) return;
        if (found) learn((before) => new Map(before).set(one.run, found.run));
      }
    })();
    return () => void (over = true);
  }, [failed]);
  return { runs: failed.flatMap(({ run }) => known.get(run) ?? []), whole: failed.every(({ run }) => known.has(run)) };
}
