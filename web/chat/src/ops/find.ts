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

/** What has the id; undefined where nothing is found. `get` answers undefined for what is not there or not to be read. */
export async function find(id: string, get: Get, now = Date.now()): Promise<Found | undefined> {
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

/** So many runs are found by what they ask. */
const MOST = 30;

/** The runs, the latest first, whose questions have a text in their titles, messages or arguments, whether they wait or are answered. */
export async function asking(wanted: string, get: Get): Promise<RunInfo[]> {
  const text = wanted.toLowerCase();
  const has = (...said: unknown[]) => said.some((one) => one !== undefined && (typeof one === "string" ? one : stringify(one)).toLowerCase().includes(text));
  const open = (await get<Page<InboxItem>>(OPEN_PATH))?.items.filter((item) =>
    has(asksWords(item, parts)) || item.interrupts.some(({ interrupt, toolCall }) => has(interrupt.message, toolCall?.arguments)));
  const decided = (await get<Page<DecisionInfo>>(DECIDED_PATH))?.items.filter((one) => has(decidedAbout(one), one.message, one.arguments));
  const runs = new Map<string, RunInfo>();
  for (const { threadId, namespace, runId } of open?.slice(0, MOST) ?? []) {
    const latest = await get<Page<RunInfo>>(`/threads/${encodeURIComponent(threadId)}/runs?limit=20&namespace=${encodeURIComponent(namespace)}`);
    const run = latest?.items.find((one) => one.runId === runId);
    if (run) runs.set(run.id, run);
  }
  for (const { threadId, namespace, askedBy, answeredBy } of decided?.slice(0, MOST) ?? []) {
    const id = answeredBy?.id ?? askedBy?.id;
    const { run } = id === undefined || runs.has(id) ? {} : await runIn(threadId, namespace, id, get);
    if (run) runs.set(run.id, run);
  }
  return latestFirst([...runs.values()]);
}

export const latestFirst = (runs: RunInfo[]) => runs.sort((one, other) => Date.parse(other.createdAt) - Date.parse(one.createdAt));

async function runIn(threadId: string, namespace: string, id: string, get: Get): Promise<Found> {
  const run = await get<RunInfo>(`/threads/${encodeURIComponent(threadId)}/runs/${encodeURIComponent(id)}?namespace=${encodeURIComponent(namespace)}`);
  return { what: "run", threadId, namespace, run };
}
