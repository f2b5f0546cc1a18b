// Looking for whatever has an id: a chat, a run by either of its names, a question. No list of all of them is kept, so it is
// looked for where it is likely, and said how far.

import type { NoticedPage } from "./tenantruns";
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

/** What has the id; undefined where nothing is found. `get` answers undefined for what is not there or not to be read. */
export async function find(id: string, get: Get, now = Date.now()): Promise<Found | undefined> {
  const thread = await get<ThreadInfo>(`/threads/${encodeURIComponent(id)}`);
  if (thread) return { what: "chat", threadId: thread.threadId, title: thread.title };
  const open = await get<Page<InboxItem>>("/inbox?limit=200");
  for (const item of open?.items ?? []) {
    const question = item.interrupts.some((one) => one.id === id);
    if (question || item.threadId === id) return { what: question ? "question" : "chat", threadId: item.threadId, namespace: item.namespace, title: item.title };
  }
  const decided = await get<Page<DecisionInfo>>("/decisions?limit=200");
  for (const one of decided?.items ?? []) {
    if (one.interruptId === id || one.id === id) return { what: "decided", threadId: one.threadId, namespace: one.namespace };
    if (one.askedBy?.id === id || one.answeredBy?.id === id) return await runIn(one.threadId, one.namespace, id, get);
  }
  const dead = await get<Page<RunInfo>>("/dispatches?state=dead_letter&limit=200");
  for (const run of dead?.items ?? []) {
    if (run.id === id || run.runId === id) return { what: "dead", threadId: run.threadId, namespace: run.namespace, run };
  }
  const latest = await get<Page<ThreadInfo>>(`/threads?limit=${CHATS}`);
  for (const { threadId, title } of latest?.items ?? []) {
    const runs = await get<Page<RunInfo>>(`/threads/${encodeURIComponent(threadId)}/runs?limit=200`);
    const run = runs?.items.find((one) => one.id === id || one.runId === id);
    if (run) return { what: "run", threadId, title, run };
  }
  return await noticed(id, get, now);
}

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

async function runIn(threadId: string, namespace: string, id: string, get: Get): Promise<Found> {
  const run = await get<RunInfo>(`/threads/${encodeURIComponent(threadId)}/runs/${encodeURIComponent(id)}?namespace=${encodeURIComponent(namespace)}`);
  return { what: "run", threadId, namespace, run };
}
