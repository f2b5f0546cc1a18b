// The control API under /v1, as the page uses it.

import { useCallback, useEffect, useRef, useState } from "react";
import { parse, stringify } from "../lib/json";
import { poll, type Seen } from "./poll";
import { bearer } from "./session";

/** An answer that is no success. `code` is one of the binding's where it has one. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

interface Answer {
  status: number;
  etag?: string;
  body: unknown;
}

/** Asks for a path of the control API as whoever is signed in. */
export function request(path: string, { headers, ...rest }: RequestInit & { headers?: Record<string, string> } = {}): Promise<Response> {
  const token = bearer();
  return fetch(`/v1${path}`, { ...rest, headers: { ...(token && { Authorization: `Bearer ${token}` }), ...headers } });
}

async function send(method: string, path: string, body?: unknown, etag?: string): Promise<Answer> {
  let response: Response;
  try {
    response = await request(path, {
      method,
      headers: { ...(body !== undefined && { "Content-Type": "application/json" }), ...(etag && { "If-None-Match": etag }) },
      body: body === undefined ? undefined : stringify(body),
    });
  } catch {
    throw new ApiError(0, "unreachable", "The server does not answer.");
  }
  if (response.status === 304) return { status: 304, etag, body: undefined };
  const text = await response.text();
  let read: unknown;
  try {
    read = text === "" ? undefined : parse(text);
  } catch {
    throw new ApiError(response.status, "unreadable", `The server answered ${response.status} and something that is not JSON.`);
  }
  if (!response.ok) {
    const problem = (read ?? {}) as { code?: string; detail?: string };
    throw new ApiError(response.status, problem.code ?? "refused", problem.detail ?? `The server answered ${response.status}.`, problem);
  }
  return { status: response.status, etag: response.headers.get("ETag") ?? undefined, body: read };
}

export async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  return (await send(method, path, body)).body as T;
}

/** Asks for a path, again and again; what has not changed is not sent again. */
export function asker<T>(path: string): () => Promise<T> {
  let held: Answer = { status: 0, body: undefined };
  return async () => {
    const got = await send("GET", path, undefined, held.etag);
    if (got.status !== 304) held = got;
    return held.body as T;
  };
}

export interface Polled<T> {
  data?: T;
  error?: ApiError;
  /** Asks again at once. */
  refresh: () => void;
}

/** An answer that takes longer than this is missed, in milliseconds. */
const SLOW_MS = 4_000;

/** What says that an answer may have changed. */
export interface News {
  /** Whether it would say so now. */
  live(): boolean;
  /** Calls `told` whenever it does, until the returned function is called. */
  watch(told: () => void): () => void;
  /** How often is asked where it does, as some may be lost or never told, in milliseconds. Default a minute. */
  safetyMs?: number;
  /** It is wanted while nobody looks at the page, too. */
  unseen?: boolean;
}

const SAFETY_MS = 60_000;

/** How often a page that nobody looks at asks without news, in milliseconds. */
const UNSEEN_MS = 60_000;

/** The document to whom it is all the same whether somebody looks; who comes back still asks at once. */
const UNSEEN: Seen = {
  hidden: false,
  addEventListener: (...heard: Parameters<Document["addEventListener"]>) => document.addEventListener(...heard),
  removeEventListener: (...heard: Parameters<Document["removeEventListener"]>) => document.removeEventListener(...heard),
};

/** What a path becomes when it is asked for. */
export type PathAt = (path: string, now: number) => string;

const AS_IS: PathAt = (path) => path;

/**
 * What a path answers, asked again every so often while the page is looked at, or wanted unseen, or soon after news of it.
 * `at` puts in what is another at each call.
 */
export function usePolled<T>(path: string, everyMs: number, news?: News, at: PathAt = AS_IS): Polled<T> {
  const [answer, setAnswer] = useState<{ path: string; data?: T; error?: ApiError }>({ path });
  const [asked, askAgain] = useState(0);
  const etag = useRef<{ path: string; tag?: string }>({ path });
  useEffect(() => {
    let over = false;
    let failing = false;
    if (etag.current.path !== path) etag.current = { path };
    const held = etag.current;
    const failed = (error: ApiError) => setAnswer((now) => ({ path, data: now.path === path ? now.data : undefined, error }));
    const ask = async (): Promise<"same" | void> => {
      const slow = setTimeout(() => {
        if (!over) failed(new ApiError(0, "slow", "The server has not answered yet."));
      }, SLOW_MS);
      try {
        const got = await send("GET", at(path, Date.now()), undefined, held.tag);
        if (over) return;
        failing = false;
        if (got.status === 304) {
          setAnswer((now) => (now.error ? { ...now, error: undefined } : now));
          return "same";
        } else {
          held.tag = got.etag;
          setAnswer({ path, data: got.body as T });
        }
      } catch (error) {
        if (over) return;
        failing = true;
        // Who is not let in asks again when it is somebody else.
        if (error instanceof ApiError && error.status === 401) asking.end();
        failed(error instanceof ApiError ? error : new ApiError(0, "client", String(error)));
      } finally {
        clearTimeout(slow);
      }
    };
    const asking = poll(ask, everyMs, news?.unseen ? UNSEEN : document, () => {
      if (news?.live() && !failing) return news.safetyMs ?? SAFETY_MS;
      return document.hidden ? UNSEEN_MS : undefined;
    });
    const unwatch = news?.watch(asking.soon);
    return () => {
      over = true;
      unwatch?.();
      asking.end();
    };
  }, [path, everyMs, news, at, asked]);
  const refresh = useCallback(() => askAgain((n) => n + 1), []);
  return { ...(answer.path === path ? { data: answer.data, error: answer.error } : {}), refresh };
}

export interface Page<T> {
  items: T[];
  next?: string;
  /** A part of the store did not answer: there may be more. */
  partial?: boolean;
}

/** A thread, in all answers that tell of one. */
export interface ThreadInfo {
  threadId: string;
  title: string;
  /** The thread that it stands below. */
  parentThreadId?: string;
  rootThreadId?: string;
  depth?: number;
  children?: number;
  /** What it is about, in words of the application. */
  resourceId?: string;
  metadata?: Record<string, unknown>;
  /** How often its parent, resource and metadata have changed. */
  version?: number;
  deleting?: boolean;
  /** When it was made, or got its first input. */
  createdAt?: string;
  /** When it got its latest input: left out before the first. */
  updatedAt?: string;
  /** When its parent, resource or metadata changed last. */
  changedAt?: string;
  active: boolean;
  waiting: boolean;
  /** The reason of an open interrupt that asks nobody, and when that wait ends at the latest. */
  waitsOn?: string;
  waitsUntil?: string;
  queued: number;
  /** The run that began last has failed. */
  failed?: boolean;
  activeRun?: string;
  latestRun?: string;
  /** Whose that run is. Left out of the default one's. */
  agent?: string;
  /** Threads below it that have open interrupts. */
  waitsFor?: string[];
  /** How many there are: not all are named, and servers of before do not say it. */
  waitsForCount?: number;
  /** The store could not read all of these members. */
  partial?: boolean;
}

export interface Entry {
  interruptId: string;
  status: "resolved" | "cancelled";
  payload?: unknown;
}

export interface InboxItem {
  threadId: string;
  namespace: string;
  title: string;
  since?: string;
  runId: string;
  /** Where all tenants are asked for. */
  tenant?: string;
  /** Whose thread it is, in lists, where users are told apart. */
  user?: string;
  /** Left out of the default one's. */
  agent?: string;
  /** What is open cannot be read, so nobody can answer it. */
  corrupted?: boolean;
  /** Others who look at it now, in a list. */
  reviewers?: string[];
  /** So many questions are left out of a list. */
  omitted?: number;
  interrupts: Array<{
    id: string;
    interrupt: Record<string, unknown>;
    expiresAt?: string;
    toolCall?: { name: string; arguments: string };
    draft?: Entry;
    /** It is a summary, because the whole is large. */
    truncated?: boolean;
    /** It can only be cancelled. */
    stale?: boolean;
  }>;
}

/** What was decided, as it is on record. */
export interface DecisionInfo {
  id: string;
  at: string;
  /** `expired`: nobody answered in time. */
  status: "resolved" | "cancelled" | "expired";
  user?: string;
  through?: string;
  threadId: string;
  namespace: string;
  interruptId: string;
  reason?: string;
  message?: string;
  /** Left out of the default one's. */
  agent?: string;
  tool?: string;
  toolCallId?: string;
  arguments?: unknown;
  payload?: unknown;
  /** Which of message, arguments and payload are not whole. */
  cut?: string[];
  refused: number;
  /** The run that asked. */
  askedBy?: { id: string; runId?: string };
  /** The run that the answer began. */
  answeredBy?: { id: string; runId?: string };
}

export interface RunInfo {
  id: string;
  runId: string;
  threadId: string;
  namespace: string;
  execution: string;
  /** Left out of the default one's. */
  agent?: string;
  /** The last message that its input brought. */
  messageId?: string;
  state: "queued" | "claimed" | "acked" | "cancelled" | "superseded" | "dead_letter";
  attempts: number;
  maxAttempts: number;
  error?: string;
  /** The node that carries it, or carried it last. */
  claimedBy?: string;
  /** How often a node continued it in place of another one. */
  takeovers?: number;
  outcome?: { type?: string; code?: string; message?: string; outcome?: { type?: string } };
  /** The thread waits for answers to what it has asked. */
  waits?: boolean;
  /** The run that continued it: with those answers, or with a dead letter. */
  continuedAs?: string;
  wrote?: { count: number; firstId: string; lastId: string; text?: string };
  /** Why it came to be; undefined: it is not known. */
  origin?: "user" | "resume" | "operator" | "expiry" | "child";
  parentRunId?: string;
  steps?: { name: string; count: number; failed?: number; firstAt?: string; lastAt?: string }[];
  moreSteps?: number;
  usage?: { provider?: string; model?: string; inputTokens?: number; outputTokens?: number; totalTokens?: number }[];
  createdAt: string;
  updatedAt: string;
}
