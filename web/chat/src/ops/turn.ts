// What a run was asked, and which tools it has called: from the messages of its chat.

import { usePolled, type Page, type RunInfo } from "../server/api";

const LIVE_MS = 3_000;
const EVERY_MS = 30_000;

/** How many of the last messages are looked through. */
const MESSAGES = 100;

/** How many of the chat's latest runs are looked through. */
const RUNS = 200;

/** A message, as the control API tells it. */
export interface Told {
  id: string;
  role?: string;
  content?: unknown;
  toolCalls?: Array<{ id: string; function?: { name?: string; arguments?: string } }>;
  toolCallId?: string;
}

/** A call of a tool. */
export interface Called {
  id: string;
  name: string;
  /** JSON. */
  given: string;
  /** Undefined: nothing came of it so far, or it is not known. */
  result?: string;
}

/** The text of a message; undefined if it has none, or is not among them. */
export function textOf(messages: readonly Told[] | undefined, id: string | undefined): string | undefined {
  return textIn(messages?.find((one) => one.id === id)?.content);
}

function textIn(content: unknown): string | undefined {
  if (typeof content === "string") return content || undefined;
  if (!Array.isArray(content)) return undefined;
  return content.map((part: { type?: string; text?: unknown }) => (typeof part?.text === "string" ? part.text : "")).filter(Boolean).join("\n") || undefined;
}

/** The calls of tools that a run has made, or has had answered, as far as its messages are among these. */
export function callsOf(messages: readonly Told[], { messageId, wrote }: Pick<RunInfo, "messageId" | "wrote">): Called[] {
  const all = new Map(messages.flatMap(({ toolCalls = [] }) => toolCalls).map((call) => [call.id, call]));
  const own = new Set<string>();
  for (const { toolCalls = [], role, toolCallId } of writtenBy(messages, messageId, wrote)) {
    for (const { id } of toolCalls) own.add(id);
    if (role === "tool" && toolCallId !== undefined) own.add(toolCallId);
  }
  return [...own].flatMap((id) => {
    const call = all.get(id)?.function;
    if (!call) return [];
    return [{ id, name: call.name ?? "", given: call.arguments ?? "", result: textIn(messages.find((one) => one.role === "tool" && one.toolCallId === id)?.content) }];
  });
}

/** The messages that a run has added. One that its worker has not ended does not say which: they follow its own. */
function writtenBy(messages: readonly Told[], asked: RunInfo["messageId"], wrote: RunInfo["wrote"]): readonly Told[] {
  const at = (id: string | undefined) => messages.findIndex((one) => one.id === id);
  if (wrote) return at(wrote.firstId) < 0 ? [] : messages.slice(at(wrote.firstId), at(wrote.lastId) + 1);
  if (at(asked) < 0) return [];
  const behind = messages.slice(at(asked) + 1);
  const next = behind.findIndex(({ role }) => role === "user");
  return next < 0 ? behind : behind.slice(0, next);
}

/** Whether nothing has been said in the chat since. */
export function isLast(messages: readonly Told[] | undefined, ...ids: Array<string | undefined>): boolean {
  const last = messages?.at(-1)?.id;
  return last !== undefined && ids.includes(last);
}

/** What a run was asked and has called, and whether its turn is the chat's last; empty while that is not known, or may not be. */
export function useTurn(run: RunInfo, across: boolean): { asked?: string; calls: readonly Called[]; last: boolean } {
  const { threadId, namespace, state, wrote } = run;
  const messageId = run.messageId ?? run.answersAnew;
  const of = across ? `&namespace=${encodeURIComponent(namespace)}` : "";
  const { data } = usePolled<{ items: Told[] }>(`/threads/${encodeURIComponent(threadId)}/messages?limit=${MESSAGES}${of}`, state === "claimed" ? LIVE_MS : EVERY_MS);
  return { asked: textOf(data?.items, messageId), calls: data ? callsOf(data.items, { messageId, wrote }) : [], last: isLast(data?.items, messageId, wrote?.lastId) };
}

/** The run of which this one answers the message anew; undefined: it answers none, or that is not known. */
export function useRepeated(run: Pick<RunInfo, "threadId" | "namespace" | "answersAnew">, across: boolean): RunInfo | undefined {
  const { threadId, namespace, answersAnew } = run;
  const of = across ? `&namespace=${encodeURIComponent(namespace)}` : "";
  const { data } = usePolled<Page<RunInfo>>(`/threads/${encodeURIComponent(threadId)}/runs?limit=${answersAnew ? RUNS : 1}${of}`, EVERY_MS);
  return answersAnew ? data?.items.find(({ messageId }) => messageId === answersAnew) : undefined;
}
