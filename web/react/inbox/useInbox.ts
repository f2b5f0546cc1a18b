import type { Interrupt } from "@ag-ui/client";
import { useCallback, useMemo, useState } from "react";
import { ControlError, type Control } from "../control/control.js";
import { usePolled } from "../control/polled.js";
import type { Entry, InboxItem, Page } from "../control/types.js";

/** What an inbox shows: what is left out does not matter. The server knows all of these. */
export interface InboxFilter {
  reason?: string;
  tool?: string;
  agent?: string;
  user?: string;
  thread?: string;
  /** So many threads at most. Default 50. */
  limit?: number;
}

export interface InboxList {
  /** Threads with open questions, the longest wait first; undefined until the server has answered. */
  items?: readonly InboxItem[];
  /** There are more than these. */
  more: boolean;
  error?: ControlError;
  /** Asks again at once. */
  refresh: () => void;
}

/** How often the list is asked for, and a thread's questions, in milliseconds. */
const EVERY_MS = 5_000;

const LIMIT = 50;

/** What waits for an answer in the namespaces that the caller may see. A list shortens large values: `useQuestions` has them in full. */
export function useInbox(control: Control, filter: InboxFilter = {}): InboxList {
  const { limit = LIMIT, ...named } = filter;
  const query = new URLSearchParams({ limit: String(limit) });
  for (const [name, value] of Object.entries(named)) if (value) query.set(name, value);
  const { data, error, refresh } = usePolled<Page<InboxItem>>(control, `/inbox?${query}`, EVERY_MS);
  return { ...(data && { items: data.items }), more: data?.next !== undefined, ...(error && { error }), refresh };
}

/** A question of a thread, with what was answered to it already. */
export interface InboxQuestion {
  interrupt: Interrupt;
  toolCall?: { name: string; arguments: string };
  draft?: Entry;
  expiresAt?: string;
  stale?: boolean;
  /** Only its summary can be read: the whole is too large. */
  truncated?: boolean;
}

export interface InboxThread {
  questions?: readonly InboxQuestion[];
  /** The questions cannot be read, so nobody can answer them. */
  corrupted: boolean;
  /** An answer is on its way. */
  sending: boolean;
  error?: ControlError;
  /** Answers a question. The run goes on when all of its thread are answered; until then answers are drafts. Answers whether the server has taken it. */
  answer: (entry: Entry) => Promise<boolean>;
  /** Takes a draft back. */
  takeBack: (interruptId: string) => Promise<boolean>;
}

/** What one thread asks, in full. `answered` is called after an answer that the server has taken. */
export function useQuestions(control: Control, { threadId, namespace }: Pick<InboxItem, "threadId" | "namespace">, answered?: () => void): InboxThread {
  const base = `/threads/${encodeURIComponent(threadId)}/interrupts`;
  const of = `?namespace=${encodeURIComponent(namespace)}`;
  const { data, error, refresh } = usePolled<Page<InboxItem>>(control, `${base}${of}`, EVERY_MS);
  const [sending, setSending] = useState(false);
  const [refused, setRefused] = useState<ControlError>();
  const attempt = useCallback(
    async (work: () => Promise<unknown>): Promise<boolean> => {
      setSending(true);
      setRefused(undefined);
      let taken = false;
      try {
        await work();
        taken = true;
      } catch (failure) {
        setRefused(failure instanceof ControlError ? failure : new ControlError(0, "client", String(failure)));
      }
      setSending(false);
      refresh();
      if (taken) answered?.();
      return taken;
    },
    [refresh, answered],
  );
  const [item] = data?.items ?? [];
  const questions = useMemo(() => data && (item?.interrupts ?? []).map(({ interrupt, id: _, ...more }) => ({ ...more, interrupt: interrupt as unknown as Interrupt })), [data, item]);
  const failed = refused ?? error;
  return {
    ...(questions && { questions }),
    corrupted: item?.corrupted === true,
    sending,
    ...(failed && { error: failed }),
    answer: (entry) => attempt(() => control.call("POST", `${base}/resolve${of}`, { entries: [entry] })),
    takeBack: (id) => attempt(() => control.call("DELETE", `${base}/${encodeURIComponent(id)}/draft${of}`)),
  };
}
