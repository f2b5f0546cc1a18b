// What a run was asked: the text of the message that its input brought.

import { usePolled, type RunInfo } from "../server/api";

const EVERY_MS = 30_000;

/** How many of the last messages are looked through. */
const MESSAGES = 100;

interface Told {
  id: string;
  content?: unknown;
}

/** The text of a message; undefined if it has none, or is not among them. */
export function textOf(messages: readonly Told[] | undefined, id: string | undefined): string | undefined {
  const content = messages?.find((one) => one.id === id)?.content;
  if (typeof content === "string") return content || undefined;
  if (!Array.isArray(content)) return undefined;
  return content.map((part: { type?: string; text?: unknown }) => (typeof part?.text === "string" ? part.text : "")).filter(Boolean).join("\n") || undefined;
}

/** What a run was asked; undefined while that is not known, or may not be. */
export function useAsked({ threadId, namespace, messageId }: RunInfo, across: boolean): string | undefined {
  const of = across ? `&namespace=${encodeURIComponent(namespace)}` : "";
  const { data } = usePolled<{ items: Told[] }>(`/threads/${encodeURIComponent(threadId)}/messages?limit=${MESSAGES}${of}`, EVERY_MS);
  return textOf(data?.items, messageId);
}
