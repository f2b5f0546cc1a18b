// Looking for whatever has an id: a chat, a run by either of its names, a question; and for what questions say. No list of all of them is kept, so it is
// looked for where it is likely, and said how far.

import { asksWords } from "../../../react/inbox/asks";
import { stringify } from "../../../react/lib/json";
import { decidedAbout } from "../inbox/decided";
import { DECIDED_PATH, OPEN_PATH } from "./runquestions";
import type { NoticedPage } from "./tenantruns";
import { parts } from "../words";
import type { DecisionInfo, InboxItem, Page, RunInfo, ThreadInfo } from "../server/api";

export interface Found {
  what: "chat" | "run" | "question" | "decided" | "dead";
  threadId: string;
  namespace?: string;
  title?: string;
  run?: RunInfo;
}

/** How many of the latest chats have their runs looked through. */
export const CHATS = 50;

type Get = <T>(path: string) => Promise<T | undefined>;

export interface Answer {
  found?: Found;
  /** Those whose questions have it, or whose chats' titles do. */
  runs?: RunInfo[];
  /** There are more of them. */
  cut?: boolean;
}

/** So many runs of chats with such a title stand beside those of such questions. */
const TITLED = 50;

/** What may be an id, and is no word that questions have. */
const LONG = /^\S{12,}$/;

/** What is found; "titled" if chats' titles have it, and no question does. */
export async function lookUp(wanted: string, get: Get): Promise<Answer | "titled"> {
  const titled = await get<Page<RunInfo>>(`/runs?limit=${TITLED}&title=${encodeURIComponent(wanted)}`);
  const { runs, cut } = await asking(wanted, get);
  const some = titled?.items ?? [];
  if (runs.length === 0) return some.length > 0 ? "titled" : { found: await find(wanted, get) };
  const found = await (LONG.test(wanted) ? find(wanted, get) : near(wanted, get));
  const all = [...some, ...runs, ...(found?.run ? [found.run] : [])];
  return { found, runs: latestFirst([...new Map(all.map((one) => [one.id, one])).values()]), cut: cut || titled?.next !== undefined };
}

/** What has the id; undefined where nothing is found. `get` answers undefined for what is not there or not to be read. */
export async function find(id: string, get: Get, now = Date.now()): Promise<Found | undefined> {
  return (await near(id, get)) ?? (await amongLatest(id, get)) ?? (await noticed(id, get, now));
}

/** What has the id among what few requests tell. */
async function near(id: string, get: Get): Promise<Found | undefined> {
  const thread = await get<ThreadInfo>(`/threads/${encodeURIComponent(id)}`);
  if (thread) return { what: "chat", threadId: thread.threadId, title: thread.title };
  const open = await get<Page<InboxItem>>(OPEN_PATH);
  for (const item of open?.items ?? []) {
    const question = item.interrupts.some((one) => one.id === id);
    if (question || item.threadId === id) return { what: question ? "question" : "chat", threadId: item.threadId, namespace: item.namespace, title: item.title };
  }
  const decided = await get<Page<DecisionInfo>>(DECIDED_PATH);
  for (const one of decided?.items ?? []) {
    if (one.interruptId === id || one.id === id) return { what: "decided", threadId: one.threadId, namespace: one.namespace };
    if (one.askedBy?.id === id || one.answeredBy?.id === id) return await runIn(one.threadId, one.namespace, id, get);
  }
  const dead = await get<Page<RunInfo>>("/dispatches?state=dead_letter&limit=200");
  for (const run of dead?.items ?? []) {
    if (run.id === id || run.runId === id) return { what: "dead", threadId: run.threadId, namespace: run.namespace, run };
  }
  return undefined;
}

/** A run of one of the latest chats. */
async function amongLatest(id: string, get: Get): Promise<Found | undefined> {
  const latest = await get<Page<ThreadInfo>>(`/threads?limit=${CHATS}`);
  for (const some of batches(latest?.items ?? [])) {
    const found = await Promise.all(some.map(async ({ threadId, title }): Promise<Found[]> => {
      const runs = await get<Page<RunInfo>>(`/threads/${encodeURIComponent(threadId)}/runs?limit=200`);
      const run = runs?.items.find((one) => one.id === id || one.runId === id);
      return run ? [{ what: "run", threadId, title, run }] : [];
    }));
    const [first] = found.flat();
    if (first) return first;
  }
  return undefined;
}

/** So many requests are under way at once. */
const AT_ONCE = 6;

const batches = <T,>(all: readonly T[]): T[][] => Array.from({ length: Math.ceil(all.length / AT_ONCE) }, (_, i) => all.slice(i * AT_ONCE, (i + 1) * AT_ONCE));

/** How many pages of notices are looked through, and of how long, in milliseconds. */
const PAGES = 60;
const NOTICED_MS = 24 * 3_600_000;

/** A run of whom one may be told, or the latest run of such a chat. */
async function noticed(id: string, get: Get, now: number): Promise<Found | undefined> {
  const query = new URLSearchParams({ kind: "run.started,run.ended", limit: "200", from: new Date(now - NOTICED_MS).toISOString() });
  for (let n = 0; n < PAGES; n++) {
    const page = await get<NoticedPage>(`/notices?${query}`);
    const hit = page?.items.findLast(({ run, runId, threadId }) => [run, runId, threadId].includes(id));
    if (hit) return await runIn(hit.threadId, hit.namespace, hit.run, get);
    if (!page?.next || (page.items.length === 0 && !page.more)) break;
    query.delete("from");
    query.set("after", page.next);
  }
  return undefined;
}

/** So many runs are found by what they ask, and as many by what was decided. */
const MOST = 30;

/** The runs, the latest first, whose questions have a text in their titles, messages or arguments, whether they wait or are answered. `cut`: there are more. */
export async function asking(wanted: string, get: Get): Promise<{ runs: RunInfo[]; cut: boolean }> {
  const text = wanted.toLowerCase();
  const has = (...said: unknown[]) => said.some((one) => one !== undefined && (typeof one === "string" ? one : stringify(one)).toLowerCase().includes(text));
  const open = ((await get<Page<InboxItem>>(OPEN_PATH))?.items ?? []).filter((item) =>
    has(asksWords(item, parts)) || item.interrupts.some(({ interrupt, toolCall }) => has(interrupt.message, toolCall?.arguments)));
  const decided = ((await get<Page<DecisionInfo>>(DECIDED_PATH))?.items ?? []).filter((one) => has(decidedAbout(one), one.message, one.arguments));
  const ofDecided = new Map(decided.flatMap(({ threadId, namespace, askedBy, answeredBy }) => {
    const id = answeredBy?.id ?? askedBy?.id;
    return id === undefined ? [] : [[id, async () => (await runIn(threadId, namespace, id, get)).run]];
  }));
  const ofOpen = open.map(({ threadId, namespace, runId }) => async () => {
    const latest = await get<Page<RunInfo>>(`/threads/${encodeURIComponent(threadId)}/runs?limit=20&namespace=${encodeURIComponent(namespace)}`);
    return latest?.items.find((one) => one.runId === runId);
  });
  const runs = new Map<string, RunInfo>();
  for (const some of batches([...ofOpen.slice(0, MOST), ...[...ofDecided.values()].slice(0, MOST)])) {
    for (const run of await Promise.all(some.map((ask) => ask()))) if (run) runs.set(run.id, run);
  }
  return { runs: latestFirst([...runs.values()]), cut: ofOpen.length > MOST || ofDecided.size > MOST };
}

const latestFirst = (runs: RunInfo[]) => runs.sort((one, other) => Date.parse(other.createdAt) - Date.parse(one.createdAt));

async function runIn(threadId: string, namespace: string, id: string, get: Get): Promise<Found> {
  const run = await get<RunInfo>(`/threads/${encodeURIComponent(threadId)}/runs/${encodeURIComponent(id)}?namespace=${encodeURIComponent(namespace)}`);
  return { what: "run", threadId, namespace, run };
}
