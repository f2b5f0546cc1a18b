// The runs of a whole tenant, by the notices of them: no list has the runs of several users.

import { useEffect, useMemo, useState } from "react";
import { ApiError, call, usePolled, type Page, type PathAt, type Polled, type RunInfo } from "../server/api";
import type { Known } from "./health";
import { AGES, ANY, RUNNING, runsPath, TENANT } from "./runfilters";

/** What notices tell of a run. */
export interface Noticed {
  run: string;
  /** The client's id of it. */
  runId?: string;
  at: string;
  threadId: string;
  namespace: string;
  agent?: string;
  kind: "run.started" | "run.ended";
  /** How it ended: finish, fail, cancel or suspend. */
  how?: string;
  /** When it started, if a notice has told that. */
  began?: string;
}

/** What each end is called as an outcome. */
const RESULT_OF: Record<string, string> = { finish: "success", suspend: "interrupt", cancel: "cancelled", fail: "error" };

/** What a run came to so far, by the name that filters have for it. */
export const resultOf = ({ kind, how = "" }: Pick<Noticed, "kind" | "how">): string => (kind === "run.started" ? RUNNING : (RESULT_OF[how] ?? ""));

/** What is known of a run with one notice more, which may have come before. An end may say less of the run than its start. */
function told(before: Noticed | undefined, one: Noticed): Noticed {
  if (one.kind === "run.ended") return { ...before, ...one, began: before?.began };
  return { ...one, ...(before?.kind === "run.ended" && before), began: one.at };
}

/** Something that makes what was known of a chat's runs old: a question is withdrawn, or the chat is gone. */
export interface Stirred extends Pick<Noticed, "at" | "threadId" | "namespace"> {
  kind: "interrupt.cancelled" | "thread.deleted";
}

/** A page of notices. */
export interface NoticedPage<T = Noticed> extends Page<T> {
  /** Some before these may have been given up. */
  missed?: boolean;
  /** It is not the last, even if it is empty. */
  more?: boolean;
}

const LIMIT = 200;

/** So many pages are read at once. */
export const MOST_PAGES = 60;

/** Which notices tell that runs failed, and which tell of all runs. */
export const FAILED = { kind: "run.ended", severity: "error" };
export const ALL = { kind: "run.started,run.ended,interrupt.cancelled,thread.deleted" };

/** More runs are forgotten, those first that were noticed first. */
export const MOST_RUNS = MOST_PAGES * LIMIT;

interface Kept {
  one: Noticed;
  /** When it was noticed last, and when it began or else was noticed, in milliseconds. */
  at: number;
  began: number;
}

/** What was read so far: a page goes on behind the one before it. */
export class RunNotices {
  private readonly byRun = new Map<string, Kept>();
  private readonly byChat = new Map<string, number>();
  private after?: string;
  private pages = 0;
  private listed?: Noticed[];
  /** It is not what is known any more. */
  private old = true;
  /** Some may have been given up before they were read. */
  missed = false;
  /** Some are not read yet. */
  cut = false;

  constructor(
    private readonly ageMs: number,
    private readonly which: Record<string, string>,
    private readonly mostPages = MOST_PAGES,
  ) {}

  /** Where the next page is. */
  readonly path = (_: string, now: number): string => {
    const query = new URLSearchParams({ ...this.which, limit: String(LIMIT) });
    if (this.after === undefined) query.set("from", new Date(now - this.ageMs).toISOString());
    else query.set("after", this.after);
    return `/notices?${query}`;
  };

  /** Takes a page. True: the next one is to be read at once. */
  take({ items, next, missed, more }: NoticedPage<Noticed | Stirred>): boolean {
    this.after = next;
    this.missed ||= missed === true;
    for (const one of items) this.hear(one);
    const last = items.length === 0 && more !== true;
    if (!last && ++this.pages < this.mostPages) return true;
    this.pages = 0;
    this.cut = !last || this.byRun.size > MOST_RUNS;
    thin(this.byRun);
    thin(this.byChat);
    return false;
  }

  private hear(one: Noticed | Stirred): void {
    this.old = true;
    const chat = chatOf(one);
    this.byChat.set(chat, this.heard(one) + 1);
    if (!isOfRun(one)) return;
    const before = this.byRun.get(one.run);
    const now = told(before?.one, one);
    const at = Date.parse(one.at);
    this.byRun.set(one.run, { one: now, at: now.at === one.at ? at : before!.at, began: now.began === one.at ? at : (before?.began ?? at) });
  }

  /** How many notices there were of its chat. */
  readonly heard = (one: Pick<Noticed, "namespace" | "threadId">): number => this.byChat.get(chatOf(one)) ?? 0;

  /** What was read is not gone on with, as its place is of another store. */
  restart(): void {
    this.after = undefined;
    this.pages = 0;
  }

  /** Those that are not too old, the latest first, when the last page was read; the same until something is noticed. Undefined: pages are still to be read. */
  list(now = Date.now()): Noticed[] | undefined {
    if (this.pages > 0) return this.listed;
    for (const [run, { at }] of this.byRun) this.old = (now - at > this.ageMs && this.byRun.delete(run)) || this.old;
    if (this.old) this.listed = [...this.byRun.values()].sort((one, other) => other.began - one.began).map(({ one }) => one);
    this.old = false;
    return this.listed;
  }
}

function thin(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    if (map.size <= MOST_RUNS) return;
    map.delete(key);
  }
}

const isOfRun = (one: Noticed | Stirred): one is Noticed => one.kind === "run.started" || one.kind === "run.ended";

const chatOf = ({ namespace, threadId }: Pick<Noticed, "namespace" | "threadId">) => JSON.stringify([namespace, threadId]);

const EVERY_MS = 15_000;
const LIST_MS = 5_000;

/** What was read of them page by page; undefined: it is not read yet. */
function useTaken(notices: RunNotices, data: NoticedPage | undefined, { error, refresh }: Pick<Polled<NoticedPage>, "error" | "refresh">): Noticed[] | undefined {
  const [taken, setTaken] = useState<{ of: RunNotices; list?: Noticed[] }>();
  useEffect(() => {
    if (!data) return;
    const more = notices.take(data);
    setTaken({ of: notices, list: notices.list() });
    if (more) refresh();
  }, [notices, data, refresh]);
  useEffect(() => {
    if (error?.status === 400) notices.restart();
  }, [notices, error]);
  return taken?.of === notices ? taken.list : undefined;
}

/** Those of the tenant since a time of AGES, all or only what failed; undefined: they are not read yet. */
export function useTenantsRuns(since: string, onlyFailed: boolean): Polled<Noticed[]> & Pick<RunNotices, "missed" | "cut" | "heard"> {
  const notices = useMemo(() => new RunNotices(AGES[since]!, onlyFailed ? FAILED : ALL), [since, onlyFailed]);
  const polled = usePolled<NoticedPage>(`/notices?since=${since}&failed=${onlyFailed}`, LIST_MS, undefined, notices.path);
  return { data: useTaken(notices, polled.data, polled), error: polled.error, refresh: polled.refresh, missed: notices.missed, cut: notices.cut, heard: notices.heard };
}

/** How far is looked back for the latest runs, in milliseconds. */
const BACK_MS = [AGES.hour! / 12, AGES.hour!, AGES.day!, AGES.week!];

/** So many pages are read at once of what is looked for there. */
const FEW_PAGES = 3;

/** How far to look back when so many were found: further until they are enough, or more than can be read at once. */
export function furtherBack(back: number, found: number, cut: boolean, enough: number): number {
  return !cut && found < enough && back < BACK_MS.length - 1 ? back + 1 : back;
}

/** The latest runs of the tenant, as far as few notices tell; undefined: they are not read yet. None: there are none, or too many to read at once. */
export function useLatestOfTenant(enough: number): { latest?: readonly Noticed[]; heard: RunNotices["heard"] } {
  const [back, goBack] = useState(0);
  const [found, find] = useState<readonly Noticed[]>();
  const notices = useMemo(() => new RunNotices(BACK_MS[back]!, ALL, FEW_PAGES), [back]);
  const polled = usePolled<NoticedPage>(`/notices?latest=${back}`, LIST_MS, undefined, notices.path);
  const list = useTaken(notices, polled.data, polled);
  const { cut, heard } = notices;
  useEffect(() => {
    if (!list) return;
    const next = furtherBack(back, list.length, cut, enough);
    goBack(next);
    // What is read of too many are the oldest of them.
    if (next === back) find((before = []) => (cut ? before : list));
    else find((before) => (list.length > 0 ? list : before));
  }, [back, list, cut, enough]);
  return { latest: useMemo(() => found?.slice(0, enough), [found, enough]), heard };
}

/** Most failed runs of one's own that are counted. */
const COUNTED = 200;

const ownOfHour: PathAt = (_, now) => runsPath({ ...ANY, result: "error", since: "hour" }, COUNTED, now);

/** How many runs of the last hour have failed: the tenant's if the person sees others, or one's own. The tenant's are `noticed`, the latest first. */
export function useFailedOfHour(may: boolean, others: boolean): { data?: Known["failed"]; error?: ApiError; noticed: readonly Noticed[]; heard: RunNotices["heard"] } {
  const failures = useMemo(() => new RunNotices(AGES.hour!, FAILED), []);
  const polled = usePolled<NoticedPage>(may ? (others ? "/notices" : "/runs") : undefined, EVERY_MS, undefined, others ? failures.path : ownOfHour);
  const list = useTaken(failures, others ? polled.data : undefined, polled);
  const { data, error } = polled;
  const { cut, heard } = failures;
  if (!others) return { data: data && { n: data.items.length, more: data.next !== undefined, whose: "" }, error, noticed: [], heard };
  // That none failed is not known before all is read.
  return { data: list && (list.length > 0 || !cut) ? { n: list.length, more: cut, whose: TENANT } : undefined, error, noticed: list ?? [], heard };
}

/** How many are read at once. */
const AT_ONCE = 6;

/** What is known of those runs, of which the thread may be gone, and whether all were asked for. One that was not over is read again when more is `heard` of its chat. */
export function useRunsOf(noticed: readonly Noticed[], heard: RunNotices["heard"]): { runs: RunInfo[]; whole: boolean } {
  const [known, learn] = useState<ReadonlyMap<string, { as: number; run?: RunInfo }>>(new Map());
  useEffect(() => {
    let over = false;
    const read = async (one: Noticed) => {
      const as = heard(one);
      try {
        const run = await call<RunInfo>("GET", `/threads/${encodeURIComponent(one.threadId)}/runs/${encodeURIComponent(one.run)}?namespace=${encodeURIComponent(one.namespace)}`);
        return { as, run };
      } catch (fault) {
        // Those of which nobody answers are asked for at the next look.
        return fault instanceof ApiError && fault.status === 404 ? { as } : undefined;
      }
    };
    const isDue = (one: Noticed) => {
      const before = known.get(one.run);
      if (!before?.run) return before === undefined;
      const { state, waits } = before.run;
      return (waits || state === "queued" || state === "claimed") && before.as !== heard(one);
    };
    void (async () => {
      const due = noticed.filter(isDue);
      for (let i = 0; i < due.length && !over; i += AT_ONCE) {
        const some = due.slice(i, i + AT_ONCE);
        const found = await Promise.all(some.map(read));
        if (over) return;
        learn((before) => new Map([...before, ...some.flatMap(({ run }, n) => (found[n] ? [[run, found[n]] as const] : []))]));
      }
    })();
    return () => void (over = true);
  }, [noticed, heard]);
  return { runs: noticed.flatMap(({ run }) => known.get(run)?.run ?? []), whole: noticed.every(({ run }) => known.has(run)) };
}
